package llm

import (
	"fmt"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/unit"
)

// A Change is a part that could be bought next.
type Change struct {
	Key   string // stable: "drives"
	Title string // what is bought, for people
	Setup Setup  // with it
	// Cents is what buying it costs, in US cents; what it takes the place of is not sold. 0 if
	// only settings change, negative if no price is known.
	Cents int64
}

// mostGPUs is how many GPUs a node may have (machine.Config.Check).
const mostGPUs = 64

// Next lists what could be bought next, one part at a time, so that runs before and after say
// what each is worth. A part that this node has no place for is not in the list; one that does not
// help is.
func Next(s *Setup) []Change {
	var list []Change
	n := &s.Node
	add := func(key, title string, cents int64, change func(s *Setup)) {
		c := Change{key, title, *s, cents}
		change(&c.Setup)
		list = append(list, c)
	}
	if n.Drive.Key != "" || n.Drives > 0 {
		add("drives", "One drive more for each GPU", n.GPUs*n.Drive.Cents, func(s *Setup) { s.Node.Drives++ })
	}
	if d, ok := faster(n); ok {
		add("faster-drives", "All drives "+d.Title, n.GPUs*n.Drives*d.Cents, func(s *Setup) { s.Node.Drive = d })
	}
	if n.Drives > 0 && n.ArrayCap > 0 {
		add("array", fmt.Sprintf("Drives without the limit of %v for each GPU", n.ArrayCap), -1, func(s *Setup) { s.Node.ArrayCap = 0 })
	}
	if n.Drives > 0 && !n.GDS && !n.GPU.Bounce {
		add("gds", "Drives and GPUs talk directly", 0, func(s *Setup) { s.Node.GDS = true })
	}
	if n.Host > 0 {
		cents := unit.MulDiv(n.Prices.HostGiB, int64(n.Host), int64(unit.GiB))
		add("host", fmt.Sprintf("Host memory doubled, to %v", 2*n.Host), cents, func(s *Setup) {
			s.Node.Host *= 2
			s.Options.HostLimit *= 2
		})
	}
	if best := n.GPU.Link / 5 * 4; n.HostPath > 0 && n.HostPath < best {
		add("host-path", fmt.Sprintf("Copies between GPU and host at %v", best), 0, func(s *Setup) { s.Node.HostPath = best })
	}
	add("processors", "A chassis with twice the processors and channels of memory", n.Prices.Base, func(s *Setup) {
		s.Node.Adam *= 2
		s.Node.HostRate *= 2
	})
	if n.GPU.Key == "h100-nvl" && n.GPU.Peer == 0 && n.GPUs > 1 {
		// 600 GB/s, both directions together: NVIDIA H100 NVL data sheet.
		add("nvlink", "NVLink bridges between pairs of GPUs", -1, func(s *Setup) { s.Node.GPU.Peer, s.Node.Collective = 300*unit.GBps, 0 })
	}
	if g, ok := larger(s); ok {
		title, with := "All GPUs "+g.Title, n.With(g)
		if with.HostPath != n.HostPath {
			title += fmt.Sprintf(", which copy to the host at %v instead of %v", with.HostPath, n.HostPath)
		}
		add("larger-gpus", title, n.GPUs*g.Cents, func(s *Setup) { s.Node = with })
	}
	one := max(s.Layout.Tensor, 1) * max(s.Layout.Data, 1) * max(s.Layout.Context, 1) // a stage of the pipeline
	stages := s.stages()
	for _, c := range []struct {
		key, title string
		stages     int64
	}{
		{"gpus", "GPUs for one stage more", 1},
		{"twice-gpus", "Twice the GPUs", stages},
	} {
		gpus := one * c.stages
		node, limit, ok := grown(s, gpus)
		if stages+c.stages > s.Arch.Layers || n.GPUs+gpus > mostGPUs || !ok || c.key == "twice-gpus" && stages == 1 {
			continue
		}
		title := fmt.Sprintf("%s, %d in all", c.title, node.GPUs)
		if more := node.Nodes - max(n.Nodes, 1); more > 0 {
			title += ", with " + prose.Count(more, "node") + " more"
		}
		add(c.key, title, node.Price()-n.Price(), func(s *Setup) {
			s.Node, s.Options.HostLimit = node, limit
			if s.Layout.Pipeline > 0 {
				s.Layout.Pipeline += c.stages
			}
		})
	}
	return list
}

// grown returns a setup's node with so many GPUs more, and what of its host memory TERAIO-Mixed may
// then use. GPUs of several nodes come in whole ones, with chassis and host memory, and so do those
// that a node which holds as many as servers do has no place for. A node that was set to hold more
// takes more. ok is false where such nodes do not divide them, or cannot be built.
func grown(s *Setup, gpus int64) (node machine.Config, limit unit.Bytes, ok bool) {
	node, limit = s.Node, s.Options.HostLimit
	nodes, each := max(node.Nodes, 1), node.InNode()
	if nodes == 1 && (node.GPUs > machine.InNode || node.GPUs+gpus <= machine.InNode) {
		node.GPUs += gpus
		return node, limit, true
	}
	if gpus%each != 0 || nodes == 1 && each != machine.InNode {
		return node, limit, false
	}
	one := node.One()
	node = one.Times(nodes + gpus/each)
	limit = unit.Bytes(unit.MulDiv(int64(limit), node.Nodes, nodes))
	return node, limit, node.Check() == nil
}

// Remark explains a change that costs throughput, empty if it does not.
func (c *Change) Remark(before, after *Result) string {
	if !before.Ran() || !after.Ran() || after.TokenRate() >= before.TokenRate() {
		return ""
	}
	if before.System == after.System && len(before.Job.Parts) == len(after.Job.Parts) && len(after.Tried) > 0 && after.Moves > 0 {
		return "Slower though no part is: it plans anew for other rates, one tensor after the other, and such a plan can come out worse. Differences like this are the planner's, not the part's."
	}
	return "Slower: the work is cut in another way, so that kernels, communication or bubbles grow by more than the part brings."
}

// Worth is what a change brings: thousandths of tokens a second for 1000 US dollars, below 0 where
// it hurts. It is 0 if the system cannot run with it, if no price is known, or if it costs nothing. What
// did not run before had no tokens.
func (c *Change) Worth(before, after *Result) int64 {
	if c.Cents <= 0 || !after.Ran() {
		return 0
	}
	gain := after.TokenRate() - before.TokenRate()
	if gain < 0 {
		return -unit.MulDiv(-gain, 100_000, c.Cents)
	}
	return unit.MulDiv(gain, 100_000, c.Cents)
}

// faster returns the drive that reads and writes most together, if it is better than the node's.
func faster(n *machine.Config) (best machine.Drive, ok bool) {
	best = n.Drive
	for _, d := range machine.Drives() {
		if d.Read+d.Write > best.Read+best.Write {
			best, ok = d, true
		}
	}
	return best, ok && n.Drives > 0
}

// larger returns the cheapest GPU with more memory that plugs in where the node's do, as fast in the
// precision of the layout if there is one.
func larger(s *Setup) (best machine.GPU, ok bool) {
	rate := func(g *machine.GPU) int64 {
		if s.Layout.Precision == job.FP32 {
			return g.FP32
		}
		return g.BF16
	}
	fast := false
	for _, g := range machine.GPUs() {
		if g.Memory <= s.Node.GPU.Memory || g.Form != s.Node.GPU.Form {
			continue
		}
		as := rate(&g) >= rate(&s.Node.GPU)
		if !ok || as && !fast || as == fast && g.Cents < best.Cents {
			best, ok, fast = g, true, as
		}
	}
	return best, ok
}
