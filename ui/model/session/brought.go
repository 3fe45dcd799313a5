package session

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/checking"
	"spillway/ui/model/files"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// check begins to check a bundle that was opened under a number.
func (n *Session) check(name string, number int, info *exec.BundleInfo) {
	n.CloseChecking()
	known := func(lab string) bool {
		return slices.ContainsFunc(n.Tabs, func(t Tab) bool { return t.Name == lab })
	}
	n.Checking = checking.Begin(name, number, info, n.Version, n.calls, known, func() { n.changed = true })
}

// CloseChecking ends the check of a bundle and forgets it.
func (n *Session) CloseChecking() {
	n.Checking.Stop()
	n.Checking = nil
}

// OpenChecked shows the run that a bundle is about, with the workload that it
// holds.
func (n *Session) OpenChecked() {
	c := n.Checking
	if c == nil || c.Error != "" {
		return
	}
	at := &link.Link{Lab: c.Info.Lab}
	if c.Info.Paper != "" {
		at.Pairs = []knob.Pair{{Key: "view", Text: string(state.Reproduce)}, {Key: "figure", Text: c.Info.Paper + "." + study.AllClaims}}
	} else {
		pairs, err := knob.Pairs(c.Info.Setup)
		if err != nil {
			n.Notice = prose.Capital(err.Error()) + "."
			return
		}
		at.Pairs = append(pairs, knob.Pair{Key: "systems", Text: strings.Join(c.Info.Systems, ",")})
	}
	if c.Info.Opened {
		n.brought = &brought{lab: c.Info.Lab, name: c.Name, number: c.Number}
	}
	n.open(c.Info.Lab, at)
}

// A brought is a set of files that comes with a link, the workload in a bundle, or from
// another laboratory, which does not take it.
type brought struct {
	lab, name string
	number    int
	from      string   // the other laboratory, empty of a bundle
	names     []string // of the files that come from there
}

// take opens files that are brought to a laboratory, before it is shown.
func (n *Session) take(l *Laboratory) {
	b := n.brought
	if b == nil || b.lab != l.Info.Name {
		return
	}
	if n.brought = nil; b.from == "" {
		l.Files.Take(b.name, b.number)
		return
	}
	l.Files.Bring(b.names, b.number)
	undo, _ := l.Steps()
	l.came = &came{len(undo), func() { n.Go(b.from) }}
}

// elsewhere shows the laboratory that takes files which were opened in another.
func (n *Session) elsewhere(from *lab.Info, names []string, number int, to *exec.Taker) {
	n.changed = true
	n.brought = &brought{lab: to.Lab, from: from.Name, names: names, number: number}
	n.Notice = fmt.Sprintf("%s is for the laboratory %s, which is shown now; Undo leads back to %s.", files.Describe(names), to.Title, from.Title)
	n.open(to.Lab, nil)
}

// A came says how files came to a laboratory: so many steps of undo were there, and what
// leads back from before them.
type came struct {
	steps int
	back  func()
}

// leave goes back to the laboratory from which files came, if nothing is chosen of them, or
// no more. It reports whether it does.
func (l *Laboratory) leave() bool {
	undo, _ := l.Steps()
	c := l.came
	if c == nil || len(undo) > c.steps {
		return false
	}
	l.came = nil
	c.back()
	return true
}

// CanUndo reports whether there is a step to take back.
func (l *Laboratory) CanUndo() bool { return l.came != nil || l.Workspace.CanUndo() }

// Undo takes the newest step back. The one that chose of files which came from another
// laboratory leads back there.
func (l *Laboratory) Undo() {
	if !l.leave() {
		l.Workspace.Undo()
		l.leave()
	}
}
