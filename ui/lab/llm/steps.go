package llm

import (
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

// What runs cost, in steps: a kernel; one of GPUs that have another's plan, each of some schedules of which runs it; plans
// of layouts that are tried; and the linear program of the bound, which hardly grows with the model. Fitted to processor
// times over all presets with few and many micro-batches: plans and the bound took at most 1.2 times as long, often far
// less. Systems without a plan took up to 1.7 times (0.7 s), where layouts are tried up to 5 times (0.3 s).
const (
	ofKernel  = 0.4
	schedules = 5
	layouts   = 4
	ofBound   = 400_000
)

// steps is about how much work a run is: kernels, and the plans that are made of them.
func steps(w *work, _ *settings, name string) int {
	n := float64(kernels(w)) // not one instruction with the difference below
	x, err := core.Find(name)
	switch {
	case err == nil && w.setup.ByFormula(x):
		return 1
	case err != nil: // no system, but the bound of all
		return ofBound + lab.Steps(n, ofKernel)
	case x.Planning == 0:
		return lab.Steps(n, ofKernel)
	}
	l := &w.setup.Layout
	plan := x.Planning
	if w.setup.Auto {
		plan *= layouts
	}
	own := n / float64(max(1, l.Tensor)*max(1, l.Replicas()))
	return lab.Steps(own, plan) + lab.Steps(n-own, schedules*ofKernel)
}

// less says what makes a run less work.
const less = "Lower the layers, the batch or the parts that matrices are cut into, or raise the micro-batch."
