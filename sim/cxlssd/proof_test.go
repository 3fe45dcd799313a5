package cxlssd

import (
	"testing"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// TestNoDesignIsBelowTheBoundOfRandom has random recipes and devices.
func TestNoDesignIsBelowTheBoundOfRandom(t *testing.T) {
	compared := 0
	for seed := range uint64(60) {
		d := draw(seed)
		least, err := boundOf(d.w, &d.s)
		if err != nil {
			continue
		}
		for i := range Systems {
			if r, err := simulate(d.w, &d.s, Systems[i].Name, nil, nil); err == nil {
				if compared++; r.Time < least {
					t.Errorf("seed %d: %s takes %v, less than the bound's %v", seed, r.System, r.Time, least)
				}
			}
		}
	}
	t.Logf("%d runs", compared)
}

// TestNoDesignIsBelowTheBound runs all designs on the bundled workloads, and logs how near the
// fastest comes.
func TestNoDesignIsBelowTheBound(t *testing.T) {
	list := stream.Recipes()
	for k := range list {
		w, s := recipe(t, list[k].Name), Default()
		s.Scale = 64
		least, err := Bound(w, &s)
		if err != nil {
			t.Fatal(err)
		}
		best, name := unit.Time(0), ""
		for i := range Systems {
			r, err := Run(w, &s, Systems[i].Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Time < least {
				t.Errorf("%s: %s takes %v, less than the bound's %v", w.Name, r.System, r.Time, least)
			}
			if name == "" || r.Time < best {
				best, name = r.Time, r.System
			}
		}
		t.Logf("%-10s bound %v, %s %v, %.3f ×", w.Name, least, name, best, float64(best)/float64(least))
	}
}
