package main

import (
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/workload"
)

// The old form of run has the limit of the laboratory, too, and --force passes it.
func TestTrainingWithin(t *testing.T) {
	j := &job{w: &workload.Workload{Kernels: make([]workload.Kernel, 100)}, q: train.Request{System: "g10"}}
	j.q.Options.Iterations = 1 << 30
	s := &shell{}
	if err := s.within(j); err == nil || !strings.HasSuffix(err.Error(), "--force runs it all the same.") {
		t.Errorf("%v", err)
	}
	s.force = true
	if err := s.within(j); err != nil {
		t.Error(err)
	}
}
