package cxlssd

import "spillway/ui/lab"

// ofRequest is how many steps a request is, with DRAM-only beside what runs.
const ofRequest = 0.04

// steps is about how much work a run is: it handles every request.
func steps(w *trace, s *settings, _ string) int {
	m := s.machine()
	return lab.Steps(float64(w.Requests(m.Scale)), ofRequest)
}

// less says what makes a run less work.
const less = "Raise the scale, or lower visits and pages of the classes under Recipe."
