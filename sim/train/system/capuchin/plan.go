package capuchin

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A choice is what happens to a tensor between two accesses.
type choice uint8

// The choices.
const (
	stay choice = iota
	swap
	recompute
)

// A gap is the time between two consecutive accesses of a tensor, with other kernels in
// between.
type gap struct {
	tensor workload.TensorID
	// from and to are the kernels of the evicted access and of the back access. One that
	// is in the next iteration counts on from there.
	from, to int
	size     unit.Bytes
	time     unit.Cycles // of a swap, one way
	free     unit.Cycles // free time, FT
	choice   choice
	// out and in: a swapped tensor is away after kernel out and before kernel in.
	out, in int
	// start is when its way back is to begin at the latest, in pure compute time.
	start unit.Cycles
	// cost is how much longer the iteration is expected to take.
	cost unit.Cycles
	// sources are the tensors that a recomputation reads as they are.
	sources []workload.TensorID

	again unit.Cycles // what a recomputation takes at least, as once computed
	valid int         // how many choices had been made then, or -1; never: no recomputation
}

const never = 1 << 30

// A lane is one direction of the link, which one tensor takes at a time: how long it is
// idle while each kernel runs.
type lane struct {
	idle []unit.Cycles
	sum  []unit.Cycles // over the kernels before, of two iterations
}

func newLane(exec []unit.Cycles) lane {
	l := lane{slices.Clone(exec), make([]unit.Cycles, 2*len(exec)+1)}
	l.add()
	return l
}

func (l *lane) add() {
	n := len(l.idle)
	for k := range 2 * n {
		l.sum[k+1] = l.sum[k] + l.idle[k%n]
	}
}

// between is the idle time of kernels from to before-1.
func (l *lane) between(from, before int) unit.Cycles { return l.sum[max(from, before)] - l.sum[from] }

// forward returns the kernel during which a transfer of time s ends that begins with
// kernel k at the earliest; two iterations on if it does not.
func (l *lane) forward(k int, s unit.Cycles) int {
	end := l.sum[k] + s
	return k + sort.Search(len(l.sum)-1-k, func(i int) bool { return l.sum[k+i+1] >= end })
}

// backward returns the kernel during which a transfer must begin that takes s and ends
// before kernel k, and how much of the lane's idle time then is to be left before it;
// -1 if there is none.
func (l *lane) backward(k int, s unit.Cycles) (int, unit.Cycles) {
	begin := l.sum[k] - s
	if begin < 0 {
		return -1, 0
	}
	i := sort.Search(k, func(i int) bool { return l.sum[i+1] > begin })
	return i, begin - l.sum[i]
}

// take uses up s of the idle time of kernels from to before-1, in order; from the end
// if back. What is not there is not taken.
func (l *lane) take(from, before int, s unit.Cycles, back bool) {
	n := len(l.idle)
	for i := range before - from {
		k := from + i
		if back {
			k = before - 1 - i
		}
		x := min(s, l.idle[k%n])
		l.idle[k%n] -= x
		s -= x
	}
	l.add()
}

// A planner makes the guided plan from what the measured iteration recorded.
type planner struct {
	*lineage
	exec  []unit.Cycles // of kernels
	start []unit.Cycles // of kernels, when nothing stalls; of two iterations
	over  []unit.Bytes  // by kernel: what is needed beyond GPU memory; negative: what is free
	rate  func(unit.Bytes) unit.Cycles
	// The lanes to the host and back.
	out, in lane
	gaps    []gap
	of      [][]int32 // a tensor's gaps
	users   [][]int32 // gaps of recomputed tensors that read a tensor as it is
	made    int       // choices
	// Only is the only choice allowed, stay for both.
	only choice

	mark  []int32 // by kernel and by tensor, of the last walk that met it
	met   []int32
	stamp int32
	stack []int32
}

// newPlanner prepares a plan. exec are the times of kernels, rate is how long a
// transfer takes, room the GPU memory there is for tensors.
func newPlanner(w *workload.Workload, exec []unit.Cycles, rate func(unit.Bytes) unit.Cycles, room unit.Bytes) *planner {
	n := len(exec)
	p := &planner{
		lineage: newLineage(w), exec: exec, rate: rate, start: make([]unit.Cycles, 2*n+1),
		out: newLane(exec), in: newLane(exec), of: make([][]int32, len(w.Tensors)), users: make([][]int32, len(w.Tensors)),
		mark: make([]int32, n), met: make([]int32, len(w.Tensors)),
	}
	for k := range 2 * n {
		p.start[k+1] = p.start[k] + exec[k%n]
	}
	p.over = p.life.Live(w)
	for k := range p.over {
		p.over[k] -= room
	}
	for t := range w.Tensors {
		p.addGaps(workload.TensorID(t))
	}
	return p
}

// addGaps adds the gaps of t after which its value is read.
func (p *planner) addGaps(t workload.TensorID) {
	uses, n := p.life.Uses(t), len(p.exec)
	global := p.w.Tensors[t].Global
	add := func(from, to int) {
		// A tensor that is only overwritten has no value to keep.
		if to <= from+1 || !p.reads(to%n, t) {
			return
		}
		g := gap{tensor: t, from: from, to: to, size: p.w.Tensors[t].Bytes.Aligned(), valid: -1}
		g.time = p.rate(g.size)
		g.free = p.start[to] - g.time - (p.start[from+1] + g.time)
		if to >= n {
			g.valid = never
		}
		p.of[t] = append(p.of[t], int32(len(p.gaps)))
		p.gaps = append(p.gaps, g)
	}
	for i := 1; i < len(uses) && (global || uses[i] < p.life.Death[t]); i++ {
		add(int(uses[i-1]), int(uses[i]))
	}
	if global && len(uses) > 0 {
		add(int(uses[len(uses)-1]), int(uses[0])+n)
	}
}

// plan chooses for every gap.
func (p *planner) plan() {
	if p.only != recompute {
		p.hidden()
	}
	n := len(p.over)
	var cover []int32
	for a := 0; a < n; {
		if p.over[a] <= 0 {
			a++
			continue
		}
		cover = cover[:0]
		for i := range p.gaps {
			if g := &p.gaps[i]; g.choice == stay && g.away(a, n) >= 0 {
				cover = append(cover, int32(i))
			}
		}
		for p.over[a] > 0 {
			best := p.cheapest(cover, a)
			if best < 0 {
				break
			}
			p.choose(&p.gaps[cover[best]])
			cover = slices.Delete(cover, best, best+1)
		}
		a++
	}
}

// away returns which kernel inside g's gap is kernel k, of this iteration or the next, or
// -1.
func (g *gap) away(k, n int) int {
	for ; k < g.to; k += n {
		if k > g.from {
			return k
		}
	}
	return -1
}

// hidden chooses swaps in order of decreasing free time, as long as they are free,
// and help where memory is short.
func (p *planner) hidden() {
	order := make([]int32, len(p.gaps))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(p.gaps[y].free, p.gaps[x].free), cmp.Compare(x, y))
	})
	short := 0
	for _, o := range p.over {
		if o > 0 {
			short++
		}
	}
	for _, i := range order {
		g := &p.gaps[i]
		if g.free < 0 || short == 0 {
			break
		}
		out := p.out.forward(g.from+1, g.time)
		in, _ := p.in.backward(g.to, g.time)
		if out >= in || !p.helps(out+1, in) {
			continue
		}
		g.choice, g.out, g.in, g.cost = swap, out, in, 0
		short -= p.commit(g)
	}
}

// helps reports whether memory is short at one of kernels from to before-1.
func (p *planner) helps(from, before int) bool {
	for k := from; k < before; k++ {
		if p.over[k%len(p.over)] > 0 {
			return true
		}
	}
	return false
}

// commit takes the memory and the time of the links that a choice says. It returns at
// how many kernels memory is short no more.
func (p *planner) commit(g *gap) (met int) {
	p.made++
	from, before := g.from+1, g.to
	if g.choice == swap {
		from, before = g.out+1, g.in
		p.out.take(g.from+1, g.out+1, g.time, false)
		var left unit.Cycles
		_, left = p.in.backward(g.to, g.time)
		g.start = p.start[g.in] + min(left, p.exec[g.in%len(p.exec)])
		p.in.take(g.in, g.to, g.time, true)
	}
	for k := from; k < before; k++ {
		o := &p.over[k%len(p.over)]
		if *o > 0 && *o <= g.size {
			met++
		}
		*o -= g.size
	}
	return met
}

// cheapest returns which of the gaps gives memory at kernel a at the least cost a byte,
// with that choice made in it; -1 if none does. Of equal ones it is the first.
func (p *planner) cheapest(cover []int32, a int) int {
	best := -1
	for i, id := range cover {
		g := &p.gaps[id]
		var b *gap
		if best >= 0 {
			b = &p.gaps[cover[best]]
		}
		x := gap{size: g.size, cost: -1}
		if p.only != recompute {
			x = p.exposed(g, a)
		}
		if p.only != swap && g.valid != never && p.worth(g, &x, b) {
			if g.valid != p.made {
				p.refresh(g)
			}
			if g.valid != never && (x.cost < 0 || g.again < x.cost) {
				x.choice, x.cost = recompute, g.again
			}
		}
		if x.cost < 0 || b != nil && !less(x.cost, x.size, b.cost, b.size) {
			continue
		}
		g.choice, g.out, g.in, g.cost = x.choice, x.out, x.in, x.cost
		if b != nil {
			b.choice = stay
		}
		best = i
	}
	return best
}

// worth reports whether recomputing g could still be better than x, g's swap, and than
// b, the best so far. What it once took is the least that it takes: sources only leave.
func (p *planner) worth(g, x, b *gap) bool {
	if g.valid < 0 {
		return true
	}
	return (x.cost < 0 || g.again < x.cost) && (b == nil || less(g.again, g.size, b.cost, b.size))
}

// less compares costs a byte.
func less(a unit.Cycles, as unit.Bytes, b unit.Cycles, bs unit.Bytes) bool {
	ah, al := bits.Mul64(uint64(a), uint64(bs))
	bh, bl := bits.Mul64(uint64(b), uint64(as))
	return ah < bh || ah == bh && al < bl
}

// exposed returns the swap of g that leaves before kernel a, with what it costs: how long
// kernel a waits for its end and the back access for its return.
func (p *planner) exposed(g *gap, a int) gap {
	x := *g
	x.choice, x.cost = swap, 0
	a = g.away(a, len(p.over))
	x.out = p.out.forward(g.from+1, g.time)
	if x.out >= a {
		x.cost += g.time - p.out.between(g.from+1, a)
		x.out = a - 1
	}
	x.in, _ = p.in.backward(g.to, g.time)
	if x.in <= a {
		x.in = a + 1
		x.cost += max(0, g.time-p.in.between(x.in, g.to))
	}
	return x
}

// choose makes the choice that a gap says.
func (p *planner) choose(g *gap) {
	if g.choice == recompute {
		g.sources = p.sources(g)
		id := p.index(g)
		for _, t := range g.sources {
			p.users[t] = append(p.users[t], id)
		}
	}
	p.commit(g)
}

func (p *planner) index(g *gap) int32 {
	for _, id := range p.of[g.tensor] {
		if &p.gaps[id] == g {
			return id
		}
	}
	return -1
}

// refresh computes what recomputing g costs now: the time of the kernels that run
// again, and of those that run again for others which read g's tensor, once for each
// that cannot keep it.
func (p *planner) refresh(g *gap) {
	g.valid = p.made
	cost, ok := p.walk(g, nil)
	if !ok {
		g.valid = never
		return
	}
	g.again = cost
	for _, id := range p.users[g.tensor] {
		if r := &p.gaps[id]; g.from < r.to && r.to < g.to && !p.kept(g, r.to) {
			g.again += cost
		}
	}
}

// keep is for how many kernels a result is kept that was computed again for another.
const keep = 32

// kept reports whether there is room to keep g's tensor from kernel k until its back
// access.
func (p *planner) kept(g *gap, k int) bool {
	if g.to-k > keep {
		return false
	}
	for ; k < g.to; k++ {
		if p.over[k]+g.size > 0 {
			return false
		}
	}
	return true
}

// sources returns the tensors that are read as they are when g's tensor is computed
// again.
func (p *planner) sources(g *gap) []workload.TensorID {
	var list []workload.TensorID
	p.walk(g, &list)
	return list
}

// walk returns how long it takes to compute g's tensor again when its back access comes:
// all kernels back to values that are there then, and the way back of those that have
// left. ok is false when that cannot be: a kernel that must run once only, or a value
// that has been overwritten. sources, if not nil, gets the tensors read as they are.
func (p *planner) walk(g *gap, sources *[]workload.TensorID) (cost unit.Cycles, ok bool) {
	p.stamp++
	last := p.before(g.tensor, g.from+1)
	if last < 0 {
		return 0, false
	}
	p.stack = append(p.stack[:0], int32(last))
	p.mark[last] = p.stamp
	for len(p.stack) > 0 {
		k := int(p.stack[len(p.stack)-1])
		p.stack = p.stack[:len(p.stack)-1]
		if !p.pure[k] || !p.harmless(g, k) {
			return 0, false
		}
		cost += p.exec[k]
		for _, t := range p.w.Kernels[k].Inputs {
			writer, again, ok := p.value(g, k, t)
			if !ok {
				return 0, false
			}
			if again {
				if p.mark[writer] != p.stamp {
					p.mark[writer] = p.stamp
					p.stack = append(p.stack, int32(writer))
				}
				continue
			}
			if p.met[t] == p.stamp {
				continue
			}
			p.met[t] = p.stamp
			if sources != nil {
				*sources = append(*sources, t)
			}
			if x := p.during(t, g.to); x != nil && x.choice == swap && x.out < x.away(g.to, len(p.exec)) && x.away(g.to, len(p.exec)) < x.in {
				cost += x.time
			}
		}
	}
	return cost, true
}

// value says where the value of t that kernel k read is to come from when g's tensor is
// computed again: from its writer if again, else from t as it is.
func (p *planner) value(g *gap, k int, t workload.TensorID) (writer int, again, ok bool) {
	writer = p.before(t, k)
	if t == g.tensor {
		return writer, true, writer >= 0
	}
	if !p.alive(t, g.to) {
		return writer, true, writer >= 0
	}
	if x := p.during(t, g.to); x != nil && x.choice == recompute {
		return writer, true, writer >= 0
	}
	return writer, false, p.before(t, g.to) == writer
}

// harmless reports whether kernel k can run again at the back access of g without
// overwriting a newer value that is there.
func (p *planner) harmless(g *gap, k int) bool {
	for _, t := range p.w.Kernels[k].Outputs {
		if t == g.tensor || !p.alive(t, g.to) {
			continue
		}
		if x := p.during(t, g.to); x != nil && x.choice == recompute {
			continue
		}
		if p.before(t, g.to) != k {
			return false
		}
	}
	return true
}

// during returns the gap of t that kernel k is in, if any.
func (p *planner) during(t workload.TensorID, k int) *gap {
	for _, id := range p.of[t] {
		if g := &p.gaps[id]; g.away(k, len(p.exec)) >= 0 {
			return g
		}
	}
	return nil
}
