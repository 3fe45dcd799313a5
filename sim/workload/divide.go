package workload

import (
	"fmt"

	"spillway/sim/unit"
)

// Divide returns w with every tensor of more than most bytes as several tensors of whole
// pages and about one size, which kernels use together, and for each tensor of the result
// which one of w it is of. Rows that kernels touch are left out: no piece is known to have
// them. If no tensor is that large it returns w itself and nil.
func (w *Workload) Divide(most unit.Bytes) (*Workload, []TensorID) {
	most = max(most, unit.Page)
	large := false
	for i := range w.Tensors {
		large = large || w.Tensors[i].Bytes > most
	}
	if !large {
		return w, nil
	}
	divided := *w
	divided.Tensors, divided.Kernels = nil, make([]Kernel, len(w.Kernels))
	var of []TensorID
	pieces := make([][]TensorID, len(w.Tensors))
	for i := range w.Tensors {
		t := &w.Tensors[i]
		count := (t.Bytes + most - 1) / most
		each := ((t.Bytes + count - 1) / count).Aligned()
		for from := unit.Bytes(0); from < t.Bytes; from += each {
			piece := *t
			if piece.Bytes = min(each, t.Bytes-from); count > 1 {
				piece.Name = fmt.Sprintf("%s from %v", t.Name, from)
			}
			pieces[i] = append(pieces[i], TensorID(len(divided.Tensors)))
			divided.Tensors, of = append(divided.Tensors, piece), append(of, TensorID(i))
		}
	}
	replace := func(list []TensorID) (out []TensorID) {
		for _, t := range list {
			out = append(out, pieces[t]...)
		}
		return out
	}
	for i := range w.Kernels {
		k := w.Kernels[i]
		k.Inputs, k.Outputs, k.Rows = replace(k.Inputs), replace(k.Outputs), nil
		divided.Kernels[i] = k
	}
	return &divided, of
}
