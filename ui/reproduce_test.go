package ui

import (
	"strings"
	"testing"

	"spillway/ui/model"
)

func TestReproduceView(t *testing.T) {
	s := newStage(t)
	s.find("view-reproduce")
	s.fire("view-reproduce", "click", "")
	if s.root.State.View != model.Reproduce {
		t.Fatal("the view did not change")
	}
	s.runner.queue = nil // the first view's work
	s.fire("figure-entry-2", "click", "")
	s.fire("run-2", "click", "")
	if !s.root.Paper.Active() {
		t.Fatal("nothing runs")
	}
	s.runner.work(s.root.Session)
	s.draw()
	if text := s.html("verdict-2"); !strings.Contains(text, "hold") {
		t.Errorf("verdict %q", text)
	}
	if text := s.html("paper-claims"); !strings.Contains(text, "5.7 GB") || strings.Contains(text, "not run") {
		t.Errorf("claims: %s", text)
	}
	s.fire("paper-csv", "click", "")
	s.fire("paper-png", "click", "")
	if s.page.saved != 2 {
		t.Errorf("%d downloads; want 2", s.page.saved)
	}
	s.fire("figure-entry-claims", "click", "")
	if text := s.html("paper-title"); !strings.Contains(text, "numbers in the paper") {
		t.Errorf("title %q", text)
	}
	s.fire("run-19", "click", "")
	s.fire("run-19", "click", "") // now it says cancel
	if s.root.Paper.Active() {
		t.Error("cancel did not cancel")
	}
	s.fire("view-explore", "click", "")
	s.find("headline")
}
