package swapadvisor

import (
	"cmp"
	"slices"

	"spillway/sim/train/machine"
	"spillway/sim/train/swapplan"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An allocation divides memory into pools.
type allocation struct {
	cuts   []int32 // class c is sizes cuts[c] to cuts[c+1]-1 of the planner's
	chunks []int32 // by class
}

// A planner turns an allocation into a swap plan. Kernels may count on over the end of
// the iteration: those of the next are n and more.
type planner struct {
	load     *swapplan.Load
	timer    *swapplan.Timer
	capacity unit.Bytes
	host     unit.Bytes
	n        int32
	sizes    []unit.Bytes        // of the tensors that kernels use, ascending, each once
	sizeOf   []int32             // by tensor, index of sizes, or -1
	used     int                 // how many tensors kernels use
	rank     []int32             // by tensor, its place among those that kernels use
	order    []workload.TensorID // globals by first use

	// Of the plan under way.
	class    []int32 // by tensor
	weight   []int8  // by tensor: how its distance counts
	chunks   []int32
	taken    []int32               // chunks by class
	inPool   [][]workload.TensorID // by class
	place    []int32               // by tensor, its index in the pool, or -1
	initial  []bool                // by tensor: on the GPU when an iteration begins
	next     []int32               // by tensor, of its uses
	due      []int32               // by tensor, the kernel of that, counting on
	stamp    []int32               // by tensor, the kernel that has it in use
	stays    []swapplan.Stay       // use is when the tensor is needed again
	occupied [][]int32             // by class and kernel

	work int // of all plans: tensors looked at, and aKernel for each kernel
	// lacks is what the last allocation lacked that has no plan: bytes of GPU memory for its
	// chunks, or of host memory for what is away.
	lacks unit.Bytes
}

func newPlanner(l *swapplan.Load, m *machine.Machine) *planner {
	tensors := len(l.Size)
	p := &planner{
		load: l, timer: swapplan.NewTimer(l, m), n: int32(len(l.Alive)), host: m.HostMemory,
		capacity: m.GPUMemory - unit.Bytes(l.Workload.HeldPages())*unit.Page,
		sizeOf:   make([]int32, tensors), class: make([]int32, tensors), place: make([]int32, tensors),
		initial: make([]bool, tensors), next: make([]int32, tensors), due: make([]int32, tensors), stamp: make([]int32, tensors),
	}
	p.rank = make([]int32, tensors)
	for t, used := range l.Used {
		if used {
			p.sizes = append(p.sizes, l.Size[t])
			p.rank[t] = int32(p.used)
			p.used++
		}
		if used && l.Workload.Tensors[t].Global {
			p.order = append(p.order, workload.TensorID(t))
		}
	}
	p.sizes = group(p.sizes)
	for t, used := range l.Used {
		p.sizeOf[t] = -1
		if used {
			i, _ := slices.BinarySearch(p.sizes, l.Size[t])
			p.sizeOf[t] = int32(i)
		}
	}
	slices.SortStableFunc(p.order, func(a, b workload.TensorID) int {
		return cmp.Compare(l.Life.Uses(a)[0], l.Life.Uses(b)[0])
	})
	return p
}

// most is how many sizes are told apart.
const most = 128

// group returns the sizes, each once. Of more than are told apart those count as one
// that differ by less than an eighth from the largest of them, and that stands for all.
func group(sizes []unit.Bytes) []unit.Bytes {
	slices.Sort(sizes)
	if sizes = slices.Compact(sizes); len(sizes) <= most {
		return sizes
	}
	var list []unit.Bytes
	for _, size := range slices.Backward(sizes) {
		if n := len(list); n == 0 || size <= list[n-1]/8*7 {
			list = append(list, size)
		}
	}
	slices.Reverse(list)
	return list
}

// plan returns the stays in host memory that an allocation leads to, in order of next
// use, and how long an iteration takes. weight is by rank; a tensor comes at most
// ahead kernels before its use. The time is Never when a kernel's tensors do not get
// chunks, or host memory does not hold what is away.
func (p *planner) plan(a *allocation, weight []int8, ahead int32) ([]swapplan.Stay, unit.Cycles) {
	p.weight, p.chunks = weight, a.chunks
	for t, i := range p.sizeOf {
		if i >= 0 {
			c, found := slices.BinarySearch(a.cuts, i)
			if !found {
				c--
			}
			p.class[t] = int32(c)
		}
	}
	p.choose()
	for {
		again, ok := p.walk()
		if !ok {
			return nil, swapplan.Never
		}
		if !again {
			break
		}
	}
	slices.SortFunc(p.stays, func(a, b swapplan.Stay) int {
		return cmp.Or(cmp.Compare(p.use(a), p.use(b)), cmp.Compare(a.Tensor, b.Tensor))
	})
	if !p.hosted() {
		return nil, swapplan.Never
	}
	// Stays still end at the use. Without anything early the timer says when each way
	// out ends.
	if p.timer.Run(p.stays, nil) == swapplan.Never {
		return nil, swapplan.Never
	}
	p.early(ahead)
	return p.stays, p.timer.Run(p.stays, nil)
}

// hosted reports whether host memory holds what is away. Coming back early only helps.
func (p *planner) hosted() bool {
	_, host := p.load.With(p.stays)
	p.lacks = slices.Max(host) - p.host
	return p.lacks <= 0
}

// use is the kernel that ends a stay, counting on.
func (p *planner) use(s swapplan.Stay) int32 {
	if s.Wraps() {
		return int32(s.In) + p.n
	}
	return int32(s.In)
}

// choose puts weights on the GPU for the beginning of an iteration, in order of first
// use as long as there are chunks.
func (p *planner) choose() {
	clear(p.initial)
	p.taken = append(p.taken[:0], make([]int32, len(p.chunks))...)
	for _, t := range p.order { // in use when the iteration ends and begins
		if uses := p.load.Life.Uses(t); uses[0] == 0 && uses[len(uses)-1] == workload.KernelID(p.n-1) {
			p.initial[t] = true
			p.taken[p.class[t]]++
		}
	}
	for _, t := range p.order {
		if c := p.class[t]; p.taken[c] < p.chunks[c] && !p.initial[t] {
			p.initial[t] = true
			p.taken[c]++
		}
	}
}

// aKernel is how many tensors are looked at in the time that planning for a kernel takes
// besides.
const aKernel = 200

// walk goes through an iteration and notes who leaves when. It returns again when a
// weight that was on the GPU at the start had to leave before its first or after its
// last use: it is not there at the start of the next iteration and so may not be here.
// ok is false when there are too few chunks.
func (p *planner) walk() (again, ok bool) {
	p.reset()
	p.work += aKernel * int(p.n)
	w, life := p.load.Workload, p.load.Life
	for k, set := range p.load.Sets {
		for _, t := range set {
			p.stamp[t] = int32(k)
		}
		for _, t := range set {
			if p.place[t] >= 0 {
				continue
			}
			if c := p.class[t]; p.taken[c] == p.chunks[c] {
				victim, found := p.furthest(c, int32(k))
				if !found {
					return false, false
				}
				again = p.evict(victim) || again
			}
			p.add(t)
		}
		for _, t := range set {
			uses := life.Uses(t)
			p.next[t]++
			last := int(p.next[t]) == len(uses)
			if last {
				p.due[t] = int32(uses[0]) + p.n
			} else {
				p.due[t] = int32(uses[p.next[t]])
			}
			switch {
			case !w.Tensors[t].Global:
				if last || p.due[t] >= int32(life.Death[t]) {
					p.remove(t)
				}
			case last && !p.initial[t]:
				p.evict(t)
			}
		}
	}
	return again, true
}

// reset begins an iteration.
func (p *planner) reset() {
	if len(p.inPool) < len(p.chunks) {
		p.inPool = make([][]workload.TensorID, len(p.chunks))
	}
	for c := range p.inPool {
		p.inPool[c] = p.inPool[c][:0]
	}
	clear(p.taken)
	clear(p.next)
	p.stays = p.stays[:0]
	for t := range p.place {
		p.place[t], p.stamp[t] = -1, -1
	}
	for _, t := range p.order {
		if p.initial[t] {
			p.add(t)
		}
	}
	for t, used := range p.load.Used {
		if used {
			p.due[t] = int32(p.load.Life.Uses(workload.TensorID(t))[0])
		}
	}
}

func (p *planner) add(t workload.TensorID) {
	c := p.class[t]
	p.place[t] = int32(len(p.inPool[c]))
	p.inPool[c] = append(p.inPool[c], t)
	p.taken[c]++
}

func (p *planner) remove(t workload.TensorID) {
	c, i := p.class[t], p.place[t]
	pool := p.inPool[c]
	last := pool[len(pool)-1]
	pool[i], p.place[last] = last, i
	p.inPool[c], p.place[t] = pool[:len(pool)-1], -1
	p.taken[c]--
}

// furthest returns the tensor of class c, not used by kernel k, whose next use is
// furthest away as priorities have it.
func (p *planner) furthest(c, k int32) (best workload.TensorID, found bool) {
	var far int32
	p.work += len(p.inPool[c])
	for _, t := range p.inPool[c] {
		if p.stamp[t] == k {
			continue
		}
		d := (p.due[t] - k) * (even + int32(p.weight[p.rank[t]]))
		if !found || d > far || d == far && (p.load.Size[t] > p.load.Size[best] || p.load.Size[t] == p.load.Size[best] && t < best) {
			best, far, found = t, d, true
		}
	}
	return best, found
}

// even is what a distance counts without priority: that many eighths and so on.
const even = 16

// evict makes t leave after its last use. It reports whether that is a weight that was
// on the GPU at the start and would not be at the start of the next iteration.
func (p *planner) evict(t workload.TensorID) (again bool) {
	p.remove(t)
	uses := p.load.Life.Uses(t)
	i := int(p.next[t])
	if p.initial[t] && (i == 0 || i == len(uses)) {
		p.initial[t] = false
		return true
	}
	in := uses[0]
	if i < len(uses) {
		in = uses[i]
	}
	if i == 0 {
		panic("swapadvisor: what was never used leaves")
	}
	out := uses[i-1] + 1
	if out == workload.KernelID(p.n) {
		out = 0
	}
	if out != in {
		p.stays = append(p.stays, swapplan.Stay{Tensor: t, Out: out, In: in})
	}
	return false
}

// early lets tensors come back before their use, as long as there is a chunk of their
// class from then on.
func (p *planner) early(ahead int32) {
	p.occupy()
	for i := range p.stays {
		s := &p.stays[i]
		use := p.use(*s)
		least := max(int32(s.Out)+1, use-ahead)
		ended := p.timer.Ended[i]
		room, chunks := p.occupied[p.class[s.Tensor]], p.chunks[p.class[s.Tensor]]
		at := use
		for at > least && room[(at-1)%p.n] < chunks && p.start(at-1) >= ended {
			at--
			room[at%p.n]++
		}
		s.In = workload.KernelID(at % p.n)
	}
}

// start is when kernel k was launched in the simulation, counting on.
func (p *planner) start(k int32) unit.Cycles {
	if k >= p.n {
		return p.timer.Start[k-p.n] + p.timer.Start[p.n] - p.timer.Start[0]
	}
	return p.timer.Start[k]
}

// occupy counts chunks in use, by class and kernel, as stays are.
func (p *planner) occupy() {
	for len(p.occupied) < len(p.chunks) {
		p.occupied = append(p.occupied, make([]int32, p.n+1))
	}
	for _, room := range p.occupied {
		clear(room)
	}
	w, life := p.load.Workload, p.load.Life
	for t, used := range p.load.Used {
		if !used {
			continue
		}
		room := p.occupied[p.class[t]]
		if w.Tensors[t].Global {
			room[0]++
			continue
		}
		room[life.Birth[t]]++
		room[life.Death[t]]--
		for _, k := range life.Uses(workload.TensorID(t)) {
			if k >= life.Death[t] {
				room[k]++
				room[k+1]--
			}
		}
	}
	for _, s := range p.stays {
		room := p.occupied[p.class[s.Tensor]]
		room[s.Out]--
		room[s.In]++
		if s.Wraps() {
			room[0]--
		}
	}
	for _, room := range p.occupied {
		for k := range p.n {
			room[k+1] += room[k]
		}
	}
}
