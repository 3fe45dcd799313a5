package llm

import (
	"math"

	core "spillway/sim/llm"
	"spillway/ui/lab"
)

// ofLayer is about how many kernels a layer has, forward and backward.
const ofLayer = 28

// kernels is about how many a run handles, of all GPUs.
func kernels(w *work) float64 {
	l := &w.setup.Layout
	micro := l.Micro
	if micro == 0 {
		micro = max(1, 8192/max(1, l.Sequence))
	}
	const iterations = 3
	rounds := float64(4 * (max(1, l.Context) - 1)) // in which keys and values come and are multiplied, forward and backward
	return float64(w.setup.Arch.Layers+w.setup.Arch.Encoder) * (ofLayer + rounds) * float64(max(1, l.Context)) * float64(max(1, l.Batch/max(1, micro))) * float64(max(1, l.Tensor)) * iterations
}

// What a kernel costs, in steps; plans that are made for each GPU that does something else (system.System.Planning)
// cost what they say where that has so many kernels as planned, and more where it has more. GPUs that share
// matrices or the batch have one plan, and what is left of their kernels is that each of some schedules runs.
const (
	ofKernel  = 0.4
	planned   = 13440
	schedules = 5
)

// steps is about how much work a run is: kernels, and the plans that are made of them.
func steps(w *work, _ *settings, name string) int {
	n := kernels(w)
	x, err := core.Find(name)
	if err == nil && w.setup.ByFormula(x) {
		return 1
	}
	if err != nil || x.Planning == 0 {
		return lab.Steps(n, ofKernel)
	}
	l := &w.setup.Layout
	if w.setup.Auto {
		n *= 10 // layouts
	}
	own := n / float64(max(1, l.Tensor)*max(1, l.Replicas()))
	return lab.Steps(own, max(x.Planning*math.Sqrt(own/planned), ofKernel)) + lab.Steps(n-own, schedules*ofKernel)
}

// less says what makes a run less work.
const less = "Lower the layers, the batch or the parts that matrices are cut into, or raise the micro-batch."
