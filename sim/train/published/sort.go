package published

import "math/bits"

// short is the length up to which the original's sort leaves a range to the
// final insertion pass.
const short = 16

// A Key stands for an element to sort: what it is sorted by, and which it is.
type Key struct {
	Value float64
	Index int32
}

// Sort orders a by Value, the greatest first, exactly as the original's standard
// library does (introsort as in GNU libstdc++): equal elements end up where that
// algorithm leaves them.
//
// With ties, values other than 0 that differ by less than a millionth count as
// equal, and the greater of ties[Index] goes first, as the original orders its
// candidates. That is no strict weak order; scans that would leave the slice
// stop at its ends.
func Sort(a []Key, ties []float64) {
	if len(a) < 2 {
		return
	}
	o := order{ties}
	o.partitionSort(a, 2*(bits.Len(uint(len(a)))-1))
	o.insertionSort(a[:min(len(a), short)])
	for p := short; p < len(a); p++ {
		o.insert(a[:p+1])
	}
}

// An order is what Sort compares by.
type order struct{ ties []float64 }

// before reports whether x goes before y.
func (o order) before(x, y Key) bool {
	if d := x.Value - y.Value; d >= 1e-6 || d <= -1e-6 {
		return d > 0
	}
	return o.tied(x, y)
}

// tied is before for values that are almost equal.
func (o order) tied(x, y Key) bool {
	if o.ties == nil || x.Value == 0 || y.Value == 0 {
		return x.Value > y.Value
	}
	return o.ties[x.Index] > o.ties[y.Index]
}

// partitionSort moves every element of a to within short places of where it
// belongs.
func (o order) partitionSort(a []Key, depth int) {
	for len(a) > short {
		if depth == 0 {
			o.heapSort(a)
			return
		}
		depth--
		cut := o.partition(a)
		o.partitionSort(a[cut:], depth)
		a = a[:cut]
	}
}

// partition moves a median of three to the front, splits the rest around it
// and returns where the second part begins.
func (o order) partition(a []Key) int {
	p := o.median(a)
	a[0], a[p] = a[p], a[0]
	pivot := a[0]
	for i, j := 1, len(a); ; i++ {
		for i < len(a) && o.before(a[i], pivot) {
			i++
		}
		for j--; j > 0 && o.before(pivot, a[j]); {
			j--
		}
		if i >= j {
			return i
		}
		a[i], a[j] = a[j], a[i]
	}
}

// median returns which of the second, the middle and the last element is
// between the other two.
func (o order) median(a []Key) int {
	lo, mid, hi := 1, len(a)/2, len(a)-1
	if o.before(a[lo], a[mid]) {
		switch {
		case o.before(a[mid], a[hi]):
			return mid
		case o.before(a[lo], a[hi]):
			return hi
		}
		return lo
	}
	switch {
	case o.before(a[lo], a[hi]):
		return lo
	case o.before(a[mid], a[hi]):
		return hi
	}
	return mid
}

// insertionSort sorts a; an element less than the first goes straight to the front.
func (o order) insertionSort(a []Key) {
	for p := 1; p < len(a); p++ {
		if v := a[p]; o.before(v, a[0]) {
			copy(a[1:p+1], a[:p])
			a[0] = v
		} else {
			o.insert(a[:p+1])
		}
	}
}

// insert moves the last element of a back to its place in the sorted rest.
func (o order) insert(a []Key) {
	p := len(a) - 1
	v := a[p]
	for ; p > 0 && o.before(v, a[p-1]); p-- {
		a[p] = a[p-1]
	}
	a[p] = v
}

// heapSort sorts a by a heap with the last element on top.
func (o order) heapSort(a []Key) {
	for p := (len(a) - 2) / 2; p >= 0; p-- {
		o.sift(a, p, a[p])
	}
	for l := len(a) - 1; l > 0; l-- {
		v := a[l]
		a[l] = a[0]
		o.sift(a[:l], 0, v)
	}
}

// sift lets the hole at top sink to the bottom of heap a along the children that
// go last, then lets v rise from there.
func (o order) sift(a []Key, top int, v Key) {
	hole, c := top, top
	for c < (len(a)-1)/2 {
		c = 2 * (c + 1)
		if o.before(a[c], a[c-1]) {
			c--
		}
		a[hole] = a[c]
		hole = c
	}
	if len(a)%2 == 0 && c == (len(a)-2)/2 {
		c = 2 * (c + 1)
		a[hole] = a[c-1]
		hole = c - 1
	}
	for hole > top && o.before(a[(hole-1)/2], v) {
		a[hole] = a[(hole-1)/2]
		hole = (hole - 1) / 2
	}
	a[hole] = v
}
