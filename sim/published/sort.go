package published

import "math/bits"

// short is the length up to which the original's sort leaves a range to the
// final insertion pass.
const short = 16

// Sort orders a by less exactly as the original's standard library does
// (introsort as in GNU libstdc++): equal elements end up where that algorithm
// leaves them. less need not be a strict weak order; scans that would then
// leave the slice stop at its ends.
func Sort[E any](a []E, less func(x, y E) bool) {
	if len(a) < 2 {
		return
	}
	partitionSort(a, less, 2*(bits.Len(uint(len(a)))-1))
	insertionSort(a[:min(len(a), short)], less)
	for p := short; p < len(a); p++ {
		insert(a[:p+1], less)
	}
}

// partitionSort moves every element of a to within short places of where it
// belongs.
func partitionSort[E any](a []E, less func(x, y E) bool, depth int) {
	for len(a) > short {
		if depth == 0 {
			heapSort(a, less)
			return
		}
		depth--
		cut := partition(a, less)
		partitionSort(a[cut:], less, depth)
		a = a[:cut]
	}
}

// partition moves a median of three to the front, splits the rest around it
// and returns where the second part begins.
func partition[E any](a []E, less func(x, y E) bool) int {
	p := median(a, less)
	a[0], a[p] = a[p], a[0]
	pivot := a[0]
	for i, j := 1, len(a); ; i++ {
		for i < len(a) && less(a[i], pivot) {
			i++
		}
		for j--; j > 0 && less(pivot, a[j]); {
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
func median[E any](a []E, less func(x, y E) bool) int {
	lo, mid, hi := 1, len(a)/2, len(a)-1
	if less(a[lo], a[mid]) {
		switch {
		case less(a[mid], a[hi]):
			return mid
		case less(a[lo], a[hi]):
			return hi
		}
		return lo
	}
	switch {
	case less(a[lo], a[hi]):
		return lo
	case less(a[mid], a[hi]):
		return hi
	}
	return mid
}

// insertionSort sorts a; an element less than the first goes straight to the front.
func insertionSort[E any](a []E, less func(x, y E) bool) {
	for p := 1; p < len(a); p++ {
		if v := a[p]; less(v, a[0]) {
			copy(a[1:p+1], a[:p])
			a[0] = v
		} else {
			insert(a[:p+1], less)
		}
	}
}

// insert moves the last element of a back to its place in the sorted rest.
func insert[E any](a []E, less func(x, y E) bool) {
	p := len(a) - 1
	v := a[p]
	for ; p > 0 && less(v, a[p-1]); p-- {
		a[p] = a[p-1]
	}
	a[p] = v
}

// heapSort sorts a by a heap with the greatest element on top.
func heapSort[E any](a []E, less func(x, y E) bool) {
	for p := (len(a) - 2) / 2; p >= 0; p-- {
		sift(a, p, a[p], less)
	}
	for l := len(a) - 1; l > 0; l-- {
		v := a[l]
		a[l] = a[0]
		sift(a[:l], 0, v, less)
	}
}

// sift lets the hole at top sink to the bottom of heap a along the greater
// children, then lets v rise from there.
func sift[E any](a []E, top int, v E, less func(x, y E) bool) {
	hole, c := top, top
	for c < (len(a)-1)/2 {
		c = 2 * (c + 1)
		if less(a[c], a[c-1]) {
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
	for hole > top && less(a[(hole-1)/2], v) {
		a[hole] = a[(hole-1)/2]
		hole = (hole - 1) / 2
	}
	a[hole] = v
}
