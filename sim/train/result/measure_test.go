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
		said     bool
	}{
		{[]unit.Cycles{900, 100}, 100, 1, false},
		{[]unit.Cycles{900, 100, 100, 100}, 100, 3, false},
		{[]unit.Cycles{900, 400, 700, 100}, 400, 1, true},
		{[]unit.Cycles{900, 100, 200}, 150, 2, true},
		{[]unit.Cycles{50, 1000, 1001}, 1001, 2, false},
	} {
		r := &Result{Fits: true, Clock: 100, Ideal: ideal}
		for i, x := range tt.times {
			it := Iteration{Time: x, Stall: x - ideal, Overlap: unit.Cycles(10 * i), Compute: ideal - unit.Cycles(10*i), Traffic: Traffic{HostIn: unit.Bytes(100 * i)}}
			it.Ledger.HostRead, it.Ledger.Eviction = x-ideal-unit.Cycles(i), unit.Cycles(i)
			it.Paging = &Paging{In: unit.Bytes(100 * i), Tables: unit.Bytes(i)}
			r.Iterations = append(r.Iterations, it)
		}
		r.Measure(len(tt.times) - 1)
		if r.Time() != tt.time || r.Reported != tt.reported {
			t.Errorf("%v: time %d, iteration %d; want %d, %d", tt.times, r.Time(), r.Reported, tt.time, tt.reported)
		}
		if said := len(r.Notes) == 1 && strings.Contains(r.Notes[0], "means of the"); said != tt.said {
			t.Errorf("%v: notes %q", tt.times, r.Notes)
		}
		m := r.Mean()
		if m.Time != r.Time() || m.Ledger.Total() != m.Time-ideal || m.Stall+m.Overlap+m.Compute != m.Time || m.Paging.In != m.Traffic.HostIn || int(m.Paging.Tables) != len(tt.times)-1 {
			t.Errorf("%v: mean %+v %+v", tt.times, *m, *m.Paging)
		}
	}
}
