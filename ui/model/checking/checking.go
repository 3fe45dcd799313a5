// Package checking is a bundle that was opened, computed again.
package checking

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
)

// A Checking is a bundle that was opened: what it says about itself, and what came
// out when its parts were computed again.
type Checking struct {
	Name     string // of its file
	Info     *exec.BundleInfo
	Verdicts []*exec.Verdict // by part, nil where it is not known yet
	Error    string          // why it cannot be checked

	version string
	table   *calls.Table
	draw    func()
	Number  int // of the set of files that it is
	jobs    []*calls.Call
	next    int // the first part that no worker has got
}

// Begin checks a bundle that was opened under a number, as a version of the program would
// make it again; known reports whether there is such a laboratory, and draw has it drawn how
// far the check is.
func Begin(name string, number int, info *exec.BundleInfo, version string, t *calls.Table, known func(lab string) bool, draw func()) *Checking {
	c := &Checking{Name: name, Info: info, Verdicts: make([]*exec.Verdict, len(info.Parts)), version: version, table: t, draw: draw, Number: number}
	switch {
	case !known(info.Lab):
		c.Error = fmt.Sprintf("It is about the laboratory %q, which this version does not have.", info.Lab)
	case len(info.Parts) == 0:
		c.Error = "It is damaged: nobody can say what ran."
	default:
		c.feed()
	}
	return c
}

// Stop ends the check.
func (c *Checking) Stop() {
	if c != nil {
		calls.Stop(c.jobs...)
	}
}

// feed hands parts to the workers. A paper's claims, or the texts of another bundle, come
// last: they are made of what the others give.
func (c *Checking) feed() {
	for c.next < len(c.Verdicts) && len(c.jobs) < calls.MostAtOnce {
		o := &exec.BundleRequest{Version: c.version, Part: c.next}
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
		c.begin(o, priority)
		c.next++
	}
}

// begin has a part computed again, and then compared.
func (c *Checking) begin(o *exec.BundleRequest, priority calls.Priority) {
	compare := func() {
		j := &exec.Job{Lab: c.Info.Lab, Kind: exec.Check, Files: c.Number, Order: o}
		c.jobs = append(c.jobs, c.table.Start(j, priority, nil, func(a *exec.Answer) { c.checked(o.Part, a) }))
	}
	ask := c.Info.Asks[o.Part]
	if ask == nil || c.Info.Wrong != "" { // damaged, or nothing can be run
		o.Failed = c.Info.Wrong
		compare()
		return
	}
	j := &exec.Job{Lab: c.Info.Lab, Kind: exec.Again, Ask: ask, Outcomes: o.Outcomes}
	if c.Info.Opened {
		j.Files = c.Number
	}
	c.jobs = append(c.jobs, c.table.Start(j, priority, nil, func(a *exec.Answer) {
		c.jobs = slices.DeleteFunc(c.jobs, func(x *calls.Call) bool { return !x.Active() })
		o.Redone, o.Failed = []*exec.Redone{a.Redone}, a.Error
		o.Outcomes = nil // they are in what was computed of them
		compare()
	}))
}

// checked takes what a worker found of a part.
func (c *Checking) checked(part int, a *exec.Answer) {
	c.draw()
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

// A Conclusion is what was found in all, for a certificate.
type Conclusion struct {
	Name              string // of the file
	Finding, Class    string // in a word, and its color: "ok", "warn" or "bad"
	Says              string // how many parts are as recorded, and what was not checked
	Hash              string // the SHA-256 of its manifest's sums
	Lab, Paper, Setup string // what it is about
	Written           string // the version that wrote it
}

// Conclusion returns what was found in all.
func (c *Checking) Conclusion() Conclusion {
	f := c.Finding()
	says := c.Says()
	if first, rest, _ := strings.Cut(says, ". "); strings.EqualFold(first, f.String()) {
		says = rest // the word stands by itself
	}
	i := c.Info
	return Conclusion{c.Name, f.String(), f.Class(), says, i.Root, i.Lab, i.Paper, i.Setup, i.Version}
}

// Damaged says which bytes are not what the manifest says.
func (c *Checking) Damaged() []string { return c.Info.Damaged }

// A Row is a part's finding, or one more difference of it, as a table shows it.
type Row struct {
	exec.Difference
	Part, Finding, Class string
}

// mostRows is how many rows the table has.
const mostRows = 200

// Rows are what was found. Of a paper's hundreds of runs only those are named that were not
// replayed.
func (c *Checking) Rows() []Row {
	var list []Row
	for _, v := range c.Verdicts {
		if v == nil || v.Finding == exec.Replayed && c.Info.Paper != "" && v.Says == "" || len(list) >= mostRows {
			continue
		}
		r := Row{Part: v.Part, Finding: v.Finding.Mark() + " " + v.Finding.String(), Class: "finding " + v.Finding.Class()}
		r.Where = v.Says
		if len(v.Differences) > 0 {
			r.Difference = v.Differences[0]
			if v.Says != "" {
				r.Where += ". " + v.Says
			}
		}
		list = append(list, r)
		for _, d := range v.Differences[min(1, len(v.Differences)):] {
			list = append(list, Row{Difference: d})
		}
	}
	return list
}

// Class is the color of the conclusion.
func (c *Checking) Class() string {
	if c.Active() {
		return "check-says"
	}
	return "check-says " + c.Finding().Class()
}

// Mark is the sign of the conclusion.
func (c *Checking) Mark() string {
	if c.Active() {
		return "…"
	}
	return c.Finding().Mark()
}

// Percent is how much has been checked, from 0 to 100.
func (c *Checking) Percent() int {
	return 100 * c.Known() / max(1, len(c.Verdicts))
}

// About says what the bundle is of, and how to read the findings.
func (c *Checking) About() string {
	i := c.Info
	what := "the paper " + i.Paper
	if i.Paper == "" {
		what = "the settings " + i.Setup
	}
	version := "by an unknown version"
	if i.Version != "" {
		version = "by version " + i.Version
	}
	return fmt.Sprintf("A bundle of laboratory %s, of %s, written %s. Its results are computed again here: replayed means identical to the last byte, agrees within 0.1 %%.", i.Lab, what, version)
}
