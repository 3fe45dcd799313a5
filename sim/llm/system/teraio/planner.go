package teraio

import (
	"math"
	"math/bits"
	"slices"

	"spillway/sim/llm/offload"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A candidate is an inactive period. end is above the number of kernels where it goes on in
// the next iteration.
type candidate struct {
	tensor     workload.TensorID
	start, end int32
	size       unit.Bytes
}

// A move is a period that a plan uses: the tensor is away from kernel away on, and comes
// back from kernel back on, in places as of candidates.
type move struct {
	candidate  int32
	away, back int32
	tier       offload.Tier
}

// A graph is one part of a job as the planner sees it. Sizes are whole pages, as the engine's.
type graph struct {
	w          *workload.Workload
	live       []unit.Bytes // of tensors alive, by kernel
	candidates []candidate  // larger ones first, then by tensor and time
}

// newGraph analyses a part. Tensors smaller than least stay.
func newGraph(w *workload.Workload, least unit.Bytes) *graph {
	a, n := vitality.Analyze(w), len(w.Kernels)
	g := &graph{w: w, live: make([]unit.Bytes, n+1)}
	for t := range w.Tensors {
		switch size := w.Tensors[t].Bytes.Aligned(); {
		case w.Tensors[t].Global:
			g.live[0] += size
		case a.Birth[t] >= 0:
			g.live[a.Birth[t]] += size
			g.live[a.Death[t]] -= size
		}
	}
	for k := 1; k < n; k++ {
		g.live[k] += g.live[k-1]
	}
	g.live = g.live[:n]
	g.candidates = make([]candidate, 0, len(a.Periods))
	for i := range a.Periods {
		if p := &a.Periods[i]; w.Tensors[p.Tensor].Bytes >= least {
			g.candidates = append(g.candidates, candidate{p.Tensor, int32(p.Start), int32(int(p.Start) + p.Span(n)), w.Tensors[p.Tensor].Bytes.Aligned()})
		}
	}
	slices.SortStableFunc(g.candidates, func(x, y candidate) int { // stable: by tensor and time as before
		switch {
		case x.size > y.size:
			return -1
		case x.size < y.size:
			return 1
		}
		return 0
	})
	return g
}

// most is the most that tensors take at once.
func (g *graph) most() unit.Bytes { return slices.Max(g.live) }

// A budget is what a GPU has for its plan.
type budget struct {
	capacity        unit.Bytes
	ssd, host       bool           // there is such a channel
	hostFirst       bool           // periods go to host memory until it cannot take them, then to drives
	limit           unit.Bytes     // of host memory
	read, write     unit.Bandwidth // of drives
	delay           unit.Time      // of each of their operations
	hostIn, hostOut unit.Bandwidth // from host memory, to it
	progress        report.Progress
}

// A planner plans one part; its memory is used again.
type planner struct {
	graph *graph
	budget
	latest
	fit latest // the one before that fitted, while a stretch is looked for
}

// A latest plan is what has been found for a budget and a stretch.
type latest struct {
	factor    int64   // by which kernels are longer in the latest plan, in thousandths; 0: there is none for the budget
	times     []int64 // of kernels, as planned with
	stretched []int64 // room for times
	pressure  pressure
	drives    channel
	memory    channel // of the host
	room      room
	// Of each candidate: the time of its transfers, where it would go, and in which round its
	// score was found.
	out, in []int64
	tier    []offload.Tier
	round   []int32
	heap    []ranked
	moves   []move
	next    []int64 // of each move, the part of the prefetch's time that is in the next iteration
	begun   []int32 // where the prefetch of each move begins
}

// forget says that a plan is for another budget.
func (p *planner) forget() { p.factor, p.fit.factor = 0, 0 }

// A ranked candidate is one in the heap, with its score as last known.
type ranked struct {
	score     uint64
	candidate int32
}

// plan runs Algorithm 1 over a time axis and reports whether all fits. See the package's
// comment for the order.
func (p *planner) plan(times []int64) bool {
	p.prepare(times)
	for i := len(p.heap)/2 - 1; i >= 0; i-- {
		p.down(i)
	}
	round, began := int32(1), p.pressure.left
	for p.pressure.left > 0 && len(p.heap) > 0 {
		c, was := p.heap[0].candidate, p.heap[0].score
		if p.round[c] < round {
			p.round[c] = round
			switch score := p.renew(c); score {
			case 0:
				p.pop()
			case was:
			default:
				p.heap[0].score = score
				p.down(0)
			}
			continue
		}
		p.pop()
		p.commit(c)
		if round++; p.progress != nil && round%1024 == 0 {
			p.progress(int(began-p.pressure.left), int(began))
		}
	}
	return p.pressure.left == 0
}

// prepare begins a plan: all time is free and no tensor moves.
func (p *planner) prepare(times []int64) {
	g := p.graph
	p.times = times

	p.pressure.reset(g.live, p.capacity, times)
	p.drives.read.rate, p.drives.write.rate = p.read, p.write
	p.drives.read.delay, p.drives.write.delay = p.delay, p.delay
	p.memory.read.rate, p.memory.write.rate = p.hostIn, p.hostOut
	if p.ssd {
		p.drives.reset(times)
	}
	if p.host {
		p.memory.reset(times)
		p.room.reset(len(times))
	}
	n := len(g.candidates)
	if cap(p.out) < n {
		p.out, p.in = make([]int64, n), make([]int64, n)
		p.tier, p.round, p.heap = make([]offload.Tier, n), make([]int32, n), make([]ranked, 0, n)
	}
	p.out, p.in, p.tier, p.round = p.out[:n], p.in[:n], p.tier[:n], p.round[:n]
	p.moves, p.next, p.heap = p.moves[:0], p.next[:0], p.heap[:0]
	first := offload.SSD
	if !p.ssd || p.host && p.hostFirst {
		first = offload.Host
	}
	for c := range int32(n) {
		p.round[c] = 1
		p.aim(c, first)
		if score := p.renew(c); score > 0 {
			p.heap = append(p.heap, ranked{score, c})
		}
	}
}

// aim sends a candidate to a tier.
func (p *planner) aim(c int32, to offload.Tier) {
	p.tier[c] = to
	ch := p.channel(to)
	p.out[c], p.in[c] = ch.write.takes(p.graph.candidates[c].size), ch.read.takes(p.graph.candidates[c].size)
}

func (p *planner) channel(to offload.Tier) *channel {
	if to == offload.SSD {
		return &p.drives
	}
	return &p.memory
}

// renew finds a candidate's score. One that drives cannot take goes to host memory from then
// on, if there is some; its score may rise. With hostFirst it is the other way round.
func (p *planner) renew(c int32) uint64 {
	score := p.value(c)

	if from, to := p.order(); score == 0 && p.tier[c] == from && p.ssd && p.host {
		p.aim(c, to)
		score = p.value(c)
	}
	return score
}

// order is where periods go, and where those go that the first cannot take.
func (p *planner) order() (first, second offload.Tier) {
	if p.hostFirst {
		return offload.Host, offload.SSD
	}
	return offload.SSD, offload.Host
}

// value is the benefit of a candidate for its cost: bytes times picoseconds above the
// capacity for picoseconds of transfers, rounded down; 0 if it is not feasible.
func (p *planner) value(c int32) uint64 {
	x := &p.graph.candidates[c]
	if p.tier[c] == offload.Host && p.room.most[1]+int64(x.size) > int64(p.limit) && p.room.peak(int(x.start), int(x.end))+int64(x.size) > int64(p.limit) {
		return 0
	}
	away, back, ok := p.channel(p.tier[c]).window(int(x.start), int(x.end), p.out[c], p.in[c])
	if !ok {
		return 0
	}
	hi, lo := bits.Mul64(uint64(x.size), uint64(p.pressure.seconds(away, back)))
	cost := uint64(p.out[c] + p.in[c])
	if hi >= cost {
		return math.MaxUint64
	}
	score, _ := bits.Div64(hi, lo, cost)
	return score
}

// commit adds a candidate to the plan.
func (p *planner) commit(c int32) {
	x, ch := &p.graph.candidates[c], p.channel(p.tier[c])
	away, back, _ := ch.window(int(x.start), int(x.end), p.out[c], p.in[c])
	p.next = append(p.next, ch.take(int(x.start), int(x.end), p.out[c], p.in[c]))
	p.pressure.lower(away, back, x.size)
	if p.tier[c] == offload.Host {
		p.room.take(int(x.start), int(x.end), x.size)
	}
	p.moves = append(p.moves, move{c, int32(away), int32(back), p.tier[c]})
}

// before orders the heap: the best score, then the larger, then the first tensor and time. It is 1 if x goes
// before y, else 0, and no branch, because no processor could guess it.
func (x *ranked) before(y *ranked) uint64 {
	_, first := bits.Sub64(uint64(x.candidate), uint64(y.candidate), 0)
	_, better := bits.Sub64(y.score, x.score, first)
	return better
}

func (p *planner) down(i int) {
	h := p.heap
	c := h[i]
	for {
		kid := 2*i + 1
		if kid+1 < len(h) {
			kid += int(h[kid+1].before(&h[kid]))
		}
		if kid >= len(h) || h[kid].before(&c) == 0 {
			h[i] = c
			return
		}
		h[i], i = h[kid], kid
	}
}

func (p *planner) pop() {
	last := len(p.heap) - 1
	p.heap[0] = p.heap[last]
	if p.heap = p.heap[:last]; last > 0 {
		p.down(0)
	}
}
