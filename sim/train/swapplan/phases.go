package swapplan

import (
	"cmp"
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

// Convolution reports whether a kernel of that name is a convolution. Conversions of
// one type of numbers to another are not.
func Convolution(name string) bool {
	return strings.Contains(conversions.Replace(strings.ToLower(name)), "conv")
}

var conversions = strings.NewReplacer("convert", "", "conversion", "")

// A Saved tensor is what the forward pass computes and the backward pass needs.
type Saved struct {
	Tensor workload.TensorID
	// Writer is the kernel of the forward pass that wrote it last, and Last the last
	// there that uses it.
	Writer, Last workload.KernelID
	// Back is the first kernel of the backward pass that uses it.
	Back workload.KernelID
}

// Saved lists what is saved for the backward pass and idle until then, in order of
// writers. What comes in from outside, weights, gradients and scratch memory are not
// among it. back is as of [Load.Backward].
func (l *Load) Saved(back []bool) (list []Saved) {
	w := l.Workload
	for t := range w.Tensors {
		if x := &w.Tensors[t]; x.Global || x.Kind == workload.Input || x.Kind == workload.Workspace || x.Kind == workload.Gradient {
			continue
		}
		id, writer := workload.TensorID(t), workload.KernelID(-1)
		uses := l.Life.Uses(id)
		for i, k := range uses[:max(0, len(uses)-1)] {
			if back[k] {
				break
			}
			if slices.Contains(w.Kernels[k].Outputs, id) {
				writer = k
			}
			if next := uses[i+1]; back[next] {
				if writer >= 0 && next > k+1 && next < l.Life.Death[id] {
					list = append(list, Saved{id, writer, k, next})
				}
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Saved) int { return cmp.Compare(a.Writer, b.Writer) })
	return list
}
