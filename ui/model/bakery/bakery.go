// Package bakery is an invented laboratory with what the real ones do not have together: sections about a
// run, and one that is there only with files; a paper; everything that can go wrong. Only tests import it.
package bakery

import (
	"errors"
	"fmt"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/sim/timeline"
	"spillway/ui/lab"
)

// A bread is what the invented laboratory's runs depend on.
type bread struct {
	Dish, Oven, Spice, File string
	Portions, Watts         int64
}

// A dough is what it runs.
type dough struct{ name string }

// A loaf is its result.
type loaf struct {
	System, Dish string
	Speed        float64
}

// sliced is a section that says all that it is told.
func sliced(key string) func(*lab.View[bread, *dough, loaf]) (*report.Section, error) {
	return func(v *lab.View[bread, *dough, loaf]) (*report.Section, error) {
		if key == "crust" && v.Look.Text("slice") == "9" {
			return nil, errors.New("there are nine slices")
		}
		name := "nothing"
		if v.Workload != nil {
			name = v.Workload.name
		}
		return &report.Section{Text: []string{fmt.Sprint(key, " ", v.Look.Text("slice"), " of ", name, " by ", v.System)}}, nil
	}
}

// New returns the laboratory: sections
// about a run, and one that is there only with files.
func New() lab.Lab {
	word := func(key, label string, kind knob.Kind, ref func(*bread) *string, choices ...knob.Choice) knob.Knob[bread] {
		return knob.Knob[bread]{Info: knob.Info{Key: key, Label: label, Help: "Help.", Kind: kind, Choices: choices}, Word: ref}
	}
	number := func(key, label string, ref func(*bread) *int64) knob.Knob[bread] {
		return knob.Int(knob.Info{Key: key, Label: label, Help: "Help.", Scale: 1, Min: 1, Max: 5000}, ref)
	}
	dish := word("dish", "Dish", knob.One, func(s *bread) *string { return &s.Dish },
		knob.Choice{Key: "rye", Label: "Rye", Set: "portions=4", Limits: []knob.Limit{{Key: "portions", Min: 1, Max: 50, Hint: "Try 4 or 8."}}},
		knob.Choice{Key: "cake", Label: "Cake", Set: "portions=12", Limits: []knob.Limit{{Key: "portions", Min: 6, Max: 20}, {Key: "oven", Choices: []string{"gas"}}}})
	dish.Always = true
	oven := word("oven", "Oven", knob.One, func(s *bread) *string { return &s.Oven }, knob.Choice{Key: "wood"}, knob.Choice{Key: "gas", Ineffective: []string{"watts"}, Why: "gas has none"})
	spice := word("spice", "Spice", knob.Many, func(s *bread) *string { return &s.Spice }, knob.Choice{Key: "salt"}, knob.Choice{Key: "chili"})
	spice.Sets = []knob.Choice{{Key: "hot", Set: "salt,chili", Word: "hot"}, {Key: "mild", Help: "None."}}
	file := word("flour", "Flour", knob.Word, func(s *bread) *string { return &s.File })
	return lab.New(lab.Spec[bread, *dough, loaf]{
		Info: lab.Info{
			Name: "bakery", Title: "Bakery", About: "One oven.", Lead: "Bread.",
			Systems: []lab.System{
				{Name: "dream", Title: "Dream", Bound: true}, {Name: "oven", Title: "Oven", Look: 1}, {Name: "kiln", Title: "Kiln", Look: 2, Off: true},
			},
			Charts: []report.Chart{{ID: "speed", Title: "Speed", Of: []string{"speed"}, By: []report.Variant{{Key: "time"}, {Key: "loaf"}}}},
			Panels: []lab.Panel{{Key: "what", Title: "What"}, {Key: "how", Title: "How"}},
			Brief:  []lab.Brief{{Text: "{dish}, {portions}"}, {Text: "{spice}", Trust: true}, {Text: "{oven} at {watts}", Panel: "how"}},
			Say:    lab.Say{Quantity: "speed"},
			Drop:   "Drop flour", Entry: "flour", ContradictionHelp: "That contradicts.",
		},
		Why: lab.Why{Time: "time", Causes: []lab.Cause{
			{Key: "cold", Title: "the cold", Cured: "a hot oven", Set: "watts=1000", Color: "stall"},
			{Key: "many", Title: "many portions", Cured: "fewer portions", Set: "portions=3", Color: "compute"},
			{Key: "salt", Title: "salt", Cured: "no salt", Set: "spice=chili", Color: "overlap"},
		}},
		Default: bread{Dish: "rye", Oven: "wood", Spice: "hot", Portions: 4, Watts: 100},
		Knobs: map[string][]knob.Knob[bread]{
			"what": {dish, number("portions", "Portions", func(s *bread) *int64 { return &s.Portions }), file},
			"how":  {oven, number("watts", "Watts", func(s *bread) *int64 { return &s.Watts }), spice},
		},
		Check: func(s *bread) error {
			if s.Watts > 1000 && s.Portions < 3 {
				return errors.Join(errors.New("too hot"), errors.New("too few"))
			}
			return nil
		},
		Accept: func(found []byte, _ []lab.File) (lab.Files, error) {
			var list []lab.File
			for name := range strings.FieldsSeq(string(found)) {
				list = append(list, lab.File{Name: name, Data: []byte("field " + name)})
			}
			return Read(nil, list)
		},
		Source: func(s *bread) string { return s.Dish + s.File },
		Load: func(s *bread, f lab.Files) (*dough, error) {
			if s.File != "" && f == nil {
				return nil, errors.New("no flour")
			}
			return &dough{s.Dish + s.File}, nil
		},
		Run: func(w *dough, s *bread, system string, p lab.Progress) (loaf, error) {
			if s.Watts == 13 {
				panic("burnt")
			}
			if s.Watts == 14 {
				return loaf{}, errors.New("the fuse is gone")
			}
			if p != nil {
				p(1, 2)
			}
			return loaf{system, w.name, float64(s.Watts) / float64(s.Portions)}, nil
		},
		Measures: []report.Measure[*lab.Run[bread, *dough, loaf]]{
			report.Number(report.Quantity{Key: "speed", Label: "Speed", Better: 1}, func(r *lab.Run[bread, *dough, loaf]) float64 { return r.Result.Speed }),
			report.Number(report.Quantity{Key: "time", Label: "Time", Unit: "s", Better: -1}, func(r *lab.Run[bread, *dough, loaf]) float64 { return 1000 / r.Result.Speed }),
		},
		Report: func(w *dough, s *bread, r loaf) *report.Report {
			if r.System == "kiln" && s.Portions > 10 {
				return &report.Report{Reason: "too large"}
			}
			return &report.Report{Fits: true, About: w.name, Words: []report.Word{{Key: "oven", Text: strings.Repeat("file's oven", min(1, len(s.File)))}}}
		},
		JSON: func(r loaf) ([]byte, error) { return fmt.Appendf(nil, "{\"speed\": %g}", r.Speed), nil },
		Hash: func(r loaf) string { return fmt.Sprint(r) },
		Timeline: func(v *lab.View[bread, *dough, loaf]) (*lab.Happening, error) {
			if v.Settings.Watts == 14 {
				return nil, errors.New("the fuse is gone")
			}
			r := timeline.Record(timeline.Picosecond, 100, timeline.Category{Key: "bake", Label: "baking"}, timeline.Category{Key: "rise", Label: "rising", Style: timeline.Waiting})
			r.Group("Oven", false)
			track := r.Track("Bread", timeline.State, "")
			r.Slice(track, timeline.Slice{End: 75, Cat: 1, Ref: -1, Step: -1})
			r.Slice(track, timeline.Slice{Begin: 75, End: 100, Ref: -1, Step: -1})
			return &lab.Happening{Timeline: r.End()}, nil
		},
		Sections: []lab.Shown[bread, *dough, loaf]{
			{Show: sliced("crust"), Section: lab.Section{Key: "crust", Title: "Crust", Folded: true, Run: true, Knobs: []knob.Info{{Key: "slice", Label: "Slice", Help: "Which.", Scale: 1, Min: 0, Max: 9, Default: "0"}}}},
			{Show: sliced("menu"), Section: lab.Section{Key: "menu", Title: "Menu"}},
			{Show: sliced("label"), Section: lab.Section{Key: "label", Title: "Label", Run: true, If: "flour"}},
		},
		Studies: []lab.Study[bread, *dough, loaf]{
			{PaperInfo: lab.PaperInfo{Key: "crumb", Title: "Crumb"}, Build: crumb},
			{PaperInfo: lab.PaperInfo{Key: "gone", Title: "Gone"}, Build: func() *study.Paper { panic("no such paper") }},
		},
	})
}

type flour struct{ entries []lab.Entry }

func (f *flour) Entries() []lab.Entry { return f.entries }

func (f *flour) Notes() []string { return []string{"a note"} }

// crumb is a paper about the bakery: two figures that share a run, and a claim.
func crumb() *study.Paper {
	point := func(figure, of, set, is string, value float64) study.Point {
		return study.Point{Figure: figure, Quantity: "speed", System: "oven", Of: of, Set: set, Workload: is, Value: value, Fits: true}
	}
	marks := func(study.Look) []study.Mark { return nil }
	return &study.Paper{
		Key: "crumb", Title: "Crumb", Systems: []string{"oven"}, Names: map[string]string{"oven": "Oven", "speed": "speed"},
		Points: []study.Point{
			point("1", "rye", "dish=rye", "dish=rye", 25),
			point("2", "rye", "dish=rye", "dish=rye", 25),
			point("2", "cake", "dish=cake oven=gas", "dish=cake", 100),
			point("2", "hot", "dish=cake oven=gas watts=14", "", 100),
		},
		Figures: []study.Figure{{ID: "1", Title: "One", Marks: marks}, {ID: "2", Title: "Two", Marks: marks}},
		Claims: []study.Claim{{
			ID: "fast", Figure: "1", Text: "It is fast.", Stated: "25", Lo: 24, Hi: 26,
			Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
				p := point("1", "rye", "dish=rye", "dish=rye", 25)
				v, _, known := look(&p)
				return v, known
			},
		}},
		Tolerance: 0.005, Rebuilt: 0.25, ClaimTolerance: 0.01, Standing: "other flour", Originals: "Drop flour.",
	}
}

// Read is what reads files for the laboratory.
func Read(_ *lab.Lab, files []lab.File) (lab.Files, error) {
	f := &flour{}
	for _, x := range files {
		if x.Name == "stone" {
			return nil, errors.New("stone: a stone; want flour")
		}
		e := lab.Entry{Name: x.Name, Info: "of " + string(x.Data)}
		switch x.Name {
		case "moldy":
			e.Error = "it is moldy"
		case "rye":
			e.Is, e.Set = "dish=rye", "watts=700 spice=salt"
		case "cake":
			e.Is = "dish=cake"
		case "recipe":
			e.Set, e.Stands = "dish=rye watts=600", true
		case "clay":
			e.Systems = []string{"kiln"}
		}
		f.entries = append(f.entries, e)
	}
	return f, nil
}
