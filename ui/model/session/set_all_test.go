package session_test

import (
	"testing"

	"spillway/sim/knob"
	"spillway/ui/model/state"
)

func TestGive(t *testing.T) {
	h := newHost(t, "v=3&lab=bakery&portions=7")
	give := func(text string) error {
		pairs, err := knob.Pairs(text)
		if err != nil {
			t.Fatal(err)
		}
		return h.SetAll(pairs)
	}
	// What is chosen already brings nothing.
	if err := give("dish=rye watts=200"); err != nil {
		t.Fatal(err)
	}
	h.want("portions", "7")
	h.want("watts", "200")
	// What is chosen anew does, unless it is said.
	if err := give("dish=cake oven=gas"); err != nil {
		t.Fatal(err)
	}
	h.want("portions", "12")
	if err := give("dish=rye portions=9 systems=oven focus=oven by-speed=loaf"); err != nil {
		t.Fatal(err)
	}
	h.want("portions", "9")
	if len(h.State.On) != 1 || h.State.Look.Text(state.ByKey("speed")) != "loaf" {
		t.Errorf("%v, %s", h.State.On, h.State.Look.Text(state.ByKey("speed")))
	}
	// One that cannot be changes nothing, and is no step.
	before := h.Link()
	h.Undo()
	if h.Link() == before {
		t.Error("giving settings is no step that can be taken back")
	}
	h.Redo()
	for _, text := range []string{"watts=1 portions=many", "watts=1 nothing=1", "watts=1 systems=none", "watts=1 focus=none", "dish=cake portions=49"} {
		if err := give(text); err == nil || h.Link() != before {
			t.Errorf("%s: %v, %s", text, err, h.Link())
		}
	}
	if err := give("watts=200"); err != nil || !h.CanUndo() || h.CanRedo() {
		t.Errorf("%v", err)
	}
	// What was typed and is wrong gives way.
	h.Type("watts", "x")
	if err := give("watts=300"); err != nil || len(h.Form.Wrong()) > 0 {
		t.Errorf("%v, %d wrong", err, len(h.Form.Wrong()))
	}
}
