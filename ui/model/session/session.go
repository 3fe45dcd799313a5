// Package session is a visitor's work in all laboratories: it opens links, and makes each
// laboratory of its parts.
package session

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/checking"
	"spillway/ui/model/files"
	"spillway/ui/model/link"
	"spillway/ui/model/memory"
	"spillway/ui/model/question"
	"spillway/ui/model/state"
)

// A Host does for a session what needs the browser.
type Host interface {
	// Host does jobs; their answers come back through Session.Answer.
	calls.Host
	// Fetch asks for a laboratory's Info; it comes back through Session.Enter. opening is
	// true where what the laboratory opens on will be shown.
	Fetch(lab string, opening bool)
	// Recorded asks for what runs of a laboratory's papers said when the site was built; it comes
	// back through Session.Ship, or not.
	Recorded(lab string)
	// Answered asks for what a laboratory's ready questions answer; it comes back through
	// Session.ShipCards, or not.
	Answered(lab string)
	// Stored returns the text that the browser keeps under a name, "" if none.
	Stored(name string) string
	// Store has the browser keep a text, and reports whether it does.
	Store(name, text string) bool
}

// A Tab is a laboratory as the head of the page lists it.
type Tab struct {
	Name, Title, About string
	Ways               []lab.Way
}

// A Session is one visitor's work in all laboratories.
type Session struct {
	Tabs []Tab
	// Laboratory is the one that is shown, nil before its Info has come.
	*Laboratory
	// Notice is said once at the top of the page, empty if nothing.
	Notice string
	// Version is that of the program, as bundles name it.
	Version string
	// Checking is the bundle that was opened last, nil if none.
	Checking *checking.Checking

	host     Host
	calls    *calls.Table
	changed  bool // since the newest answer came: what is shown is to be drawn
	labs     map[string]*Laboratory
	wanted   string      // the laboratory whose Info was asked for
	arrived  *link.Link  // the link that asked for it, nil if none did
	then     func()      // what is to be done there, nil if nothing
	sets     files.Count // of files, in any laboratory
	memory   []memory.Memory
	attached *attachedFiles // files that come with the link that is being opened
}

// New returns a session that shows what a link's fragment says.
func New(tabs []Tab, fragment string, h Host) *Session {
	n := &Session{Tabs: tabs, host: h, calls: calls.NewTable(h), labs: map[string]*Laboratory{}}
	n.Visit(fragment)
	return n
}

// Tell says something once at the top of the page, in place of what stands there; nothing if
// the text is empty.
func (n *Session) Tell(text string) { n.Notice = text }

// Wanted is the laboratory that is shown or asked for.
func (n *Session) Wanted() string {
	if n.wanted != "" {
		return n.wanted
	}
	if n.Laboratory != nil {
		return n.Laboratory.Info.Name
	}
	return ""
}

// Visit shows the state of a link.
func (n *Session) Visit(fragment string) {
	link, err := link.Parse(fragment)
	n.Notice = ""
	if err != nil {
		n.Notice = prose.Capital(err.Error()) + "."
	}
	name := link.Lab
	if name == "" {
		name = n.Tabs[0].Name
	}
	if !slices.ContainsFunc(n.Tabs, func(t Tab) bool { return t.Name == name }) {
		n.Notice = fmt.Sprintf("This link is about the laboratory %q, which this version does not have.", name)
		name, link.Pairs = n.Tabs[0].Name, nil
	}
	n.open(name, &link)
}

// Go shows another laboratory as it was left.
func (n *Session) Go(name string) { n.open(name, nil) }

// GoThen is Go, and then does something there.
func (n *Session) GoThen(name string, then func()) {
	n.open(name, nil)
	if n.wanted == name {
		n.then = then
		return
	}
	then()
}

func (n *Session) open(name string, at *link.Link) {
	n.then = nil
	l := n.labs[name]
	if l == nil {
		n.wanted, n.arrived = name, at
		n.host.Fetch(name, at == nil || len(at.Pairs) == 0)
		return
	}
	n.wanted = ""
	if n.Laboratory != nil && n.Laboratory != l {
		n.Rest()
	}
	n.Laboratory = l
	if at != nil {
		n.adoptFiles(l)
		n.visit(l, at)
		return
	}
	n.resume(l)
	n.adoptFiles(l)
	l.Refresh()
}

// visit shows the state of a link.
func (n *Session) visit(l *Laboratory, at *link.Link) {
	s := state.Opening(l.Info)
	if !at.Empty {
		var err error
		if s, err = link.Read(l.Info, at.Pairs); err != nil {
			n.Notice = strings.TrimPrefix(n.Notice+" "+prose.Capital(err.Error())+".", " ")
		}
	}
	if l.Show(&s) {
		n.recall(l)
		l.Refresh()
	}
}

// resume shows a laboratory as it was before a reload, if it has not been shown since.
func (n *Session) resume(l *Laboratory) {
	at := slices.IndexFunc(n.memory, func(m memory.Memory) bool { return m.Lab == l.Info.Name })
	if at < 0 || !l.New() {
		return
	}
	if s, ok := n.memory[at].State(l.Workspace); ok {
		l.State = s
		n.recall(l)
	}
}

// recall gives a laboratory what is remembered of it, if it is about the state that is
// shown.
func (n *Session) recall(l *Laboratory) {
	at := slices.IndexFunc(n.memory, func(m memory.Memory) bool { return m.Lab == l.Info.Name })
	if at < 0 {
		return
	}
	if files, ok := n.memory[at].Restore(l.Workspace); ok {
		n.memory = slices.Delete(n.memory, at, at+1)
		l.Files.Remembered = files
		l.Refresh()
	}
}

// Memory returns what Recall takes after a reload.
func (n *Session) Memory() string {
	var list []memory.Room
	for _, t := range n.Tabs {
		if l := n.labs[t.Name]; l != nil {
			list = append(list, memory.Room{Room: l.Workspace, Names: l.Files.Names})
		}
	}
	return memory.Write(list)
}

// Recall takes the text that Memory returned before a reload. What cannot be read
// is as if it had not been there.
func (n *Session) Recall(text string) {
	n.memory = append(n.memory, memory.Read(text)...)
	for _, t := range n.Tabs {
		if l := n.labs[t.Name]; l != nil {
			n.recall(l)
		}
	}
}

// Open begins to read files, which join those that are open or are a new set. hand gives
// them to the host.
func (n *Session) Open(names []string, hand files.Hand) {
	switch l := n.Laboratory; {
	case l == nil:
		n.Notice = "The files came before the page was ready. Drop them again."
	case l.Info.Entry == "":
		n.Notice = fmt.Sprintf("%s takes no files. Choose another laboratory at the top, then drop them again.", l.Info.Title)
	default:
		l.Files.Open(names, hand)
	}
}

// Enter takes the Info that Fetch asked for. A non-empty problem says why it has
// only the name.
func (n *Session) Enter(info *lab.Info, problem string) {
	if problem != "" {
		if n.wanted == info.Name { // not another by now
			n.Notice = fmt.Sprintf("The laboratory did not open: %s. Check the connection, then choose it again.", problem)
			n.wanted = ""
		}
		return
	}
	if n.labs[info.Name] == nil {
		n.labs[info.Name] = newLaboratory(n, info)
	}
	if n.wanted == info.Name {
		then := n.then
		n.open(info.Name, n.arrived)
		if then != nil {
			then()
		}
	}
}

// Ship takes what runs of a laboratory's papers said when the site was built.
func (n *Session) Ship(lab string, list []study.Recording) {
	if l := n.labs[lab]; l != nil {
		l.Papers.Ship(list)
	}
}

// ShipCards takes what a laboratory's ready questions answer.
func (n *Session) ShipCards(lab string, list []question.Card) {
	if l := n.labs[lab]; l != nil {
		l.Question.Ship(list)
	}
}

// Answer takes what a worker said. Answers to jobs that nobody waits for any
// more are dropped; it reports whether something that is shown changed.
func (n *Session) Answer(a *exec.Answer) bool {
	n.changed = false
	n.calls.Answer(a)
	return n.changed
}
