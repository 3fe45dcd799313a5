package session

import (
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/model/checking"
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

// A brought is a set of files that comes with a link: the workload in a bundle.
type brought struct {
	lab, name string
	number    int
}

// take opens files that a link brings to a laboratory, before it is visited.
func (n *Session) take(l *Laboratory) {
	if b := n.brought; b != nil && b.lab == l.Info.Name {
		n.brought = nil
		l.Files.Take(b.name, b.number)
	}
}
