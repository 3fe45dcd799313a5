package serve

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/serve/load"
	"spillway/sim/unit"
)

// TestRate: a rate is of requests, whether these are turns of conversations or not, and in stages, too.
func TestRate(t *testing.T) {
	for _, turns := range []int64{0, 1, 2, 5, 20} {
		for _, stages := range [][]Stage{nil, {{Rate: 2000, Time: 5000 * unit.Second}}, {{Rate: 1000, Time: 5000 * unit.Second}, {Rate: 4000, Time: 1250 * unit.Second}}} {
			r := Recipe{Arrivals: Poisson, Requests: 10_000, Rate: 2000, Stages: stages, Turns: turns, Input: Length{Mean: 10}, Output: Length{Mean: 10}, Seed: 7}
			w, err := r.Workload()
			if err != nil {
				t.Fatal(err)
			}
			begins, last := 0, unit.Time(0)
			for i := range w.Requests {
				if q := &w.Requests[i]; q.After < 0 {
					begins, last = begins+1, q.At
				}
			}
			n := len(w.Requests)
			if stages == nil && n != 10_000 || begins*int(max(1, turns)) != n {
				t.Errorf("%d turns, %v: %d requests in %d conversations", turns, stages, n, begins)
			}
			want := 10_000.0
			if seconds := float64(last) / float64(unit.Second); len(stages) != 2 {
				want = 2 * seconds
			}
			if got := float64(n); math.Abs(got/want-1) > 0.15 {
				t.Errorf("%d turns, %v: %d requests until %v, want %.0f", turns, stages, n, last, want)
			}
		}
	}
}

// TestExtremes: what a recipe cannot make it says, with what to do, and makes the rest.
func TestExtremes(t *testing.T) {
	sound := Recipe{Arrivals: Poisson, Requests: 100, Rate: 1000, CV: 1000, Users: 1, Input: Length{Mean: 100}, Output: Length{Mean: 10}, Seed: 1}
	for name, x := range map[string]struct {
		change func(r *Recipe)
		want   string
	}{
		"most spread of arrivals":  {func(r *Recipe) { r.Arrivals, r.CV = Gamma, MostCV }, ""},
		"least spread of arrivals": {func(r *Recipe) { r.Arrivals, r.CV = Gamma, LeastCV }, ""},
		"too much spread":          {func(r *Recipe) { r.Arrivals, r.CV = Gamma, MostCV+1 }, "spread of arrivals"},
		"too rare":                 {func(r *Recipe) { r.Requests, r.Rate = 100_000, 1 }, "take a higher rate"},
		"rare to the end of a stage": {func(r *Recipe) { // the next one would come after more than a picosecond's 64 bits reach
			r.Arrivals, r.CV, r.Turns, r.Input.Mean, r.Output.Mean, r.Seed = Gamma, MostCV, 1000, 1, 1, 70
			r.Stages = []Stage{{1, 3_000_000 * unit.Second}}
		}, ""},
		"too rare in a stage": {func(r *Recipe) { r.Stages = []Stage{{1, 2 * load.Latest}} }, "stage 1"},
		"too many in stages":  {func(r *Recipe) { r.Stages = []Stage{{mostRate, load.Latest}} }, "take lower rates"},
		"names of groups": {func(r *Recipe) {
			r.Requests, r.Block, r.Groups, r.Shared, r.Input.Mean = 10, 1, 1<<20, 1<<20, 1<<20+1
		}, ""},
		"too many blocks":          {func(r *Recipe) { r.Requests, r.Block, r.Groups, r.Shared = 100, 1, 1, 1<<20 }, "more than 67108864 blocks"},
		"too many blocks of turns": {func(r *Recipe) { r.Requests, r.Block, r.Turns, r.Input.Mean = 1000, 1, 1000, 2000 }, "fewer turns"},
		"too long a conversation":  {func(r *Recipe) { r.Requests, r.Turns, r.Input.Mean = 1000, 1000, 10_000 }, "fewer turns"},
		"most requests":            {func(r *Recipe) { r.Arrivals, r.Requests = Burst, MostRequests }, ""},
	} {
		r := sound
		x.change(&r)
		w, err := r.Workload()
		switch {
		case x.want == "" && err != nil, x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%s: %v, want %q", name, err, x.want)
		case name == "names of groups":
			seen := map[Block]bool{}
			for i := range w.Requests {
				seen[w.Requests[i].Blocks[0]] = true
			}
			if len(seen) != 10 {
				t.Errorf("of 10 requests of 10 groups %d share a block", 10-len(seen))
			}
		}
	}
}
