package model

import (
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/model/link"
)

// What a reload of the page would lose, as text for the browser's storage of the
// tab: the ways back and forth, what was typed, and the names of opened files.

// memoryFormat is the first line of that text; other formats are ignored.
const memoryFormat = "spillway memory 1"

// mostRemembered is how many steps each way are kept, and mostMemory how many
// bytes of text are read.
const (
	mostRemembered = 100
	mostMemory     = 1 << 20
)

// A memory is what is kept of one room.
type memory struct {
	lab, now   string // the state that it belongs to, as a link
	undo, redo []string
	drafts     string
	files      []string
}

// Memory returns what Recall takes after a reload: no more than it reads. Every
// room has a share of that, of which the oldest steps may find no room.
func (n *Session) Memory() string {
	var rooms []*Room
	for _, t := range n.Tabs {
		if r := n.rooms[t.Name]; r != nil {
			rooms = append(rooms, r)
		}
	}
	var b strings.Builder
	b.WriteString(memoryFormat + "\n")
	for i, r := range rooms {
		b.WriteString(r.memory((mostMemory - b.Len()) / (len(rooms) - i)))
	}
	return b.String()
}

// memory is what is kept of the room, in at most so many bytes.
func (r *Room) memory(most int) string {
	var b strings.Builder
	write := func(what, text string) { b.WriteString(what + " " + text + "\n") }
	write("lab", r.Info.Name)
	write("now", r.Link())
	write("drafts", draftText(r.drafts))
	for _, name := range newest(r.Files.Names) {
		write("file", knob.Join([]knob.Pair{{Key: "name", Text: name}}, " "))
	}
	if b.Len() > most {
		return ""
	}
	b.WriteString(remembered("undo", r, r.undo, most-b.Len()))
	b.WriteString(remembered("redo", r, r.redo, most-b.Len()))
	return b.String()
}

// remembered is the newest of some steps, in their order, a line each, in at most
// so many bytes.
func remembered(what string, r *Room, steps []snapshot, most int) string {
	var lines []string
	for _, s := range slices.Backward(newest(steps)) {
		line := what + " " + s.text(r) + "\n"
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
	slices.SortFunc(list, func(a, b knob.Pair) int { return strings.Compare(a.Key, b.Key) })
	return knob.Join(list, "&")
}

// text is a snapshot as a link and what was typed.
func (s *snapshot) text(r *Room) string { return r.codec.Encode(&s.state) + " " + draftText(s.drafts) }

// Recall takes the text that Memory returned before a reload. What cannot be read
// is as if it had not been there.
func (n *Session) Recall(text string) {
	lines := strings.Split(text, "\n")
	if len(text) > mostMemory || lines[0] != memoryFormat {
		return
	}
	for _, line := range lines[1:] {
		what, text, _ := strings.Cut(line, " ")
		if what == "lab" {
			n.memory = append(n.memory, memory{lab: text})
			continue
		}
		if len(n.memory) == 0 {
			continue
		}
		switch m := &n.memory[len(n.memory)-1]; what {
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
	for _, r := range n.rooms {
		r.recall()
	}
}

// resume shows a room as it was before a reload, if it has not been shown since.
func (r *Room) resume() {
	at := slices.IndexFunc(r.session.memory, func(m memory) bool { return m.lab == r.Info.Name })
	if at < 0 || len(r.undo) > 0 || r.about != nil {
		return
	}
	l, err := link.Parse(r.session.memory[at].now)
	if err != nil || l.Lab != r.Info.Name {
		return
	}
	if s, err := link.Read(r.Info, l.Pairs); err == nil {
		r.State = s
		r.recall()
	}
}

// recall takes what is remembered of the room, if it is about the state that is
// shown.
func (r *Room) recall() {
	n := r.session
	at := slices.IndexFunc(n.memory, func(m memory) bool { return m.lab == r.Info.Name })
	if at < 0 {
		return
	}
	m := n.memory[at]
	if r.today(m.now) != r.Link() || len(r.undo) > 0 || len(r.redo) > 0 {
		return
	}
	n.memory = slices.Delete(n.memory, at, at+1)
	r.undo, r.redo = r.snapshots(m.undo), r.snapshots(m.redo)
	r.drafts = readDrafts(r, m.drafts)
	r.before = m.files
	r.Refresh()
}

// today returns a link as it is written now, empty if it cannot be read. What is
// remembered may be of an older format than what shows the same.
func (r *Room) today(text string) string {
	l, err := link.Parse(text)
	if err != nil || l.Lab != r.Info.Name {
		return ""
	}
	s, err := link.Read(r.Info, l.Pairs)
	if err != nil {
		return ""
	}
	return r.codec.Encode(&s)
}

// snapshots reads steps; one that cannot be read ends them, since those before it
// led there.
func (r *Room) snapshots(texts []string) []snapshot {
	var list []snapshot
	for _, text := range slices.Backward(newest(texts)) {
		written, drafts, _ := strings.Cut(text, " ")
		l, err := link.Parse(written)
		if err != nil || l.Lab != r.Info.Name {
			break
		}
		s, err := link.Read(r.Info, l.Pairs)
		if err != nil {
			break
		}
		list = append(list, snapshot{s, readDrafts(r, drafts)})
	}
	slices.Reverse(list)
	return list
}

// readDrafts reads what was typed into the room's fields.
func readDrafts(r *Room, text string) map[string]string {
	drafts := map[string]string{}
	pairs, err := knob.Pairs(text)
	if err != nil {
		return drafts
	}
	for _, p := range pairs {
		if r.State.Setup.Knob(p.Key) != nil {
			drafts[p.Key] = p.Text
		}
	}
	return drafts
}
