package view

import (
	"slices"
	"strings"
	"testing"

	"spillway/ui/model/palette"
)

func TestTourBar(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	if !strings.Contains(s.html("tour"), `hidden="hidden"`) {
		t.Error("the bar is there without a tour")
	}
	s.root.App.Obey("tour 1")
	s.draw()
	if s.page.shown != "tour" {
		t.Errorf("%q is gone to", s.page.shown)
	}
	if text := s.html("tour-says"); !strings.Contains(text, "…") {
		t.Errorf("numbers before the runs: %s", text)
	}
	s.click("tour-back") // there is nothing before the first
	if s.root.Tour.Number() != 1 {
		t.Errorf("at stop %d", s.root.Tour.Number())
	}
	s.click("tour-next", "tour-end")
	if s.root.Tour.Stop() != nil || s.root.SideEffects == "" || s.page.focused != "main" {
		t.Errorf("%+v, %q, %q", s.root.Tour.Stop(), s.root.SideEffects, s.page.focused)
	}
}

// Every file of the palette is one of the menu, and every one of the menu is there.
func TestPaletteSaves(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	var keys []string
	for _, c := range palette.Commands(s.root.Session) {
		if key, ok := strings.CutPrefix(c.ID, "save "); ok {
			keys = append(keys, key)
		}
	}
	var menu []string
	for _, f := range (&Numbers{App: s.root.App}).formats() {
		menu = append(menu, f.key)
	}
	slices.Sort(keys)
	slices.Sort(menu)
	if !slices.Equal(keys, menu) {
		t.Errorf("the palette has %v, the menu %v", keys, menu)
	}
	s.root.App.Obey("save csv")
	if len(s.page.saved) != 1 || s.page.saved[0].mime != "text/csv" {
		t.Errorf("%+v", s.page.saved)
	}
	s.root.App.Obey("knob ssd_read")
	if s.page.shown != "f-ssd_read" {
		t.Errorf("%q is gone to", s.page.shown)
	}
	s.root.App.Obey("brew coffee")
	if s.root.Notice == "" {
		t.Error("an unknown command is done")
	}
}
