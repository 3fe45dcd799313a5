package view

import (
	"strings"
	"testing"
)

// The view of a run over time says what is computed, then what the time goes to; another system
// is computed in its place, and what cannot run says why.
func TestTimeline(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=0.2&systems=ideal,uvm,flashneuron&focus=uvm")
	s.finish()
	s.click("see-timeline")
	if waits := s.html("timeline-waits"); !strings.Contains(waits, "Running Base UVM again") {
		t.Error(waits)
	}
	s.click("timeline-cancel", "timeline-again")
	s.finish()
	if title := s.html("timeline-title"); !strings.Contains(title, "Base UVM: ") || !strings.Contains(title, "the longest single wait is") {
		t.Error(title)
	}
	if box := s.html("timeline-box"); strings.Contains(box, "hidden") {
		t.Error(box)
	}
	s.fire("timeline-system", "change", "flashneuron")
	if s.finish(); !strings.Contains(s.html("timeline-empty"), "FlashNeuron cannot run it") || !strings.Contains(s.html("timeline-box"), "hidden") {
		t.Error(s.html("timeline-empty"))
	}
}
