package serve

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"spillway/build/effort"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// random is a small workload and a setting that strains it.
func random(t *testing.T, seed uint64) (*Workload, *Setting) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	recipe := Recipe{
		Arrivals: Arrival(r.IntN(4)), Requests: 20 + r.Int64N(150), Rate: 200 + r.Int64N(40_000), CV: 200 + r.Int64N(3000), Users: 1 + r.Int64N(40),
		Think: unit.Time(r.Int64N(int64(2 * unit.Second))),
		Input: Length{Mean: 1 + r.Int32N(1500), Sigma: r.Int64N(1200), Max: 4000}, Output: Length{Mean: 1 + r.Int32N(300), Sigma: r.Int64N(1200), Max: 1500},
		Seed: int64(seed), Block: []int32{0, 16, 64, 256}[r.IntN(4)],
	}
	if r.IntN(2) == 0 {
		recipe.Groups, recipe.Shared, recipe.Zipf = 1+r.Int64N(8), r.Int32N(2000), r.Int64N(1500)
	}
	if recipe.Arrivals != Closed && r.IntN(2) == 0 {
		recipe.Turns = 2 + r.Int64N(4)
		recipe.Input.Mean, recipe.Output.Mean = recipe.Input.Mean/4+1, recipe.Output.Mean/2+1
		recipe.Input.Max, recipe.Output.Max = 1000, 500
	}
	if recipe.Arrivals == Poisson && r.IntN(3) == 0 {
		recipe.Stages = []Stage{{1000, 20 * unit.Second}, {5000, 5 * unit.Second}}
	}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(seed, err)
	}
	s := Standard()
	list := Systems()
	s.System = list[r.IntN(len(list))].Key
	s.Model = arch(t, []string{"llama3.2-1b", "llama3-8b", "mixtral-8x7b", "deepseek-v2-lite"}[r.IntN(4)])
	g := gpu(t, []string{"h100-sxm", "a100-80", "rtx-4090"}[r.IntN(3)])
	s.Tensor = 1 + r.Int64N(2)
	s.Node = Server(g, s.Tensor*(1+r.Int64N(3)))
	s.Node.Drives = max(1, s.Node.Drives)
	s.Engine = []string{"trtllm", "vllm", "llamacpp"}[r.IntN(3)]
	s.Weights, s.KV = Precision(r.IntN(4)), Precision(r.IntN(2))
	s.Reserve = Reserve(r.IntN(3))
	s.WriteOnSecond = r.IntN(2) == 0
	if r.IntN(2) == 0 {
		s.Sequences, s.Tokens = 1+r.Int64N(60), 64+r.Int64N(4000)
	}
	// Memory for a few requests only.
	longest := int64(0)
	for _, q := range w.Requests {
		longest = max(longest, int64(q.Prompt)+int64(q.Output))
	}
	sys, eng, err := must(t, &s)
	if err != nil {
		t.Fatal(err)
	}
	m := s.footprint(eng, sys, longest)
	if spare := m.KVTokens - longest*(1+r.Int64N(4)); spare > 0 && r.IntN(4) > 0 && sys.Stream == Resident {
		s.Activations = m.Activations/unit.Bytes(s.Tensor) + unit.Bytes(spare)*m.KVToken/unit.Bytes(s.Tensor) - 1
	}
	s.HostKV = unit.Bytes(longest*r.Int64N(20)) * m.KVToken
	s.DriveKV = unit.Bytes(longest*r.Int64N(60)) * m.KVToken
	if sys.Stream == Blocked || sys.Stream == Divided {
		s.HostKV = -1
	}
	return w, &s
}

func must(t *testing.T, s *Setting) (*System, *Engine, error) {
	t.Helper()
	_, sys, e, err := s.resolve()
	if err == nil {
		x, _, _, _ := s.resolve()
		s.Share, s.Activations = x.Share, x.Activations
	}
	return sys, e, err
}

// TestSkipping: steps that are alike are skipped, bit for bit as if they were made one by one; and what every run keeps.
func TestSkipping(t *testing.T) {
	ran, preempted := 0, int64(0)
	var tiers [Tiers]int64
	for seed := range effort.Seeds(4000) {
		w, s := random(t, seed)
		a, err := Run(w, s, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !a.Ran() {
			continue
		}
		ran++
		preempted += a.Preempted
		for i, n := range a.Tokens {
			tiers[i] += n
		}
		b, err := run(w, s, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		a.Samples, b.Samples = nil, nil
		if !reflect.DeepEqual(a, b) {
			for i := range a.Requests {
				if a.Requests[i] != b.Requests[i] {
					t.Errorf("seed %d (%s): request %d of %d:\n%+v\n%+v", seed, s.System, i, len(a.Requests), a.Requests[i], b.Requests[i])
					break
				}
			}
			a.Requests, b.Requests = nil, nil
			t.Fatalf("seed %d (%s):\n%+v\n%+v", seed, s.System, a, b)
		}
		keeps(t, seed, w, s, a)
	}
	t.Logf("%d ran, %d preempted, tokens by tier %v", ran, preempted, tiers)
}

// keeps is what holds of every run.
func keeps(t *testing.T, seed uint64, w *Workload, s *Setting, r *Result) {
	t.Helper()
	prompts, answers := w.Tokens()
	var sum int64
	for _, n := range r.Tokens {
		sum += n
	}
	if r.Prompts != prompts || r.Answers != answers || sum != prompts {
		t.Errorf("seed %d (%s): %d and %d tokens, %d by tiers; want %d and %d", seed, s.System, r.Prompts, r.Answers, sum, prompts, answers)
	}
	if r.PeakKV > r.Memory.KVTokens {
		t.Errorf("seed %d (%s): %d tokens in use, %d fit", seed, s.System, r.PeakKV, r.Memory.KVTokens)
	}
	for i := range r.Requests {
		v, q := &r.Requests[i], &w.Requests[i]
		var phases unit.Time
		for _, p := range v.Phases {
			if p < 0 {
				t.Fatalf("seed %d (%s): request %d: %+v", seed, s.System, i, v)
			}
			phases += p
		}
		if phases != v.First-v.Arrive || v.Admit < v.Arrive || v.Start < v.Admit || v.First < v.Start || v.Done < v.First || v.Tokens[Computed] < 1 {
			t.Fatalf("seed %d (%s): request %d: %+v, phases of %d, first after %d", seed, s.System, i, v, phases, v.First-v.Arrive)
		}
		if w.Users == 0 && q.After < 0 && v.Arrive != q.At || q.After >= 0 && v.Arrive < r.Requests[q.After].Done+q.Think {
			t.Fatalf("seed %d: request %d arrives at %v: %+v", seed, i, v.Arrive, q)
		}
	}
	var all unit.Time
	for _, p := range r.Phases {
		all += p
	}
	var first unit.Time
	for i := range r.Requests {
		first += r.Requests[i].First - r.Requests[i].Arrive
	}
	if all != first {
		t.Errorf("seed %d: phases sum to %v, times of first tokens to %v", seed, all, first)
	}
	for name, x := range map[string]Work{"compute": r.Compute, "memory": r.HBM, "link in": r.LinkIn, "link out": r.LinkOut, "read": r.Read} {
		if x.Busy < 0 || name != "link out" && r.Busy(x) > million {
			t.Errorf("seed %d (%s): %s is busy for %v of %v on %d", seed, s.System, name, x.Busy, r.Time, r.Replicas)
		}
	}
	_ = model.Arch{}
}
