package train

import (
	"slices"
	"strings"

	"spillway/sim/train/engine"
	"spillway/sim/train/system/autotm"
	"spillway/sim/train/system/capuchin"
	"spillway/sim/train/system/deepumplus"
	"spillway/sim/train/system/swapadvisor"
	"spillway/sim/unit"
	"spillway/sim/workload"
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

// Steps is about how much work a run of w is, in steps of about 2.5 µs natively: kernels
// of all iterations, warm-up and what a search tries and a plan included, visits of blocks
// where kernels have many, and pages where not all of them fit.
func (q *Request) Steps(w *workload.Workload) float64 {
	name, o := q.System, &q.Options
	n, iterations := float64(len(w.Kernels)), float64(o.Iterations)
	visits, paged, planning := visits(w), 0.0, 0.0
	if x, err := Find(name); err == nil {
		rt := x.Runtime(o)
		switch {
		case rt.Memory == engine.InBlocks:
			iterations += float64(rt.Blocks.Warm)
			n += visits / visitsAStep
		case rt.Swapper != nil:
			iterations += float64(rt.Swap.Warm)
		case !x.Bound(o) && tensorBytes(w) > q.Machine.GPUMemory:
			more := float64(pagedMore)
			if strings.HasSuffix(name, deepumplus.System.Name) {
				more = pastMore
			}
			paged = visits / pagedAStep * (1 + visits/more)
		}
		switch {
		case strings.HasSuffix(name, swapadvisor.System.Name): // its search tries iterations
			iterations += float64(swapadvisor.Population.Of(o)) * float64(swapadvisor.Generations.Of(o)+1) / 10
		case strings.HasSuffix(name, autotm.System.Name), strings.HasSuffix(name, capuchin.System.Name):
			planning = n * n / pairsAStep // gaps by the kernels in them
		case strings.Contains(name, planners):
			planning = n * n / plansAStep
		}
	}
	all := float64(n*iterations) + planning + float64(paged*max(1, iterations/2))
	if q.SSD != "" {
		all *= 5 // on the fixed rates, and until the drive's settle
	}
	return all
}

// visits is how many blocks of 2 MiB kernels ask for, one after the other.
func visits(w *workload.Workload) float64 {
	var bytes float64
	for i := range w.Kernels {
		for _, t := range slices.Concat(w.Kernels[i].Inputs, w.Kernels[i].Outputs) {
			bytes += float64(w.Tensors[t].Bytes)
		}
	}
	return bytes / float64(engine.BlockSize)
}

// tensorBytes is what all tensors have together.
func tensorBytes(w *workload.Workload) unit.Bytes {
	var n unit.Bytes
	for i := range w.Tensors {
		n += w.Tensors[i].Bytes
	}
	return n
}
