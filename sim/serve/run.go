package serve

import (
	"errors"

	"spillway/sim/report"
)

// Run serves a workload. The error says which number of a setting or a request cannot be; what a machine cannot hold is in
// Result.Refused.
func Run(w *Workload, s *Setting, p report.Progress) (*Result, error) {
	return nil, errors.New("not yet")
}
