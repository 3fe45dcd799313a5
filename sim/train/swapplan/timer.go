package swapplan

import (
	"math"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Timer tells how long an iteration with stays takes: kernels one after the other,
// one tensor after the other in each direction of the host link, a prefetch when it has
// room, a kernel when it has room and its tensors. It keeps its scratch memory from one
// question to the next, as a search asks thousands.
type Timer struct {
	// Start is when kernels were launched, and could have begun, in the iteration last
	// timed; Start[n] is its end. Ended is, by stay, when its way out had ended.
	Start, Ended []unit.Cycles

	load   *Load
	exec   []unit.Cycles
	move   []unit.Cycles // by tensor, one way
	memory unit.Bytes

	evict, fetch   lists         // of stays, by the kernel they are due at
	arrive, left   []unit.Cycles // by tensor: when it is there, and out, again
	copied         []unit.Cycles // by tensor: when a copy ends that is of no use any more
	leaving        []leave       // leaving[head:] still hold memory
	head           int
	away, going    unit.Bytes // in host memory or on the way there; of that still holding memory
	inFree, outEnd unit.Cycles
}

// A leave is memory that an eviction frees.
type leave struct {
	stay  int32
	begin unit.Cycles
	at    unit.Cycles
	size  unit.Bytes
}

// Never is the time of a plan that does not fit.
const Never unit.Cycles = math.MaxInt64

// NewTimer returns a timer for l on m. Kernel times have no error.
func NewTimer(l *Load, m *machine.Machine) *Timer {
	n := len(l.Alive)
	x := &Timer{
		Start: make([]unit.Cycles, n+1), load: l,
		exec:   engine.Ideal(l.Workload, engine.Config{Machine: *m}),
		move:   make([]unit.Cycles, len(l.Size)),
		memory: m.GPUMemory, arrive: make([]unit.Cycles, len(l.Size)), left: make([]unit.Cycles, len(l.Size)), copied: make([]unit.Cycles, len(l.Size)),
	}
	rate, cost := min(m.HostLink, m.GPULink), m.Clock.CyclesUp(m.TransferCost)
	for t, size := range l.Size {
		x.move[t] = cost + rate.Cycles(size, m.Clock)
	}
	return x
}

// Exec returns how long kernels take with all data resident. The slice is shared.
func (x *Timer) Exec() []unit.Cycles { return x.exec }

// Move returns how long t takes one way when nothing else moves.
func (x *Timer) Move(t workload.TensorID) unit.Cycles { return x.move[t] }

// Run returns how long the second of two iterations takes, or Never. before reports
// kernels that wait until nothing moves any more; nil: none does. The run starts with
// everything on the GPU but the tensors of stays that go on into the next iteration.
// The work is linear in kernels, their tensors and stays.
func (x *Timer) Run(stays []Stay, before []bool) unit.Cycles {
	n := len(x.exec)
	x.evict.by(stays, n, func(s Stay) workload.KernelID { return s.Out })
	x.fetch.by(stays, n, func(s Stay) workload.KernelID { return s.In })
	clear(x.arrive)
	clear(x.left)
	clear(x.copied)
	x.Ended = append(x.Ended[:0], make([]unit.Cycles, len(stays))...)
	x.leaving, x.head, x.away, x.going, x.inFree, x.outEnd = x.leaving[:0], 0, 0, 0, 0, 0
	for _, s := range stays {
		if s.Wraps() {
			x.away += x.load.Size[s.Tensor]
		}
	}
	var now, began unit.Cycles
	for range 2 {
		began = now
		for k := range n {
			x.Start[k] = now
			if before != nil && before[k] {
				now = max(now, x.inFree, x.outEnd)
			}
			start := x.launch(stays, k, now)
			if start == Never {
				return Never
			}
			now = start + x.exec[k]
		}
		x.Start[n] = now
	}
	return now - began
}

// launch issues what is due at kernel k and returns when it can begin, or Never.
func (x *Timer) launch(stays []Stay, k int, now unit.Cycles) unit.Cycles {
	for i := x.evict.head[k]; i >= 0; i = x.evict.next[i] {
		t := stays[i].Tensor
		size := x.load.Size[t]
		from := max(x.outEnd, now, x.arrive[t])
		x.outEnd = from + x.move[t]
		x.left[t], x.Ended[i] = x.outEnd, x.outEnd
		x.leaving = append(x.leaving, leave{i, from, x.outEnd, size})
		x.away += size
		x.going += size
	}
	alive := x.load.Alive[k]
	begin := x.room(alive, now)
	if begin == Never {
		return Never
	}
	for i := x.fetch.head[k]; i >= 0; i = x.fetch.next[i] {
		t := stays[i].Tensor
		size := x.load.Size[t]
		if x.left[t] > now && x.callBack(stays, t, now) {
			continue
		}
		room := x.room(alive+size, now)
		if room == Never {
			return Never
		}
		x.away -= size
		x.inFree = max(x.inFree, room, x.left[t]) + x.move[t]
		x.arrive[t] = x.inFree
	}
	for _, t := range x.load.Sets[k] {
		begin = max(begin, x.arrive[t])
	}
	for _, t := range x.load.Workload.Kernels[k].Outputs {
		begin = max(begin, x.copied[t]) // what is being copied is not written
	}
	return begin
}

// callBack makes t stay, which is on its way out and holds memory still. A copy under
// way is finished; one that has not begun is not made, and those behind it are earlier.
func (x *Timer) callBack(stays []Stay, t workload.TensorID, now unit.Cycles) bool {
	for i := len(x.leaving) - 1; i >= x.head; i-- {
		l := &x.leaving[i]
		if stays[l.stay].Tensor != t || l.size == 0 {
			continue
		}
		x.away -= l.size
		x.going -= l.size
		l.size = 0
		x.arrive[t], x.left[t] = now, now
		if l.begin <= now {
			x.copied[t] = l.at
		} else {
			x.outEnd -= x.move[t]
			for j := i + 1; j < len(x.leaving); j++ {
				later := &x.leaving[j]
				later.begin -= x.move[t]
				later.at -= x.move[t]
				x.Ended[later.stay] = later.at
				if later.size > 0 {
					x.left[stays[later.stay].Tensor] = later.at
				}
			}
		}
		return true
	}
	return false
}

// room returns when so many bytes, of which what is away needs none, fit.
func (x *Timer) room(bytes unit.Bytes, now unit.Cycles) unit.Cycles {
	for bytes-x.away+x.going > x.memory {
		if x.head == len(x.leaving) {
			return Never
		}
		l := x.leaving[x.head]
		x.head++
		x.going -= l.size
		now = max(now, l.at)
	}
	return now
}

// Lists are stays by kernel, those of one in their order.
type lists struct {
	head, last, next []int32
}

// by fills the lists.
func (a *lists) by(stays []Stay, kernels int, at func(Stay) workload.KernelID) {
	if len(a.head) != kernels {
		a.head, a.last = make([]int32, kernels), make([]int32, kernels)
	}
	a.next = append(a.next[:0], make([]int32, len(stays))...)
	for k := range a.head {
		a.head[k], a.last[k] = -1, -1
	}
	for i, s := range stays {
		k := at(s)
		a.next[i] = -1
		if a.last[k] < 0 {
			a.head[k] = int32(i)
		} else {
			a.next[a.last[k]] = int32(i)
		}
		a.last[k] = int32(i)
	}
}
