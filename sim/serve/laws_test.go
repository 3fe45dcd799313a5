package serve

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/build/effort"
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
	if r.IntN(2) == 0 {
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
	for seed := range effort.Seeds(1200) {
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
		b, err := run(w, s, nil, true, nil)
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
	for i := range r.Samples {
		v, n := &r.Samples[i], r.Replicas
		if v.Used < 0 || v.Used+v.Cached > n*r.Memory.KVTokens || v.Host < 0 || v.Host > n*r.Memory.Host || v.Drive > n*r.Memory.Drive {
			t.Fatalf("seed %d (%s): %+v of %+v, %d times", seed, s.System, v, r.Memory, n)
		}
	}
	if int64(len(r.Doing)) != r.Replicas {
		t.Errorf("seed %d (%s): %d replicas, %d did something", seed, s.System, r.Replicas, len(r.Doing))
	}
	for i, of := range r.Doing {
		var doing unit.Time
		for _, d := range of {
			doing += d
		}
		if doing != r.Time {
			t.Errorf("seed %d (%s): replica %d did something for %v of %v", seed, s.System, i, doing, r.Time)
		}
	}
	for name, x := range map[string]Work{"compute": r.Compute, "memory": r.HBM, "link in": r.LinkIn, "link out": r.LinkOut, "read": r.Read} {
		if x.Busy < 0 || name != "link out" && r.Busy(x) > million {
			t.Errorf("seed %d (%s): %s is busy for %v of %v on %d", seed, s.System, name, x.Busy, r.Time, r.Replicas)
		}
	}
}

// plain is requests one at a time that share prefixes, long enough apart for nothing to wait.
func plain(t *testing.T, seed int64) (*Workload, *Setting) {
	t.Helper()
	recipe := Recipe{
		Arrivals: Poisson, Requests: 300, Rate: 20, Input: Length{Mean: 2000, Sigma: 500, Max: 6000}, Output: Length{Mean: 20, Sigma: 500, Max: 100},
		Groups: 40, Shared: 1500, Zipf: 800, Block: 64, Seed: seed,
	}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Requests {
		w.Requests[i].At = unit.Time(i) * 30 * unit.Second
	}
	s := Standard()
	s.System, s.Model, s.Weights, s.KV = "host-ssd", arch(t, "llama3-8b"), BF16, BF16
	return w, &s
}

func served(t *testing.T, w *Workload, s *Setting) *Result {
	t.Helper()
	r, err := Run(w, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Ran() {
		t.Fatal(r.Refused)
	}
	return r
}

// TestClosedForm: a request that nothing meets takes its prompt's chunks, then one step after the other, each by the formula.
func TestClosedForm(t *testing.T) {
	w := &Workload{Requests: []Request{{At: 5, Prompt: 5000, Output: 7, After: -1}}}
	s := Standard()
	s.System = "no-prefix"
	x, sys, e, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	c := newCost(x, e, ChipOf(&s.Node.GPU, s.Engine, s.Weights, Resident), sys)
	v := served(t, w, &s).Requests[0]
	first := x.Front + c.alone(0, 5000, x.Tokens)
	if v.First-v.Arrive != first {
		t.Errorf("first token after %d, want %d", v.First-v.Arrive, first)
	}
	want := unit.Time(0)
	for i := range int64(6) {
		want += c.products(1).time + c.step + c.each + c.keys*unit.Time(5001+i)
	}
	if v.Done-v.First != want {
		t.Errorf("others take %d, want %d", v.Done-v.First, want)
	}
}

// TestStack: requests one at a time. More memory of any tier never lowers what is hit (LRU is a stack algorithm), and a tier hits as many
// as a list of blocks by their last use says.
func TestStack(t *testing.T) {
	w, s := plain(t, 1)
	kv := Keys(s.Model, s.KV)
	last := int64(-1)
	for _, blocks := range []unit.Bytes{0, 10, 50, 100, 200, 400, 800, 2000} {
		s.System = "host"
		s.HostKV = blocks * 64 * kv
		// GPU memory that holds the longest request and no more.
		s.Activations = -1
		x, sys, e, err := s.resolve()
		if err != nil {
			t.Fatal(err)
		}
		s.Activations = x.Activations + x.footprint(e, sys, 1).KV - 6200*kv
		r := served(t, w, s)
		hits := r.Prompts - r.Tokens[Computed]
		if hits < last {
			t.Errorf("%d blocks of host memory hit %d tokens, fewer hit %d", blocks, hits, last)
		}
		last = hits
	}
	bound := *s
	bound.System = "ideal"
	if b := served(t, w, &bound); b.Prompts-b.Tokens[Computed] != last {
		t.Errorf("all host memory hits %d tokens, the bound %d", last, b.Prompts-b.Tokens[Computed])
	}
}

// TestMore: more of anything does not make the first token later on average by more than a fiftieth, at rates below the knee; nothing
// computes fewer tokens of prompts than the bound.
func TestMore(t *testing.T) {
	for seed := range effort.Seeds(40) {
		recipe := Recipe{
			Arrivals: Poisson, Requests: 600, Rate: 3000, Input: Length{Mean: 3000, Sigma: 500, Max: 8000}, Output: Length{Mean: 100, Sigma: 500, Max: 600},
			Groups: 60, Shared: 2500, Zipf: 600, Block: 64, Seed: int64(seed),
		}
		w, err := recipe.Workload()
		if err != nil {
			t.Fatal(err)
		}
		s := Standard()
		s.System, s.Front = "host-ssd", 0
		s.HostKV, s.DriveKV, s.Activations = 2*unit.GiB, 8*unit.GiB, 60*unit.GiB
		a := served(t, w, &s)
		for name, change := range map[string]func(*Setting){
			"GPU memory":  func(s *Setting) { s.Activations = 40 * unit.GiB },
			"host memory": func(s *Setting) { s.HostKV *= 4 },
			"drives":      func(s *Setting) { s.DriveKV *= 4 },
			"drive rate":  func(s *Setting) { s.Node.Drives *= 4 },
			"link":        func(s *Setting) { s.Node.GPU.Link *= 2; s.Node.HostPath *= 2 },
		} {
			x := s
			change(&x)
			b := served(t, w, &x)
			if b.TTFT.Mean > a.TTFT.Mean+a.TTFT.Mean/50 || b.HitRate() < a.HitRate()-5000 {
				t.Errorf("seed %d: more %s: first token after %v, before %v; hits %d, before %d", seed, name, b.TTFT.Mean, a.TTFT.Mean, b.HitRate(), a.HitRate())
			}
		}
		x := s
		x.System = "ideal"
		best := served(t, w, &x)
		for _, sys := range []string{"hbm", "no-prefix", "host", "host-ssd", "ssd", "recompute-or-load"} {
			x.System = sys
			r := served(t, w, &x)
			if r.Tokens[Computed] < best.Tokens[Computed] || r.TTFT.Mean < best.TTFT.Mean-best.TTFT.Mean/50 {
				t.Errorf("seed %d: %s computes %d tokens, first token after %v; the bound %d, %v", seed, sys, r.Tokens[Computed], r.TTFT.Mean, best.Tokens[Computed], best.TTFT.Mean)
			}
		}
	}
}

// TestShift: a workload that comes later is served alike.
func TestShift(t *testing.T) {
	for seed := range effort.Seeds(200) {
		w, s := random(t, seed)
		if w.Users > 0 {
			continue
		}
		a, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		const shift = 1234567 * unit.Microsecond
		for i := range w.Requests {
			if w.Requests[i].After < 0 {
				w.Requests[i].At += shift
			}
		}
		b, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Requests {
			v := &b.Requests[i]
			for _, at := range []*unit.Time{&v.Arrive, &v.Admit, &v.Start, &v.First, &v.Done} {
				*at -= shift
			}
		}
		for i := range b.Samples {
			b.Samples[i].At -= shift
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d (%s): another result when all comes later", seed, s.System)
		}
	}
}

// TestRefused: what cannot be is said.
func TestRefused(t *testing.T) {
	w := &Workload{Requests: []Request{{Prompt: 100, Output: 10, After: -1}}}
	s := Standard()
	s.Model, s.Weights = arch(t, "llama3-70b"), BF16
	if r, err := Run(w, &s, nil); err != nil || r.Ran() {
		t.Errorf("70B in bf16 on one H100: %+v, %v", r, err)
	}
	for name, change := range map[string]func(*Workload, *Setting){
		"system":   func(_ *Workload, s *Setting) { s.System = "cloud" },
		"engine":   func(_ *Workload, s *Setting) { s.Engine = "steam" },
		"model":    func(_ *Workload, s *Setting) { s.Model = nil },
		"replicas": func(_ *Workload, s *Setting) { s.Node.GPUs, s.Tensor = 3, 2 },
		"prompt":   func(w *Workload, _ *Setting) { w.Requests[0].Prompt = 0 },
		"order":    func(w *Workload, _ *Setting) { w.Requests = append(w.Requests, w.Requests[0]); w.Requests[0].At = 1 },
		"blocks":   func(w *Workload, _ *Setting) { w.Block, w.Requests[0].Blocks = 64, []Block{1, 2} },
		"follows":  func(w *Workload, _ *Setting) { w.Requests[0].After = 0 },
	} {
		w := &Workload{Requests: []Request{{Prompt: 100, Output: 10, After: -1}}}
		s := Standard()
		change(w, &s)
		if r, err := Run(w, &s, nil); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestUsers: no more requests are under way than there are users, and all are answered; turns of conversations come one each.
func TestUsers(t *testing.T) {
	recipe := Recipe{Arrivals: Closed, Requests: 120, Users: 4, Turns: 5, Input: Length{Mean: 300}, Output: Length{Mean: 20}}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(err)
	}
	s := Standard()
	r := served(t, w, &s)
	turn := make([]int, len(w.Requests))
	latest := make([]unit.Time, 5)
	for i := range w.Requests {
		if a := w.Requests[i].After; a >= 0 {
			turn[i] = turn[a] + 1
		}
		v := &r.Requests[i]
		latest[turn[i]] = max(latest[turn[i]], v.Arrive)
		way := 0
		for k := range r.Requests {
			if o := &r.Requests[k]; o.Arrive <= v.Arrive && v.Arrive < o.Done {
				way++
			}
		}
		if way > 4 {
			t.Errorf("%d requests are under way at %v", way, v.Arrive)
		}
	}
	for i := range w.Requests {
		if v := &r.Requests[i]; turn[i] > 0 && v.Arrive < latest[turn[i]-1] {
			t.Errorf("turn %d of request %d comes at %v, the last of those before at %v", turn[i], i, v.Arrive, latest[turn[i]-1])
		}
	}
}

// TestManyBlocks: more blocks than all copies can know are an error, and no end of memory.
func TestManyBlocks(t *testing.T) {
	w := &Workload{Block: 1, Requests: []Request{{Prompt: MostTokens, Output: 2, Blocks: make([]Block, MostTokens), After: -1}}}
	for i := range w.Requests[0].Blocks {
		w.Requests[0].Blocks[i] = Block(i)
	}
	s := Standard()
	s.Model, s.Node = arch(t, "llama3.2-1b"), Server(s.Node.GPU, 64)
	s.Node.GPU.Memory = 1 << 40
	if _, err := Run(w, &s, nil); err == nil || !strings.Contains(err.Error(), "fewer copies") {
		t.Error(err)
	}
}

// TestManyWithOnePrefix: of many requests that come at once and begin alike only those compute the beginning that are in the first
// steps. GPU memory for all made these slower than memory for a few: each looked for it when it got memory, and nobody had it then.
func TestManyWithOnePrefix(t *testing.T) {
	recipe := Recipe{Arrivals: Burst, Requests: 100, Input: Length{Mean: 2100}, Output: Length{Mean: 10}, Groups: 1, Shared: 2000, Block: 16}
	w, err := recipe.Workload()
	if err != nil {
		t.Fatal(err)
	}
	s := Standard()
	s.Front = 0
	roomy := served(t, w, &s)
	full, sys, e, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	s.Activations = full.Activations + full.footprint(e, sys, 1).KV - 5000*roomy.Memory.KVToken
	tight := served(t, w, &s)
	keeps(t, 0, w, &s, roomy)
	// A step has 8192 tokens: three and a part of another compute the beginning, and who is in the second step finds it.
	if most := int64(5 * 2000); roomy.Tokens[Computed] > 100*100+most || roomy.Time > tight.Time {
		t.Errorf("%d tokens are computed in %v, with little memory %d in %v", roomy.Tokens[Computed], roomy.Time, tight.Tokens[Computed], tight.Time)
	}
}
