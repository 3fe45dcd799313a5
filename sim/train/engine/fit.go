package engine

import (
	"fmt"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// KernelsFit returns a *DoesNotFit about the first kernel of w that alone needs more than
// gpuPages, of which tensors take held that no kernel uses.
func KernelsFit(w *workload.Workload, gpuPages, held int64) error {
	var set []workload.TensorID
	for k := range w.Kernels {
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		var pages int64
		for _, t := range set {
			pages += w.Tensors[t].Pages()
		}
		if held > 0 && pages > gpuPages-held {
			return &DoesNotFit{Reason: fmt.Sprintf("kernel %d (%s) alone needs %v, the GPU has %v, of which %v are taken by tensors that no kernel uses; use a larger GPU",
				k, w.Kernels[k].Name, unit.Bytes(pages)*unit.Page, unit.Bytes(gpuPages)*unit.Page, unit.Bytes(held)*unit.Page)}
		}
		if pages > gpuPages {
			return &DoesNotFit{Reason: fmt.Sprintf("kernel %d (%s) alone needs %v, the GPU has %v; use a smaller batch or a larger GPU",
				k, w.Kernels[k].Name, unit.Bytes(pages)*unit.Page, unit.Bytes(gpuPages)*unit.Page)}
		}
	}
	return nil
}
