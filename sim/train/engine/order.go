package engine

import (
	"spillway/sim/train/published"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
)

// Sets returns every kernel's tensors in the order that q prescribes.
func Sets(w *workload.Workload, q quirk.Set) *workload.Sets {
	if q.Has(quirk.PointerOrder) {
		return published.Sets(w)
	}
	return w.Sets()
}
