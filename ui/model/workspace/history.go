package workspace

import (
	"cmp"
	"maps"
	"slices"

	"spillway/ui/model/state"
)

// History is the way back and forth.
type History struct {
	undo, redo []Step
	lastEdit   string // field of the newest step, to join keystrokes
}

// A Step is everything that undo brings back.
type Step struct {
	State  state.State
	Drafts map[string]string
	Files  int // number of the set of opened files that was there, 0 if none
}

// CanUndo reports whether there is a step to take back.
func (h *History) CanUndo() bool { return len(h.undo) > 0 }

// CanRedo reports whether a step was taken back.
func (h *History) CanRedo() bool { return len(h.redo) > 0 }

// Steps are the ways back and forth, the nearest step last.
func (h *History) Steps() (undo, redo []Step) { return h.undo, h.redo }

// SetSteps gives the ways back and forth that there were before.
func (h *History) SetSteps(undo, redo []Step) { h.undo, h.redo = undo, redo }

// Rebase makes a change, which nobody did here, in the state of every step: none of them
// undoes it.
func (h *History) Rebase(do func(*state.State)) {
	for _, steps := range [][]Step{h.undo, h.redo} {
		for i := range steps {
			do(&steps[i].State)
		}
	}
}

// push adds a step to the way back.
func (h *History) push(s Step) {
	h.undo = append(h.undo, s)
	if len(h.undo) > 500 {
		h.undo = slices.Delete(h.undo, 0, 100)
	}
}

// step is what undo would bring back.
func step(w *Workspace) Step { return Step{w.State.Clone(), maps.Clone(w.Drafts), w.Files} }

// restore shows what a step has.
func (w *Workspace) restore(s Step) {
	s.State.View, s.State.Figure, s.State.Zoom = w.State.View, w.State.Figure, w.State.Zoom // undo is about settings
	s.State.Keep(&w.State)
	w.State, w.Drafts, w.lastEdit, w.SideEffects = s.State, s.Drafts, "", ""
	w.Chosen = ""
	clear(w.wishes)
	if s.Files != w.Files && s.Files != 0 && w.Restored != nil {
		w.Files = s.Files
		w.Restored(s.Files)
	}
	w.Refresh()
}

// Change does a named step that Undo takes back. Steps of the same name in a row
// are one step when the name is not empty.
func (w *Workspace) Change(name string, do func()) {
	w.State.Preset = cmp.Or(w.Preset(), w.State.Preset)
	before := step(w)
	w.SideEffects, w.Chosen = "", ""
	do()
	if name == "" || name != w.lastEdit || len(w.undo) == 0 {
		w.push(before)
	}
	w.redo, w.lastEdit = nil, name
	w.Refresh()
}

// Undo takes the newest step back.
func (w *Workspace) Undo() { w.takeStep(&w.undo, &w.redo) }

// Redo takes the newest undone step again.
func (w *Workspace) Redo() { w.takeStep(&w.redo, &w.undo) }

// takeStep goes the newest step of a way, which is then one of the way back.
func (w *Workspace) takeStep(way, back *[]Step) {
	last := len(*way) - 1
	if last < 0 {
		return
	}
	s := (*way)[last]
	*back, *way = append(*back, step(w)), (*way)[:last]
	w.restore(s)
}
