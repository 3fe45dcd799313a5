package eager

import (
	"errors"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A DeepUM is the peaks of a GPU of which kernels reach the shares that were fitted to one row of
// the DeepUM paper. What is published here of that paper rests on them, and nothing else; all
// other estimates are the law's.
type DeepUM struct {
	Name   string
	FP32   float64 // operations a second, peak without tensor cores
	Memory unit.Bandwidth
}

// AsDeepUM is the paper's GPU by NVIDIA's data sheet of the V100 PCIe.
func AsDeepUM() DeepUM { return DeepUM{Name: "V100 32 GB", FP32: 14e12, Memory: 900 * unit.GBps} }

func (r DeepUM) check() error {
	if !(r.FP32 > 0) || r.Memory <= 0 {
		return errors.New("kernel times need a GPU's arithmetic and memory rates; both must be above 0")
	}
	return nil
}

func (r DeepUM) source() workload.TimeSource { return workload.Estimated }

func (r DeepUM) says(*Model) string {
	return r.Name + "; the shares of its peaks are fitted to BERT-Base at batch 29 in the DeepUM paper"
}

func (r DeepUM) time(c *cost, bytes unit.Bytes) unit.Time {
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
