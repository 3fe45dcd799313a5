package bakery

import (
	"spillway/ui/exec"
	"spillway/ui/model/calls"
)

// A Host writes down what it is asked to do, and does nothing.
type Host struct {
	Jobs            []*exec.Job
	Raised, Stopped []int
}

// Start implements calls.Host.
func (h *Host) Start(j *exec.Job, _ calls.Priority) { h.Jobs = append(h.Jobs, j) }

// Raise implements calls.Host.
func (h *Host) Raise(id int, _ calls.Priority) { h.Raised = append(h.Raised, id) }

// Stop implements calls.Host.
func (h *Host) Stop(ids []int) { h.Stopped = append(h.Stopped, ids...) }
