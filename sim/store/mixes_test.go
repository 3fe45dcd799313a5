package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/unit"
)

// TestMixesTellPoliciesApart: on every bundled trace any two of the five
// policies differ by 1 % or more in bytes evicted or in time, and the best and the
// worst by what is said here, in thousandths of the worst.
func TestMixesTellPoliciesApart(t *testing.T) {
	const pair = 10
	least := map[string]struct{ time, evicted int64 }{
		"training-and-bursts": {40, 130},
		"two-trainings":       {120, 300},
		"services":            {80, 250},
		"table-and-blocks":    {350, 300},
		"late-clock":          {250, 200},
	}
	for _, m := range Mixes() {
		trace := m.Trace()
		if err := trace.Validate(); err != nil {
			t.Fatal(err)
		}
		if again := m.Trace(); !reflect.DeepEqual(again, trace) {
			t.Errorf("%s: not the same twice", m.Name)
		}
		var runs []*Result
		for _, p := range Policies() {
			r, err := Run(trace, m.Setup(), p)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Fits() {
				t.Fatalf("%s, %s: %v", m.Name, p.Name, r.Failure)
			}
			runs = append(runs, r)
		}
		apart := func(a, b int64) int64 { return 1000 * (max(a, b) - min(a, b)) / max(a, b) }
		var time, evicted int64
		for i, a := range runs {
			for _, b := range runs[:i] {
				dt, de := apart(int64(a.Time), int64(b.Time)), apart(int64(a.Evicted), int64(b.Evicted))
				if dt < pair && de < pair {
					t.Errorf("%s: %s and %s: %v and %v, %v and %v evicted", m.Name, a.Policy, b.Policy, a.Time, b.Time, a.Evicted, b.Evicted)
				}
				time, evicted = max(time, dt), max(evicted, de)
			}
		}
		if want := least[m.Name]; time < want.time || evicted < want.evicted {
			t.Errorf("%s: best and worst are %d ‰ apart in time and %d ‰ in bytes evicted, want %+v", m.Name, time, evicted, want)
		}
	}
}

// TestGolden holds the mixes' results and the logs of a small run of each
// policy as text.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, m := range Mixes() {
		trace := m.Trace()
		fmt.Fprintf(&b, "%s, %v, %d operations\n", m.Name, m.GPU, len(trace.Ops))
		fmt.Fprintf(&b, "%-16s %12s %10s %6s %6s %6s %6s %6s %6s\n", "policy", "time/ns", "evict/MB", "number", "right", "wasted", "hit", "miss", "late")
		for _, p := range all() {
			r, err := Run(trace, m.Setup(), p)
			if err != nil {
				t.Fatal(err)
			}
			s := r.Sum()
			fmt.Fprintf(&b, "%-16s %12d %10d %6d %6d %6d %6d %6d %6d\n", p.Name, r.Time/unit.Nanosecond, r.Evicted/unit.MB, r.Evictions.Count, r.Right, r.Wasted, s.Hits, s.Misses, s.Late)
		}
		b.WriteString("\n")
	}
	small, setup := smallTrace(), smallSetup()
	for _, p := range all() {
		r, err := Run(small, setup, p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "small, %s: %d ns, fits %t\n", p.Name, r.Time/unit.Nanosecond, r.Fits())
		name := func(x int32) string {
			return small.Clients[small.Tensors[x].Client] + "/" + small.Tensors[x].Name
		}
		for _, e := range r.Evictions.Kept {
			fmt.Fprintf(&b, "  %9d evicted %s for operation %d, next use %d, oracle %s, right %t\n", e.Time/unit.Nanosecond, name(e.Tensor), e.Op, e.Next, name(e.Best), e.Right)
		}
		for _, f := range r.Prefetches.Kept {
			fmt.Fprintf(&b, "  %9d to %d brought back %s\n", f.Start/unit.Nanosecond, f.End/unit.Nanosecond, name(f.Tensor))
		}
		for _, c := range r.Clients {
			fmt.Fprintf(&b, "  client %s until %d:", c.Name, c.End/unit.Nanosecond)
			for part, d := range c.Parts {
				if d > 0 {
					fmt.Fprintf(&b, " %v %d,", Part(part), d/unit.Nanosecond)
				}
			}
			fmt.Fprintf(&b, " gets %d, %d, %d\n", c.Hits, c.Misses, c.Late)
		}
	}
	golden.Compare(t, "testdata/runs.golden", []byte(b.String()))
}
