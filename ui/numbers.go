package ui

import (
	"html"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model"
)

// Numbers is the table of all quantities.
type Numbers struct {
	*App
	markup
	table string // as HTML
	of    *model.Room
	at    int
}

// Compute makes the table when something changed. It is one string, because
// hundreds of cells cost more than all else on the page, on every drawing.
func (c *Numbers) Compute() {
	c.fresh()
	if c.of == c.Room && c.at == c.Rev {
		return
	}
	c.of, c.at = c.Room, c.Rev
	heads, rows := chart.Numbers(c.Info, c.runs)
	c.table = numbersMarkup("numbers", "Quantity", heads, rows)
}

// numbersMarkup is a table of numbers as HTML.
func numbersMarkup(id, what string, heads []string, rows []chart.Number) string {
	var b strings.Builder
	text := html.EscapeString
	b.WriteString(`<table class="numbers" id="` + id + `"><thead><tr><th scope="col">` + what + `</th><th scope="col">Unit</th>`)
	for _, h := range heads {
		b.WriteString(`<th scope="col">` + text(h) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for _, r := range rows {
		b.WriteString(`<tr><th scope="row" title="` + text(r.Help) + `">` + text(r.Label) + `</th><td class="unit">` + text(r.Unit) + `</td>`)
		for _, x := range r.Cells {
			b.WriteString(`<td class="` + bestClass(x) + `">` + cellMarkup(x) + `</td>`)
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table>`)
	return b.String()
}

// cellMarkup is what a cell of a table shows: the number, and its change since the
// baseline with a word and a color for the better or the worse.
func cellMarkup(x report.Cell) string {
	text := html.EscapeString(x.Text)
	if x.Change == "" {
		return text
	}
	class := "change"
	switch {
	case strings.HasSuffix(x.Change, chart.Better):
		class += " better"
	case strings.HasSuffix(x.Change, chart.Worse):
		class += " worse"
	}
	return text + ` <span class="` + class + `">` + html.EscapeString(x.Change) + `</span>`
}

// inCell is cellMarkup for the markup of components.
func inCell(x report.Cell) vugu.HTML { return vugu.HTML(cellMarkup(x)) }

func (c *Numbers) content() string { return c.table }
