package train

import (
	core "spillway/sim/train"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// A policy of somebody's own asks for so many steps at most, as seen; and of so much work is one.
const (
	ofPolicy = 100_000
	ofWork   = 1600
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
	if name == own.Name { // what is wrong with its text, the run says
		q.Policy, _ = s.Own.Read(core.Asks())
		return lab.Steps(q.Steps(w.Workload) + float64(min(ofPolicy, float64(s.Own.Work*own.Million)/ofWork)))
	}
	return lab.Steps(q.Steps(w.Workload))
}

// Less says what makes a run less work.
const Less = "Lower the batch size, the iterations or what a search tries, or give the GPU more memory."
