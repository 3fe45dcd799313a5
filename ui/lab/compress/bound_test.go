package compress

import (
	"math"
	"testing"

	"spillway/sim/report"
	"spillway/ui/lab/labtest"
)

// TestHeadroom runs every design beside the bound, as the page does: none is below it, and the
// best one of five settings is as near as recorded. Designs that do not fit have no headroom.
func TestHeadroom(t *testing.T) {
	l := New()
	for _, x := range []struct {
		set, best string
		headroom  float64
	}{
		{"contents=dl", "bandwidth-only", 1.000},
		{"contents=alexnet link=50 gpu_memory=6", "per-allocation", 1.161},
		{"contents=resnet50 gpu_memory=3", "per-allocation", 1.101},
		{"contents=hpc patterns=alike random=30 scattered=20", "bandwidth-only", 1.000},
		{"contents=351-palm link=50 gpu_memory=1", "per-allocation-16x", 1.068},
	} {
		u := labtest.Setup(t, &l, x.set)
		var systems []string
		var reports []*report.Report
		for i := range l.Systems {
			r, _, err := l.Run(u, l.Systems[i].Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			systems, reports = append(systems, l.Systems[i].Name), append(reports, r)
		}
		best, least := "", math.Inf(1)
		for i, r := range l.Related(systems, reports) {
			h := math.NaN()
			if len(r.Values) > 0 {
				h = r.Values[l.Quantity(l.Floor.Headroom)]
			}
			compared := r.Fits && !l.Systems[i].Bound
			if compared == math.IsNaN(h) && systems[i] != l.Floor.System {
				t.Errorf("%s, %s: fits %v, headroom %v", x.set, systems[i], r.Fits, h)
			}
			if !compared {
				continue
			}
			if h < 1 {
				t.Errorf("%s: %s takes %.4f of the bound", x.set, systems[i], h)
			}
			if h < least {
				best, least = systems[i], h
			}
		}
		if best != x.best || math.Abs(least-x.headroom) > 0.0005 {
			t.Errorf("%s: %s is nearest, %.3f times the bound; recorded is %s, %.3f", x.set, best, least, x.best, x.headroom)
		}
	}
}
