package eager

import (
	"errors"
	"fmt"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Times say how long kernels take: [Law] or [Rates].
type Times interface {
	check() error
	source() workload.TimeSource
	says() string // behind "estimated for warm kernels on"
	// time is how long a kernel takes that moves bytes.
	time(c *cost, bytes unit.Bytes) unit.Time
}

// A Law is that of package kerneltime on a GPU.
type Law struct {
	GPU *kerneltime.GPU
	// Precision is one that keeps fp32 in memory; the networks are lowered so.
	Precision kerneltime.Precision
}

func (l Law) check() error {
	switch {
	case l.GPU == nil:
		return errors.New("kernel times need a GPU")
	case l.Precision.Element() != element:
		return fmt.Errorf("the network is lowered with numbers of 4 bytes, and %s has none; take fp32, tf32 or tf32-conv", l.Precision)
	}
	return nil
}

func (l Law) source() workload.TimeSource { return workload.Estimated }

func (l Law) says() string {
	return fmt.Sprintf("%s in %s by the law of kernel times", l.GPU.Name, l.Precision)
}

func (l Law) time(c *cost, _ unit.Bytes) unit.Time {
	e := kerneltime.Time(l.GPU, kerneltime.Policy{Precision: l.Precision, Setting: kerneltime.Training}, &c.shape)
	return min(max(1, e.Time), 2*workload.MaxTime)
}

// Rates are the peaks of a GPU of which kernels reach the shares that were fitted to the
// DeepUM paper. What is published here of that paper rests on them.
type Rates struct {
	Name   string
	FP32   float64 // operations a second, peak without tensor cores
	Memory unit.Bandwidth
}

func (r Rates) check() error {
	if !(r.FP32 > 0) || r.Memory <= 0 {
		return errors.New("kernel times need a GPU's arithmetic and memory rates; both must be above 0")
	}
	return nil
}

func (r Rates) source() workload.TimeSource { return workload.Estimated }

func (r Rates) says() string {
	return r.Name + "; the shares of its peaks are fitted to BERT-Base at batch 29 in the DeepUM paper"
}

func (r Rates) time(c *cost, bytes unit.Bytes) unit.Time {
	e := efficiencies[c.class]
	seconds := float64(bytes) / float64(float64(r.Memory)*e.memory)
	if c.flops > 0 && e.compute > 0 {
		seconds = max(seconds, c.flops/float64(r.FP32*e.compute))
	}
	const most = float64(2 * workload.MaxTime) // what is above is an error all the same
	return start + unit.Time(min(most, float64(seconds*float64(unit.Second))))
}

// A class is what kernels of one efficiency have in common.
type class uint8

const (
	pointwise class = iota // moves data
	gemm
	convolution
	batched   // batched matrix products
	depthwise // convolutions of each channel by itself
)

// An efficiency is the share of a peak that a class reaches; compute is 0 for kernels
// that only move data.
type efficiency struct{ compute, memory float64 }

// efficiencies are fitted, see the package comment.
var efficiencies = [...]efficiency{
	pointwise:   {0, 0.75},
	gemm:        {0.80, 0.75},
	convolution: {0.72, 0.75},
	batched:     {0.60, 0.75},
	depthwise:   {0, 0.40},
}

// start is the time before a kernel's first byte or operation.
const start = 5 * unit.Microsecond
