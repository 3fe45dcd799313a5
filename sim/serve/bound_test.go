package serve

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"spillway/build/effort"
	"spillway/sim/unit"
)

// beaten says which measure of a run is better than the bound's.
func beaten(r, b *Result) (list []string) {
	of := func(name string, ours, best int64) {
		if ours < best {
			list = append(list, name)
		}
	}
	of("time", int64(r.Time), int64(b.Time))
	for _, x := range []struct {
		name string
		r, b *Spread
	}{{"ttft", &r.TTFT, &b.TTFT}, {"tpot", &r.TPOT, &b.TPOT}, {"e2e", &r.E2E, &b.E2E}} {
		of(x.name+" mean", int64(x.r.Mean), int64(x.b.Mean))
		of(x.name+" p50", int64(x.r.P50), int64(x.b.P50))
		of(x.name+" p90", int64(x.r.P90), int64(x.b.P90))
		of(x.name+" p99", int64(x.r.P99), int64(x.b.P99))
		of(x.name+" longest", int64(x.r.Longest), int64(x.b.Longest))
	}
	of("good", -r.Good, -b.Good)
	of("computed", r.Tokens[Computed], b.Tokens[Computed])
	of("output", -r.OutputRate(), -b.OutputRate())
	of("requests", -r.RequestRate(), -b.RequestRate())
	of("goodput", -r.Goodput(), -b.Goodput())
	of("hits", -r.HitRate(), -b.HitRate())
	of("dollars", r.PerMillion(), b.PerMillion())
	return list
}

// TestNothingBeatsTheBound: in no measure is a system better than what Bound proves, whatever comes, however long answers are, and
// whoever gives back memory.
func TestNothingBeatsTheBound(t *testing.T) {
	texts := []string{"evict = uses", "admit = -prompt", "admit = at_hand - prompt + waited", "admit = -answer", "route = share", "evict = depth + age\nroute = -waiting"}
	ran, preempted, swapped := 0, int64(0), unit.Bytes(0)
	for seed := range effort.Seeds(1600) {
		r := rand.New(rand.NewPCG(seed, 99))
		w, s := random(t, seed)
		s.TTFT, s.TPOT = unit.Time(r.Int64N(int64(3*unit.Second))), unit.Time(r.Int64N(int64(100*unit.Millisecond)))
		if r.IntN(3) == 0 {
			s.Policy = written(t, texts[r.IntN(len(texts))], 1e12)
		}
		for _, sys := range Systems() {
			if sys.Stream != Resident {
				continue
			}
			s.System = sys.Key
			got, err := Run(w, s, nil)
			if err != nil {
				t.Fatalf("seed %d (%s): %v", seed, s.System, err)
			}
			if !got.Ran() {
				continue
			}
			best, err := Bound(w, s)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			ran, preempted = ran+1, preempted+got.Preempted
			if s.System == "host" {
				swapped += got.LinkIn.Bytes
			}
			got.Script = nil
			if sys.Free && !reflect.DeepEqual(got, best) {
				got.Requests, best.Requests = nil, nil
				t.Fatalf("seed %d: the bound\n%+v, run as a system\n%+v", seed, best, got)
			}
			for _, name := range beaten(got, best) {
				t.Errorf("seed %d: %s beats the bound in %s", seed, s.System, name)
			}
			for i := range got.Requests {
				v, b := &got.Requests[i], &best.Requests[i]
				if v.First-v.Arrive < b.First-b.Arrive || v.Done-v.Arrive < b.Done-b.Arrive {
					t.Fatalf("seed %d (%s): request %d:\n%+v, the bound\n%+v", seed, s.System, i, v, b)
				}
			}
		}
	}
	t.Logf("%d ran, %d gave back memory, %v came back", ran, preempted, swapped)
}

// TestBoundAtTheKnee: at loads near what a machine gets done, where limits decide, no system is better than the bound.
func TestBoundAtTheKnee(t *testing.T) {
	for seed := range effort.Seeds(24) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := Standard()
		s.Engine = []string{"vllm", "trtllm"}[r.IntN(2)]
		s.Reserve = Reserve(1 + r.IntN(2))
		s.Weights, s.KV = Precision(r.IntN(2)), Precision(r.IntN(2))
		s.TPOT = unit.Time(20+r.Int64N(60)) * unit.Millisecond
		recipe := Recipe{
			Arrivals: Poisson, Requests: 2000, Input: Length{Mean: 100 + r.Int32N(2000)}, Output: Length{Mean: 20 + r.Int32N(400), Sigma: r.Int64N(800)},
			Groups: r.Int64N(20), Shared: 64, Seed: int64(seed), Rate: 1000,
		}
		recipe.Input.Mean += recipe.Shared
		burst := recipe
		burst.Arrivals = Burst
		w, err := burst.Workload()
		if err != nil {
			t.Fatal(err)
		}
		s.System = free()
		most := served(t, w, &s).RequestRate()
		for _, share := range []int64{60, 80, 90, 100, 120} {
			recipe.Rate = max(1, most*share/100)
			if w, err = recipe.Workload(); err != nil {
				t.Fatal(err)
			}
			s.System = free()
			best := served(t, w, &s)
			for _, system := range []string{"hbm", "host", "no-prefix"} {
				s.System = system
				got := served(t, w, &s)
				for _, name := range beaten(got, best) {
					t.Errorf("seed %d at %d %%: %s beats the bound in %s", seed, share, system, name)
				}
			}
		}
	}
}
