// Package memory is what a reload of the page would lose, as text for the browser's storage of
// the tab: the ways back and forth, what was typed, and the names of opened files.
package memory

import (
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// memoryFormat is the first line of that text; other formats are ignored.
const memoryFormat = "spillway memory 1"

// mostRemembered is how many steps each way are kept, and mostMemory how many
// bytes of text are read.
const (
	mostRemembered = 100
	mostMemory     = 1 << 20
)

// A Memory is what is kept of one laboratory.
type Memory struct {
	Lab        string
	now        string // the state that it belongs to, as a link
	undo, redo []string
	drafts     string
	files      []string
}

// A Room is a laboratory, and the names of the files that are open in it.
type Room struct {
	Room  *workspace.Workspace
	Names []string
}

// Write returns what Read takes after a reload: no more than it reads. Every laboratory has a
// share of that, of which the oldest steps may find no room.
func Write(rooms []Room) string {
	var b strings.Builder
	b.WriteString(memoryFormat + "\n")
	for i, r := range rooms {
		b.WriteString(r.text((mostMemory - b.Len()) / (len(rooms) - i)))
	}
	return b.String()
}

// text is what is kept of a laboratory, in at most so many bytes.
func (r *Room) text(most int) string {
	var b strings.Builder
	write := func(what, text string) { b.WriteString(what + " " + text + "\n") }
	write("lab", r.Room.Info.Name)
	write("now", r.Room.Link())
	write("drafts", draftText(r.Room.Drafts))
	for _, name := range newest(r.Names) {
		write("file", knob.Join([]knob.Pair{{Key: "name", Text: name}}, " "))
	}
	if b.Len() > most {
		return ""
	}
	undo, redo := r.Room.Steps()
	b.WriteString(remembered("undo", r.Room, undo, most-b.Len()))
	b.WriteString(remembered("redo", r.Room, redo, most-b.Len()))
	return b.String()
}

// remembered is the newest of some steps, in their order, a line each, in at most
// so many bytes.
func remembered(what string, w *workspace.Workspace, steps []workspace.Step, most int) string {
	var lines []string
	for _, s := range slices.Backward(newest(steps)) {
		line := what + " " + w.Codec.Encode(&s.State) + " " + draftText(s.Drafts) + "\n"
		if most -= len(line); most < 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "")
}

// newest returns the last of a list, as many as are kept.
func newest[T any](list []T) []T { return list[max(0, len(list)-mostRemembered):] }

// draftText is what was typed as a setup text.
func draftText(drafts map[string]string) string {
	var list []knob.Pair
	for key, text := range drafts {
		list = append(list, knob.Pair{Key: key, Text: text})
	}
	order.Stable(list, func(a, b knob.Pair) int { return strings.Compare(a.Key, b.Key) })
	return knob.Join(list, "&")
}

// Read takes the text that Write returned before a reload. What cannot be read is as if
// it had not been there.
func Read(text string) (list []Memory) {
	lines := strings.Split(text, "\n")
	if len(text) > mostMemory || lines[0] != memoryFormat {
		return nil
	}
	for _, line := range lines[1:] {
		what, text, _ := strings.Cut(line, " ")
		if what == "lab" {
			list = append(list, Memory{Lab: text})
			continue
		}
		if len(list) == 0 {
			continue
		}
		switch m := &list[len(list)-1]; what {
		case "now":
			m.now = text
		case "drafts":
			m.drafts = text
		case "undo":
			m.undo = append(m.undo, text)
		case "redo":
			m.redo = append(m.redo, text)
		case "file":
			if pairs, err := knob.Pairs(text); err == nil && len(pairs) == 1 {
				m.files = append(m.files, pairs[0].Text)
			}
		}
	}
	return list
}

// State is the state that the memory belongs to, and whether it can be read.
func (m *Memory) State(w *workspace.Workspace) (state.State, bool) { return stateOf(w, m.now) }

// stateOf reads a link of a laboratory.
func stateOf(w *workspace.Workspace, text string) (state.State, bool) {
	l, err := link.Parse(text)
	if err != nil || l.Lab != w.Info.Name {
		return state.State{}, false
	}
	s, err := link.Read(w.Info, l.Pairs)
	return s, err == nil
}

// Restore gives a laboratory what is remembered of it, if that is about the state that is
// shown, and returns the names of the files that were open; ok reports whether it did.
// What is remembered may be of an older format than what shows the same.
func (m *Memory) Restore(w *workspace.Workspace) (files []string, ok bool) {
	s, ok := m.State(w)
	if !ok || w.Codec.Encode(&s) != w.Link() || w.CanUndo() || w.CanRedo() {
		return nil, false
	}
	w.SetSteps(steps(w, m.undo), steps(w, m.redo))
	w.Drafts = readDrafts(w, m.drafts)
	return m.files, true
}

// steps reads steps; one that cannot be read ends them, since those before it
// led there.
func steps(w *workspace.Workspace, texts []string) []workspace.Step {
	var list []workspace.Step
	for _, text := range slices.Backward(newest(texts)) {
		written, drafts, _ := strings.Cut(text, " ")
		s, ok := stateOf(w, written)
		if !ok {
			break
		}
		list = append(list, workspace.Step{State: s, Drafts: readDrafts(w, drafts)})
	}
	slices.Reverse(list)
	return list
}

// readDrafts reads what was typed into a laboratory's fields.
func readDrafts(w *workspace.Workspace, text string) map[string]string {
	drafts := map[string]string{}
	pairs, err := knob.Pairs(text)
	if err != nil {
		return drafts
	}
	for _, p := range pairs {
		if w.State.Setup.Knob(p.Key) != nil {
			drafts[p.Key] = p.Text
		}
	}
	return drafts
}
