package zoo

import (
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/g10"
)

// classes of the law by the beginning of a kernel's name; all others are pointwise.
var lawClasses = []struct {
	prefix string
	class  kerneltime.Class
}{
	{"AdaptiveAvgPool2d_", kerneltime.Pooling},
	{"MaxPool2d_", kerneltime.Pooling},
	{"Concat_", kerneltime.Copy},
	{"LoadData_", kerneltime.Copy},
	{"GatherV2_", kerneltime.Embedding},
	{"Sum_", kerneltime.Reduction},
	{"Linear_Backward_Bias", kerneltime.Reduction},
}

// stepPasses is how often PyTorch 1.8's kernels for an optimizer's step, which are one here,
// read or write as many numbers as the parameter has; package eager counts them.
var stepPasses = map[string]unit.Bytes{"SGD_Step": 3, "Momentum_Step": 11, "Adam_Step": 20}

// fillByLaw sets the time of every kernel to that of the law.
func (t *TimeModel) fillByLaw(g *graph) {
	policy := kerneltime.Policy{Precision: t.Precision, Setting: kerneltime.Training}
	for i := range g.w.Kernels {
		k := &g.w.Kernels[i]
		shape := shapeOf(g.w, k, &g.work[i])
		k.Time = min(max(1, kerneltime.Time(t.Law, policy, &shape).Time), workload.MaxTime)
	}
	for i := range g.wholes {
		t.share(g, &g.wholes[i], policy)
	}
}

// share makes the kernels that spell a whole take together what it takes as PyTorch's kernels:
// forwards it is read and written once, backwards two are read and one is written, and where
// something is trained two are read once more. Each keeps its part.
func (t *TimeModel) share(g *graph, x *whole, policy kerneltime.Policy) {
	var apart, together [2]unit.Time // forwards, backwards
	var size unit.Bytes
	way := func(i int) int {
		k := &g.w.Kernels[i]
		switch at := g.work[i].Op; {
		case at < x.first || at > x.last || strings.Contains(k.Name, "Apply_Grad"):
			return -1
		case strings.HasSuffix(k.Name, "_Forward"):
			return 0
		}
		return 1
	}
	for i := range g.w.Kernels {
		w := way(i)
		if w < 0 {
			continue
		}
		apart[w] += g.w.Kernels[i].Time
		if w == 0 { // the last one's result is the whole's
			size = g.w.Tensors[g.w.Kernels[i].Outputs[0]].Bytes
		}
	}
	one := func(k kerneltime.Kernel) unit.Time { return kerneltime.Time(t.Law, policy, &k).Time }
	together[0] = one(kerneltime.Kernel{Class: x.class, Bytes: 2 * size, Element: size})
	together[1] = one(kerneltime.Kernel{Class: x.class, Bytes: 3 * size, Element: size})
	if x.trained {
		together[1] += one(kerneltime.Kernel{Class: kerneltime.Reduction, Bytes: 2 * size})
	}
	for i := range g.w.Kernels {
		if w := way(i); w >= 0 {
			k := &g.w.Kernels[i]
			k.Time = max(1, unit.Time(unit.MulDiv(int64(k.Time), int64(together[w]), int64(apart[w]))))
		}
	}
}

// shapeOf is a kernel as the law knows it.
func shapeOf(w *workload.Workload, k *workload.Kernel, work *g10.Work) (s kerneltime.Kernel) {
	for _, ids := range [2][]workload.TensorID{k.Inputs, k.Outputs} {
		for _, id := range ids {
			s.Bytes += w.Tensors[id].Bytes
		}
	}
	operator, phase, _ := strings.Cut(k.Name, "_")
	switch {
	case strings.HasSuffix(k.Name, "_Step"):
		return kerneltime.Kernel{Class: kerneltime.Optimizer, Bytes: stepPasses[k.Name] * w.Tensors[k.Inputs[0]].Bytes}
	case strings.Contains(phase, "Apply_Grad"):
		s.Class = kerneltime.Optimizer
	case operator == "BatchNorm2d" && len(k.Inputs) > 0:
		s = kerneltime.Kernel{Class: kerneltime.BatchNorm, Bytes: w.Tensors[k.Inputs[0]].Bytes, Passes: kerneltime.PassesBatchNorm}
		if phase == "Backward" {
			s.Passes = kerneltime.PassesBatchNormBackward
		}
	case work.MACs > 0 && phase != "Backward_Bias":
		return multiplied(w, phase, work)
	}
	for _, c := range lawClasses {
		if strings.HasPrefix(k.Name, c.prefix) {
			s.Class = c.class
		}
	}
	return s
}

// multiplied is a convolution or a product, in the forward pass or backward.
func multiplied(w *workload.Workload, phase string, work *g10.Work) kerneltime.Kernel {
	if work.Height > 0 {
		s := kerneltime.Kernel{
			Class: kerneltime.ConvForward, Batch: int64(w.Batch), C: work.In, K: work.Out, H: work.Height * work.Stride, R: work.Window[0], S: work.Window[1],
			Stride: work.Stride, Groups: 1,
		}
		s.Batch = max(1, work.MACs/max(1, work.In*work.Out*s.R*s.S*work.Height*work.Height))
		s.W = s.H
		switch {
		case s.R == s.S:
			s.Pad = s.R / 2
		default: // the law knows one padding
			s.H, s.W = s.H+s.R-1, s.W+s.S-1
		}
		switch phase {
		case "Backward_Input":
			s.Class = kerneltime.ConvData
		case "Backward_Weight":
			s.Class = kerneltime.ConvWeight
		}
		return s
	}
	s := kerneltime.Kernel{Class: kerneltime.Product, N: work.Out, K: work.In}
	s.M = work.MACs / max(1, work.In*work.Out)
	if work.Matrix != [3]int64{} {
		s = kerneltime.Kernel{Class: kerneltime.BatchedProduct, M: work.Matrix[0], N: work.Matrix[1], K: work.Matrix[2]}
		s.Batch = work.MACs / max(1, s.M*s.N*s.K)
	}
	switch phase {
	case "Backward_Input", "Backward":
		s.N, s.K = s.K, s.N
	case "Backward_Weight":
		s.M, s.N, s.K = s.N, s.K, s.M
	}
	return s
}
