// Package published reproduces mechanisms of the C++ runtime that the published
// G10 simulator's results depend on: the order of its standard library's sort,
// the order of its pointer sets, and its random numbers. Only code behind a
// quirk uses it.
package published

import "spillway/sim/workload"

// buckets is the bucket count of the original's small hash sets; tensors whose
// IDs differ by it land in the same bucket.
const buckets = 13

// SetOrder returns ids in the order a deterministic model of the original's
// pointer-hashed set iterates them after they were inserted in the given order:
// newest first, except that a member lands in front of one 13 IDs away. That
// is so while tensors are at even steps in memory, 112 bytes; where other
// allocations lie between, 144 to 176 bytes and more, the original differs.
// It appends to dst.
func SetOrder(dst, ids []workload.TensorID) []workload.TensorID {
	at := len(dst)
insert:
	for _, x := range ids {
		pos := at
		for i := len(dst) - 1; i >= at; i-- {
			switch d := dst[i] - x; d {
			case 0:
				continue insert
			case buckets, -buckets:
				pos = i
			}
		}
		dst = append(dst, 0)
		copy(dst[pos+1:], dst[pos:])
		dst[pos] = x
	}
	return dst
}

// Sets returns every kernel's tensors in the original's iteration order. The
// combined set is built by inserting the inputs, then the outputs, each in
// their own iteration order.
func Sets(w *workload.Workload) *workload.Sets {
	n := len(w.Kernels)
	s := &workload.Sets{
		Inputs:  make([][]workload.TensorID, n),
		Outputs: make([][]workload.TensorID, n),
		All:     make([][]workload.TensorID, n),
	}
	var both []workload.TensorID
	for k := range w.Kernels {
		s.Inputs[k] = SetOrder(nil, w.Kernels[k].Inputs)
		s.Outputs[k] = SetOrder(nil, w.Kernels[k].Outputs)
		both = append(append(both[:0], s.Inputs[k]...), s.Outputs[k]...)
		s.All[k] = SetOrder(nil, both)
	}
	return s
}
