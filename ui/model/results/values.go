package results

import (
	"math"

	"spillway/sim/prose"
	"spillway/sim/report"
)

// An Outcome is what a run gave, without its curves.
type Outcome struct {
	Values  []float64 // by the laboratory's quantities; nil if there are none
	Problem string    // what contradicts in the settings, or why the system cannot run it
	Unfit   bool      // the system cannot run it
	Error   string    // what went wrong
}

// Value returns the at-th value, and whether there is one.
func (o *Outcome) Value(at int) (float64, bool) {
	if o == nil || at < 0 || at >= len(o.Values) || math.IsNaN(o.Values[at]) {
		return 0, false
	}
	return o.Values[at], true
}

// outcomeOf is a result without its curves.
func outcomeOf(r *Result) *Outcome {
	switch {
	case r.Error != "":
		return &Outcome{Error: r.Error}
	case len(r.Problems) > 0:
		return &Outcome{Problem: prose.Sentences(r.Problems)}
	case !r.Report.Fits:
		return &Outcome{Unfit: true, Problem: r.Report.Reason}
	}
	return &Outcome{Values: r.Report.Values}
}

// A Prerendered is what was computed when the site was built: reports of what the page
// opens on. They stand until the visitor's own computer has computed the same.
type Prerendered struct {
	Lab  string // stable name of the laboratory
	Runs []Sown
}

// A Sown is one report of a seed. Key names the run as Run.Key does.
type Sown struct {
	Key    string
	Report *report.Report
}

// Prerender gives the store reports that the site came with; others of other laboratories
// do nothing.
func (s *Store) Prerender(seed *Prerendered) { s.seed = seed }

// Prerendered returns the report of a run that the site came with, nil if there is none.
func (s *Store) Prerendered(r Run) *report.Report {
	if s.seed == nil || s.seed.Lab != s.lab {
		return nil
	}
	key := r.Key()
	for i := range s.seed.Runs {
		if s.seed.Runs[i].Key == key {
			return s.seed.Runs[i].Report
		}
	}
	return nil
}
