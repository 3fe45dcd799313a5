package train

import (
	"slices"

	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/swap"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// visitsAStep is about how many visits of blocks take as long as handling a kernel.
const visitsAStep = 50

// Pages that do not fit: about how many visits of blocks of them are a step, and after how
// many the lists grow so long that each is another, where a system does not say (Effort.Past).
const (
	pagedAStep = 20
	pagedMore  = 1_500_000
)

// Steps is about how much work a run of w is, in steps of about 2.5 µs natively: kernels
// of all iterations, warm-up and what a search tries and a plan included, visits of blocks
// where kernels have many, and pages where not all of them fit.
func (q *Request) Steps(w *workload.Workload) float64 {
	o := &q.Options
	n, iterations := float64(len(w.Kernels)), float64(o.Iterations)
	visits, paged, planning := visits(w), 0.0, 0.0
	if x, _, err := q.system(); err == nil {
		switch rt := x.Runtime(o).(type) {
		case blocks.Memory:
			iterations += float64(rt.Warm)
			n += visits / visitsAStep
		case swap.Memory:
			iterations += float64(rt.Warm)
		default:
			if x.Bound(o) || tensorBytes(w) <= q.Machine.GPUMemory {
				break
			}
			more := float64(pagedMore)
			if x.Effort.Past > 0 {
				more = x.Effort.Past
			}
			paged = visits / pagedAStep * (1 + visits/more)
		}
		if x.Effort.Tried != nil {
			iterations += x.Effort.Tried(o)
		}
		if x.Effort.Pairs > 0 {
			planning = n * n / x.Effort.Pairs
		}
	}
	all := float64(n*iterations) + planning + float64(paged*max(1, iterations/2))
	if x, _, err := q.system(); err == nil && q.spares(&x) {
		all *= float64(2 + mostSpared*len(spares))
	}
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
	return bytes / float64(blocks.Size)
}

// tensorBytes is what all tensors have together.
func tensorBytes(w *workload.Workload) unit.Bytes {
	var n unit.Bytes
	for i := range w.Tensors {
		n += w.Tensors[i].Bytes
	}
	return n
}
