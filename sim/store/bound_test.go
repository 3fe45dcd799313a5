package store

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// TestBound runs all policies on random traces: none that fits ends before the bound.
func TestBound(t *testing.T) {
	compared, tight := 0, 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 9))
		trace, s := randomTrace(r, 120), randomSetup(r)
		least := Bound(trace, s)
		for _, p := range all() {
			got, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Fits() {
				continue
			}
			if compared++; got.Time < least {
				t.Errorf("seed %d, %s, %+v: ends at %d, the bound is %d", seed, p.Name, s, got.Time, least)
			}
			if got.Time < least+least/20 {
				tight++
			}
		}
	}
	t.Logf("%d runs, %d within 5 %% of the bound", compared, tight)
	if compared < 300 {
		t.Error("of no use")
	}
}

// TestBoundTightness logs how near the best policy comes, on the bundled traces with and without
// prefetch; what it says stands in the documents.
func TestBoundTightness(t *testing.T) {
	for _, m := range Mixes() {
		trace, s := m.Trace(), m.Setup()
		for _, way := range [][2]int64{{1, 1}, {0, 0}, {1, 0}} {
			s.Prefetch, s.Yields = way[0], way[1]
			least, best, name := Bound(trace, s), unit.Time(0), ""
			for _, p := range all() {
				got, err := Run(trace, s, p)
				if err != nil {
					t.Fatal(err)
				}
				if got.Fits() && (name == "" || got.Time < best) {
					best, name = got.Time, p.Name
				}
			}
			if best < least {
				t.Errorf("%s: %s ends at %v, the bound is %v", m.Name, name, best, least)
			}
			t.Logf("%-20s prefetch %d, yields %d: bound %v, %s %v, %.3f ×", m.Name, s.Prefetch, s.Yields, least, name, best, float64(best)/float64(least))
		}
	}
}

// TestBoundOfOne has a client with two tensors and room for one: both have to
// leave, and the first to come back; nothing else is lost. The bound
// divides what a stay costs among the operations that it spans, and misses less than one eviction here.
func TestBoundOfOne(t *testing.T) {
	x := &ops.Script{Client: "x"}
	a, b := x.Tensor("a"), x.Tensor("b")
	x.Add(ops.Create, a, unit.MiB)
	x.Add(ops.Put, a, 0)
	x.Add(ops.Create, b, unit.MiB)
	x.Add(ops.Put, b, 0)
	x.Add(ops.Get, a, 0)
	x.Foretell()
	trace, err := ops.Join(x)
	if err != nil {
		t.Fatal(err)
	}
	s := smallSetup()
	s.GPU, s.Prefetch = unit.MiB, 0
	r, err := Run(trace, s, Policies()[0])
	if err != nil {
		t.Fatal(err)
	}
	if least := Bound(trace, s); !r.Fits() || least > r.Time || r.Time-least > s.evict(unit.MiB) {
		t.Errorf("the bound is %v, the run ends at %v (%v)", least, r.Time, r.Failure)
	}
}
