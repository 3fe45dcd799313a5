package session_test

import (
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/model/state"
)

// TestPickCell picks cells of a section's map: knobs of the view change, as one step
// that can be undone, and the section that they are of opens.
func TestPickCell(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.do(exec.Run)
	h.Sections.Toggle("menu")
	m := report.Map{
		ID: "shelf", Title: "Shelf", Grids: []string{""}, Columns: 2, Rows: []string{"0"}, Cells: []byte{0, 1}, Classes: []string{"rye", "wheat"},
		Pick: report.Pick{Section: "crust", Set: "focus=dream", Key: "slice", First: []int64{4}},
	}
	h.say(h.one(exec.Section), exec.Answer{Section: &report.Section{Maps: []report.Map{m}}})
	if h.Sections.PickCell("speed", 5) || h.Sections.PickCell("section-menu-nothing", 5) || !h.Sections.PickCell("section-menu-shelf", 5) {
		t.Error("what is a map?")
	}
	if look := h.State.Look; look.Text("slice") != "5" || look.Text(state.FocusKey) != "dream" || !h.Sections.IsOpen("crust") {
		t.Errorf("%s", look)
	}
	for _, v := range h.Sections.Views() {
		if maps := h.Sections.Maps(&v); v.Key == "menu" && (len(maps) != 1 || maps[0].ID != "section-menu-shelf" || len(maps[0].Figure.Heat.Here) != 2 || maps[0].Figure.Heat.Here[0] != 1) {
			t.Errorf("%+v", maps)
		}
	}
	h.Undo()
	if look := h.State.Look; look.Text("slice") != "0" || look.Text(state.FocusKey) == "dream" {
		t.Errorf("%s", look)
	}
	h.Sections.PickCell("section-menu-shelf", 77)
	if !strings.Contains(h.Notice, "Slice is 77") {
		t.Errorf("%q", h.Notice)
	}
}
