package teraio

import (
	"slices"

	"spillway/sim/llm/offload"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// program turns the planner's moves into what the engine does.
//
// An offload is issued when the period begins: the engine's queue holds it until those before
// have left. A prefetch is issued before the kernel in which it has its first time on the channel,
// in order of use (see starts).
func (p *planner) program(usable unit.Bytes) *offload.Program {
	n := len(p.times)
	g := &offload.Program{Ops: make([]offload.Op, 0, 2*len(p.moves)), Start: make([]offload.Tier, len(p.graph.w.Tensors)), Spill: p.spill()}
	for t := range g.Start {
		if p.graph.w.Tensors[t].Global {
			g.Start[t] = offload.GPU
		}
	}
	p.starts()
	for i, m := range p.moves {
		if m.back = p.begun[i]; int(m.back) >= n {
			g.Start[p.graph.candidates[m.candidate].tensor] = m.tier
		}
	}
	// Of ops before the same kernel the more urgent go first: what is used first, what was planned
	// to be gone first.
	type issue struct {
		offload.Op
		due int32
	}
	issues := make([]issue, 0, 2*len(p.moves))
	for i, m := range p.moves {
		c := &p.graph.candidates[m.candidate]
		issues = append(issues, issue{offload.Op{At: workload.KernelID(c.start), Tensor: c.tensor, To: m.tier}, m.away})
		at, due := p.begun[i], c.end
		if int(at) >= n {
			at, due = at-int32(n), due-int32(n)
		}
		issues = append(issues, issue{offload.Op{At: workload.KernelID(at), Tensor: c.tensor, To: offload.GPU}, due})
	}
	slices.SortFunc(issues, func(x, y issue) int {
		if x.At != y.At {
			return int(x.At - y.At)
		}
		if x.due != y.due {
			return int(x.due - y.due)
		}
		return int(x.Tensor - y.Tensor)
	})
	for i := range issues {
		g.Ops = append(g.Ops, issues[i].Op)
	}
	p.begin(g, usable)
	return g
}

// spill is where tensors go that are evicted on demand, for which a kernel waits: where a byte goes and comes
// back sooner, to host memory if it is first. The engine takes drives when host memory is full.
func (p *planner) spill() offload.Tier {
	if !p.ssd || p.hostFirst || p.host && p.slower() < 1000 {
		return offload.Host
	}
	return offload.SSD
}

// slower is how long a byte takes to host memory and back, in thousandths of what it takes to drives and back.
func (p *planner) slower() int64 {
	const bytes = unit.GiB
	return unit.MulDiv(1000, int64(p.hostOut.Time(bytes)+p.hostIn.Time(bytes)), max(int64(p.write.Time(bytes)+p.read.Time(bytes)), 1))
}

// begin spills global tensors that do not fit at the beginning, those first whose next use is farthest.
func (p *planner) begin(g *offload.Program, usable unit.Bytes) {
	w := p.graph.w
	room := usable
	var set []workload.TensorID
	for _, t := range w.WorkingSet(set, 0) {
		if g.Start[t] != offload.GPU {
			room -= w.Tensors[t].Bytes.Aligned()
		}
	}
	var here []workload.TensorID
	for t := range g.Start {
		if g.Start[t] == offload.GPU {
			room -= w.Tensors[t].Bytes.Aligned()
			here = append(here, workload.TensorID(t))
		}
	}
	if room >= 0 {
		return
	}
	to := offload.Host // all of them may be more than it holds
	if p.ssd {
		to = offload.SSD
	}
	a := vitality.Analyze(w)
	next := func(t workload.TensorID) int {
		if uses := a.Uses(t); len(uses) > 0 {
			return int(uses[0])
		}
		return -1 // held: it never leaves
	}
	slices.SortStableFunc(here, func(x, y workload.TensorID) int { return next(y) - next(x) })
	for _, t := range here {
		if room >= 0 || next(t) <= 0 {
			return
		}
		g.Start[t] = to
		room += w.Tensors[t].Bytes.Aligned()
	}
}

// starts finds at which kernel each move's prefetch begins if what is used first comes first. The
// planner gave times to one move after the other, so a tensor may have its times around those of
// one that is used later, and the engine's queue, which ends what it began, would keep it waiting.
// The channel is as busy as before in every kernel, and no transfer begins before its tensor has
// left, so this order (earliest deadline first) is in time too.
func (p *planner) starts() {
	n := int32(len(p.times))
	p.begun = append(p.begun[:0], make([]int32, len(p.moves))...)
	for i, m := range p.moves {
		p.begun[i] = m.back
	}
	for _, tier := range [2]offload.Tier{offload.SSD, offload.Host} {
		var order []int32 // moves in order of leaving, in this iteration
		for i, m := range p.moves {
			if m.tier == tier {
				order = append(order, int32(i))
			}
		}
		if len(order) == 0 {
			continue
		}
		slices.SortFunc(order, func(x, y int32) int {
			if a, b := p.moves[x].away, p.moves[y].away; a != b {
				return int(a - b)
			}
			return int(x - y)
		})
		p.queue(tier, order, n)
	}
}

// A pending transfer is one that may begin, of this iteration or the next.
type pending struct {
	move int32
	due  int32
	left int64
}

// queue runs a channel's prefetches for two iterations, of which the first counts. It begins with
// what the iteration before has left.
func (p *planner) queue(tier offload.Tier, order []int32, n int32) {
	read, moves := &p.channel(tier).read, int32(len(p.moves))
	var heap []pending
	push := func(m, turn int32, left int64) {
		heap = append(heap, pending{m + turn*moves, p.graph.candidates[p.moves[m].candidate].end + turn*n, left})
		for i := len(heap) - 1; i > 0 && heap[i].before(heap[(i-1)/2]); i = (i - 1) / 2 {
			heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
		}
	}
	for _, m := range order {
		if p.next[m] > 0 {
			push(m, -1, p.next[m])
		}
	}
	next, turn := 0, int32(0) // the first of order that has not left, and in which iteration it does
	for k := range 2 * n {
		for p.moves[order[next]].away+turn*n <= k {
			push(order[next], turn, p.in[p.moves[order[next]].candidate])
			if next++; next == len(order) {
				next, turn = 0, turn+1
			}
		}
		for budget := p.times[k%n] - read.free[k%n]; budget > 0 && len(heap) > 0; {
			top := &heap[0]
			if m := top.move; m >= 0 && m < moves && top.left == p.in[p.moves[m].candidate] {
				p.begun[m] = k
			}
			got := min(budget, top.left)
			budget -= got
			if top.left -= got; top.left == 0 {
				heap[0] = heap[len(heap)-1]
				heap = heap[:len(heap)-1]
				sink(heap)
			}
		}
	}
}

// before orders by use.
func (x pending) before(y pending) bool { return x.due < y.due || x.due == y.due && x.move < y.move }

func sink(h []pending) {
	for i := 0; ; {
		kid := 2*i + 1
		if kid+1 < len(h) && h[kid+1].before(h[kid]) {
			kid++
		}
		if kid >= len(h) || !h[kid].before(h[i]) {
			return
		}
		h[i], h[kid] = h[kid], h[i]
		i = kid
	}
}
