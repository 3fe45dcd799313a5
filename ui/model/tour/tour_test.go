package tour

import (
	"testing"

	"spillway/ui/lab"
	"spillway/ui/model/bakery"
	"spillway/ui/model/workspace"
)

// sections open, unfold and are ready as they are told.
type sections map[string]bool

func (s sections) IsOpen(key string) bool   { return s[key] }
func (s sections) Unfolded(key string) bool { return s[key] }
func (s sections) Ready(key string) bool    { return s["ready "+key] }
func (s sections) Open(key string)          { s[key] = true }
func (s sections) Toggle(key string)        { s[key] = !s[key] }

// A tour shows the states of its stops, opens what they are about and closes it again, and one
// step of undo leads back to before it.
func TestTour(t *testing.T) {
	i := bakery.New().Info
	i.Presets = []lab.Preset{{Key: "party", Set: "dish=cake oven=gas"}}
	i.Tour = []lab.Stop{
		{Title: "One", Set: "watts=300"},
		{Title: "Two", Preset: "party", Look: "section-crust"},
		{Title: "Three", Preset: "wedding"},
	}
	s, busy, said := sections{}, false, ""
	w := workspace.New(&i, func() {}, func(text string) { said = text })
	before := w.State.Setup.String()
	x := New(w, s, func() bool { return busy })
	if x.Stop() != nil || x.AtStop() || x.Ready() || x.Number() != 0 {
		t.Error("nobody has begun")
	}
	x.GoTo(1)
	if w.State.Setup.Text("watts") != "300" || !x.AtStop() || !x.Ready() {
		t.Errorf("%s", w.State.Setup)
	}
	x.GoTo(2)
	if w.State.Setup.Text("dish") != "cake" || !s["crust"] || x.Ready() {
		t.Errorf("%s, %v", w.State.Setup, s)
	}
	if s["ready crust"] = true; !x.Ready() {
		t.Error("the section is there")
	}
	if busy = true; x.Ready() {
		t.Error("it waits for what runs")
	}
	if w.Type("watts", "7"); x.AtStop() {
		t.Error("what is shown is something else")
	}
	if x.GoTo(1); s["crust"] {
		t.Error("the section stays open")
	}
	if x.GoTo(3); said != `No preset "wedding".` {
		t.Error(said)
	}
	if x.GoTo(4); x.Number() != 3 {
		t.Errorf("it is at %d", x.Number())
	}
	x.End()
	if x.Stop() != nil || w.SideEffects == "" {
		t.Error(w.SideEffects)
	}
	for w.CanUndo() {
		w.Undo()
	}
	if w.State.Setup.String() != before {
		t.Errorf("before it was %s, undo leads to %s", before, w.State.Setup)
	}
}
