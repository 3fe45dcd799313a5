package llm

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
)

// full runs random tests on many more setups.
var full = flag.Bool("full", false, "run random tests on many more setups")

// unlike says how later iterations differ from the one that is measured, empty if by a hundredth of it at
// most.
func unlike(t *testing.T, s *Setup, name string) (ran bool, differ string) {
	t.Helper()
	first, err := Run(s, name, false, nil)
	if err != nil || !first.Ran() {
		return false, ""
	}
	for n := 4; n <= 7; n++ {
		r, err := run(s, name, offload.Options{Iterations: n}, nil)
		if err != nil || !r.Ran() {
			return true, fmt.Sprintf("%d iterations do not run: %v", n, err)
		}
		if d := 100 * (r.Time - first.Time); max(d, -d) > first.Time {
			differ += fmt.Sprintf(" iteration %d takes %v;", n, r.Time)
		}
	}
	if differ != "" {
		differ = fmt.Sprintf("%v is measured;%s %q", first.Time, differ, first.Notes)
	}
	return true, differ
}

// TestPeriods: the iteration that is measured is as long as those after it.
func TestPeriods(t *testing.T) {
	list := cases(t)
	if testing.Short() {
		list = list[1:3]
	}
	for _, c := range list {
		for _, sys := range Systems {
			s := c.setup
			s.Options.Fallback = system.Demand
			if _, differ := unlike(t, &s, sys.Name); differ != "" {
				t.Errorf("%s, %s: %s", c.name, sys.Name, differ)
			}
			if sys.Name != "zero-offload" {
				continue
			}
			for s.Options.Stage = 2; s.Options.Stage <= 3; s.Options.Stage++ {
				s.Options.Delayed = true
				if _, differ := unlike(t, &s, sys.Name); differ != "" {
					t.Errorf("%s, %s, stage %d, delayed: %s", c.name, sys.Name, s.Options.Stage, differ)
				}
			}
		}
	}
}

// TestPeriodsAnything is TestPeriods on random setups. Evictions on demand need not repeat: of TERAIO's
// runs, one in twenty-five may differ.
func TestPeriodsAnything(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	if *full {
		rounds = 1500
	}
	ran, off := 0, 0
	for seed := range rounds {
		r := rng(seed)
		s := r.anything()
		sys := Systems[r.below(int64(len(Systems)))]
		did, differ := unlike(t, &s, sys.Name)
		if !did {
			continue
		}
		teraio := strings.HasPrefix(sys.Name, "teraio")
		if teraio {
			ran++
		}
		switch {
		case differ == "":
		case teraio:
			off++
			t.Logf("seed %d: %s: %s", seed, sys.Name, differ)
		default:
			t.Errorf("seed %d: %s: %s", seed, sys.Name, differ)
		}
	}
	t.Logf("%d of %d runs of TERAIO differ", off, ran)
	if 25*off > ran+24 {
		t.Errorf("%d of %d runs of TERAIO differ", off, ran)
	}
}
