package main

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// The laboratory of these tests: boxes are carried from here to there. It is
// small and stands still whatever is added to the real ones.

type haul struct {
	Boxes int64
	Road  string
	Tricks,
	Load string
}

type carried struct {
	Fits bool
	Time float64
}

// tinyLab returns it; time is what a box takes, 1 as published. Below 0 it breaks.
func tinyLab(time float64) all.Entry {
	return all.Entry{Name: "tiny", Package: "tiny", New: func() lab.Lab {
		return lab.New(lab.Spec[haul, int64, carried]{
			Info: lab.Info{
				Name: "tiny", Title: "Boxes", About: "Somebody carries boxes.", Drop: "Drop lists of boxes", Entry: "load",
				Systems: []lab.System{
					{Name: "wings", Title: "Wings", Paper: "Nobody (1999)", About: "Carries all at once.", Bound: true},
					{Name: "arms", Title: "Arms", Paper: "Atlas (2001)", About: "Carries one at a time.", Family: "limbs", Look: 1},
					{Name: "cart", Title: "Cart", Paper: "Wheel (2002)", About: "Carries ten.", Off: true, Look: 2},
				},
				Panels: []lab.Panel{{Key: "job", Title: "Job"}},
				Brief:  []lab.Brief{{Text: "{boxes} of boxes"}, {Text: "a {road} road", Trust: true}},
				Say:    lab.Say{Quantity: "time_s"},
			},
			Default: haul{Boxes: 10, Road: "flat"},
			Knobs: map[string][]knob.Knob[haul]{"job": {
				{
					Info: knob.Info{Key: "boxes", Label: "Boxes", Help: "How many.", Source: "counted", Unit: "dozen", Scale: 2, Min: 1, Max: 60, Always: true},
					Get:  func(h *haul) int64 { return h.Boxes }, Set: func(h *haul, v int64) { h.Boxes = v },
				},
				{
					Info: knob.Info{
						Key: "road", Label: "Road", Help: "Where they go.", Kind: knob.One,
						Choices: []knob.Choice{{Key: "flat", Label: "Flat", Help: "No hills."}, {Key: "steep", Label: "Steep", Set: "boxes=2.5"}},
					}, Word: func(h *haul) *string { return &h.Road },
				},
				{
					Info: knob.Info{
						Key: "tricks", Config: "TRICKS", Label: "Tricks", Help: "What is allowed.", Kind: knob.Many,
						Choices: []knob.Choice{{Key: "run", Label: "Run"}, {Key: "throw", Label: "Throw"}}, Sets: []knob.Choice{{Key: "everything", Label: "Everything", Set: "run,throw"}},
					}, Word: func(h *haul) *string { return &h.Tricks },
				},
				{Info: knob.Info{Key: "load", Label: "Load", Help: "Of the opened files.", Kind: knob.Word}, Word: func(h *haul) *string { return &h.Load }},
			}},
			Check: func(h *haul) error {
				if h.Road == "steep" && h.Boxes > 40 {
					return errors.New("nobody carries that up; take fewer boxes")
				}
				return nil
			},
			Accept: func([]byte, []lab.File) (lab.Files, error) { return nil, errors.New("nobody hands boxes over") },
			Source: func(h *haul) string { return fmt.Sprint(h.Boxes, h.Load) },
			Load: func(h *haul, f lab.Files) (int64, error) {
				if h.Load == "" {
					return h.Boxes, nil
				}
				return f.(*lists).boxes[h.Load], nil
			},
			Run: func(boxes int64, h *haul, system string, _ lab.Progress) (carried, error) {
				if time < 0 {
					panic("boxes everywhere")
				}
				each := map[string]float64{"wings": 0, "arms": 1, "cart": 0.1}[system]
				return carried{system != "arms" || boxes <= 30, 1 + time*each*float64(boxes)}, nil
			},
			Measures: []report.Measure[*lab.Run[haul, int64, carried]]{
				report.Number(report.Quantity{Key: "time_s", Label: "Time", Unit: "ms", Help: "Until all are there.", Scale: 0.001, Places: 1, Better: -1}, func(r *lab.Run[haul, int64, carried]) float64 { return r.Result.Time }),
				report.Number(report.Quantity{Key: "boxes_per_s", Label: "Rate", Unit: "boxes/s", Help: "Boxes over time.", Places: 2, Better: 1}, func(r *lab.Run[haul, int64, carried]) float64 {
					if r.Settings.Road == "steep" {
						return report.None()
					}
					return float64(r.Workload) / r.Result.Time
				}),
			},
			Report: func(boxes int64, h *haul, c carried) *report.Report {
				if !c.Fits {
					return &report.Report{Reason: "arms tire after 30; take a cart", About: fmt.Sprint(boxes, " boxes"), Origin: "the attic"}
				}
				return &report.Report{Fits: true, Notes: []string{"Mind the step."}, About: fmt.Sprint(boxes, " boxes"), Origin: "the attic"}
			},
			Steps:   func(boxes int64, _ *haul, _ string) int { return lab.Steps(float64(boxes), time*1e6/2) },
			Less:    "Take fewer boxes.",
			JSON:    func(c carried) ([]byte, error) { return fmt.Append(nil, c), nil },
			Hash:    func(c carried) string { return fmt.Sprint("#", c.Time) },
			Studies: []lab.Study[haul, int64, carried]{{PaperInfo: lab.PaperInfo{Key: boxPaper().Key}, Build: boxPaper}},
		})
	}}
}

// boxPaper has a point that agrees, one with an explained gap, a relative one and
// one that cannot run.
func boxPaper() *study.Paper {
	at := func(figure, system string, halves int, value float64) study.Point {
		is := fmt.Sprintf("boxes=%s", knob.Decimal(int64(halves), 2))
		return study.Point{
			Figure: figure, Quantity: "time_s", System: system, Set: is + " road=flat", Workload: is, Of: fmt.Sprint(halves, " boxes"),
			Fits: value > 0, Value: value, Unit: "s",
		}
	}
	relative := at("2", "arms", 20, 7)
	relative.RelativeTo, relative.Unit, relative.Note = "cart", "×", "smudged"
	return &study.Paper{
		Key: "atlas", Title: "Carrying boxes", About: "Two figures.", Short: "Atlas (2001)", Systems: []string{"arms", "cart"},
		Names:     map[string]string{"arms": "Arms", "cart": "Cart", "time_s": "time"},
		Points:    []study.Point{at("1", "arms", 10, 11), at("1", "arms", 40, 0), at("1", "cart", 10, 3), relative},
		Tolerance: 0.01, Rebuilt: 0.5, ClaimTolerance: 0.01, Standing: "counted boxes", Originals: "Drop the lists of Atlas.",
		Figures: []study.Figure{
			{ID: "1", Title: "Times", Section: "§4", Kind: study.Table},
			{ID: "2", Title: "Speedup", Section: "§5", Kind: study.Table},
		},
		Claims: []study.Claim{{
			ID: "slow", Figure: "2", Section: "§5", Text: "Arms over cart", Stated: "7×", Lo: 6.9, Hi: 7.1, Unit: "×",
			Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
				v, _, known := look(&relative)
				return v, known
			},
		}},
		Why: func(r *study.Row) string {
			if r.System == "cart" && !r.Rebuilt {
				return "the cart had a flat tyre"
			}
			return ""
		},
	}
}

// lists are opened files: a number of boxes by name.
type lists struct{ boxes map[string]int64 }

func init() {
	open := openLab
	openLab = func(l *lab.Lab, files []lab.File) (lab.Files, error) {
		if l.Name == "tiny" {
			return openLists(files)
		}
		return open(l, files)
	}
}

func openLists(files []lab.File) (lab.Files, error) {
	l := &lists{map[string]int64{}}
	for _, f := range files {
		n, err := strconv.ParseInt(strings.TrimSpace(string(f.Data)), 10, 64)
		if err != nil {
			n = -1
		}
		l.boxes[path.Base(f.Name)] = n
	}
	if len(files) == 0 {
		return nil, errors.New("no files; want numbers")
	}
	return l, nil
}

func (l *lists) Notes() []string { return nil }

func (l *lists) Entries() []lab.Entry {
	var list []lab.Entry
	for _, name := range sorted(l.boxes) {
		n := l.boxes[name]
		e := lab.Entry{Name: name, Info: fmt.Sprint(n, " boxes"), Set: "tricks=run", Is: "boxes=" + knob.Decimal(n, 2)}
		if n < 0 {
			e = lab.Entry{Name: name, Error: "no number"}
		}
		list = append(list, e)
	}
	return list
}

// try runs a command line in a shell with this laboratory.
func try(door all.Entry, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := shell{labs: []all.Entry{door}, out: &out, errs: &errs}
	code = s.command(args)
	return code, out.String(), errs.String()
}
