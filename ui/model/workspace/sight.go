package workspace

import (
	"slices"

	"spillway/ui/model/state"
)

// sight is what a component asks and tells of what is shown: words, and nothing of the state
// itself.
type sight struct{ room *Workspace }

// SetFocus puts a system in focus.
func (x sight) SetFocus(system string) { x.room.SetLook(state.FocusKey, system) }

// SetAxis gives a chart one of its horizontal axes.
func (x sight) SetAxis(chart, axis string) { x.room.SetLook(state.ByKey(chart), axis) }

// Redraw has charts and tables made anew: what the page shows of them is something else.
func (x sight) Redraw() { x.room.Rev++ }

// Viewing is the view that is shown.
func (x sight) Viewing() state.View { return x.room.State.View }

// Compares reports whether a system is compared.
func (x sight) Compares(system string) bool { return slices.Contains(x.room.State.On, system) }

// PanelOf is the key of the panel that a knob is in, empty if there is no such knob.
func (x sight) PanelOf(key string) string {
	if k := x.room.State.Setup.Knob(key); k != nil {
		return k.Panel
	}
	return ""
}

// Say says something once at the top of the page, in place of what stands there; nothing if
// the text is empty.
func (x sight) Say(text string) { x.room.notice(text) }
