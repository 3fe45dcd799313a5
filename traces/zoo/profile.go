package zoo

import (
	"spillway/sim/unit"
	"spillway/traces/g10"
)

// An Effect is what the G10 paper's profiler did to one class of kernels. The
// profiler timed the first and only call of every kernel, so that many times
// hold the start of a library or the choice of an algorithm.
type Effect struct {
	Kernel      string    // kernel name
	Transformer bool      // in operator lists, else in networks given as modules
	Start       unit.Time // added to cold kernels
	Cold        Rule      // which kernels are cold
	Feature     unit.Time // added for each feature on the wider side of a matrix product
	// Compute and Memory replace the warm efficiencies of all kernels of the
	// class; 0 keeps them.
	Compute, Memory float64
}

// A Rule chooses the kernels of a class that were timed cold.
type Rule uint8

// The rules.
const (
	Always  Rule = iota // all of them
	ByShape             // convolutions, by the shape of their layer; see coldShape
)

// Profile returns the effects seen in the G10 artifact's kernel times: medians
// of what its kernels took beyond the warm model, on an A100 40 GB.
//
// Two classes are slow rather than late: the artifact loads data at 2.8 GB/s,
// and its input gradients of transformer matrix products run at 0.13 of the FP32
// peak, four times slower than the forward product, after 14 microseconds for
// each feature.
func Profile() []Effect {
	const ms = unit.Millisecond
	return []Effect{
		{Kernel: "Conv2d_Forward", Start: 608 * ms, Cold: ByShape},
		{Kernel: "Conv2d_Backward_Input", Start: 606 * ms, Cold: ByShape},
		{Kernel: "Conv2d_Backward_Weight", Start: 113 * ms, Cold: ByShape},
		{Kernel: "BatchNorm2d_Forward", Start: 68 * ms},
		{Kernel: "BatchNorm2d_Backward", Start: 67 * ms},
		{Kernel: "MaxPool2d_Backward", Start: 75 * ms},
		{Kernel: "AdaptiveAvgPool2d_Backward", Start: 58 * ms},
		{Kernel: "Dropout_Backward", Start: 68 * ms},
		{Kernel: "Linear_Backward_Input", Start: 68 * ms},
		{Kernel: "LoadData_A0", Memory: 0.0018},
		{Kernel: "SoftmaxBasic_Backward", Transformer: true, Start: 67 * ms},
		{Kernel: "Linear_Backward_Input", Transformer: true, Feature: 14 * unit.Microsecond, Compute: 0.1333},
	}
}

// coldShape reports whether the profiler timed a convolution cold. Which ones
// it did follows from the layer's shape alone, at all batch sizes: presumably
// cuDNN chooses the algorithm by shape, and some algorithms begin with the load
// of a library. These rules are ours, read off the three published CNNs; the
// tests count how often they are right (about 97, 95 and 97 % of the forward,
// input-gradient and weight-gradient kernels). They say nothing about networks
// the paper did not profile.
func coldShape(kernel string, c *g10.Work) bool {
	pointwise := c.Window == [2]int64{1, 1}
	image := c.In == 3
	switch kernel {
	case "Conv2d_Forward":
		if pointwise {
			small := c.Height > 1 && c.Height < 28
			return c.Stride > 1 || small && (c.In < 1024 || c.Out >= 384)
		}
		flat := c.Window[1] > 3*c.Window[0]
		return image || c.In >= 64 && c.In <= 384 && (c.Out == 64 || c.Out >= 128) && !flat
	case "Conv2d_Backward_Input":
		if pointwise {
			return c.Stride > 1 || c.Height > 1 && c.Height <= 7
		}
		return image || c.In >= 256 && (c.Stride == 1 || c.Out >= 512)
	case "Conv2d_Backward_Weight":
		squeezes := c.Height == 1 && c.Out < c.In
		return pointwise && c.Stride == 1 && (c.Height >= 28 || squeezes)
	}
	return false
}
