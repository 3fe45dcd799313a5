package flashneuron

import (
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// LossKernel is lossKernel for tests outside.
func LossKernel(w *workload.Workload) workload.KernelID { return lossKernel(w, vitality.Analyze(w)) }
