package kerneltime

import "spillway/sim/unit"

// A Processor is what starts kernels: how long Python, the framework and the driver take for
// an operator of the forward pass, and for what belongs to it in the backward pass.
type Processor struct {
	Name              string
	Forward, Backward unit.Time
}

// Processors that were measured, and what is assumed of others.
var (
	// EPYC7742 is from 17 networks of torchvision with batch 12 on a DGX A100 with PyTorch 1.7
	// (ryujaehun/pytorch-gpu-benchmark); four of them were fitted.
	EPYC7742 = Processor{"EPYC 7742, PyTorch 1.7", 48 * unit.Microsecond, 125 * unit.Microsecond}
	// Today is from six public recordings of PyTorch 2 with the profiler on (forward); backward
	// is scaled as on the EPYC, a guess.
	Today = Processor{"a processor of 2023, PyTorch 2", 24 * unit.Microsecond, 60 * unit.Microsecond}
	// Graphs is torch.compile with CUDA graphs, where one call starts all.
	Graphs = Processor{"CUDA graphs", 0, 0}
)

// A Step is an iteration of a network: inference, or a training step.
type Step struct {
	Kernels []Kernel
	// Operators is how many operators (convolution, norm, activation, sum, ...) Python calls
	// in the forward pass, and Backward how many of them have a backward pass: 0 in inference.
	Operators, Backward int64
}

// Time returns how long the step takes on a GPU that p starts the kernels of.
func (s *Step) Time(g *GPU, policy Policy, p Processor) Estimate {
	var sum Estimate
	for i := range s.Kernels {
		k := &s.Kernels[i]
		e := Time(g, policy, k)
		n := unit.Time(max(k.Count, 1))
		sum.Time = most(sum.Time, times(e.Time, n))
		switch e.Bound {
		case Compute:
			sum.Compute = most(sum.Compute, times(e.Time-e.Start, n))
		case Memory:
			sum.Memory = most(sum.Memory, times(e.Time-e.Start, n))
		}
		sum.Start = most(sum.Start, times(e.Start, n))
	}
	sum.Host = most(times(p.Forward, unit.Time(s.Operators)), times(p.Backward, unit.Time(s.Backward)))
	switch {
	case sum.Host > sum.Time:
		sum.Bound, sum.Time = Host, sum.Host
	case sum.Compute >= max(sum.Memory, sum.Start):
		sum.Bound = Compute
	case sum.Memory >= sum.Start:
		sum.Bound = Memory
	}
	return sum
}

// longest is the longest time there is.
const longest = unit.Time(1<<63 - 1)

// most is the sum of two times that are not negative, or the longest.
func most(a, b unit.Time) unit.Time {
	if a > longest-b {
		return longest
	}
	return a + b
}

// times is t, n times, or the longest.
func times(t, n unit.Time) unit.Time { return unit.Time(unit.MulDiv(int64(t), int64(max(n, 0)), 1)) }
