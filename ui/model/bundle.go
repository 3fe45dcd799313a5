package model

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// A Checking is a bundle that was opened: what it says about itself, and what came
// out when its parts were computed again.
type Checking struct {
	Name     string // of its file
	Info     *exec.BundleInfo
	Verdicts []*exec.Verdict // by part, nil where it is not known yet
	Error    string          // why it cannot be checked

	session *Session
	number  int // of the set of files that it is
	jobs    []*calls.Call
	next    int // the first part that no worker has got
}

// check begins to check a bundle that was opened under a number.
func (n *Session) check(name string, number int, info *exec.BundleInfo) {
	n.CloseChecking()
	c := &Checking{Name: name, Info: info, Verdicts: make([]*exec.Verdict, len(info.Parts)), session: n, number: number}
	n.Checking = c
	switch {
	case !slices.ContainsFunc(n.Tabs, func(t Tab) bool { return t.Name == info.Lab }):
		c.Error = fmt.Sprintf("It is about the laboratory %q, which this version does not have.", info.Lab)
	case len(info.Parts) == 0:
		c.Error = "It is damaged, so that nobody can say what ran."
	default:
		c.feed()
	}
}

// CloseChecking ends the check of a bundle and forgets it.
func (n *Session) CloseChecking() {
	if c := n.Checking; c != nil {
		calls.Stop(c.jobs...)
	}
	n.Checking = nil
}

// feed hands parts to the workers. A paper's claims, or the texts of another bundle, come
// last: they are made of what the others give.
func (c *Checking) feed() {
	for c.next < len(c.Verdicts) && len(c.jobs) < mostAtOnce {
		o := &exec.Order{Version: c.session.Version, Part: c.next}
		if c.next == len(c.Verdicts)-1 {
			if len(c.jobs) > 0 {
				return
			}
			o.Outcomes, o.Told = exec.Given(c.Verdicts[:c.next])
		}
		priority := calls.Shown
		if c.Info.Paper != "" {
			priority = calls.Behind
		}
		j := &exec.Job{Lab: c.Info.Lab, Kind: exec.Check, Files: c.number, Order: o}
		c.jobs = append(c.jobs, c.session.calls.Start(j, priority, nil, func(a *exec.Answer) { c.checked(o.Part, a) }))
		c.next++
	}
}

// checked takes what a worker found of a part.
func (c *Checking) checked(part int, a *exec.Answer) {
	c.session.changed = true
	c.jobs = slices.DeleteFunc(c.jobs, func(x *calls.Call) bool { return !x.Active() })
	if c.Verdicts[part] = a.Verdict; a.Verdict == nil {
		c.Verdicts[part] = &exec.Verdict{Part: c.Info.Parts[part], Finding: exec.Uncheckable, Says: a.Error}
	}
	c.feed()
}

// Known is how many parts have been checked.
func (c *Checking) Known() int { return len(c.Verdicts) - c.count(nil) }

// Active reports whether parts are still being checked.
func (c *Checking) Active() bool { return c != nil && c.Error == "" && c.Known() < len(c.Verdicts) }

// count counts the parts with a finding, or without one if it is nil.
func (c *Checking) count(f *exec.Finding) (n int) {
	for _, v := range c.Verdicts {
		if v == nil && f == nil || v != nil && f != nil && v.Finding == *f {
			n++
		}
	}
	return n
}

// Finding is the worst of all parts and files.
func (c *Checking) Finding() exec.Finding {
	worst := exec.Replayed
	if c.Error != "" {
		worst = exec.Uncheckable
	}
	if len(c.Info.Damaged) > 0 {
		worst = exec.Damaged
	}
	for _, v := range c.Verdicts {
		if v != nil {
			worst = max(worst, v.Finding)
		}
	}
	return worst
}

// Says is the conclusion, or how far the check is.
func (c *Checking) Says() string {
	if c.Active() {
		return fmt.Sprintf("Checking: %d of %d computed again.", c.Known(), len(c.Verdicts))
	}
	if c.Error != "" {
		return c.Error
	}
	text := prose.Capital(c.Finding().String()) + ". "
	if len(c.Info.Damaged) > 0 {
		text += "Its bytes are not what its manifest says. "
	}
	var parts []string
	for f := exec.Replayed; f <= exec.Damaged; f++ {
		if k := c.count(&f); k > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", k, len(c.Verdicts), f))
		}
	}
	text += strings.Join(parts, ", ") + "."
	if n := c.Info.Pictures; n > 0 {
		text += fmt.Sprintf(" Not checked here: figures/ (%d); spillway check draws them again.", n)
	}
	return text
}

// OpenChecked shows the run that a bundle is about, with the workload that it
// holds.
func (n *Session) OpenChecked() {
	c := n.Checking
	if c == nil || c.Error != "" {
		return
	}
	link := &link.Link{Lab: c.Info.Lab}
	if c.Info.Paper != "" {
		link.Pairs = []knob.Pair{{Key: "view", Text: string(state.Reproduce)}, {Key: "figure", Text: c.Info.Paper + "." + study.AllClaims}}
	} else {
		pairs, err := knob.Pairs(c.Info.Setup)
		if err != nil {
			n.Notice = prose.Capital(err.Error()) + "."
			return
		}
		link.Pairs = append(pairs, knob.Pair{Key: "systems", Text: strings.Join(c.Info.Systems, ",")})
	}
	if c.Info.Opened {
		n.brought = &brought{lab: c.Info.Lab, name: c.Name, number: c.number}
	}
	n.open(c.Info.Lab, link)
}

// A brought is a set of files that comes with a link: the workload in a bundle.
type brought struct {
	lab, name string
	number    int
}

// take opens files that a link brings to this room, before it is visited.
func (r *Room) take() {
	b := r.session.brought
	if b == nil || b.lab != r.Info.Name {
		return
	}
	r.session.brought = nil
	r.stopOpening()
	r.Files = Files{Number: b.number, Names: []string{b.name}, Opening: true}
	r.Files.call = r.call(&exec.Job{Kind: exec.List, Files: b.number, Inside: true}, calls.Shown, r.opened)
}

// unbundled takes the answer to Open when the files are a bundle: those that were
// open before are open again.
func (r *Room) unbundled(info *exec.BundleInfo) {
	f := r.Files
	r.Files = Files{}
	if f.before != nil {
		r.Files = *f.before
	}
	r.session.check(f.What(), f.Number, info)
	r.Refresh()
}

// Bundle asks a worker for a bundle of the compared systems; done gets it, or why
// there is none.
func (r *Room) Bundle(figures []exec.Drawn, done func(data []byte, problem string)) {
	calls.Stop(r.binding)
	if why := r.Blocked(); why != "" {
		done(nil, strings.TrimSuffix(why, "."))
		return
	}
	r.binding = r.call(&exec.Job{
		Kind: exec.Bundle, Setup: r.runs(), Files: r.number(),
		Order: &exec.Order{Systems: r.State.On, Link: r.RunLink(), Version: r.session.Version, Environment: "a page in a browser", Figures: figures},
	}, calls.Shown, func(a *exec.Answer) { done(a.Data, a.Error) })
}
