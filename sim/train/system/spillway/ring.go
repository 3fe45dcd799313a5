package spillway

import "spillway/sim/unit"

// A ring is a number of bytes for each kernel of an iteration that goes round. Ranges are
// from a kernel until before another, which may be in the next iteration.
type ring struct {
	n, leaves int
	most      []unit.Bytes // of the leaves below, less what was added above
	added     []unit.Bytes // to all leaves below
}

func newRing(bytes []unit.Bytes) *ring {
	r := &ring{n: len(bytes), leaves: 1}
	for r.leaves < r.n {
		r.leaves *= 2
	}
	r.most, r.added = make([]unit.Bytes, 2*r.leaves), make([]unit.Bytes, 2*r.leaves)
	for i := range r.leaves {
		r.most[r.leaves+i] = -1 << 60
	}
	copy(r.most[r.leaves:], bytes)
	for i := r.leaves - 1; i > 0; i-- {
		r.most[i] = max(r.most[2*i], r.most[2*i+1])
	}
	return r
}

// add adds bytes to the kernels from one until before another.
func (r *ring) add(from, to int, bytes unit.Bytes) {
	r.split(from, to, func(a, b int) { r.addTo(1, 0, r.leaves, a, b, bytes) })
}

// max returns the most of the kernels from one until before another; very little of none.
func (r *ring) max(from, to int) unit.Bytes {
	most := unit.Bytes(-1 << 60)
	r.split(from, to, func(a, b int) { most = max(most, r.of(1, 0, r.leaves, a, b)) })
	return most
}

// all returns the most of all kernels.
func (r *ring) all() unit.Bytes { return r.most[1] + r.added[1] }

// split calls f for the parts of a range that lie in one iteration.
func (r *ring) split(from, to int, f func(a, b int)) {
	if from >= to {
		return
	}
	to -= from / r.n * r.n
	from %= r.n
	if to <= r.n {
		f(from, to)
		return
	}
	f(from, r.n)
	f(0, min(to-r.n, from))
}

func (r *ring) addTo(i, low, high, a, b int, bytes unit.Bytes) {
	if a <= low && high <= b {
		r.added[i] += bytes
		return
	}
	mid := (low + high) / 2
	if a < mid {
		r.addTo(2*i, low, mid, a, b, bytes)
	}
	if b > mid {
		r.addTo(2*i+1, mid, high, a, b, bytes)
	}
	r.most[i] = max(r.most[2*i]+r.added[2*i], r.most[2*i+1]+r.added[2*i+1])
}

func (r *ring) of(i, low, high, a, b int) unit.Bytes {
	if a <= low && high <= b {
		return r.most[i] + r.added[i]
	}
	mid := (low + high) / 2
	most := unit.Bytes(-1 << 60)
	if a < mid {
		most = max(most, r.of(2*i, low, mid, a, b))
	}
	if b > mid {
		most = max(most, r.of(2*i+1, mid, high, a, b))
	}
	return most + r.added[i]
}

// since returns the first kernel from which on, until before to, there is room for bytes
// more below memory; at least from.
func (r *ring) since(from, to int, bytes, memory unit.Bytes) int {
	low, high := from, to
	for low < high {
		mid := (low + high) / 2
		if r.max(mid, to)+bytes <= memory {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
