package store

import (
	"slices"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// Bound is a time before which no policy lets the last client end, in a run that fits.
//
// # Proof
//
// It is the largest of times that each follow from one thing that does one thing at a time:
//
//   - A client comes, thinks as its trace says, and pays for its own calls. Alone it also pays
//     for its evictions, and without prefetch for what comes back.
//   - The store handles one call after the other, evictions among them, and without prefetch
//     the copies back.
//   - Where clients share the GPU it computes for all of them, after the first has come.
//
// What a client's evictions cost at least is taken with all memory its own; others only take
// some of it. A *stay* goes from a put to the tensor's next get. After an operation the
// client's tensors beyond the memory are away, each in one of its stays, which costs an
// eviction, and a copy back if it is got again. At one operation the least cost of covering the
// deficit, if stays could be divided, takes the cheapest bytes first. At several operations
// the cost of a stay is divided among those that it spans: then the sum of their least costs is
// no more than the cost of any choice of stays.
//
// With prefetch all copies back are taken to be hidden, and of several clients that only
// together are too large nothing is known: there it is loose.
func Bound(t *ops.Trace, s Setup) unit.Time {
	p := newPlan(t)
	capacity := s.capacity(len(t.Clients))
	var server, thinking, best unit.Time
	first := unit.Time(-1)
	for c := range t.Clients {
		own := p.of(int32(c))
		if len(own) == 0 {
			continue
		}
		away := p.clock[own[0]]
		if first < 0 || away < first {
			first = away
		}
		calls := s.Start
		for _, i := range own {
			calls += s.call(&t.Ops[i])
		}
		moved := s.evictions(p, own, capacity)
		think := p.clock[own[len(own)-1]] - away
		server += calls + moved
		thinking += think
		alone := away + think + calls
		if len(t.Clients) == 1 {
			alone += moved
		}
		best = max(best, alone)
	}
	best = max(best, first+server)
	if s.Shared != 0 { // of a picosecond for each that comes or goes, what is divided may be off
		best = max(best, first+thinking-2*unit.Time(len(t.Ops)))
	}
	return best
}

// call is what a call costs of which all that it needs is there.
func (s *Setup) call(o *ops.Op) unit.Time {
	switch o.Kind {
	case ops.Create, ops.Malloc:
		return s.alloc(o.Bytes)
	case ops.Free, ops.MFree:
		return s.Free
	}
	return s.IPC
}

// A stay is a tensor in the store from a client's put until before its next get, by the places
// of its operations.
type stay struct {
	from, to int
	bytes    unit.Bytes
	cost     unit.Time // of being away in it
}

// evictions is the least that a client's evictions cost with so much memory.
func (s *Setup) evictions(p *plan, own []int32, capacity unit.Bytes) (best unit.Time) {
	stays, need := s.stays(p, own)
	for _, pieces := range [...]int{1, 2, 4, 8, 12, 16, 24, 32} {
		at := make([]int, 0, pieces)
		for i := range pieces { // of each piece the operation after which most is needed
			from, to := i*len(own)/pieces, (i+1)*len(own)/pieces
			if from == to {
				continue
			}
			worst := from
			for k := from; k < to; k++ {
				if need[k] > need[worst] {
					worst = k
				}
			}
			if need[worst] > capacity {
				at = append(at, worst)
			}
		}
		best = max(best, covered(stays, need, at, capacity))
	}
	return best
}

// stays lists a client's, and the bytes of its tensors after each operation.
func (s *Setup) stays(p *plan, own []int32) (list []stay, need []unit.Bytes) {
	t := p.trace
	size := map[int32]unit.Bytes{}
	open := map[int32]int{} // where in list the last put of a tensor is
	need = make([]unit.Bytes, len(own))
	var now unit.Bytes
	for k, i := range own {
		o := &t.Ops[i]
		switch o.Kind {
		case ops.Create, ops.Malloc:
			size[o.Tensor] = o.Bytes
			now += o.Bytes
		case ops.Free, ops.MFree:
			now -= size[o.Tensor]
			delete(size, o.Tensor)
		case ops.Put:
			bytes := size[o.Tensor]
			open[o.Tensor] = len(list)
			list = append(list, stay{k, len(own), bytes, s.evict(bytes)})
		case ops.Get:
			if at, ok := open[o.Tensor]; ok {
				list[at].to = k
				if s.Prefetch == 0 {
					list[at].cost += s.fetch(list[at].bytes)
				}
				delete(open, o.Tensor)
			}
		}
		need[k] = now
	}
	return list, need
}

// covered is the sum of what the deficits at some places cost at least, where the cost of a stay
// is divided among the places that it spans.
func covered(stays []stay, need []unit.Bytes, at []int, capacity unit.Bytes) (sum unit.Time) {
	const parts = 1 << 20 // of a picosecond a byte
	type offer struct {
		price int64
		bytes unit.Bytes
	}
	offers := make([][]offer, len(at))
	for i := range stays {
		x := &stays[i]
		low, _ := slices.BinarySearch(at, x.from)
		high, _ := slices.BinarySearch(at, x.to)
		if n := high - low; n > 0 && x.bytes > 0 {
			price := unit.MulDiv(int64(x.cost), parts, int64(n)*int64(x.bytes))
			for k := low; k < high; k++ {
				offers[k] = append(offers[k], offer{price, x.bytes})
			}
		}
	}
	for k, list := range offers {
		slices.SortFunc(list, func(a, b offer) int { return int(max(-1, min(1, a.price-b.price))) })
		missing := need[at[k]] - capacity
		for _, o := range list {
			take := min(missing, o.bytes)
			sum += unit.Time(unit.MulDiv(int64(take), o.price, parts))
			if missing -= take; missing <= 0 {
				break
			}
		}
	}
	return sum
}
