package ui

import (
	"strings"
	"testing"
)

func TestBaseline(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10")
	s.finish()
	plain := s.html("headline")
	if got := s.html("baseline"); !strings.Contains(got, "Pin as baseline") || strings.Contains(s.root.numbers.(*Numbers).table, "change") {
		t.Errorf("without a baseline: %s", got)
	}
	s.click("pin")
	if got := s.html("baseline"); !strings.Contains(got, "This is the baseline.") || s.html("headline") != plain {
		t.Errorf("pinned: %s", got)
	}
	s.fire("f-ssd_read", "input", "12.8")
	s.finish()
	if got := s.html("headline"); !strings.Contains(got, "Four times the SSD read rate ") {
		t.Errorf("headline %s", got)
	}
	if got := s.html("baseline"); !strings.Contains(got, "Since the baseline: SSD read 3.2 → 12.8 GB/s.") {
		t.Errorf("baseline %s", got)
	}
	if got := s.root.numbers.(*Numbers).table; !strings.Contains(got, `% better</span>`) || !strings.Contains(got, `class="change better"`) {
		t.Error("no number says its change")
	}
	s.click("numbers-breakdown")
	if got := s.html("figure-breakdown"); !strings.Contains(got, `class="change better"`) {
		t.Error("the table under a chart says no change")
	}
	s.click("return")
	if got := s.html("headline"); got != plain {
		t.Errorf("back at the baseline: %s", got)
	}
	s.click("pin")
	if got := s.html("baseline-says"); strings.Contains(got, "baseline.") {
		t.Errorf("unpinned: %s", got)
	}
}
