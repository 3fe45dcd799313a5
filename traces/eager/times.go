package eager

import (
	"errors"
	"fmt"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Times say how long kernels take: [Law], or [DeepUM] where that paper is computed again.
type Times interface {
	check() error
	source() workload.TimeSource
	says(m *Model) string // behind "estimated for warm kernels on"
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

func (l Law) says(m *Model) string {
	return fmt.Sprintf("%s in %s by the law of kernel times, ± %d %%", l.GPU.Name, l.Precision, l.Band(m))
}

// Band is how far off eight of ten times of a model's iteration are at most, in percent.
func (l Law) Band(m *Model) int64 {
	if m.Sequence > 0 {
		return l.GPU.Band(kerneltime.Transformer, kerneltime.Compute)
	}
	return l.GPU.Band(kerneltime.Images, kerneltime.Compute)
}

func (l Law) time(c *cost, _ unit.Bytes) unit.Time {
	e := kerneltime.Time(l.GPU, kerneltime.Policy{Precision: l.Precision, Setting: kerneltime.Training}, &c.shape)
	return min(max(1, e.Time), 2*workload.MaxTime)
}
