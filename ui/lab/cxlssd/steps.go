package cxlssd

import (
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// ofRequest is how many steps a request is, with DRAM-only beside what runs.
// A policy that somebody wrote takes about as long again, and no more than its work.
const (
	ofRequest = 0.04
	ofPolicy  = 0.04
)

// steps is about how much work a run is: it handles every request.
func steps(w *trace, s *settings, system string) int {
	scale := s.Setup.Scale
	if s.Entry != "" {
		scale = 1
	}
	if system == own.Name {
		return lab.Steps(float64(w.Requests(scale)), ofRequest+ofPolicy)
	}
	return lab.Steps(float64(w.Requests(scale)), ofRequest)
}

// less says what makes a run less work.
const less = "Raise the scale, or lower visits and pages of the classes under Recipe."
