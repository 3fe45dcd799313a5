package view

import (
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/vugu/vugu"

	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/model/checking"
	"spillway/ui/model/output"
	"spillway/ui/review"
)

// Verdict says what came out of the check of a bundle.
type Verdict struct {
	*App
	rows []checking.Row
	of   *checking.Checking // that was shown last
}

// Compute makes the rows.
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
	c.rows = c.Checking.Rows()
}

func (c *Verdict) tableHTML() vugu.HTML {
	return tableHTML(`<table class="numbers check-table" id="check-table">`, []string{"Part", "Finding", "Where", "Recorded", "Now", "Off"}, len(c.rows), func(i int) string {
		r := &c.rows[i]
		return rowHTML(r.Part) + `<td class="` + r.Class + `">` + html.EscapeString(r.Finding) + `</td><td class="words">` + html.EscapeString(r.Where) + strings.Replace(rowHTML("", r.Recorded, r.Got, r.Off), `<th scope="row"></th>`, `</td>`, 1)
	})
}

func (c *Verdict) percent() string { return strconv.Itoa(c.Checking.Percent()) }

// certify saves what was found as one page.
func (c *Verdict) certify() {
	k := c.Checking.Conclusion()
	p := &review.Certificate{
		Name: k.Name, Finding: k.Finding, Class: k.Class, Says: k.Says, Hash: k.Hash, Lab: k.Lab, Paper: k.Paper, Setup: k.Setup,
		Written: k.Written, Checked: output.Program(c.Version), Time: time.Now().UTC().Format(time.RFC3339), Damaged: c.Checking.Damaged(),
	}
	for i := range c.rows {
		if r := &c.rows[i]; r.Part != "" {
			says := r.Where
			if r.Recorded != "" || r.Got != "" {
				says += ": recorded " + r.Recorded + ", now " + r.Got + "."
			}
			p.Parts = append(p.Parts, review.Part{Name: r.Part, Finding: r.Finding, Class: strings.TrimPrefix(r.Class, "finding "), Says: says})
		}
	}
	c.Page.Save(strings.TrimSuffix(k.Name, ".spillway.zip")+"-check.html", "text/html", review.Certify(p))
}

// SaveBundle downloads the compared runs as a reproducibility bundle.
func (a *App) SaveBundle() {
	a.fresh()
	name := a.Name("bundle", "spillway.zip")
	o := draw.Options{Link: "#" + a.Files.RunLink(), Version: a.Version}
	a.Output.Bundle(a.Pictures(), func(v *chart.View) string { return draw.SVG(v, o) }, func(data []byte, problem string) {
		if problem != "" {
			a.Tell("The bundle cannot be saved: " + problem + ".")
			return
		}
		a.Page.SaveBytes(name, "application/zip", data)
	})
}
