package view

import (
	"fmt"
	"strconv"

	"spillway/ui/draw"
	"spillway/ui/exec"
	"spillway/ui/model/checking"
)

// Verdict says what came out of the check of a bundle.
type Verdict struct {
	*App
	rows []verdictRow
	of   *checking.Checking // that was shown last
}

// A verdictRow is a row of the table: a part's finding, or one more difference of
// it.
type verdictRow struct {
	exec.Difference
	part, finding, class string
}

// mostVerdicts is how many rows the table has.
const mostVerdicts = 200

// Compute makes the rows. Of a paper's hundreds of runs only those are named that
// were not replayed.
func (c *Verdict) Compute() {
	c.rows = nil
	fresh := c.of != c.Checking
	c.of = c.Checking
	if c.Checking == nil {
		return
	}
	if fresh {
		c.Page.Show("check") // wherever it was dropped
	}
	for _, v := range c.Checking.Verdicts {
		if v == nil || v.Finding == exec.Replayed && c.Checking.Info.Paper != "" && v.Says == "" || len(c.rows) >= mostVerdicts {
			continue
		}
		r := verdictRow{part: v.Part, finding: v.Finding.Mark() + " " + v.Finding.String(), class: "finding " + findingClass(v.Finding)}
		r.Where = v.Says
		if len(v.Differences) > 0 {
			r.Difference = v.Differences[0]
			if v.Says != "" {
				r.Where += ". " + v.Says
			}
		}
		c.rows = append(c.rows, r)
		for _, d := range v.Differences[min(1, len(v.Differences)):] {
			c.rows = append(c.rows, verdictRow{Difference: d})
		}
	}
}

// findingClass is the color of a finding; its word says the same.
func findingClass(f exec.Finding) string {
	switch f {
	case exec.Replayed, exec.Agrees:
		return "ok"
	case exec.Differs:
		return "warn"
	}
	return "bad"
}

func (c *Verdict) class() string {
	if c.Checking.Active() {
		return "check-says"
	}
	return "check-says " + findingClass(c.Checking.Finding())
}

func (c *Verdict) mark() string {
	if c.Checking.Active() {
		return "…"
	}
	return c.Checking.Finding().Mark()
}

func (c *Verdict) percent() string {
	return strconv.Itoa(100 * c.Checking.Known() / max(1, len(c.Checking.Verdicts)))
}

// about says what the bundle is of, and how to read the findings.
func (c *Verdict) about() string {
	i := c.Checking.Info
	what := "the paper " + i.Paper
	if i.Paper == "" {
		what = "the settings " + i.Setup
	}
	version := "by an unknown version"
	if i.Version != "" {
		version = "by version " + i.Version
	}
	return fmt.Sprintf("A bundle of laboratory %s, of %s, written %s. Its results are computed and its texts written again here: replayed is identical to the last byte, agrees is within 0.1 %%.", i.Lab, what, version)
}

// SaveBundle downloads the compared runs as a reproducibility bundle.
func (a *App) SaveBundle() {
	a.fresh()
	name := a.Name("bundle", "spillway.zip")
	var figures []exec.Drawn
	views := a.Pictures()
	for i := range views {
		if v := &views[i]; v.Figure != nil {
			figures = append(figures, exec.Drawn{Name: v.ID, SVG: draw.SVG(v, draw.Options{Link: "#" + a.Files.RunLink(), Version: a.Version})})
		}
	}
	a.Output.Bundle(figures, func(data []byte, problem string) {
		if problem != "" {
			a.Notice = "The bundle cannot be saved: " + problem + "."
			return
		}
		a.Page.SaveBytes(name, "application/zip", data)
	})
}
