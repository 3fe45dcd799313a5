package store

import (
	"math/rand/v2"
	"testing"
)

// TestBestKnown: nothing that is compared is faster, on random traces and machines and on all mixes,
// with prefetch and without, and it is one of the runs that were made.
func TestBestKnown(t *testing.T) {
	compared := 0
	below := map[string]bool{} // what was the fastest
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 13))
		trace, s := randomTrace(r, 120), randomSetup(r)
		told := 0
		best, err := BestKnown(trace, s, func(done, all int) {
			if told++; done != told || all != 8*int(1+s.Prefetch) {
				t.Fatalf("it tells %d of %d", done, all)
			}
		})
		if err != nil || told != 8*int(1+s.Prefetch) {
			t.Fatal(told, err)
		}
		if best.Fits() {
			below[best.Says()] = true
			if least := Bound(trace, s); best.Time < least {
				t.Errorf("seed %d: best known ends at %d, the bound is %d", seed, best.Time, least)
			}
		}
		for _, p := range all() {
			for with := range s.Prefetch + 1 {
				setup := s
				setup.Prefetch = with
				got, err := Run(trace, setup, p)
				if err != nil {
					t.Fatal(err)
				}
				if !got.Fits() {
					continue
				}
				if compared++; !best.Fits() || got.Time < best.Time {
					t.Errorf("seed %d, %s, prefetch %d ends at %d, best known at %d", seed, p.Name, with, got.Time, best.Time)
				}
			}
		}
	}
	for _, m := range Mixes() {
		trace, s := m.Trace(), m.Setup()
		best, err := BestKnown(trace, s, nil)
		if err != nil || !best.Fits() {
			t.Fatal(m.Name, err)
		}
		for _, p := range all() {
			for _, s.Prefetch = range []int64{0, 1} {
				if got, err := Run(trace, s, p); err != nil || got.Fits() && got.Time < best.Time {
					t.Errorf("%s, %s, prefetch %d: %v, best known %v (%v)", m.Name, p.Name, s.Prefetch, got.Time, best.Time, err)
				}
			}
		}
		t.Logf("%-20s %s: %v, bound %v", m.Name, best.Says(), best.Time, Bound(trace, m.Setup()))
	}
	t.Logf("%d runs; the fastest is one of %d", compared, len(below))
	if compared < 500 || len(below) < 4 {
		t.Error("of no use")
	}
}
