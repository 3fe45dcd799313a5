package train

import (
	core "spillway/sim/train"
	"spillway/ui/lab"
)

// steps is about how much work a run is.
func steps(w Workload, s *settings, name string) int {
	if w.imported != nil && w.imported.cannot != "" {
		return 0
	}
	q := core.Request{System: name, Machine: s.Machine, Options: s.options()}
	if s.SSD != fixed {
		q.SSD = s.SSD
	}
	return lab.Steps(q.Steps(w.Workload))
}

// Less says what makes a run less work.
const Less = "Lower the batch size, the iterations or what a search tries, or give the GPU more memory."
