package swapplan

import (
	"slices"
	"strings"

	"spillway/sim/workload"
)

// Backward reports, by kernel, which belong to the backward pass or the optimizer: those
// that read a gradient, or write one and read something else, which setting gradients
// to zero does not. Forward and backward passes may take turns. In a workload that
// names no gradients the backward pass begins where most bytes are alive, because
// activations pile up until then, or at a kernel that is named after the loss.
func (l *Load) Backward() []bool {
	w := l.Workload
	back := make([]bool, len(w.Kernels))
	is := func(t workload.TensorID) bool { return w.Tensors[t].Kind == workload.Gradient }
	other := func(t workload.TensorID) bool { return !is(t) }
	known := false
	for k := range w.Kernels {
		in, out := w.Kernels[k].Inputs, w.Kernels[k].Outputs
		back[k] = slices.ContainsFunc(in, is) || slices.ContainsFunc(out, is) && slices.ContainsFunc(in, other)
		known = known || back[k]
	}
	if known {
		return back
	}
	turn := 0
	for k := range w.Kernels {
		if strings.Contains(strings.ToLower(w.Kernels[k].Name), "loss") {
			turn = k
			break
		}
		if l.Alive[k] > l.Alive[turn] {
			turn = k
		}
	}
	for k := turn; k < len(back); k++ {
		back[k] = true
	}
	return back
}
