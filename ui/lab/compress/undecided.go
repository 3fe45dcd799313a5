package compress

import (
	"fmt"

	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
)

// undecided says which targets a sample cannot tell: those of tensors one of whose
// shares lies within two standard errors of the Buddy Threshold. It is empty where
// nothing was sampled, or no threshold is asked.
func undecided(w *memory, r *result) string {
	if len(w.tensors) == 0 || r.variant.Ideal || r.variant.Traffic || r.variant.Whole || r.Script != nil && !r.reads {
		return ""
	}
	limit := r.setup.Threshold.Float()
	var n int
	var bytes unit.Bytes
	for i := range w.tensors {
		a := &w.programs[0].Allocations[i]
		for k, e := range w.tensors[i].Errors {
			share := a.Snapshots[0].Overflow(buddy.X133 + buddy.Target(k))
			if off := 2 * float64(e) / 1000; e > 0 && share > limit-off && share < limit+off {
				n, bytes = n+1, bytes+a.Bytes
				break
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("The target of one tensor (%v) is not certain: its sample lies within two standard errors of the Buddy Threshold. Compressing all entries would tell.", bytes)
	}
	return fmt.Sprintf("The targets of %d tensors (%v) are not certain: their samples lie within two standard errors of the Buddy Threshold. Compressing all entries would tell.", n, bytes)
}
