package result

import (
	"strings"
	"testing"

	"spillway/sim/unit"
)

// The time is the mean of the iterations measured, its parts add up, and what is drawn over
// kernels is the iteration nearest to it.
func TestMeasure(t *testing.T) {
	const ideal = 50
	for _, tt := range []struct {
		times    []unit.Cycles // the first is warm-up
		time     unit.Cycles
		reported int
		spread   float64
		said     bool
	}{
		{[]unit.Cycles{900, 100}, 100, 1, 0, false},
		{[]unit.Cycles{900, 100, 100, 100}, 100, 3, 0, false},
		{[]unit.Cycles{900, 400, 700, 100}, 400, 1, 1.5, true},
		{[]unit.Cycles{900, 100, 200}, 150, 2, 100.0 / 150, true},
		{[]unit.Cycles{50, 1000, 1001}, 1001, 2, 1.0 / 1001, false},
	} {
		r := &Result{Fits: true, Clock: 100, Ideal: ideal}
		for i, x := range tt.times {
			it := Iteration{Time: x, Stall: x - ideal, Overlap: unit.Cycles(10 * i), Compute: ideal - unit.Cycles(10*i), Traffic: Traffic{HostIn: unit.Bytes(100 * i)}}
			it.Ledger.HostRead, it.Ledger.Eviction = x-ideal-unit.Cycles(i), unit.Cycles(i)
			it.Paging = &Paging{In: unit.Bytes(100 * i), Tables: unit.Bytes(i)}
			r.Iterations = append(r.Iterations, it)
		}
		r.Measure(len(tt.times) - 1)
		if r.Time() != tt.time || r.Reported != tt.reported || r.Spread() != tt.spread {
			t.Errorf("%v: time %d, iteration %d, spread %v; want %d, %d, %v", tt.times, r.Time(), r.Reported, r.Spread(), tt.time, tt.reported, tt.spread)
		}
		if said := len(r.Notes) == 1 && strings.Contains(r.Notes[0], "means"); said != tt.said {
			t.Errorf("%v: notes %q", tt.times, r.Notes)
		}
		m := r.Mean()
		if m.Time != r.Time() || m.Ledger.Total() != m.Time-ideal || m.Stall+m.Overlap+m.Compute != m.Time || m.Paging.In != m.Traffic.HostIn || int(m.Paging.Tables) != len(tt.times)-1 {
			t.Errorf("%v: mean %+v %+v", tt.times, *m, *m.Paging)
		}
	}
}
