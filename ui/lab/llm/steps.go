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
	return float64(w.setup.Arch.Layers+w.setup.Arch.Encoder) * ofLayer * float64(max(1, l.Batch/max(1, micro))) * float64(max(1, l.Tensor)) * iterations
}

// What a kernel costs, in steps; plans that are made for each GPU (system.System.Planning) cost
// what they say where that has so many kernels as planned, and more where it has more.
const (
	ofKernel = 0.4
	planned  = 13440
)

// steps is about how much work a run is: kernels, and the plans that are made of them.
func steps(w *work, _ *settings, name string) int {
	n, each := kernels(w), ofKernel
	x, err := core.Find(name)
	if err == nil && w.setup.ByFormula(x) {
		return 1
	}
	if err == nil && x.Planning > 0 {
		each = x.Planning * math.Sqrt(n/float64(max(1, w.setup.Layout.Tensor))/planned)
	}
	return lab.Steps(n, max(each, ofKernel))
}

// less says what makes a run less work.
const less = "Lower the layers, the batch or the parts that matrices are cut into, or raise the micro-batch."
