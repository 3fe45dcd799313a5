package train

import (
	"slices"
	"strings"

	core "spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/system/autotm"
	"spillway/sim/train/system/capuchin"
	"spillway/sim/train/system/deepumplus"
	"spillway/sim/train/system/swapadvisor"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// visitsAStep is about how many visits of blocks take as long as handling a kernel.
const visitsAStep = 50

// Pages that do not fit: about how many visits of blocks of them are a step, and after how
// many the lists grow so long that each is another; DeepUM+ knows its past, which is longer.
const (
	pagedAStep = 20
	pagedMore  = 1_500_000
	pastMore   = 300_000
)

// pairsAStep is about how many pairs of kernels AutoTM and Capuchin look at when they plan
// in the time that handling a kernel takes, and plansAStep G10, whose systems have planners
// in their names.
const (
	pairsAStep = 64
	plansAStep = 300
	planners   = "g10"
)

// steps is about how much work a run is: kernels of all iterations, warm-up and what a
// search tries and a plan included, visits of blocks where kernels have many, and pages
// where not all of them fit.
func steps(w Workload, s *settings, name string) int {
	if w.imported != nil && w.imported.cannot != "" {
		return 0
	}
	o := s.options()
	n, iterations := float64(len(w.Kernels)), float64(s.Options.Iterations)
	visits, paged, planning := w.visits(), 0.0, 0.0
	if x, err := core.Find(name); err == nil {
		rt := x.Runtime(&o)
		switch {
		case rt.Memory == engine.InBlocks:
			iterations += float64(rt.Blocks.Warm)
			n += visits / visitsAStep
		case rt.Swapper != nil:
			iterations += float64(rt.Swap.Warm)
		case !x.Bound(&o) && w.bytes() > s.Machine.GPUMemory:
			more := float64(pagedMore)
			if strings.HasSuffix(name, deepumplus.System.Name) {
				more = pastMore
			}
			paged = visits / pagedAStep * (1 + visits/more)
		}
		switch {
		case strings.HasSuffix(name, swapadvisor.System.Name): // its search tries iterations
			iterations += float64(swapadvisor.Population.Of(&o)) * float64(swapadvisor.Generations.Of(&o)+1) / 10
		case strings.HasSuffix(name, autotm.System.Name), strings.HasSuffix(name, capuchin.System.Name):
			planning = n * n / pairsAStep // gaps by the kernels in them
		case strings.Contains(name, planners):
			planning = n * n / plansAStep
		}
	}
	all := float64(n*iterations) + planning + float64(paged*max(1, iterations/2))
	if s.SSD != fixed {
		all *= 5 // on the fixed rates, and until the drive's settle
	}
	return lab.Steps(all)
}

// visits is how many blocks of 2 MiB kernels ask for, one after the other.
func (w *Workload) visits() float64 {
	var bytes float64
	for i := range w.Kernels {
		for _, t := range slices.Concat(w.Kernels[i].Inputs, w.Kernels[i].Outputs) {
			bytes += float64(w.Tensors[t].Bytes)
		}
	}
	return bytes / float64(engine.BlockSize)
}

// bytes is what all tensors have together.
func (w *Workload) bytes() unit.Bytes {
	var n unit.Bytes
	for i := range w.Tensors {
		n += w.Tensors[i].Bytes
	}
	return n
}

// less says what makes a run less work.
const less = "Lower the batch size, the iterations or what a search tries, or give the GPU more memory."
