package g10

import (
	"math/rand/v2"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/published"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// naive is the as-published planner without any cleverness: every round
// recomputes every benefit from the estimates, kernel by kernel, in the order
// in which the published scheduler adds.
type naive struct {
	*planner
	outSSD, outLink, inLink, inSSD []bucket
	list                           []int
	done, planned                  []bool
	gone, back                     []int
	local                          []int
	mem, hostUse                   []int64
}

// A bucket is the bytes planned during one kernel.
type bucket struct {
	limit, used float64
	full        bool
}

func naivePlan(v variant, w *workload.Workload, m *machine.Machine, o *system.Options) *program.Program {
	p := newPlanner(v, w, m, o, nil)
	p.allocate()
	r := &naive{planner: p, mem: p.memory, hostUse: make([]int64, p.n)}
	lane := func(bandwidth float64) []bucket {
		b := make([]bucket, p.n)
		for j := range b {
			b[j].limit = bandwidth * (p.clock[j+1] - p.clock[j])
		}
		return b
	}
	r.outSSD, r.inSSD = lane(p.ssdOut.bandwidth), lane(p.ssdIn.bandwidth)
	r.outLink, r.inLink = lane(p.hostLink.bandwidth), lane(p.hostLink.bandwidth)
	k := len(p.periods)
	r.done, r.planned, r.gone, r.back = make([]bool, k), make([]bool, k), make([]int, k), make([]int, k)
	for i := range p.periods {
		r.list = append(r.list, i)
	}
	for r.rounds < k && r.step() {
	}
	system.SortBy(quirk.UnstableSort, r.local, func(i int) float64 { return float64(r.back[i]) })
	for _, i := range r.local {
		c, at := &p.periods[i], r.back[i]
		for at > r.gone[i]+1 && p.target > r.mem[at-1] {
			at--
		}
		r.emit(workload.KernelID(at), program.Prefetch, c.tensor, machine.Nowhere)
		for j := at; j < r.back[i]; j++ {
			r.mem[j] += c.size
		}
	}
	if p.arena {
		r.drop()
	}
	system.SortBy(quirk.UnstableSort, r.ops, func(o program.Op) float64 { return float64(o.At) })
	return &program.Program{Ops: r.ops, Rounds: r.rounds}
}

func (r *naive) weight(i int) float64 {
	return float64(r.periods[i].length * float64(r.periods[i].size))
}

func (r *naive) drop() {
	h := r.mem[r.hill]
	system.SortBy(quirk.UnstableSort, r.list, func(i int) float64 { return -r.weight(i) })
	for _, i := range r.list {
		c := &r.periods[i]
		if float64(h) < 0.9*float64(r.target) {
			break
		}
		if !r.planned[i] && !c.wraps && int(c.start) <= r.hill && r.hill < int(c.end) {
			r.emit(workload.KernelID(c.start), program.Evict, c.tensor, machine.SSD)
			h -= c.size
		}
	}
}

func (r *naive) within(from, to int) bool {
	for j := from; j < to; j++ {
		if r.mem[j%r.n] > r.target {
			return false
		}
	}
	return true
}

func (r *naive) hostOK(limit int64) bool {
	for _, h := range r.hostUse {
		if h > limit {
			return false
		}
	}
	return true
}

func forward(lane []bucket, rest int64, i int) int {
	for j := i; ; j++ {
		if !lane[j].full {
			rest = int64(float64(rest) - (lane[j].limit - lane[j].used))
		}
		if rest <= 0 || j == len(lane)-1 {
			return j
		}
	}
}

func backward(lane []bucket, rest int64, e int) int {
	for j := e - 1; ; j-- {
		if !lane[j].full {
			rest = int64(float64(rest) - (lane[j].limit - lane[j].used))
		}
		if rest <= 0 || j == 0 {
			return j
		}
	}
}

func (r *naive) benefits() []float64 {
	t, n := r.clock, r.n
	b := make([]float64, len(r.periods))
	for i := range r.periods {
		c := &r.periods[i]
		size := float64(c.size)
		switch {
		case r.done[i]:
		case c.wraps:
			for j := int(c.start); j < int(c.end); j++ {
				if r.mem[j%n] > r.capacity {
					b[i] += float64(size * (t[(j+1)%(n+1)] - t[j%(n+1)]))
				}
			}
		default:
			from, to := forward(r.outSSD, c.size/2, int(c.start)), backward(r.inSSD, c.size/2, int(c.end))
			for j := from; j < to; j++ {
				if r.mem[j] > r.capacity {
					b[i] += float64(size * (t[j+1] - t[j]))
				}
			}
		}
	}
	return b
}

func (r *naive) step() bool {
	if r.within(0, r.n) {
		return false
	}
	r.rounds++
	b := r.benefits()
	weights, keys := make([]float64, len(r.list)), make([]published.Key, len(r.list))
	for k, i := range r.list {
		weights[i], keys[k] = r.weight(i), published.Key{Value: b[i], Index: int32(i)}
	}
	published.Sort(keys, weights)
	for k := range keys {
		r.list[k] = int(keys[k].Index)
	}
	i := r.list[0]
	if r.done[i] {
		return false
	}
	c := &r.periods[i]
	if r.within(int(c.start), int(c.end)) || c.end-c.start == 1 {
		r.done[i] = true
		return true
	}
	viaSSD := 2 * (r.ssdIn.latency + float64(c.size)/r.ssdIn.bandwidth)
	viaHost := 2 * (r.hostLink.latency + float64(c.size)/r.hostLink.bandwidth)
	switch {
	case c.length > viaSSD+float64(r.margin*(viaSSD/2)):
		r.long(i, viaSSD/2)
	case c.length > viaHost+float64(r.margin*(viaHost/2)):
		if r.hostOK(r.hostCapacity - c.size) {
			if c.wraps {
				r.loop(i, machine.Host, viaHost/2)
			} else {
				r.move(i, machine.Host)
			}
			for j := c.start; j < c.end; j++ {
				r.hostUse[int(j)%r.n] += c.size
			}
		}
		r.done[i] = true
	}
	return true
}

func (r *naive) long(i int, move float64) {
	c := &r.periods[i]
	r.done[i] = true
	if c.wraps {
		r.loop(i, machine.SSD, move)
		return
	}
	free := false
	for j := int(c.start); j < int(c.end); j++ {
		if at := r.clock[c.start] + move; r.clock[j] <= at && at < r.clock[j+1] {
			break
		}
		free = free || !r.outSSD[j].full
	}
	if !free && r.hostOK(r.hostCapacity-c.size) {
		if r.move(i, machine.Host) {
			for j := c.start; j < c.end; j++ {
				r.hostUse[j] += c.size
			}
		}
		return
	}
	r.move(i, machine.SSD)
}

func (r *naive) loop(i int, to machine.Tier, move float64) {
	c := &r.periods[i]
	out, start := -1, -1
	for j := int(c.start); j < int(c.end); j++ {
		if at := r.clock[c.start] + move; r.clock[j] <= at && at < r.clock[j+1] {
			out = j
		}
		if at := r.clock[c.end] - (move + float64(r.margin*move)); r.clock[j] <= at && at < r.clock[j+1] {
			start = j
		}
	}
	if start != int(c.start) {
		r.planned[i] = true
		r.emit(workload.KernelID(c.start), program.Evict, c.tensor, to)
		r.emit(workload.KernelID(start%r.n), program.Prefetch, c.tensor, machine.Nowhere)
	}
	for j := out + 1; j < start; j++ {
		r.mem[j%r.n] -= c.size
	}
}

func (r *naive) move(i int, to machine.Tier) bool {
	c := &r.periods[i]
	in, out := r.inSSD, r.outSSD
	if to == machine.Host {
		in, out = r.inLink, r.outLink
	}
	back, gone := backward(in, c.size, int(c.end)), forward(out, c.size, int(c.start))
	if back <= gone {
		return false
	}
	r.planned[i], r.gone[i], r.back[i] = true, gone, back
	r.local = append(r.local, i)
	r.emit(workload.KernelID(c.start), program.Evict, c.tensor, to)
	if to == machine.Host {
		chargeHost(r.inSSD, r.inLink, c.size, back)
		chargeHost(r.outSSD, r.outLink, c.size, int(c.start))
	} else {
		chargeSSD(r.inSSD, r.inLink, c.size, back)
		chargeSSD(r.outSSD, r.outLink, c.size, int(c.start))
	}
	for j := gone + 1; j < back; j++ {
		r.mem[j] -= c.size
	}
	return true
}

func chargeSSD(ssd, link []bucket, rest int64, i int) {
	for j := i; j < len(ssd); j++ {
		s, l := &ssd[j], &link[j]
		if s.full {
			continue
		}
		placed := float64(rest)+s.used <= s.limit
		if placed {
			s.used += float64(rest)
			l.used += float64(rest)
		} else {
			room := s.limit - s.used
			rest = int64(float64(rest) - room)
			l.used += room
			s.used, s.full = s.limit, true
		}
		if l.used >= l.limit {
			l.full = true
		}
		if placed {
			return
		}
	}
}

func chargeHost(ssd, link []bucket, rest int64, i int) {
	for j := i; j < len(ssd); j++ {
		s, l := &ssd[j], &link[j]
		if l.full {
			continue
		}
		if float64(rest)+l.used > l.limit {
			rest = int64(float64(rest) - (l.limit - l.used))
			l.used, l.full = l.limit, true
			s.used, s.full = s.limit, true
			continue
		}
		l.used += float64(rest)
		if spare := l.limit - s.limit; l.used >= spare {
			s.used += l.used - spare
			if s.used >= s.limit {
				s.used, s.full = s.limit, true
			}
		}
		return
	}
}

// random returns a workload shaped like training, with gaps, globals, ties in
// size and tensors nobody reads, and a machine that is too small for it.
func random(seed uint64) (*workload.Workload, *machine.Machine, *system.Options) {
	rnd := rand.New(rand.NewPCG(seed, 10))
	w := &workload.Workload{Name: "random"}
	for range 5 + rnd.IntN(60) {
		w.Tensors = append(w.Tensors, workload.Tensor{
			Bytes:  unit.Bytes(1+rnd.IntN(6)) * (1 + unit.Bytes(rnd.IntN(2))*unit.Bytes(rnd.IntN(4000))) * unit.Page,
			Global: rnd.IntN(4) == 0,
		})
	}
	for range 5 + rnd.IntN(80) {
		k := workload.Kernel{Time: unit.Time(1+rnd.IntN(5000)) * unit.Microsecond}
		for _, t := range rnd.Perm(len(w.Tensors))[:1+rnd.IntN(4)] {
			if rnd.IntN(2) == 0 {
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			} else {
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			}
		}
		w.Kernels = append(w.Kernels, k)
	}
	m := machine.G10()
	m.GPUMemory = (w.GlobalBytes() + w.IntermediateBytes()) * unit.Bytes(20+rnd.IntN(70)) / 100
	m.HostMemory = m.GPUMemory * unit.Bytes(rnd.IntN(4)) / 2
	o := system.Published()
	if rnd.IntN(2) == 0 {
		o.Quirks = quirk.Published() &^ quirk.HandTuned
	}
	Safety.Set(&o, int64(rnd.IntN(1000)))
	return w, &m, &o
}
