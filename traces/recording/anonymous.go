package recording

import (
	"fmt"
	"slices"

	"spillway/sim/workload"
)

// lossKernel is the one name of a kernel that means something to a system: where
// the backward pass begins in the G10 artifact's workloads.
const lossKernel = "makeLoss"

// Anonymous returns w without names: tensors are called by kind and number, kernels
// of one name by one number. Of where it came from only what a recording was
// measured with is left.
func Anonymous(w *workload.Workload) *workload.Workload {
	c := *w
	c.Name, c.Model, c.Origin = "A training job", "", "Its names were removed."
	if bare := Bare(w.Origin); bare != "" {
		c.Origin = bare
	}
	c.Tensors, c.Kernels = slices.Clone(w.Tensors), slices.Clone(w.Kernels)
	kinds := map[workload.Kind]int{}
	for i := range c.Tensors {
		t := &c.Tensors[i]
		kinds[t.Kind]++
		t.Name = fmt.Sprintf("%v %d", t.Kind, kinds[t.Kind])
	}
	names := map[string]string{lossKernel: lossKernel}
	for i := range c.Kernels {
		k := &c.Kernels[i]
		if names[k.Name] == "" {
			names[k.Name] = fmt.Sprintf("kernel %d", len(names))
		}
		k.Name = names[k.Name]
	}
	return &c
}
