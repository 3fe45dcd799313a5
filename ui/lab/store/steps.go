package store

import (
	core "spillway/sim/store"
	"spillway/sim/store/ops"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// What an operation costs, in steps: itself, and a look at the tensors that could leave.
const (
	ofOperation = 0.15
	ofTensor    = 1.0 / 1200
	bestRuns    = 8 // policies that are tried, of the best known
	// Of somebody's own policy: an operation for a candidate, and how many there may be for each.
	ofCandidate = 1.0 / 1600
	asked       = 40
)

// steps is about how much work a run is: operations, each over the tensors that there are, and of
// the best known so often as policies are run.
func steps(w *trace, s *settings, system string) int {
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
	runs := 1.0
	if system == core.Known().Name {
		runs = bestRuns * float64(1+s.Setup.Prefetch)
	}
	if system == own.Name {
		work := min(float64(s.Own.Work*own.Million), asked*float64(len(w.Ops))*float64(most))
		return lab.Steps(1, float64(float64(len(w.Ops))*(ofOperation+float64(ofTensor*float64(most))))+float64(ofCandidate*work))
	}
	return lab.Steps(runs*float64(len(w.Ops)), ofOperation+float64(ofTensor*float64(most)))
}
