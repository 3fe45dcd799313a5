package serve

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/serve/load"
	"spillway/sim/unit"
)

// TestTooLong: what takes longer than 100 days is refused with what to do; nothing wraps.
func TestTooLong(t *testing.T) {
	one := func(n int) *Workload {
		w := &Workload{}
		for range n {
			w.Requests = append(w.Requests, Request{Prompt: 1000, Output: 1000, After: -1})
		}
		return w
	}
	for name, x := range map[string]struct {
		w      *Workload
		change func(s *Setting)
	}{
		"slow memory":      {one(1), func(s *Setting) { s.Node.GPU.HBM = 1 }},
		"slow products":    {one(1), func(s *Setting) { s.Node.GPU.BF16, s.Node.GPU.FP8 = 1, 1 }},
		"slow collectives": {one(1), func(s *Setting) { s.Node, s.Tensor = Server(s.Node.GPU, 2), 2; s.Node.Collective = 1 }},
		"slow link":        {one(1), func(s *Setting) { s.System, s.Node.HostPath, s.Node.HostRate = "stream-host", 1, 2 }},
		"slow drives":      {one(1), func(s *Setting) { s.System, s.Node.Drives, s.Node.Drive.Read = "stream-ssd", 1, 1 }},
		"slow processors":  {one(1), func(s *Setting) { s.System, s.Layers, s.Node.HostReads, s.Node.HostPath = "split", 1, 1, 1 }},
		"slow front end":   {one(100_000), func(s *Setting) { s.Front = 100 * unit.Second }},
		"many of a long answer": {&Workload{Requests: []Request{{Prompt: 1, Output: MostTokens - 1, After: -1}}}, func(s *Setting) {
			s.Model, s.Node.GPU.HBM = arch(t, "llama3.2-1b"), 100*unit.MBps
			s.Node.GPU.Memory = 1 << 40
		}},
		"pauses": {&Workload{Requests: []Request{
			{Prompt: 1, Output: 1, After: -1},
			{Prompt: 1, Output: 1, After: 0, Think: load.Latest},
			{Prompt: 1, Output: 1, After: 1, Think: load.Latest},
			{Prompt: 1, Output: 1, After: 2, Think: load.Latest},
		}}, func(*Setting) {}},
		"users who think": {&Workload{Users: 1, Think: load.Latest, Requests: one(4).Requests}, func(*Setting) {}},
	} {
		s := Standard()
		s.Node.HostSpare, s.Node.Host = 0, unit.Bytes(1<<40)
		x.change(&s)
		r, err := Run(x.w, &s, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if r.Ran() || !strings.Contains(r.Refused, "longer than 100 days") || !strings.Contains(r.Refused, "; take ") {
			t.Errorf("%s: refused for %q after %v", name, r.Refused, r.Time)
		}
	}
}

// TestLongRunsOfManyCopies: sums over copies are longer than a time can be.
func TestLongRunsOfManyCopies(t *testing.T) {
	w := &Workload{}
	for i := range 64 {
		w.Requests = append(w.Requests, Request{At: load.Latest / 64 * unit.Time(i), Prompt: 100, Output: 100, After: -1})
	}
	s := Standard()
	s.Node = Server(s.Node.GPU, 64)
	s.Affinity = 0
	r := served(t, w, &s)
	keeps(t, 0, w, &s, r)
	if r.Mean(Idle) < r.Time*9/10 || r.Busy(r.HBM) > 1000 || r.Busy(r.HBM) < 0 {
		t.Errorf("idle for %v of %v, memory busy for %d millionths", r.Mean(Idle), r.Time, r.Busy(r.HBM))
	}
}

// TestSlowMachines: whatever a machine does a second, a run breaks no law, or is refused.
func TestSlowMachines(t *testing.T) {
	refused, ran := 0, 0
	for seed := range effort.Seeds(600) {
		w, s := random(t, seed)
		r := rand.New(rand.NewPCG(seed, 77))
		n := &s.Node
		for _, v := range []*unit.Bandwidth{&n.GPU.HBM, &n.GPU.Link, &n.HostPath, &n.Collective, &n.HostRate, &n.Drive.Read, &n.Drive.Write} {
			if r.IntN(4) == 0 {
				*v = 2 + *v>>r.IntN(40)
			}
		}
		for _, v := range []*int64{&n.GPU.BF16, &n.GPU.FP8, &n.GPU.FP4} {
			if r.IntN(4) == 0 {
				*v = max(1, *v>>r.IntN(50))
			}
		}
		if r.IntN(4) == 0 {
			s.Front = unit.Time(r.Int64N(int64(100 * unit.Second)))
		}
		a, err := Run(w, s, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !a.Ran() {
			refused++
			if len(a.Requests)+len(a.Samples) > 0 || a.Time != 0 || a.Answers != 0 {
				t.Errorf("seed %d: refused with %+v", seed, a)
			}
			continue
		}
		ran++
		keeps(t, seed, w, s, a)
	}
	t.Logf("%d ran, %d refused", ran, refused)
}
