package llm

import (
	"spillway/sim/llm/offload"
	"spillway/sim/report"
)

// Record runs one system as Run does, with curves, and writes down what happens in the measured
// iteration. The record is nil if the system cannot run it.
func Record(s *Setup, name string, p report.Progress) (*Result, *offload.Record, error) {
	var all offload.Recorder
	r, err := run(s, name, offload.Options{Curves: true, Watch: &all}, p)
	if err != nil || !r.Ran() {
		return r, nil, err
	}
	return r, all.Of(r.Result), nil
}
