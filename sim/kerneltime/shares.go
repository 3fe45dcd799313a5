package kerneltime

import "math"

// The shares of a data sheet's peaks that kernels reach. Where a row of measurements decided
// one, it is named; a share of a family without measurements is its predecessor's.

// How often the tensor of a kernel passes through memory, from the public recording of
// ResNet-50 on a V100.
const (
	PassesBatchNorm          = 3.1
	PassesBatchNormInference = 2
	PassesBatchNormBackward  = 5.7 / 1.15 // the recorded 5.7 is too much in whole networks
)

// engine is what an engine's work runs on.
func (g *GPU) engine(e Engine) Engine {
	switch {
	case e == FP8Cores && g.FP8 > 0:
		return FP8Cores
	case (e == HalfCores || e == FP8Cores) && g.FP16 > 0:
		return HalfCores
	case e == TF32Cores && g.TF32 > 0:
		return TF32Cores
	}
	return FP32Units
}

// peak is the peak of an engine that the GPU has.
func (g *GPU) peak(e Engine) Rate { return [...]Rate{g.FP32, g.TF32, g.FP16, g.FP8}[e] }

// fp8Share is what products in fp8 reach of what they would at bfloat16's share of twice the
// peak, casts aside: between what TorchTitan's step of Llama 3.1 8B on eight H100 gains, 8532 of 6667 tokens/s, 1.28 times
// (1.24 here, in package pretrain), and the most that training steps in llm-foundry's table do, 1.07 to 1.35 times.
const fp8Share = 0.83

// tensorShare is what large products on tensor cores reach of their peak: DeepBench (V100,
// T4), Vidur (A100, H100), mli/transformers-benchmarks and timm (GeForce, above the data
// sheet's clock).
func (g *GPU) tensorShare(in Setting) float64 {
	if in == Sharded && (g.Family == Hopper || g.Family == Blackwell) {
		return 0.60 // llm-foundry; why a training step loses so much is not known
	}
	if g.GeForce && g.Family >= GA102 {
		return 0.95
	}
	return [families]float64{
		Pascal: 0.66, Volta: 0.83, Turing: 0.66, Ampere: 0.758, GA102: 0.758, Ada: 0.758, Hopper: 0.738, Blackwell: 0.74, GB202: 0.758,
	}[g.Family]
}

// fp32Share is what large products on FP32 units reach: DeepBench (V100, P100), NeuSight
// (V100, A100, H100). Power limits them: a loop of products to what the power can feed, a
// network, in which other kernels let the card rest, to the geometric mean.
func (g *GPU) fp32Share(in Setting) float64 {
	class := [families]float64{
		Pascal: 0.92, Volta: 0.93, Turing: 0.85, Ampere: 0.86, GA102: 0.75, Ada: 0.75, Hopper: 0.717, Blackwell: 0.72, GB202: 0.75,
	}[g.Family]
	// Picojoules an operation: T4 and L4 were measured, the others' are the most at which
	// their cards would not be limited.
	joules := [families]float64{
		Turing: 17.7e-12, Ampere: 14e-12, GA102: 13.5e-12, Ada: 8.1e-12, Hopper: 13e-12, Blackwell: 13e-12, GB202: 8.1e-12,
	}[g.Family]
	if joules == 0 {
		return class
	}
	limited := float64(g.Watts) / (joules * float64(g.FP32))
	switch {
	case limited >= class:
		return class
	case in == Alone:
		return limited
	}
	return math.Sqrt(limited * class)
}

// convolutionShare is what a convolution reaches of a product's share.
func (g *GPU) convolutionShare(class Class, e Engine, c *image) float64 {
	winograd := c.three && c.stride == 1 && c.c/c.groups >= 16
	if e == FP32Units {
		share := float64(1.01 * [...]float64{1, 0.83, 0.72}[class-ConvForward]) // rounded, because twice it is a sum to the compiler
		if winograd {
			share *= 2
		}
		return share
	}
	share := [families]float64{
		Pascal: 1.01, Volta: 1.01, Turing: 1.01, Ampere: 0.82, GA102: 1.22, Ada: 1, Hopper: 0.38, Blackwell: 0.38, GB202: 1,
	}[g.Family]
	share *= [...]float64{1, 0.73, 0.66}[class-ConvForward]
	switch {
	case winograd && class == ConvWeight:
		share *= 1.2
	case winograd:
		share *= 1.1
	}
	if c.groups > 1 {
		share *= 2.5 // narrow tiles are not filled up as the law of products has it
	}
	return share
}

// movedShare is what pointwise kernels reach of the memory's rate.
func (g *GPU) movedShare() float64 {
	if g.Key == "rtx-4090" {
		return 0.95
	}
	return [families]float64{
		Pascal: 0.73, Volta: 0.88, Turing: 0.75, Ampere: 0.86, GA102: 0.84, Ada: 0.80, Hopper: 0.92, Blackwell: 0.90, GB202: 0.85,
	}[g.Family]
}

// classShare is what a class of kernels reaches of what pointwise ones do: Vidur, NeuSight.
func (g *GPU) classShare(k *Kernel) float64 {
	gated := 0.92
	if g.HBM() {
		gated = 0.62
	}
	switch k.Class {
	case Normalization:
		switch {
		case g.Family == Ada:
			return 0.95
		case g.Family == Pascal:
			return 0.58
		case g.HBM() && k.Element == 2:
			return 0.42
		}
		return 0.70
	case Gated:
		return gated
	case Rotary:
		return 0.85 * gated
	case Reduction:
		return 0.60
	}
	return 1
}

// cached is how much faster a class runs when all that it moves fits into a large cache of
// level 2: Vidur on A100 and H100.
func (c Class) cached() float64 {
	switch c {
	case Normalization:
		return 1.3
	case Gated, Rotary:
		return 1
	}
	return 1.6
}

// attentionPeak is the peak of the units that fused attention runs on, in operations a second.
// In 32 bits it is taken that PyTorch's kernel multiplies three times in TF32 for fp32's digits,
// whether the rest of the network may use TF32 or not: recalled of CUTLASS, and not tried.
func (g *GPU) attentionPeak(p Precision, a Attention) float64 {
	if a == Efficient {
		return max(float64(g.FP32), float64(g.TF32)/3)
	}
	return float64(g.peak(g.engine(min(p.Products(), HalfCores))))
}

// attentionShare is what fused attention reaches of the peak with long sequences, from the
// tables of FlashAttention 1 to 3: for heads of 64, 128 and 256.
func (g *GPU) attentionShare(in Setting, k *Kernel, d float64) float64 {
	hopper := g.Family == Hopper || g.Family == Blackwell
	var r [3]float64
	switch {
	case k.Attention == Efficient: // as a training step of ViT-B/16 in fp32 on an H100 has it; no other GPU was measured
		r = [3]float64{0.10, 0.10, 0.10}
	case k.Attention == Flash1 && hopper:
		r = [3]float64{0.17, 0.14, 0.14}
	case k.Attention == Flash1:
		r = [3]float64{0.355, 0.27, 0.27}
	case k.Attention == Flash3 && hopper:
		r = [3]float64{0.50, 0.66, 0.76}
		if k.Class == AttentionBackward {
			r = [3]float64{0.85 * 0.50, 0.85 * 0.66, 0.85 * 0.76}
		}
	default:
		r = [families][3]float64{
			Pascal: {0.3, 0.3, 0.3}, Volta: {0.3, 0.3, 0.3}, Turing: {0.3, 0.3, 0.3}, Ampere: {0.575, 0.665, 0.60}, GA102: {0.65, 0.70, 0.63},
			Ada: {0.62, 0.68, 0.61}, Hopper: {0.32, 0.365, 0.33}, Blackwell: {0.32, 0.365, 0.33}, GB202: {0.60, 0.65, 0.59},
		}[g.Family]
	}
	share := r[2]
	switch {
	case d <= 64:
		share = r[0]
	case d <= 128:
		share = r[0] + float64((r[1]-r[0])*(d-64)/64)
	case d <= 256:
		share = r[1] + float64((r[2]-r[1])*(d-128)/128)
	}
	if (in == Training || in == Sharded) && k.Attention != Efficient {
		share *= 0.5 // llm-foundry, A100 and H100 alike; why is not known
	}
	return share
}

// attentionHalf is the length of a sequence with which attention reaches half of that.
func (g *GPU) attentionHalf(a Attention, causal bool) float64 {
	i := 0
	if causal {
		i = 1
	}
	switch a {
	case Flash1, Efficient:
		return [...]float64{20, 250}[i]
	case Flash3:
		if g.Family == Hopper || g.Family == Blackwell {
			return [...]float64{190, 620}[i]
		}
	}
	return [...]float64{100, 430}[i]
}
