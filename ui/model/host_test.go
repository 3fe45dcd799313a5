package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/wire"
)

// A host of tests writes down what it is asked and does it when told to, on a
// bench for each laboratory, as workers do.
type host struct {
	*testing.T
	*Session
	labs    map[string]lab.Lab
	benches map[string]*exec.Bench
	jobs    []*exec.Job  // all that were started
	over    map[int]bool // stopped or answered
	bulk    map[int]bool
	fetched []string
	stored  map[string]string // nil: the browser stores nothing
}

func (h *host) Start(j *exec.Job, priority calls.Priority) {
	h.jobs = append(h.jobs, j)
	h.bulk[j.ID] = priority == calls.Behind
}

func (h *host) Stop(ids []int) {
	for _, id := range ids {
		h.over[id] = true
	}
}

func (h *host) Stored(name string) string { return h.stored[name] }

func (h *host) Store(name, text string) bool {
	if h.stored == nil {
		return false
	}
	h.stored[name] = text
	return true
}

// Fetch is a method of the host alone: a Session has none.
func (h *host) Fetch(name string) { h.fetched = append(h.fetched, name) }

// newHost returns a session with two laboratories that has got what it asked
// for first. Without a fragment it shows the first laboratory's defaults.
func newHost(t *testing.T, fragment string) *host {
	t.Helper()
	return visit(t, cmp.Or(fragment, "v=4-by-hand"))
}

// visit is newHost with exactly this fragment.
func visit(t *testing.T, fragment string) *host {
	t.Helper()
	return newHostWith(t, fragment, map[string]string{})
}

// newHostWith is visit in a browser that stores something already.
func newHostWith(t *testing.T, fragment string, stored map[string]string) *host {
	t.Helper()
	return hostOf(t, fragment, stored, training(), bakery())
}

// hostOf is newHostWith of these laboratories.
func hostOf(t *testing.T, fragment string, stored map[string]string, labs ...lab.Lab) *host {
	t.Helper()
	h := &host{T: t, labs: map[string]lab.Lab{}, benches: map[string]*exec.Bench{}, over: map[int]bool{}, bulk: map[int]bool{}, stored: stored}
	var tabs []Tab
	for _, l := range labs {
		h.labs[l.Name], h.benches[l.Name] = l, &exec.Bench{Lab: l}
		tabs = append(tabs, Tab{Name: l.Name, Title: l.Title, About: l.About})
	}
	h.Session = NewSession(tabs, fragment, h)
	h.enter()
	return h
}

// quick is a link to a comparison that takes milliseconds.
const quick = "v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0"

// enter answers what was fetched.
func (h *host) enter() {
	for _, name := range h.fetched {
		i := h.labs[name].Info
		h.Enter(&i, "")
	}
	h.fetched = nil
}

// open lists the jobs that wait for an answer, the oldest first.
func (h *host) open(kinds ...exec.Kind) []*exec.Job {
	var list []*exec.Job
	for _, j := range h.jobs {
		if !h.over[j.ID] && (kinds == nil || slices.Contains(kinds, j.Kind)) {
			list = append(list, j)
		}
	}
	return list
}

// one is the only waiting job of a kind.
func (h *host) one(kind exec.Kind) *exec.Job {
	h.Helper()
	list := h.open(kind)
	if len(list) != 1 {
		h.Fatalf("%d jobs of kind %d wait; want 1", len(list), kind)
	}
	return list[0]
}

// of is the waiting run of a system.
func (h *host) of(system string) *exec.Job {
	h.Helper()
	for _, j := range h.open(exec.Run) {
		if j.System == system {
			return j
		}
	}
	h.Fatalf("no run of %s waits", system)
	return nil
}

// say answers a job.
func (h *host) say(j *exec.Job, a exec.Answer) bool {
	a.ID, a.Last = j.ID, true
	h.over[j.ID] = true
	if a.Set != a.Of {
		h.benches[j.Lab].Open(a.Set, exec.Lent(&a, nil))
	}
	return h.Answer(&a)
}

// do does the waiting jobs, and those that come of them, until none is left.
func (h *host) do(kinds ...exec.Kind) {
	h.Helper()
	for n := 0; ; n++ {
		list := h.open(kinds...)
		if len(list) == 0 {
			return
		}
		if n > 5000 {
			h.Fatal("it does not end")
		}
		var j exec.Job
		pass(h.T, list[0], &j)
		a := h.benches[j.Lab].Do(&j, func(done, total int) { h.Answer(&exec.Answer{ID: j.ID, Done: done, Total: total}) })
		var got exec.Answer
		pass(h.T, &a, &got)
		if !a.Last || a.ID != j.ID {
			h.Fatalf("answer to job %d: %+v", j.ID, a)
		}
		h.say(&j, got)
	}
}

// pass sends v to *to as between page and worker.
func pass(t *testing.T, v, to any) {
	t.Helper()
	data, err := wire.Marshal(v)
	if err == nil {
		err = wire.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run returns how a system stands.
func (h *host) run(system string) *Run {
	h.Helper()
	for i := range h.Runs {
		if h.Runs[i].System.Name == system {
			return &h.Runs[i]
		}
	}
	h.Fatalf("no system %q", system)
	return nil
}

// field returns a field of any panel or section.
func (h *host) field(key string) Field {
	h.Helper()
	for _, f := range h.Forms() {
		for _, g := range f.Groups {
			for _, x := range g.Fields {
				if x.Key == key {
					return x
				}
			}
		}
	}
	for _, s := range h.Sections() {
		for _, x := range s.Fields {
			if x.Key == key {
				return x
			}
		}
	}
	h.Fatalf("no field %q", key)
	return Field{}
}

func (h *host) want(key, text string) {
	h.Helper()
	if got := h.State.Setup.Text(key); got != text {
		h.Errorf("%s is %q, want %q", key, got, text)
	}
}

// wantBlocked checks why nothing runs.
func (h *host) wantBlocked(text string) {
	h.Helper()
	if got := h.Blocked(); !strings.Contains(got, text) || text == "" && got != "" {
		h.Errorf("blocked: %q; want %q in it", got, text)
	}
}

// chosen lists the chosen options of a field.
func (f *Field) chosen() string {
	var keys []string
	for _, o := range f.Options {
		if o.Chosen {
			keys = append(keys, o.Key)
		}
	}
	return strings.Join(keys, ",")
}

// good is a report with one value for everything.
func good(values ...float64) exec.Answer {
	return exec.Answer{Report: &report.Report{Fits: true, Values: values, About: "about it", Origin: "from there"}}
}

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

// bakery is an invented laboratory with what training does not have: sections
// about a run, and one that is there only with files.
func bakery() lab.Lab {
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
	oven := word("oven", "Oven", knob.One, func(s *bread) *string { return &s.Oven }, knob.Choice{Key: "wood"}, knob.Choice{Key: "gas", Moot: []string{"watts"}, Why: "gas has none"})
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
			Sections: []lab.Section{
				{Key: "crust", Title: "Crust", Folded: true, Run: true, Knobs: []knob.Info{{Key: "slice", Label: "Slice", Help: "Which.", Scale: 1, Min: 0, Max: 9, Default: "0"}}},
				{Key: "menu", Title: "Menu"},
				{Key: "label", Title: "Label", Run: true, If: "flour"},
			},
			Brief: []lab.Brief{{Text: "{dish}, {portions}"}, {Text: "{spice}", Trust: true}, {Text: "{oven} at {watts}", Panel: "how"}},
			Say:   lab.Say{Quantity: "speed"}, Drop: "Drop flour", Entry: "flour", ContradictionHelp: "That contradicts.",
		},
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
		Open: func(files []lab.File) (lab.Files, error) {
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
				}
				f.entries = append(f.entries, e)
			}
			return f, nil
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
		Measures: []report.Measure[*lab.Run[bread, *dough, loaf]]{report.Number(report.Quantity{Key: "speed", Label: "Speed", Better: 1}, func(r *lab.Run[bread, *dough, loaf]) float64 { return r.Result.Speed })},
		Report: func(w *dough, s *bread, r loaf) *report.Report {
			if r.System == "kiln" && s.Portions > 10 {
				return &report.Report{Reason: "too large"}
			}
			return &report.Report{Fits: true, About: w.name, Words: []report.Word{{Key: "oven", Text: strings.Repeat("file's oven", min(1, len(s.File)))}}}
		},
		JSON: func(r loaf) ([]byte, error) { return fmt.Appendf(nil, "{\"speed\": %g}", r.Speed), nil },
		Hash: func(r loaf) string { return fmt.Sprint(r) },
		Section: func(key string, view *knob.Setup, _ *bread, w *dough, system string, p lab.Progress) (*report.Section, error) {
			if key == "crust" && view.Text("slice") == "9" {
				return nil, errors.New("there are nine slices")
			}
			name := "nothing"
			if w != nil {
				name = w.name
			}
			return &report.Section{Text: []string{fmt.Sprint(key, " ", view.Text("slice"), " of ", name, " by ", system)}}, nil
		},
		Studies: []lab.Study{
			{PaperInfo: lab.PaperInfo{Key: "crumb", Title: "Crumb"}, Build: crumb},
			{PaperInfo: lab.PaperInfo{Key: "gone", Title: "Gone"}, Build: func() *study.Paper { panic("no such paper") }},
		},
	})
}

type flour struct{ entries []lab.Entry }

func (f *flour) Entries() []lab.Entry { return f.entries }
func (f *flour) Notes() []string      { return []string{"a note"} }

// crumb is a paper about the bakery: two figures that share a run, and a claim.
func crumb() *study.Paper {
	point := func(figure, of, set, is string, value float64) study.Point {
		return study.Point{Figure: figure, Quantity: "speed", System: "oven", Of: of, Set: set, Is: is, Value: value, Fits: true}
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

// The invented laboratory is one that could be.
func TestBakery(t *testing.T) {
	l := bakery()
	p, err := l.Paper("crumb")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if r, _, err := l.Run(l.Setup(), "oven", nil, nil); err != nil || math.Abs(r.Values[0]-25) > 1e-9 {
		t.Errorf("%+v, %v", r, err)
	}
}
