package vitality

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Footprint is a workload's memory by what it is for, in whole pages.
type Footprint struct {
	// Gradients is the most at once of gradients, with those that stay from one iteration
	// to the next, Rest that of all else
	// that does not stay: activations and their gradients, workspaces, statistics
	// of a batch and inputs.
	Gradients, Rest unit.Bytes
	// Weights and Optimizer stay from one iteration to the next.
	Weights, Optimizer unit.Bytes
	// Held stays too, and on the GPU: no kernel uses it.
	Held unit.Bytes
	// Most is the most at once of everything. It is no more than the sum of the
	// others, which need not be largest at the same time.
	Most unit.Bytes
}

// Measure returns the footprint of w. A gradient of a weight is a tensor of the
// weight's size that does not stay and that a kernel reads which writes the weight.
func (a *Analysis) Measure(w *workload.Workload) Footprint { return a.measure(w, ofWeights(w)) }

// MeasureKinds returns the footprint of w, whose gradients are those that say so:
// of a recording nobody knows how kernels that change weights share the work.
func (a *Analysis) MeasureKinds(w *workload.Workload) Footprint {
	gradient := make([]bool, len(w.Tensors))
	for t := range w.Tensors {
		gradient[t] = !w.Tensors[t].Global && w.Tensors[t].Kind == workload.Gradient
	}
	return a.measure(w, gradient)
}

// ofWeights reports which tensors are gradients of weights.
func ofWeights(w *workload.Workload) []bool {
	gradient := make([]bool, len(w.Tensors))
	for i := range w.Kernels {
		k := &w.Kernels[i]
		for _, out := range k.Outputs {
			if o := &w.Tensors[out]; o.Global && o.Kind == workload.Weight {
				for _, in := range k.Inputs {
					t := &w.Tensors[in]
					gradient[in] = gradient[in] || !t.Global && t.Kind == workload.Gradient && t.Bytes == o.Bytes
				}
			}
		}
	}
	return gradient
}

// measure adds up tensors, given which are gradients.
func (a *Analysis) measure(w *workload.Workload, gradient []bool) Footprint {
	var f Footprint
	var staying unit.Bytes // gradients
	for t := range w.Tensors {
		switch size := w.Tensors[t].Bytes.Aligned(); {
		case !w.Tensors[t].Global:
		case len(a.Uses(workload.TensorID(t))) == 0:
			f.Held += size
		case w.Tensors[t].Kind == workload.Optimizer:
			f.Optimizer += size
		case w.Tensors[t].Kind == workload.Gradient:
			staying += size
		default:
			f.Weights += size
		}
	}
	grads, rest := make([]unit.Bytes, len(w.Kernels)+1), make([]unit.Bytes, len(w.Kernels)+1)
	for t := range w.Tensors {
		if w.Tensors[t].Global || a.Birth[t] < 0 {
			continue
		}
		of := rest
		if gradient[t] {
			of = grads
		}
		of[a.Birth[t]] += w.Tensors[t].Bytes.Aligned()
		of[a.Death[t]] -= w.Tensors[t].Bytes.Aligned()
	}
	var g, r unit.Bytes
	for k := range w.Kernels {
		g, r = g+grads[k], r+rest[k]
		f.Gradients, f.Rest, f.Most = max(f.Gradients, g), max(f.Rest, r), max(f.Most, g+r)
	}
	f.Gradients += staying
	f.Most += f.Weights + f.Optimizer + f.Held + staying
	return f
}
