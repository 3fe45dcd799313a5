package spillway

import (
	"fmt"

	"spillway/sim/workload"
)

// Anonymous returns w without any name: kernels and tensors have numbers, and
// nothing says where it came from. It runs exactly as w does.
func Anonymous(w *workload.Workload) *workload.Workload {
	out := *w
	out.Name, out.Model, out.Origin = "Workload without names", "", "A Spillway trace without names."
	out.Tensors = make([]workload.Tensor, len(w.Tensors))
	var counts [workload.Input + 1]int
	for i, t := range w.Tensors {
		if t.Kind <= workload.Input {
			counts[t.Kind]++
			t.Name = fmt.Sprintf("%v %d", t.Kind, counts[t.Kind])
		} else {
			t.Name = fmt.Sprintf("tensor %d", i+1)
		}
		out.Tensors[i] = t
	}
	out.Kernels = make([]workload.Kernel, len(w.Kernels))
	for i, k := range w.Kernels {
		k.Name = fmt.Sprintf("kernel %d", i+1)
		out.Kernels[i] = k
	}
	return &out
}
