package store

import (
	"spillway/sim/store/ops"
	"spillway/ui/lab"
)

// What an operation costs, in steps: itself, and a look at the tensors that could leave.
const (
	ofOperation = 0.15
	ofTensor    = 1.0 / 1200
)

// steps is about how much work a run is: operations, each over the tensors that there are.
func steps(w *trace, _ *settings, _ string) int {
	there, most := 0, 0
	for i := range w.Ops {
		switch w.Ops[i].Kind {
		case ops.Create:
			there++
		case ops.Free:
			there--
		}
		most = max(most, there)
	}
	return lab.Steps(float64(len(w.Ops)), ofOperation+float64(ofTensor*float64(most)))
}
