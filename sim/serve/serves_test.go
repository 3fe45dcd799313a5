package serve

import (
	"testing"

	"spillway/build/effort"
)

// TestServes: where a run says that another system does the same, every request has the same times and phases there.
func TestServes(t *testing.T) {
	same, other := 0, 0
	for seed := range effort.Seeds(400) {
		w, s := random(t, seed)
		for _, key := range []string{"hbm", "host", "ssd"} {
			x := *s
			x.System = key
			a, err := Run(w, &x, nil)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, sys := range Systems() {
				if sys.Key == key || !a.Ran() {
					continue
				}
				if !a.Serves(&sys) {
					other++
					continue
				}
				same++
				y := x
				y.System = sys.Key
				b, err := Run(w, &y, nil)
				if err != nil || !b.Ran() {
					t.Fatalf("seed %d: %s as %s: %v %s", seed, sys.Key, key, err, b.Refused)
				}
				for i := range a.Requests {
					if a.Requests[i] != b.Requests[i] {
						t.Fatalf("seed %d: request %d:\n%+v with %s\n%+v with %s", seed, i, a.Requests[i], key, b.Requests[i], sys.Key)
					}
				}
				if a.Good != b.Good || a.Time != b.Time || a.PerMillion() != b.PerMillion() || a.TTFT != b.TTFT || a.TPOT != b.TPOT || a.ITL != b.ITL || a.E2E != b.E2E {
					t.Fatalf("seed %d: %s and %s differ", seed, key, sys.Key)
				}
			}
		}
	}
	if effort.Nightly() && (same == 0 || other == 0) {
		t.Errorf("%d the same, %d not", same, other)
	}
	t.Logf("%d the same, %d not", same, other)
}
