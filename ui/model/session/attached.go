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
		n.attached = &attachedFiles{lab: c.Info.Lab, name: c.Name, number: c.Number}
	}
	n.open(c.Info.Lab, at)
}

// attachedFiles are a set of files that comes with a link, the workload in a bundle, or from
// another laboratory.
type attachedFiles struct {
	lab, name string
	number    int
	from      string         // the other laboratory, empty of a bundle
	files     *files.Offered // that come from there
}

// adoptFiles opens files that are attached to a laboratory, before it is shown.
func (n *Session) adoptFiles(l *Laboratory) {
	b := n.attached
	if b == nil || b.lab != l.Info.Name {
		return
	}
	if n.attached = nil; b.from == "" {
		l.Files.Take(b.name, b.number)
		return
	}
	l.Files.Bring(b.files)
	undo, _ := l.Steps()
	l.arrival = &arrival{len(undo), func() { n.Go(b.from) }}
}

// openElsewhere shows the laboratory that takes files which were dropped in another.
func (n *Session) openElsewhere(from *lab.Info, o *files.Offered) {
	n.changed = true
	to := o.By[0]
	n.attached = &attachedFiles{lab: to.Lab, from: from.Name, files: o}
	n.Notice = fmt.Sprintf("%s is for the laboratory %s, which is shown now; Undo leads back to %s.", files.Describe(o.Names), to.Title, from.Title)
	n.open(to.Lab, nil)
}

// OpenIn opens what was dropped last in another laboratory that takes it.
func (n *Session) OpenIn(lab string) {
	if o := n.Files.Accept(lab); o != nil {
		n.openElsewhere(n.Laboratory.Info, o)
	}
}

// An arrival says how files came to a laboratory: so many steps of undo were there, and what
// leads back from before them.
type arrival struct {
	steps int
	back  func()
}

// leave goes back to the laboratory from which files came, if nothing is chosen of them, or
// no more. It reports whether it does.
func (l *Laboratory) leave() bool {
	undo, _ := l.Steps()
	c := l.arrival
	if c == nil || len(undo) > c.steps {
		return false
	}
	l.arrival = nil
	c.back()
	return true
}

// CanUndo reports whether there is a step to take back.
func (l *Laboratory) CanUndo() bool { return l.arrival != nil || l.Workspace.CanUndo() }

// Undo takes the newest step back. The one that chose of files which came from another
// laboratory leads back there.
func (l *Laboratory) Undo() {
	if !l.leave() {
		l.Workspace.Undo()
		l.leave()
	}
}
