package llm

import (
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/unit"
)

// TestNext changes every preset in all ways: what comes out can be built, differs, and leaves
// the setup alone.
func TestNext(t *testing.T) {
	for _, p := range machine.Presets() {
		for _, precision := range []job.Precision{job.FP32, job.BF16} {
			s := Standard()
			s.Node, s.Layout.Precision = p.Config, precision
			s.Layout.Pipeline = s.Node.GPUs
			before := s
			seen := map[string]bool{}
			for _, c := range Next(&s) {
				if seen[c.Key] || c.Title == "" {
					t.Errorf("%s: %q is twice in the list, or has no title", p.Key, c.Key)
				}
				seen[c.Key] = true
				if c.Setup == s {
					t.Errorf("%s: %s changes nothing", p.Key, c.Key)
				}
				if _, err := c.Setup.Node.Build(); err != nil {
					t.Errorf("%s: %s: %v", p.Key, c.Key, err)
				}
				if n := c.Setup.Node; n.InNode() > machine.InNode {
					t.Errorf("%s: %s: %d GPUs in a chassis", p.Key, c.Key, n.InNode())
				}
				if l := c.Setup.Layout; l.Pipeline*max(l.Tensor, 1)*max(l.Data, 1) != c.Setup.Node.GPUs {
					t.Errorf("%s: %s: a pipeline of %d on %d GPUs", p.Key, c.Key, l.Pipeline, c.Setup.Node.GPUs)
				}
			}
			wants := []string{"drives", "host", "processors"}
			if s.Node.GPUs < machine.InNode {
				wants = append(wants, "gpus")
			} else if wants = append(wants, "twice-gpus"); seen["gpus"] {
				t.Errorf("%s: a GPU more in a chassis of %d", p.Key, s.Node.GPUs)
			}
			for _, key := range wants {
				if !seen[key] {
					t.Errorf("%s: no %s", p.Key, key)
				}
			}
			if s != before {
				t.Errorf("%s: the setup itself was changed", p.Key)
			}
		}
	}
}

// TestNextParts has what is bought in numbers, on the TERAIO paper's node.
func TestNextParts(t *testing.T) {
	s := Standard()
	for _, c := range Next(&s) {
		n := &c.Setup.Node
		switch c.Key {
		case "drives":
			if n.Drives != 5 || c.Cents != 2*17_000 {
				t.Errorf("%d drives for %d", n.Drives, c.Cents)
			}
		case "host":
			if n.Host != 3072*unit.GiB || c.Cents != 1536*771 || c.Setup.Options.HostLimit != 2048*unit.GiB {
				t.Errorf("host memory %v, %v of it, for %d", n.Host, c.Setup.Options.HostLimit, c.Cents)
			}
		case "larger-gpus":
			// Nine tenths of it, as the same GPU has when it is picked.
			if n.GPU.Key != "h200-nvl" || n.Spare != 100_000 || n.Collective != 6*unit.GBps {
				t.Errorf("%s with %v, collectives %v", n.GPU.Key, n.Usable(), n.Collective)
			}
		case "gpus":
			if n.GPUs != 3 || c.Setup.Layout.Pipeline != 3 || c.Cents != n.GPU.Cents+4*17_000 {
				t.Errorf("%d GPUs in %d stages for %d", n.GPUs, c.Setup.Layout.Pipeline, c.Cents)
			}
		}
	}
}

// TestNextNodes: GPUs that a node has no place for come in nodes like it, with chassis, host memory and what of it
// TERAIO-Mixed may use, at the difference of prices; where they fill none, or none can be built, nobody is offered them.
// A node that was set to hold more than servers do takes more.
func TestNextNodes(t *testing.T) {
	preset := func(nodes int64) Setup {
		s := Standard()
		p, err := machine.FindPreset("eight-a100")
		if err != nil {
			t.Fatal(err)
		}
		if s.Node = p.Config; nodes > 1 {
			s.Node = s.Node.Times(nodes)
		}
		s.Options.HostLimit = unit.Bytes(nodes) * 1024 * unit.GiB
		return s
	}
	find := func(s *Setup, key string) *Change {
		for _, c := range Next(s) {
			if c.Key == key {
				return &c
			}
		}
		return nil
	}
	for _, x := range []struct {
		nodes, tensor, data int64
		key                 string
		want                int64 // nodes then, 0: it is not offered
		title               string
	}{
		{1, 1, 1, "gpus", 0, ""},
		{1, 2, 2, "gpus", 0, ""},
		{1, 8, 1, "gpus", 2, "GPUs for one stage more, 16 in all, with 1 node more"},
		{1, 1, 1, "twice-gpus", 2, "Twice the GPUs, 16 in all, with 1 node more"},
		{2, 1, 1, "gpus", 0, ""},
		{2, 8, 1, "gpus", 3, "GPUs for one stage more, 24 in all, with 1 node more"},
		{2, 8, 1, "twice-gpus", 4, "Twice the GPUs, 32 in all, with 2 nodes more"},
		{3, 8, 3, "gpus", 6, "GPUs for one stage more, 48 in all, with 3 nodes more"},
	} {
		s, own := preset(x.nodes), preset(x.want)
		l := &s.Layout
		l.Tensor, l.Data = x.tensor, x.data
		l.Pipeline = s.Node.GPUs / (x.tensor * x.data)
		c := find(&s, x.key)
		if x.want == 0 || c == nil {
			if c != nil || x.want != 0 {
				t.Errorf("%+v: %+v", x, c)
			}
			continue
		}
		if c.Setup.Node != own.Node || c.Setup.Options.HostLimit != own.Options.HostLimit || c.Title != x.title {
			t.Errorf("%+v: %q, %v of %v in %d nodes", x, c.Title, c.Setup.Options.HostLimit, c.Setup.Node.Host, c.Setup.Node.Nodes)
		}
		if c.Cents != own.Node.Price()-s.Node.Price() || c.Cents <= (own.Node.GPUs-s.Node.GPUs)*s.Node.GPU.Cents {
			t.Errorf("%+v: for %d, of %d and %d", x, c.Cents, s.Node.Price(), own.Node.Price())
		}
	}
	for about, change := range map[string]func(n *machine.Config){
		"without a network": func(n *machine.Config) { n.Network = 0 },
		"one array":         func(n *machine.Config) { n.Shared = true },
		"six in a chassis":  func(n *machine.Config) { n.GPUs = 6 },
	} {
		s := preset(1)
		change(&s.Node)
		s.Layout.Pipeline = s.Node.GPUs
		if c := find(&s, "twice-gpus"); c != nil {
			t.Errorf("%s: %+v", about, c)
		}
	}
	s := preset(1)
	s.Node.GPUs, s.Layout.Pipeline = 12, 12
	if c := find(&s, "gpus"); c == nil || c.Setup.Node.GPUs != 13 || c.Setup.Node.Nodes > 1 || c.Setup.Options.HostLimit != s.Options.HostLimit || c.Cents != s.Node.GPU.Cents+s.Node.Drives*s.Node.Drive.Cents {
		t.Errorf("of 12 in a chassis: %+v", c)
	}
}

// TestForms: GPUs are replaced by what plugs in where they do.
func TestForms(t *testing.T) {
	for _, g := range machine.GPUs() {
		s := Standard()
		s.Node = s.Node.With(g)
		for _, c := range Next(&s) {
			if c.Key == "larger-gpus" && (c.Setup.Node.GPU.Form != g.Form || c.Setup.Node.GPU.Memory <= g.Memory) {
				t.Errorf("%s is replaced by %s", g.Key, c.Setup.Node.GPU.Key)
			}
		}
	}
}

// TestWorth: 1.5 tokens a second for $3000 are half a token for $1000.
func TestWorth(t *testing.T) {
	run := func(tokens int64, reason string) *Result {
		return &Result{Result: &offload.Result{Time: 2 * unit.Second}, Tokens: tokens, Reason: reason}
	}
	for _, c := range []struct {
		cents         int64
		before, after *Result
		want          int64
	}{
		{300_000, run(100, ""), run(103, ""), 500},
		{300_000, run(103, ""), run(100, ""), -500},
		{100_000, run(100, "too large"), run(3, ""), 1500},
		{100_000, run(3, ""), run(100, "too large"), 0},
		{0, run(100, ""), run(103, ""), 0},
		{-1, run(100, ""), run(103, ""), 0},
	} {
		change := Change{Cents: c.cents}
		if got := change.Worth(c.before, c.after); got != c.want {
			t.Errorf("%d to %d tokens for %d cents: %d, want %d", c.before.Tokens, c.after.Tokens, c.cents, got, c.want)
		}
	}
}
