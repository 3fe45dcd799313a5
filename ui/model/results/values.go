package results

import (
	"math"

	"spillway/sim/prose"
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
