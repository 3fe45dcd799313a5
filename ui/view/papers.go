package view

import (
	"html"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/study"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/model/papers"
	"spillway/ui/model/workspace"
	"spillway/ui/review"
)

// Papers is the view that runs what papers published.
type Papers struct {
	*App
	views []papers.View
	sheet vugu.Builder
	markup
}

// Compute refreshes what every part of the view needs.
func (c *Papers) Compute() {
	if c.sheet == nil {
		c.sheet = &Sheet{App: c.App}
	}
	c.views = c.Papers.Views()
}

func (c *Papers) title(v papers.View) string { return v.Title + ", reproduced" }

// remark is what must be known before comparing.
func (c *Papers) remark(v papers.View) string {
	if v.Outline == nil {
		return ""
	}
	return v.Outline.Remark
}

func (c *Papers) canRun(v papers.View) bool {
	return v.Outline != nil && !v.All.Running && !v.All.Known
}

func (c *Papers) canForget(v papers.View) bool { return v.All.Percent > 0 && !c.Papers.Active() }

func (c *Papers) allLabel(v papers.View) string {
	if v.All.Running {
		return "Computing…"
	}
	if v.Seconds > 0 {
		return "Compute all of it here (" + strconv.Itoa(v.Seconds) + " s)"
	}
	return "Compute all of it here"
}

// board is the scoreboard of the paper that is shown.
func (c *Papers) board() string {
	for _, v := range c.views {
		if v.Shown {
			return origins(v)
		}
	}
	return ""
}

// origins is the scoreboard with where the numbers of every figure come from.
func origins(v papers.View) string {
	var pairs []string
	for _, e := range v.Items {
		if e.Origin != "" {
			at := `data-figure="` + html.EscapeString(e.Name) + `"><b>`
			pairs = append(pairs, at, strings.TrimSuffix(at, "<b>")+`<span class="origin">`+html.EscapeString(e.Origin)+`</span><b>`)
		}
	}
	return strings.NewReplacer(pairs...).Replace(v.Board)
}

// items are the paper's figures and, if it states numbers, its claims.
func (c *Papers) items(v papers.View) []papers.Item {
	if v.Outline == nil || v.Outline.Claims == 0 {
		return v.Items
	}
	return append(v.Items[:len(v.Items):len(v.Items)], v.All)
}

func runLabel(e papers.Item) string {
	switch {
	case e.Running:
		return "Cancel"
	case e.Known:
		return "Again"
	}
	return "Run"
}

// run runs a figure, or cancels it. What begins is shown.
func (c *Papers) run(e papers.Item) {
	c.Papers.Turn(e, true)
}

// report downloads what a reviewer wants to see of a paper, as one HTML file.
func (c *Papers) report(v papers.View) {
	c.Papers.Collect(v.Key, func(s *papers.Sheets, problem string) {
		if problem != "" {
			c.Tell("The report cannot be saved: " + problem + ".")
			return
		}
		p, o := c.reproduced(s)
		c.Page.Save("spillway-report-"+v.Key+".html", "text/html", review.HTML([]review.Paper{p}, o))
	})
}

// reproduced is what came of a paper, and how it is written.
func (c *Papers) reproduced(s *papers.Sheets) (review.Paper, review.Options) {
	return review.Paper{Outline: s.Outline, Sheets: s.Figures, All: s.All}, review.Options{Version: c.Version, Environment: workspace.Environment, Figure: c.drawn}
}

// drawn is a figure as SVG, empty if nothing of it is drawn.
func (c *Papers) drawn(sheet *study.Sheet) string {
	if len(sheet.Drawing.Panels) == 0 {
		return ""
	}
	v := chart.Sheet(sheet, c.Info)
	return draw.SVG(&v, draw.Options{Version: c.Version})
}

// all downloads one zip with what spillway reproduce writes into a folder.
func (c *Papers) all(v papers.View) {
	c.Papers.Keep(v.Key, func(s *papers.Sheets, problem string) {
		if problem != "" {
			c.Tell("The files cannot be saved: " + problem + ".")
			return
		}
		p, o := c.reproduced(s)
		o.Bundle, o.Unbound, o.References = s.Bundle, s.Unbound, s.References
		c.Page.SaveZip("spillway-"+v.Key+".zip", review.Files(&p, o, chart.SheetCSV))
	})
}

func (c *Papers) show(name string) {
	c.Papers.Show(name)
	if c.Page.Narrow() { // the list covers the window, and the scoreboard stands before the figure
		c.Page.Show("paper-title")
	}
}

func (c *Papers) problems() []string {
	var list []string
	for _, v := range c.views {
		if v.Problem != "" {
			list = append(list, v.Problem)
		}
	}
	return list
}
