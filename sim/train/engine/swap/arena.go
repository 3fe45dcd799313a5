package swap

import (
	"fmt"

	"spillway/sim/train/caching"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A swapMemory is GPU memory as an allocator hands it out.
type arena struct {
	alloc    *caching.Allocator // nil: bytes only
	capacity unit.Bytes
	used     unit.Bytes // by tensors and transfers, rounded as the allocator does
	fresh    unit.Bytes // up to which segments come before anything must leave
	least    unit.Bytes // requests below this come before as well
	peak     unit.Bytes // reserved at most
	owners   []workload.TensorID
}

func newArena(s Rules, capacity unit.Bytes, tensors int) arena {
	m := arena{capacity: capacity, fresh: capacity}
	if s.Allocator == PyTorch {
		m.alloc = caching.New(capacity)
		m.owners = make([]workload.TensorID, 0, 2*tensors)
		if m.least = s.Least; s.Reclaim {
			m.fresh = unit.Bytes(unit.MulDiv(int64(capacity), min(s.Limit, 1e6), 1e6))
		}
	}
	return m
}

// reserved is what the allocator has taken.
func (m *arena) reserved() unit.Bytes {
	if m.alloc == nil {
		return m.used
	}
	return m.alloc.Reserved()
}

// rounded is how much a request for size takes.
func (m *arena) rounded(size unit.Bytes) unit.Bytes {
	if m.alloc == nil {
		return size
	}
	return caching.Rounded(size)
}

// How far an allocation may go, with the PyTorch allocator.
type effort uint8

const (
	reuse   effort = iota // what is reserved, and new segments as far as the limit allows
	reserve               // new segments wherever they fit
	regain                // new segments, after those that are free have been given back
)

// take hands out size bytes. mapped is what a new segment takes.
func (m *arena) take(size unit.Bytes, how effort) (id caching.ID, mapped unit.Bytes, ok bool) {
	if m.alloc == nil {
		if m.used+size > m.capacity {
			return caching.None, 0, false
		}
		m.used += size
		m.peak = max(m.peak, m.used)
		return caching.None, 0, true
	}
	if id, ok = m.alloc.Cached(size); !ok {
		mapped = caching.Segment(caching.Rounded(size))
		if how == reuse && size >= m.least && m.alloc.Reserved()+mapped > m.fresh || how != regain && !m.alloc.Room(size) {
			return caching.None, 0, false
		}
		if id, ok = m.alloc.Alloc(size); !ok {
			return caching.None, 0, false
		}
	}
	m.used = m.alloc.Used()
	m.peak = max(m.peak, m.alloc.Reserved())
	return id, mapped, true
}

func (m *arena) free(id caching.ID, size unit.Bytes) {
	if m.alloc == nil {
		m.used -= size
		return
	}
	m.alloc.Free(id)
	m.used = m.alloc.Used()
}

func (m *arena) trim() {
	if m.alloc != nil {
		m.alloc.Trim()
	}
}

// take gives memory to t, if there is some.
func (r *Run) take(t workload.TensorID, how effort) bool {
	id, mapped, ok := r.mem.take(r.tensors[t].size, how)
	if !ok {
		return false
	}
	r.tensors[t].block = id
	r.record.Touch(t)
	if mapped > 0 {
		r.mappingTime += r.mapping(mapped)
	}
	if id != caching.None {
		for int(id) >= len(r.mem.owners) {
			r.mem.owners = append(r.mem.owners, none)
		}
		r.mem.owners[id] = t
	}
	return true
}

// mapping is how long the driver needs to map a new segment.
func (r *Run) mapping(size unit.Bytes) unit.Cycles {
	return r.clock.CyclesUp(unit.Time(unit.MulDiv(int64(size), r.allocRate, 1000)))
}

// tryPlace gives memory to t, which comes early, if nothing has to leave for it.
func (r *Run) tryPlace(t workload.TensorID) bool {
	if r.rules.Reclaim {
		return r.take(t, reuse)
	}
	return r.take(t, regain)
}

// room gives memory to t for kernel k: it waits for what is leaving, and has the
// swapper make tensors leave.
func (r *Run) room(t workload.TensorID, k workload.KernelID) error {
	defer func(was bool) { r.needing = was }(r.needing)
	r.needing = true
	size := r.mem.rounded(r.tensors[t].size)
	first := regain
	if r.rules.Reclaim {
		first = reuse
	}
	for how := first; !r.take(t, how); {
		if free := r.mem.reserved() - r.mem.used; r.mem.alloc != nil && free >= size {
			r.swapping.Fragmented = max(r.swapping.Fragmented, free)
		}
		switch {
		case r.freeing > 0:
			r.wait(result.Eviction)
		case r.dropLent():
		case r.evict(size, how != reuse):
			how = first
		case how < regain:
			how++
		case r.coming > 0 && r.wait(result.Eviction):
			// What came early and is not needed yet may leave now.
			how = first
		default:
			return r.tooLarge(k, t)
		}
	}
	return nil
}

// evict makes what the swapper chooses leave, and reports whether anything does.
func (r *Run) evict(need unit.Bytes, tight bool) (leaves bool) {
	r.lowMemory = tight
	for _, t := range r.swapper.NoRoom(need) {
		to := machine.Host
		if r.placer != nil {
			to = r.placer.To(t)
		}
		if r.leave(t, to, engine.ForRoom) {
			r.swapping.Forced++
			leaves = true
		}
	}
	return leaves
}

// LowMemory reports whether NoRoom is called because not even a new segment fits; true
// without Rules.Reclaim.
func (r *Run) LowMemory() bool { return r.lowMemory }

// VictimsNear returns t and those of its neighbours in memory that, when they leave, make
// one free piece of need bytes with it and what is free between them; nothing if that
// cannot be. may says which tensors may leave. Only the PyTorch allocator has
// neighbours.
func (r *Run) VictimsNear(t workload.TensorID, need unit.Bytes, may func(workload.TensorID) bool) []workload.TensorID {
	if r.mem.alloc == nil || r.tensors[t].block == caching.None {
		return nil
	}
	leave := []workload.TensorID{t}
	_, sum := r.mem.alloc.Range(r.tensors[t].block)
	// grow takes a neighbour in, if it is free or may leave.
	grow := func(id caching.ID) bool {
		if id == caching.None || sum >= need {
			return false
		}
		if r.mem.alloc.Given(id) {
			u := r.mem.owners[id]
			if r.tensors[u].block != id || !r.Movable(u) || !may(u) {
				return false
			}
			leave = append(leave, u)
		}
		_, size := r.mem.alloc.Range(id)
		sum += size
		return true
	}
	before, after := r.mem.alloc.Beside(r.tensors[t].block)
	for grow(after) {
		_, after = r.mem.alloc.Beside(after)
	}
	for grow(before) {
		before, _ = r.mem.alloc.Beside(before)
	}
	if sum < need {
		return nil
	}
	return leave
}

// tooLarge reports that t cannot get memory for kernel k.
func (r *Run) tooLarge(k workload.KernelID, t workload.TensorID) error {
	need, free := r.mem.rounded(r.tensors[t].size), r.FreeBytes()
	why := fmt.Sprintf("kernel %d (%s) needs %v for tensor %d, but %v of %v are free", k, r.Workload.Kernels[k].Name, need, t, free, r.mem.capacity)
	if r.mem.alloc != nil {
		why += fmt.Sprintf(", the largest free piece has %v, and no segment of %v fits beside the %v that are reserved", r.mem.alloc.Largest(), caching.Segment(need), r.mem.alloc.Reserved())
		if free >= need {
			why += " (fragmentation)"
		}
	}
	return &engine.DoesNotFit{Reason: why + "; nothing more can leave; more GPU memory or a smaller batch would help"}
}

// Block returns how much memory t takes on the GPU: with the PyTorch allocator its
// block, which may be larger than t. 0 when it has none.
func (r *Run) Block(t workload.TensorID) unit.Bytes {
	x := &r.tensors[t]
	switch {
	case x.state != resident && x.state != leaving && x.state != fetching:
		return 0
	case r.mem.alloc == nil:
		return x.size
	}
	_, size := r.mem.alloc.Range(x.block)
	return size
}
