package lab_test

import (
	"math"
	"testing"

	"spillway/sim/report"
	"spillway/ui/lab"
)

// A system is measured against what is proved of it, all others against what is proved of all.
func TestRelated(t *testing.T) {
	l := lab.Info{
		Quantities: []report.Quantity{{Key: "time"}, {Key: "headroom"}, {Key: "pressed"}},
		Systems:    []lab.System{{Name: "drip"}, {Name: "dream", Bound: true}, {Name: "squeeze", Unbounded: true}, {Name: "press", Floor: "pressed"}, {Name: "bound", Bound: true}},
		Floor:      lab.Lowest("time"),
	}
	took := func(v float64) *report.Report {
		return &report.Report{Fits: true, Values: []float64{v, report.None(), report.None()}}
	}
	floor := took(2)
	floor.Values[2] = 4
	names := []string{"drip", "press", "dream", "squeeze", "bound"}
	runs := []*report.Report{took(3), took(5), took(1), took(1), floor}
	for i, r := range l.Related(names, runs) {
		if got, want := r.Values[1], []float64{1.5, 1.25, math.NaN(), math.NaN(), 1}[i]; got != want && !(got != got && want != want) {
			t.Errorf("%s: %v times the best possible, want %v", names[i], got, want)
		}
	}
	if !math.IsNaN(runs[1].Values[1]) {
		t.Error("what was handed over is changed")
	}
	if got := l.Related(names[:2], runs[:2]); got[0] != runs[0] || got[1] != runs[1] {
		t.Error("without the bound nothing is known")
	}
}
