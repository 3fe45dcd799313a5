package job

import (
	"spillway/sim/kerneltime"
	"spillway/sim/machine"
	"spillway/sim/unit"
)

// A work is what a kernel computes: how many operations, and what they are to the law of kernel
// times. Without operations a kernel moves its bytes.
type work struct {
	flops int64
	shape kerneltime.Kernel
}

// A matrix is the three products of a layer from in to out: its result, the gradient of its input and
// that of its weights.
type matrix struct{ forward, input, weight work }

// matrixOf is a layer for so many tokens; those of a mixture are spread over its experts.
func matrixOf(tokens, in, out, experts int64) matrix {
	each := tokens
	class := kerneltime.Product
	if experts > 1 {
		each, class = ceil(tokens, experts), kerneltime.BatchedProduct
	}
	flops := 2 * tokens * in * out
	product := func(m, n, k int64) work {
		return work{flops, kerneltime.Kernel{Class: class, Batch: experts, M: m, N: n, K: k}}
	}
	return matrix{product(each, out, in), product(each, in, out), product(in, out, each)}
}

// timer says how long kernels take: by the law, or, where the node has an efficiency of its own, by
// a roofline with it.
type timer struct {
	scale   int64 // of all times, in percent; 0 is 100
	rate    int64 // operations a second in large products; 0: by the law
	hbm     unit.Bandwidth
	element unit.Bytes
	gated   bool
	gpu     *kerneltime.GPU
	policy  kerneltime.Policy
	known   map[timed]unit.Time // a network has few different ones
	fp8     bool                // products of layers
}

// A timed is a kernel, and whether its product is in 8 bits.
type timed struct {
	kerneltime.Kernel
	eight bool
}

// LawOf is a GPU as the law knows it, with the rates that its settings say; nil if it is none of the law's.
func LawOf(g *machine.GPU) *kerneltime.GPU {
	found := kerneltime.Find(g.Key)
	if found == nil {
		return nil
	}
	gpu := *found
	gpu.FP32, gpu.TF32, gpu.FP16, gpu.Bandwidth = kerneltime.Rate(g.FP32), kerneltime.Rate(g.TF32), kerneltime.Rate(g.BF16), g.HBM
	if gpu.Family < kerneltime.Ampere {
		gpu.TF32 = 0
	}
	return &gpu
}

// HasFP8 says that a GPU multiplies numbers of 8 bits.
func HasFP8(g *machine.GPU) bool {
	gpu := LawOf(g)
	return gpu != nil && gpu.FP8 > 0
}

// Instead says what runs where a GPU has no numbers of a precision; empty where it has.
func Instead(g *machine.GPU, p Precision) string {
	gpu := LawOf(g)
	if gpu == nil {
		return ""
	}
	return gpu.Instead(policyOf(p, 1).Precision)
}

// policyOf is what kernels of a job run on.
func policyOf(p Precision, gpus int64) kerneltime.Policy {
	policy := kerneltime.Policy{Precision: kerneltime.FP32, Setting: kerneltime.Training}
	if p == BF16 {
		policy.Precision = kerneltime.BF16
	}
	if gpus > 1 {
		policy.Setting = kerneltime.Sharded
	}
	return policy
}

// Reached is how many operations a second large products reach on a node's GPU.
func Reached(c *machine.Config, p Precision) int64 {
	peak := c.GPU.FP32
	if p == BF16 {
		peak = c.GPU.BF16
	}
	gpu := LawOf(&c.GPU)
	if c.Efficiency > 0 || gpu == nil {
		return unit.MulDiv(peak, c.Efficiency, 1000)
	}
	const size = 8192
	k := kerneltime.Kernel{Class: kerneltime.Product, M: size, N: size, K: size}
	return unit.MulDiv(2*size*size*size, int64(unit.Second), int64(kerneltime.Time(gpu, policyOf(p, c.GPUs), &k).Time))
}

// Trust is how far eight of ten measurements are at most from how long GPUs of a node compute, in
// percent, and what that rests on; not where the node has an efficiency of its own.
func Trust(c *machine.Config, p Precision) (band int64, ground kerneltime.Ground, ok bool) {
	gpu := LawOf(&c.GPU)
	if c.Efficiency > 0 || gpu == nil {
		return 0, 0, false
	}
	kind := kerneltime.Transformer
	if p == BF16 {
		kind = kerneltime.Language
	}
	return gpu.Band(kind, kerneltime.Compute), gpu.Ground, true
}

// newTimer is the timer of a job, which check has checked.
func newTimer(s *Spec, peak int64, element unit.Bytes) timer {
	n := &s.Node.Config
	return timer{
		rate: peak / 1000 * n.Efficiency, hbm: n.GPU.HBM / 5 * 4, element: element, gated: s.Arch.Gated,
		scale: s.TimeScale, gpu: LawOf(&n.GPU), policy: policyOf(s.Precision, n.GPUs), known: map[timed]unit.Time{}, fp8: s.FP8,
	}
}

// time is how long a kernel takes that computes x, or else moves bytes.
func (t *timer) time(w what, p Phase, x *work, bytes unit.Bytes) unit.Time {
	took := t.unscaled(w, p, x, bytes)
	if t.scale == 0 || t.scale == 100 {
		return took
	}
	return min(max(1, unit.Time(unit.MulDiv(int64(took), t.scale, 100))), mostTime)
}

// unscaled is that before a scale of all kernels' times.
func (t *timer) unscaled(w what, p Phase, x *work, bytes unit.Bytes) unit.Time {
	eight := t.fp8 && w != wHead && x.flops > 0 && (x.shape.Class == kerneltime.Product || x.shape.Class == kerneltime.BatchedProduct)
	if t.rate > 0 {
		if eight {
			return t.roofline(x.flops/2, bytes)
		}
		return t.roofline(x.flops, bytes)
	}
	k := x.shape
	if x.flops == 0 {
		k = kerneltime.Kernel{Class: t.class(w, p), Bytes: bytes, Element: t.element}
	}
	key := timed{k, eight}
	if known, ok := t.known[key]; ok {
		return known
	}
	policy, cast := t.policy, unit.Time(0)
	if eight {
		policy.Precision = kerneltime.FP8
		cast = t.cast(&k)
	}
	took := min(kerneltime.Time(t.gpu, policy, &k).Time+cast, mostTime)
	t.known[key] = took
	return took
}

// cast is what it takes until both sides of a product have 8 bits. Of the three products of a layer with gradients the
// backward two find what the forward one cast, so each is charged half of both sides.
func (t *timer) cast(k *kerneltime.Kernel) unit.Time {
	sides := max(k.Batch, 1) * (k.M*k.K + k.K*k.N)
	return kerneltime.Time(t.gpu, t.policy, &kerneltime.Kernel{Class: kerneltime.Elementwise, Bytes: kerneltime.Cast * unit.Bytes(sides) / 2}).Time
}

// class is what a kernel is that only moves bytes.
func (t *timer) class(w what, p Phase) kerneltime.Class {
	switch {
	case p == Optimize:
		return kerneltime.Optimizer
	case w == wNorm1 || w == wNorm2 || w == wNormC || w == wFinal || w == wEmbedNorm || w == wNormQ || w == wNormK || w == wPost1 || w == wPost2 || w == kLoss:
		return kerneltime.Normalization
	case w == kAct && t.gated:
		return kerneltime.Gated
	case w == kEmbed || w == wTable || w == wPositions:
		return kerneltime.Embedding
	}
	return kerneltime.Elementwise
}
