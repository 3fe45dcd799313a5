package session_test

import (
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// The view of a run over time asks for the system in focus, once, and for no other run; what
// is shown stays until something else is there.
func TestTimeline(t *testing.T) {
	h := newHost(t, "v=4-by-hand&lab=bakery&view=timeline&at=a.1e")
	j := h.one(exec.Timeline)
	if len(h.open(exec.Run)) > 0 || j.System != "oven" || !h.Timeline.Busy() || !strings.Contains(h.Timeline.Waits(), "Oven") || h.Timeline.At() != "a.1e" {
		t.Errorf("%+v, %q at %q", j, h.Timeline.Waits(), h.Timeline.At())
	}
	h.do(exec.Timeline)
	if h.Timeline.Columns != j.ID || h.Timeline.Says() != "75.0 % of the time is rising; the longest single wait is 75 ps of rising, at 0 ps." || h.Timeline.Of() != "Oven" || h.Timeline.Empty() != "" {
		t.Errorf("%d: %q", h.Timeline.Columns, h.Timeline.Says())
	}
	h.Timeline.SetAt("0.1e.0.0")
	if link := h.Link(); !strings.Contains(link, "view=timeline&at=0.1e.0.0&") {
		t.Error(link)
	}
	if h.Timeline.SetAt("<b>"); h.Timeline.At() != "" {
		t.Errorf("%q is shown", h.Timeline.At())
	}
	h.Timeline.Look(10, 20)
	window := h.one(exec.Timeline)
	if window.Window != (lab.Window{From: 10, To: 20}) || h.Timeline.Busy() {
		t.Errorf("%+v", window)
	}
	h.Timeline.Look(10, 15) // the newest counts
	window = h.one(exec.Timeline)
	if h.do(exec.Timeline); h.Timeline.Part != window.ID || h.Timeline.Columns != j.ID {
		t.Errorf("part %d of %d", h.Timeline.Part, h.Timeline.Columns)
	}
	h.Type("watts", "200")
	if again := h.one(exec.Timeline); !h.Timeline.Stale() || again.Setup == j.Setup {
		t.Error("other settings are not asked for, or nothing is shown meanwhile")
	}
	h.Timeline.Cancel()
	if len(h.open(exec.Timeline)) > 0 || !h.Timeline.Stopped() || h.Timeline.Columns != j.ID {
		t.Error("it goes on")
	}
	h.Timeline.Again()
	h.do(exec.Timeline)
	if h.Timeline.Stopped() || h.Timeline.Columns == j.ID {
		t.Error("it is not computed again")
	}
	h.SetFocus("dream")
	if h.one(exec.Timeline).System != "dream" {
		t.Error("another system is in focus")
	}
	h.SetView(state.Explore)
	if len(h.open(exec.Timeline)) > 0 || strings.Contains(h.Link(), "at=") {
		t.Errorf("it is computed though nobody looks: %s", h.Link())
	}
}

// Where there is nothing to see a sentence says why.
func TestNoTimeline(t *testing.T) {
	h := newHost(t, "v=4-by-hand&lab=bakery&view=timeline&watts=14")
	if h.do(exec.Timeline); h.Timeline.Empty() != "The fuse is gone." || h.Timeline.Columns != 0 {
		t.Errorf("%q", h.Timeline.Empty())
	}
	h.Type("watts", "x")
	if !strings.Contains(h.Timeline.Empty(), "not valid") {
		t.Errorf("%q", h.Timeline.Empty())
	}
	untimed := h.Info
	untimed.Timed = false
	if !strings.Contains(h.Timeline.Empty(), "Nothing happens over time") {
		t.Errorf("%q", h.Timeline.Empty())
	}
}
