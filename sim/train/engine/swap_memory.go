package engine

import (
	"fmt"

	"spillway/sim/train/caching"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A swapMemory is GPU memory as an allocator hands it out.
type swapMemory struct {
	alloc    *caching.Allocator // nil: bytes only
	capacity unit.Bytes
	used     unit.Bytes // by tensors and transfers, rounded as the allocator does
	fresh    unit.Bytes // up to which segments come before anything must leave
	peak     unit.Bytes // reserved at most
	owners   []workload.TensorID
}

func newSwapMemory(s Swap, capacity unit.Bytes, tensors int) swapMemory {
	m := swapMemory{capacity: capacity, fresh: capacity}
	if s.Allocator == PyTorch {
		m.alloc = caching.New(capacity)
		m.owners = make([]workload.TensorID, 0, 2*tensors)
		if s.Reclaim {
			m.fresh = unit.Bytes(unit.MulDiv(int64(capacity), min(s.Limit, 1e6), 1e6))
		}
	}
	return m
}

// reserved is what the allocator has taken.
func (m *swapMemory) reserved() unit.Bytes {
	if m.alloc == nil {
		return m.used
	}
	return m.alloc.Reserved()
}

// rounded is how much a request for size takes.
func (m *swapMemory) rounded(size unit.Bytes) unit.Bytes {
	if m.alloc == nil {
		return size
	}
	return caching.Rounded(size)
}

// take hands out size bytes; last also gives segments back, and goes beyond fresh.
// mapped is what new segments take.
func (m *swapMemory) take(size unit.Bytes, last bool) (id caching.ID, mapped unit.Bytes, ok bool) {
	defer func() { m.peak = max(m.peak, m.reserved()) }()
	if m.alloc == nil {
		if m.used+size > m.capacity {
			return caching.None, 0, false
		}
		m.used += size
		return caching.None, 0, true
	}
	id, ok = m.alloc.Cached(size)
	if !ok {
		mapped = caching.Segment(caching.Rounded(size))
		if most := m.fresh; !last && m.alloc.Reserved()+mapped > most {
			return caching.None, 0, false
		}
		if id, ok = m.alloc.Alloc(size); !ok {
			return caching.None, 0, false
		}
	}
	m.used = m.alloc.Used()
	return id, mapped, true
}

func (m *swapMemory) free(id caching.ID, size unit.Bytes) {
	if m.alloc == nil {
		m.used -= size
		return
	}
	m.alloc.Free(id)
	m.used = m.alloc.Used()
}

func (m *swapMemory) trim() {
	if m.alloc != nil {
		m.alloc.Trim()
	}
}

// take gives memory to t, if there is some.
func (r *SwapRun) take(t workload.TensorID, last bool) bool {
	id, mapped, ok := r.mem.take(r.tensors[t].size, last)
	if !ok {
		return false
	}
	r.tensors[t].block = id
	if mapped > 0 {
		r.owed += r.mapping(mapped)
	}
	if id != caching.None {
		for int(id) >= len(r.mem.owners) {
			r.mem.owners = append(r.mem.owners, none)
		}
		r.mem.owners[id] = t
	}
	return true
}

// mapping is how long the driver needs to map new segments.
func (r *SwapRun) mapping(size unit.Bytes) unit.Cycles {
	return r.clock.CyclesUp(unit.Time(unit.MulDiv(int64(size), r.allocRate, 1000)))
}

// tryPlace gives memory to t, which comes early, if nothing has to leave for it.
func (r *SwapRun) tryPlace(t workload.TensorID) bool { return r.take(t, !r.swap.Reclaim) }

// room gives memory to t for kernel k: it waits for what is leaving, and has the
// swapper make tensors leave.
func (r *SwapRun) room(t workload.TensorID, k workload.KernelID) error {
	defer func(was bool) { r.needing = was }(r.needing)
	r.needing = true
	size := r.tensors[t].size
	asked := false // the swapper, and it had nothing
	for !r.take(t, asked || !r.swap.Reclaim) {
		if free := r.mem.reserved() - r.mem.used; r.mem.alloc != nil && free >= r.mem.rounded(size) {
			r.swapping.Fragmented = max(r.swapping.Fragmented, free)
		}
		switch {
		case r.freeing > 0:
			r.wait(result.Eviction)
		case r.dropLent():
		case !asked || !r.swap.Reclaim:
			left := false
			for _, v := range r.swapper.NoRoom(r.mem.rounded(size)) {
				if r.leave(v, machine.Host, ForRoom) {
					r.swapping.Forced++
					left = true
				}
			}
			if left {
				asked = false
				continue
			}
			if !asked && r.swap.Reclaim {
				asked = true
				continue
			}
			fallthrough
		default:
			// What came early and is not needed yet may leave when it has come.
			if r.coming == 0 || !r.wait(result.Eviction) {
				return r.tooLarge(k, t)
			}
			asked = false
		}
	}
	return nil
}

// tooLarge reports that t cannot get memory for kernel k.
func (r *SwapRun) tooLarge(k workload.KernelID, t workload.TensorID) error {
	need, free := r.mem.rounded(r.tensors[t].size), r.FreeBytes()
	why := fmt.Sprintf("kernel %d (%s) needs %v for tensor %d, but %v of %v are free", k, r.Workload.Kernels[k].Name, need, t, free, r.mem.capacity)
	if r.mem.alloc != nil {
		why += fmt.Sprintf(", the largest free piece has %v, and no segment of %v fits beside the %v that are reserved", r.mem.alloc.Largest(), caching.Segment(need), r.mem.alloc.Reserved())
		if free >= need {
			why += " (fragmentation)"
		}
	}
	return &DoesNotFit{why + "; nothing more can leave; more GPU memory or a smaller batch would help"}
}

func tooMuchHeld(held, reserve unit.Bytes) error {
	return &DoesNotFit{fmt.Sprintf("tensors that no kernel uses take %v, the GPU has %v; use a larger GPU", held, reserve)}
}

// Block returns how much memory t takes on the GPU: with the PyTorch allocator its
// block, which may be larger than t. 0 when it has none.
func (r *SwapRun) Block(t workload.TensorID) unit.Bytes {
	x := &r.tensors[t]
	switch {
	case x.state != swapHere && x.state != swapLeaving && x.state != swapComing:
		return 0
	case r.mem.alloc == nil:
		return x.size
	}
	_, size := r.mem.alloc.Range(x.block)
	return size
}
