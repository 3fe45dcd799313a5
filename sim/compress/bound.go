package compress

import (
	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
)

// A target of an allocation costs time, and takes GPU memory.
type choice struct{ cost, slot float64 }

// Bound is the least time that any design of [Variants] which compresses takes for a program,
// in parts of what it takes on a GPU that holds everything uncompressed ("ideal", which is no
// design but what times are measured in). ok is false where none fits.
//
// # Proof
//
// A design gives every allocation one of the targets. Its time is what is not bound by memory,
// and for every allocation what its accesses move at that target, from GPU memory and over the
// link, each after the other (Setup.time); misses of metadata only add. So without a limit of
// GPU memory no design is faster than the sum over allocations of the least over targets.
// Where GPU memory has a limit, the slots of all entries fit into it (metadata only adds).
// With any price λ ≥ 0 of a byte of GPU memory
//
//	Σ over allocations: least over targets of (cost + λ × slots) − λ × GPU memory
//
// is not more than the cost of any choice that fits: weak duality. The price is searched by
// halving; any is valid.
//
// It is reached by compression of traffic alone where that moves least and everything fits.
func Bound(p *Program, s *Setup) (least float64, ok bool) {
	bound, written := s.Bound.Float(), s.Written.Float()
	far := 0.0
	if s.Link > 0 {
		far = max(written, 1-written) * float64(s.Memory) / float64(s.Link)
	}
	random := s.pattern(p).Random.Float()
	whole := 1 - random + float64(random/buddy.Sectors)
	var accessed unit.Bytes
	for i := range p.Allocations {
		if !p.Allocations[i].Idle {
			accessed += p.Allocations[i].Bytes
		}
	}
	list := make([][buddy.Targets]choice, len(p.Allocations))
	for i := range p.Allocations {
		a := &p.Allocations[i]
		for t := range buddy.Targets {
			c := &list[i][t]
			c.slot = float64(buddy.Entries(a.Bytes)) * float64(t.Slot())
			if a.Idle || accessed == 0 {
				continue
			}
			weight := float64(a.Bytes) / float64(max(1, len(a.Snapshots))) / float64(accessed) / whole
			for k := range a.Snapshots {
				h := &a.Snapshots[k]
				near, away := h.One(t)
				local := float64((1-random)*h.Local(t)) + float64(random*near)
				remote := float64((1-random)*h.Remote(t)) + float64(random*away)
				c.cost += float64(weight * (float64(bound*local) + float64(far*remote)))
			}
		}
	}
	rest := 1 - bound
	if accessed == 0 {
		rest = 1
	}
	least, _ = dual(list, 0, 0)
	if s.GPU > 0 {
		memory := float64(s.GPU)
		for i := range list {
			memory -= list[i][buddy.X16].slot // the smallest
		}
		if memory < 0 {
			return 0, false
		}
		least = max(least, priced(list, float64(s.GPU)))
	}
	const rounding = 1e-12 // of sums of floats
	return (rest + least) * (1 - rounding), true
}

// dual is the sum at a price of a byte of GPU memory, and what is taken of it.
func dual(list [][buddy.Targets]choice, price, memory float64) (sum, taken float64) {
	for i := range list {
		best, at := 0.0, -1
		for t := range list[i] {
			c := &list[i][t]
			if v := c.cost + float64(price*c.slot); at < 0 || v < best {
				best, at = v, t
			}
		}
		sum += best
		taken += list[i][at].slot
	}
	return sum - float64(price*memory), taken
}

// priced is the best of the dual at prices up to where every allocation has the smallest slots.
func priced(list [][buddy.Targets]choice, memory float64) (best float64) {
	high := 0.0
	for i := range list {
		for t := range list[i] {
			if saved := list[i][t].slot - list[i][buddy.X16].slot; saved > 0 {
				high = max(high, (list[i][buddy.X16].cost-list[i][t].cost)/saved)
			}
		}
	}
	low := 0.0
	for range 60 {
		price := low + float64((high-low)/2)
		sum, taken := dual(list, price, memory)
		best = max(best, sum)
		if taken > memory {
			low = price
		} else {
			high = price
		}
	}
	return best
}
