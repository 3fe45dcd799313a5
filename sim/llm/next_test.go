package llm

import (
	"reflect"
	"slices"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/machine"
	"spillway/sim/llm/offload"
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
				if l := c.Setup.Layout; l.Pipeline*max(l.Tensor, 1)*max(l.Data, 1) != c.Setup.Node.GPUs {
					t.Errorf("%s: %s: a pipeline of %d on %d GPUs", p.Key, c.Key, l.Pipeline, c.Setup.Node.GPUs)
				}
			}
			for _, key := range []string{"drives", "host", "gpus", "processors"} {
				if !seen[key] {
					t.Errorf("%s: no %s", p.Key, key)
				}
			}
			if seen["pcie"] {
				t.Errorf("%s: PCIe faster than its GPUs'", p.Key)
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
			// 80 of 94 GiB, as the old one.
			if n.GPU.Key != "h200-nvl" || n.Usable() != 120*unit.GiB || n.Collective != 6*unit.GBps {
				t.Errorf("%s with %v, collectives %v", n.GPU.Key, n.Usable(), n.Collective)
			}
		case "gpus":
			if n.GPUs != 3 || c.Setup.Layout.Pipeline != 3 || c.Cents != n.GPU.Cents+4*17_000 {
				t.Errorf("%d GPUs in %d stages for %d", n.GPUs, c.Setup.Layout.Pipeline, c.Cents)
			}
		}
	}
}

// TestReplaced: every rate of a node that the GPU's link bounds becomes as much faster as the link, in all
// changes that have another link; the others stay.
func TestReplaced(t *testing.T) {
	own := []string{"HostRate", "ArrayCap", "Network"} // of host memory, of the drives, and between nodes
	half := Standard()
	half.Node.GPU.Link /= 2
	for _, c := range Next(&half) {
		if c.Key == "pcie" && c.Setup.Node.GPU.Link/2 != half.Node.GPU.Link {
			t.Errorf("PCIe of %v for cards of %v", c.Setup.Node.GPU.Link, 2*half.Node.GPU.Link)
		}
		before, after := reflect.ValueOf(half.Node), reflect.ValueOf(c.Setup.Node)
		factor := unit.Bandwidth(1)
		if c.Key == "pcie" {
			factor = 2
		}
		if c.Key != "pcie" && c.Key != "drives" {
			continue
		}
		for i := range before.NumField() {
			a, ok := before.Field(i).Interface().(unit.Bandwidth)
			if !ok || a == 0 {
				continue
			}
			want, name := a, before.Type().Field(i).Name
			if !slices.Contains(own, name) {
				want *= factor
			}
			if b := after.Field(i).Interface().(unit.Bandwidth); b < want-2 || b > want+2 {
				t.Errorf("%s: %s of %v becomes %v, want %v", c.Key, name, a, b, want)
			}
		}
	}
}

// TestForms: GPUs are replaced by what plugs in where they do.
func TestForms(t *testing.T) {
	for _, g := range machine.GPUs() {
		s := Standard()
		replace(&s.Node, g)
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
