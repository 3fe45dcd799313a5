package exec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/lab"
)

// An Ask is what a bundle wants of its laboratory: a run of a system, one of a paper's, what
// a paper claims, or, without any of these, how the laboratory writes a setup.
type Ask struct {
	Setup, System string
	Paper, Run    string
	Claims        bool
}

// A Redone is what a laboratory answers.
type Redone struct {
	Info lab.Info // its name and quantities, nothing else
	// Setup is as the laboratory writes it, and Title the system's.
	Setup, System, Title string
	Report               *report.Report // without curves
	JSON, Hash           string
	// Run is one of a paper's, Outcome the same as its figures take it, Places say what
	// its values are.
	Run     *PaperRun
	Outcome *study.Outcome
	Places  []Place
	// Standing and Systems are the paper's, Papers what these systems say where they are from.
	Standing string
	Systems  []string
	Papers   []string
	Claims   *Claims
}

// A Place is what a value of a paper's run is, for people.
type Place struct{ Where, Unit string }

// A PaperRun is one of a paper's, as a bundle has it.
type PaperRun struct {
	Run    string     `json:"run"`
	System string     `json:"system"` // stable name, empty for an analysis
	Setup  string     `json:"setup"`
	Fits   bool       `json:"fits"`
	Reason string     `json:"reason,omitempty"`
	Values []*float64 `json:"values"` // by what is published of it; null where there is none
	Hash   string     `json:"hash,omitempty"`
}

// Claims are what a paper claims and publishes, and what came out, as a bundle has it.
type Claims struct {
	Paper  string         `json:"paper"`
	Title  string         `json:"title"`
	Claims []Claimed      `json:"claims"`
	Points []study.Record `json:"points"`
}

// A Claimed is one claim.
type Claimed struct {
	Figure    string        `json:"figure"`
	ID        string        `json:"id"`
	Section   string        `json:"section"`
	Text      string        `json:"text"`
	Stated    string        `json:"stated"`
	Unit      string        `json:"unit,omitempty"`
	Published *float64      `json:"published"`
	Ours      *float64      `json:"ours"`
	Verdict   study.Verdict `json:"verdict"`
}

// Redo does what a bundle asks for. outcomes are those of all of a paper's runs, for its
// claims.
func Redo(l *lab.Lab, ask *Ask, outcomes []study.Outcome, files lab.Files, p lab.Progress) (*Redone, error) {
	r := &Redone{Info: lab.Info{Name: l.Name, Quantities: l.Quantities}}
	if ask.Paper != "" {
		return r, r.paper(l, ask, outcomes, p)
	}
	u, err := l.Read(ask.Setup)
	if err != nil {
		return nil, err
	}
	if r.Setup = u.String(); ask.System == "" {
		return r, nil
	}
	x, err := l.System(ask.System)
	if err != nil {
		return nil, err
	}
	rep, raw, err := l.Run(u, x.Name, files, p)
	if err != nil {
		return nil, err
	}
	text, err := l.JSON(raw)
	if err != nil {
		return nil, err
	}
	short := *rep
	short.Curves = nil // all of them are in the result
	r.System, r.Title, r.Report, r.JSON, r.Hash = x.Name, x.Title, &short, string(text), l.Hash(raw)
	return r, nil
}

// called is the place of the run with a name, or of the only one that has all of the settings
// in it: later versions may say more of a run than the one that wrote its name. -1 is none.
func called(runs []study.Run, name string) int {
	if at := slices.IndexFunc(runs, func(r study.Run) bool { return r.Name == name }); at >= 0 {
		return at
	}
	words := strings.Fields(name)
	found := -1
	for i := range runs {
		has := strings.Fields(runs[i].Name)
		if len(words) == 0 || len(has) <= len(words) || has[0] != words[0] || slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(has, w) }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// paper does what is asked of a paper.
func (r *Redone) paper(l *lab.Lab, ask *Ask, outcomes []study.Outcome, p lab.Progress) error {
	paper, err := l.Paper(ask.Paper)
	if err != nil {
		return err
	}
	r.Standing, r.Systems = paper.Standing, paper.Systems
	switch {
	case ask.Claims:
		for _, name := range paper.Systems {
			if x, err := l.System(name); err == nil {
				r.Papers = append(r.Papers, x.Paper)
			}
		}
		r.Claims, err = judged(paper, outcomes)
		return err
	case ask.Run == "":
		return nil
	}
	runs := paper.Runs()
	at := called(runs, ask.Run)
	if at < 0 {
		return fmt.Errorf("this version's %s has no run %.80q", paper.Key, ask.Run)
	}
	run := &runs[at]
	o, raw, err := l.Measure(paper, run.Name, run.Set, nil, p)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Name, err)
	}
	o.Rebuilt = paper.Standing != ""
	sum := ""
	if raw != nil {
		sum = l.Hash(raw)
	}
	r.Outcome, r.Run = o, Ran(run, o, sum)
	points := paper.Of(run.Name)
	for i := range points {
		r.Places = append(r.Places, Place{paper.Name(points[i].Figure) + " " + paper.Called(points[i].Quantity), points[i].Unit})
	}
	return nil
}

// Ran is a run of a paper as a bundle has it: with what came of it, and the hash of the whole
// result, empty of an analysis.
func Ran(run *study.Run, o *study.Outcome, hash string) *PaperRun {
	r := &PaperRun{Run: run.Name, System: run.System, Setup: run.Set, Fits: o.Fits, Reason: o.Reason, Values: []*float64{}, Hash: hash}
	for i := range o.Values {
		if x := &o.Values[i]; math.IsNaN(*x) || math.IsInf(*x, 0) {
			r.Values = append(r.Values, nil)
		} else {
			r.Values = append(r.Values, x)
		}
	}
	return r
}

// judged computes claims and points from outcomes.
func judged(paper *study.Paper, outcomes []study.Outcome) (*Claims, error) {
	sheet, err := paper.Sheet(study.AllClaims, outcomes)
	if err != nil {
		return nil, err
	}
	rows, err := paper.Rows(study.AllClaims, outcomes)
	if err != nil {
		return nil, err
	}
	c := &Claims{Paper: paper.Key, Title: paper.Title, Claims: []Claimed{}, Points: []study.Record{}}
	for i := range rows {
		c.Points = append(c.Points, paper.Record(&rows[i]))
	}
	for i := range sheet.Claims {
		x := &sheet.Claims[i]
		n := Claimed{Figure: paper.Name(x.Figure), ID: x.ID, Section: x.Section, Text: x.Text, Stated: x.Stated, Unit: x.Unit, Verdict: x.Verdict}
		if x.InPaper {
			n.Published = &x.Published
		}
		if x.Known {
			n.Ours = &x.Ours
		}
		c.Claims = append(c.Claims, n)
	}
	return c, nil
}
