package result

import (
	"math"
	"slices"

	"spillway/sim/unit"
)

// Slowdowns returns every kernel's time over its ideal time, smallest first.
func Slowdowns(r *Result) []float64 {
	// What takes no longer than this ran beside others in a recording: its own time is
	// a mark of its place, and a ratio to it would say nothing.
	least := r.Clock.CyclesUp(unit.Nanosecond)
	xs := make([]float64, 0, len(r.Kernels))
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.Ideal > least {
			xs = append(xs, float64(k.End-k.Start)/float64(k.Ideal))
		}
	}
	slices.Sort(xs)
	return xs
}

// Quantile returns the element of sorted that is nearest to share q, 0 if
// there is none.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(math.Round(q*float64(len(sorted)-1)))]
}
