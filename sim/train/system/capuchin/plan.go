package capuchin

import (
	"cmp"
	"container/heap"
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
	offload
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
	onSSD    bool        // the swap goes to the SSD, as host memory is full then
	choice   choice
	// out and in: a swapped tensor is away after kernel out and before kernel in.
	out, in int
	// start is when its way back is to begin at the latest, in pure compute time.
	start unit.Cycles
	// cost is how much longer the iteration is expected to take.
	cost unit.Cycles

	again unit.Cycles // what a recomputation takes at least, as once computed
	valid int         // how many choices had been made then, or -1; never: no recomputation
}

const never = 1 << 30

// A times is one time for each kernel, with sums over those before (a Fenwick tree): to
// change one and to search take as many steps as the number of kernels has bits.
type times struct {
	of   []unit.Cycles
	tree []unit.Cycles
	all  unit.Cycles // the sum of all
}

func newTimes(of []unit.Cycles) times {
	l := times{of: of, tree: make([]unit.Cycles, len(of)+1)}
	for k, x := range of {
		l.all += x
		l.tree[k+1] += x
		if up := (k + 1) + (k+1)&-(k+1); up < len(l.tree) {
			l.tree[up] += l.tree[k+1]
		}
	}
	return l
}

// less takes x off kernel k's.
func (l *times) less(k int, x unit.Cycles) {
	l.of[k] -= x
	l.all -= x
	for k++; k < len(l.tree); k += k & -k {
		l.tree[k] -= x
	}
}

// before is the sum over the kernels before k, of two iterations.
func (l *times) before(k int) (sum unit.Cycles) {
	if n := len(l.of); k > n {
		sum, k = l.all, k-n
	}
	for ; k > 0; k -= k & -k {
		sum += l.tree[k]
	}
	return sum
}

// last returns the last kernel of two iterations before which the sum is less than x;
// one past them if it is so after all of them.
func (l *times) last(x unit.Cycles) (k int) {
	n := len(l.of)
	first := 0
	if x > l.all {
		first, x = n, x-l.all
	}
	for step := 1 << bits.Len(uint(n)); step > 0; step /= 2 {
		if k+step <= n && l.tree[k+step] < x {
			k += step
			x -= l.tree[k]
		}
	}
	return first + k
}

// A lane is one direction of the link, which one tensor takes at a time: how long it is
// idle while each kernel runs.
type lane struct{ times }

func newLane(exec []unit.Cycles) lane { return lane{newTimes(slices.Clone(exec))} }

// between is the idle time of kernels from to before-1.
func (l *lane) between(from, before int) unit.Cycles {
	return l.before(max(from, before)) - l.before(from)
}

// forward returns the kernel during which a transfer of time s ends that begins with
// kernel k at the earliest; two iterations on if it does not.
func (l *lane) forward(k int, s unit.Cycles) int {
	return min(max(k, l.last(l.before(k)+s)), 2*len(l.of)-1)
}

// backward returns the kernel during which a transfer must begin that takes s and ends
// before kernel k, and how much of the lane's idle time then is to be left before it;
// -1 if there is none.
func (l *lane) backward(k int, s unit.Cycles) (int, unit.Cycles) {
	begin := l.before(k) - s
	if begin < 0 {
		return -1, 0
	}
	i := min(k, l.last(begin+1))
	return i, begin - l.before(i)
}

// take uses up s of the idle time of kernels from to before-1, in order; from the end
// if back. What is not there is not taken.
func (l *lane) take(from, before int, s unit.Cycles, back bool) {
	n := len(l.of)
	for i := 0; i < before-from && s > 0; i++ {
		k := from + i
		if back {
			k = before - 1 - i
		}
		if x := min(s, l.of[k%n]); x > 0 {
			l.less(k%n, x)
			s -= x
		}
	}
}

// A planner makes the guided plan from what the measured iteration recorded.
type planner struct {
	*lineage
	exec  []unit.Cycles // of kernels
	start []unit.Cycles // of kernels, when nothing stalls; of two iterations
	room  unit.Bytes    // GPU memory for tensors
	cheap bool          // see rest
	least unit.Bytes    // smaller tensors are no candidates
	over  []unit.Bytes  // by kernel: what is needed beyond GPU memory; negative: what is free
	swap  swaps
	host  []unit.Bytes // by kernel: what is planned to be in host memory
	most  unit.Bytes   // of host
	// The lanes to the host and back.
	out, in lane
	gaps    []gap
	of      [][]int32 // a tensor's gaps
	short   times     // how long memory is short
	users   [][]int32 // gaps of recomputed tensors that read a tensor as it is
	made    int       // choices
	only    choice    // that is allowed; stay: both
	final   bool      // all choices are made; see revise

	priced int    // candidates
	work   int    // steps, counted by step
	tell   func() // is called once in a while; nil: nobody wants to know

	mark  []int32 // by kernel and by tensor, of the last walk that met it
	met   []int32
	stamp int32
	stack []int32
}

// swaps are how long a transfer of so many bytes takes one way, to host memory and to the SSD,
// and how much host memory there is.
type swaps struct {
	host, ssd func(unit.Bytes) unit.Cycles
	room      unit.Bytes
}

// newPlanner prepares a plan. exec are the times of kernels, room the GPU memory there is
// for tensors.
func newPlanner(w *workload.Workload, exec []unit.Cycles, swap swaps, room unit.Bytes) *planner {
	n := len(exec)
	p := &planner{
		lineage: newLineage(w), exec: exec, swap: swap, host: make([]unit.Bytes, n), start: make([]unit.Cycles, 2*n+1),
		out: newLane(exec), in: newLane(exec), of: make([][]int32, len(w.Tensors)), users: make([][]int32, len(w.Tensors)),
		mark: make([]int32, n), met: make([]int32, len(w.Tensors)), room: room, least: smallest(room),
	}
	for k := range 2 * n {
		p.start[k+1] = p.start[k] + exec[k%n]
	}
	p.over = p.need()
	for t := range w.Tensors {
		p.addGaps(workload.TensorID(t))
	}
	return p
}

// smallest is the size of the smallest tensors that are worth moving: a MiB of 32 GiB.
func smallest(room unit.Bytes) unit.Bytes { return room / 32768 }

// addGaps adds the gaps of t after which its value is read.
func (p *planner) addGaps(t workload.TensorID) {
	uses, n := p.life.Uses(t), len(p.exec)
	global := p.w.Tensors[t].Global
	add := func(from, to int) {
		// A tensor that is only overwritten has no value to keep.
		if to <= from+1 || !p.reads(to%n, t) || p.w.Tensors[t].Bytes < p.least {
			return
		}
		g := gap{tensor: t, from: from, to: to, size: p.w.Tensors[t].Bytes.Aligned(), valid: -1}
		p.timed(&g, p.swap.room < g.size)
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

// timed sets the times of a swap to host memory, or to the SSD.
func (p *planner) timed(g *gap, onSSD bool) {
	g.onSSD, g.time = onSSD, p.swap.host(g.size)
	if onSSD {
		g.time = p.swap.ssd(g.size)
	}
	g.free = p.start[g.to] - g.time - (p.start[g.from+1] + g.time)
}

// settle sets the times of a swap of g, which is not chosen, by whether host memory has room
// for it beside those that are.
func (p *planner) settle(g *gap) {
	if g.onSSD || p.most+g.size <= p.swap.room { // what has no room never gets any
		return
	}
	p.work += g.to - g.from
	for k := g.from + 1; k < g.to; k++ {
		if p.host[k%len(p.host)]+g.size > p.swap.room {
			p.timed(g, true)
			return
		}
	}
}

// plan chooses for every gap.
func (p *planner) plan() {
	p.measure()
	if p.only != recompute {
		p.hidden()
	}
	p.rest(true)
	p.relax()
	p.rest(false)
	p.revise()
	p.over = p.need()
	p.postpone()
}

// rounds is how often the recomputations are priced again at most.
const rounds = 8

// revise prices the recomputations again with all choices made, and takes back those
// that cannot be any more or that cost more than the way back of a tensor that passive
// mode has made leave: sources are computed again themselves, and where memory is still
// short passive mode makes others leave, which have to come back for it. What is taken
// back changes the prices of others.
func (p *planner) revise() {
	n := len(p.over)
	p.final = true
	for i := 0; i < rounds && p.work < steps; i++ {
		p.measure()
		changed := false
		for i := range p.gaps {
			g := &p.gaps[i]
			if g.choice != recompute {
				continue
			}
			cost, ok := p.walk(g, nil)
			if ok && cost <= g.time {
				g.cost = cost
				continue
			}
			g.choice, g.cost, changed = stay, 0, true
			for k := g.from + 1; k < g.to; k++ {
				p.over[k%n] += g.size
			}
		}
		if !changed {
			return
		}
	}
}

// stays reports whether the tensor of gap x, which is not chosen, is on the GPU at kernel
// k: memory has not been short in the gap before. While choices are made all stay, as
// memory is to be short nowhere in the end.
func (p *planner) stays(x *gap, k int) bool {
	return !p.final || p.shortIn(x.from+1, k) == 0
}

// postpone lets tensors come back later where memory is short until then, those first
// that are needed last: what comes too early drives out what is needed.
func (p *planner) postpone() {
	n := len(p.over)
	var coming []int32 // gaps, by back access
	for i := range p.gaps {
		if p.gaps[i].choice == offload {
			coming = append(coming, int32(i))
		}
	}
	slices.SortFunc(coming, func(x, y int32) int {
		return cmp.Or(cmp.Compare(p.gaps[y].to, p.gaps[x].to), cmp.Compare(x, y))
	})
	for k := range 2 * n {
		for _, id := range coming {
			if p.over[k%n] <= 0 {
				break
			}
			p.step()
			g := &p.gaps[id]
			if g.to <= k {
				break
			}
			if g.in > k {
				continue
			}
			for ; g.in <= k; g.in++ {
				p.over[g.in%n] -= g.size
			}
			g.start = p.start[g.in]
		}
	}
}

// need returns by kernel what is needed beyond GPU memory with all choices made.
func (p *planner) need() []unit.Bytes {
	over := p.life.Live(p.w)
	for k := range over {
		over[k] -= p.room
	}
	for i := range p.gaps {
		if g := &p.gaps[i]; g.choice != stay {
			from, before := g.window()
			for k := from; k < before; k++ {
				over[k%len(over)] -= g.size
			}
		}
	}
	return over
}

// window returns from which kernel to before which one a choice gives memory.
func (g *gap) window() (from, before int) {
	if g.choice == offload {
		return g.out + 1, g.in
	}
	return g.from + 1, g.to
}

// relax takes it that memory is not short where tensors that have been chosen are on
// their way: a kernel can wait for them.
func (p *planner) relax() {
	n := len(p.over)
	for i := range p.gaps {
		if g := &p.gaps[i]; g.choice == offload {
			for k := g.from + 1; k <= g.out; k++ {
				p.over[k%n] -= g.size
			}
			for k := g.in; k < g.to; k++ {
				p.over[k%n] -= g.size
			}
		}
	}
	p.measure()
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
	for _, i := range order {
		g := &p.gaps[i]
		if g.free < 0 || p.short.all == 0 {
			break
		}
		if p.settle(g); g.free < 0 {
			continue
		}
		x := *g
		x.choice, x.out = offload, p.out.forward(g.from+1, g.time)
		if x.in, _ = p.in.backward(g.to, g.time); x.out < x.in && p.gain(&x) > 0 {
			*g = x
			p.commit(g)
		}
	}
}

// commit takes the memory and the time of the links that a choice says.
func (p *planner) commit(g *gap) {
	p.made++
	from, before := g.window()
	if g.choice == offload {
		if !g.onSSD {
			for k := g.from + 1; k < g.to; k++ {
				p.host[k%len(p.host)] += g.size
				p.most = max(p.most, p.host[k%len(p.host)])
			}
		}
		p.out.take(g.from+1, g.out+1, g.time, false)
		g.start = p.start[g.in]
		if in, left := p.in.backward(g.to, g.time); in == g.in {
			g.start += min(left, p.exec[in%len(p.exec)])
		}
		p.in.take(g.in, g.to, g.time, true)
	}
	for k := from; k < before; k++ {
		k := k % len(p.over)
		if p.over[k] -= g.size; p.over[k] <= 0 && p.over[k]+g.size > 0 {
			p.short.less(k, p.exec[k])
		}
	}
}

// How much the planner does before it takes what it knows. They bound the time of a plan
// to seconds and matter to long networks only.
const (
	pricings  = 1 << 21 // of candidates, after which prices stay as they are
	steps     = 1 << 27 // kernels looked at, after which no recomputation is considered
	tellAfter = 1 << 14 // how often a caller may want to know, in either
)

// step counts a step.
func (p *planner) step() {
	if p.work++; p.work%tellAfter == 0 && p.tell != nil {
		p.tell()
	}
}

// rest chooses what costs time, that which costs least for its gain first, until memory
// is short nowhere or nobody can help. Ties go to the first gap. With cheap nothing is
// chosen that costs more than a swap's time: to wait for a tensor that is on its way
// costs no more.
func (p *planner) rest(cheap bool) {
	q := &queue{}
	p.cheap = cheap
	for i := range p.gaps {
		if g := &p.gaps[i]; g.choice == stay {
			if x := p.best(g); x.choice != stay {
				q.list = append(q.list, candidate{p.price(&x), int32(i)})
			}
		}
	}
	heap.Init(q)
	for len(q.list) > 0 {
		first := &q.list[0]
		g := &p.gaps[first.gap]
		x := p.best(g)
		if x.choice == stay { // memory is not short in it any more
			heap.Pop(q)
			continue
		}
		// Choices change what others cost and give, mostly for the worse.
		if price := p.price(&x); price > first.price && p.priced < pricings {
			first.price = price
			heap.Fix(q, 0)
			if &p.gaps[q.list[0].gap] != g {
				continue
			}
		}
		heap.Pop(q)
		was := *g
		*g = x
		if !p.choose(g) {
			*g = was
			g.valid = never
			if x = p.best(g); x.choice != stay {
				heap.Push(q, candidate{p.price(&x), p.index(g)})
			}
		}
	}
}

// A candidate is a gap and what it costs to choose it, for its gain.
type candidate struct {
	price float64
	gap   int32
}

// A queue is a heap of candidates, the cheapest first.
type queue struct {
	list []candidate
}

func (q *queue) Len() int      { return len(q.list) }
func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Less(i, j int) bool {
	x, y := q.list[i], q.list[j]
	return x.price < y.price || x.price == y.price && x.gap < y.gap
}
func (q *queue) Push(x any) { q.list = append(q.list, x.(candidate)) }
func (q *queue) Pop() any {
	x := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return x
}

// best returns g with the choice that costs least for what it gives; stay if nothing
// gives anything.
func (p *planner) best(g *gap) gap {
	p.priced++
	p.step()
	p.settle(g)
	best := *g
	best.choice = stay
	try := func(x gap) {
		if p.gain(&x) > 0 && (!p.cheap || x.cost <= x.time) && (best.choice == stay || p.price(&x) < p.price(&best)) {
			best = x
		}
	}
	if p.only != recompute {
		if a := p.firstShort(g); a >= 0 {
			try(p.exposed(g, a))
			if a = p.out.forward(g.from+1, g.time) + 1; a < g.to {
				try(p.exposed(g, a))
			}
		}
	}
	if p.only != offload && g.valid != never && p.work < steps {
		if g.valid != p.made {
			p.refresh(g)
			best.valid, best.again = g.valid, g.again
		}
		if g.valid != never {
			x := *g
			x.choice, x.cost = recompute, g.again
			try(x)
		}
	}
	return best
}

// price is what a choice costs for its gain.
func (p *planner) price(g *gap) float64 { return float64(g.cost) / p.gain(g) }

// gain is what a choice gives: bytes, for as much of the time in which memory is short.
func (p *planner) gain(g *gap) float64 {
	from, before := g.window()
	return float64(g.size) * float64(p.shortIn(from, max(from, before)))
}

// firstShort returns the first kernel in g's gap in which memory is short, or -1.
func (p *planner) firstShort(g *gap) int {
	k := p.short.last(p.short.before(g.from+1) + 1)
	if k >= g.to {
		return -1
	}
	return k
}

// shortIn is for how long memory is short in kernels from to before-1.
func (p *planner) shortIn(from, before int) unit.Cycles {
	return p.short.before(before) - p.short.before(from)
}

// measure notes for how long memory is short.
func (p *planner) measure() {
	list := make([]unit.Cycles, len(p.exec))
	for k := range list {
		if p.over[k] > 0 {
			list[k] = p.exec[k]
		}
	}
	p.short = newTimes(list)
}

// exposed returns the swap of g that has left before kernel a, with what it costs: how
// long kernel a waits for its end, and the back access for its return.
func (p *planner) exposed(g *gap, a int) gap {
	x := *g
	x.choice, x.cost = offload, 0
	x.out = p.out.forward(g.from+1, g.time)
	if x.out >= a {
		x.cost += g.time - p.out.between(g.from+1, a)
		x.out = a - 1
	}
	// The way back begins a swap's time before the back access, and what of it has no
	// idle link then is late.
	x.in = max(x.out+1, sort.Search(g.to, func(k int) bool { return p.start[k+1] > p.start[g.to]-g.time }))
	x.cost += max(0, g.time-p.in.between(min(x.in, g.to), g.to))
	return x
}

// choose makes the choice that a gap says. It returns false when a value that was chosen
// to be computed again could not be then.
func (p *planner) choose(g *gap) bool {
	if g.choice == recompute {
		// What reads g's tensor as it is will read what g's recomputation does.
		users := []int32{p.index(g)}
		for _, id := range p.users[g.tensor] {
			r := &p.gaps[id]
			if r.to <= g.from || g.to <= r.to {
				continue
			}
			if _, ok := p.walk(r, nil); !ok {
				return false
			}
			if !p.kept(g, r.to) {
				users = append(users, id)
			}
		}
		var sources []workload.TensorID
		p.walk(g, &sources)
		for _, t := range sources {
			for _, id := range users {
				if !slices.Contains(p.users[t], id) {
					p.users[t] = append(p.users[t], id)
				}
			}
		}
	}
	p.commit(g)
	return true
}

// index returns which gap g is.
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

// kept reports whether g's tensor is kept from kernel k until its back access.
func (p *planner) kept(g *gap, k int) bool { return g.to-k <= keep }

// walk returns how long it takes to compute g's tensor again when its back access comes:
// all kernels back to values that are there then, and the way back of those that do not
// stay. The kernels of values that are kept for their own back accesses are theirs. ok
// is false when that cannot be: a kernel that must run once only, or a value that has
// been overwritten. sources, if not nil, gets the tensors read as they are.
func (p *planner) walk(g *gap, sources *[]workload.TensorID) (cost unit.Cycles, ok bool) {
	p.stamp += 2 // of kernels that are free; with 1, of the others
	last := p.before(g.tensor, g.from+1)
	if last < 0 {
		return 0, false
	}
	p.stack = append(p.stack[:0], int32(last))
	p.mark[last] = p.stamp + 1
	for len(p.stack) > 0 {
		p.step()
		k := int(p.stack[len(p.stack)-1])
		p.stack = p.stack[:len(p.stack)-1]
		if !p.pure[k] || !p.harmless(g, k) {
			return 0, false
		}
		charged := p.mark[k] & 1
		if charged != 0 {
			cost += p.exec[k]
		}
		for _, t := range p.w.Kernels[k].Inputs {
			if p.private(t) {
				continue
			}
			from, writer := p.value(g, k, t)
			mark := p.stamp + charged
			switch from {
			case nowhere:
				return 0, false
			case rebuiltFree:
				mark = p.stamp
			case rebuilt:
				mark = p.stamp + 1
			}
			if from != asItIs {
				if p.mark[writer] < mark {
					p.mark[writer] = mark
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
			if x := p.during(t, g.to); x != nil {
				k := x.away(g.to, len(p.exec))
				if x.choice == offload && x.out < k && k < x.in || x.choice == stay && !p.stays(x, k) {
					cost += x.time
				}
			}
		}
	}
	return cost, true
}

// An origin is where a value comes from that a kernel reads which runs again.
type origin uint8

// The origins.
const (
	nowhere     origin = iota // the value is lost
	asItIs                    // the tensor has it
	rebuiltLike               // its writer runs again, for the same as the reader
	rebuilt                   // and has to be paid
	rebuiltFree               // and is paid by the tensor's own back access
)

// value says where the value of t that kernel k read is to come from when g's tensor is
// computed again, and which kernel wrote it.
func (p *planner) value(g *gap, k int, t workload.TensorID) (from origin, writer int) {
	writer = p.before(t, k)
	from = rebuiltLike
	switch x := p.during(t, g.to); {
	case t == g.tensor || !p.alive(t, g.to):
	case x == nil || x.choice != recompute:
		if p.before(t, g.to) == writer {
			return asItIs, writer
		}
		return nowhere, writer
	case p.kept(x, g.to):
		from = rebuiltFree
	default:
		from = rebuilt
	}
	if writer < 0 {
		from = nowhere
	}
	return from, writer
}

// harmless reports whether kernel k can run again at the back access of g without
// overwriting a newer value that is there.
func (p *planner) harmless(g *gap, k int) bool {
	for _, t := range p.w.Kernels[k].Outputs {
		if t == g.tensor || !p.alive(t, g.to) || p.private(t) {
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
