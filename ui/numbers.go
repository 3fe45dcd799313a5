package ui

import (
	"html"
	"strings"

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
	var b strings.Builder
	text := func(s string) string { return html.EscapeString(s) }
	b.WriteString(`<table class="numbers" id="numbers"><thead><tr><th scope="col">Quantity</th><th scope="col">Unit</th>`)
	for _, h := range heads {
		b.WriteString(`<th scope="col">` + text(h) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for _, r := range rows {
		b.WriteString(`<tr><th scope="row" title="` + text(r.Help) + `">` + text(r.Label) + `</th><td class="unit">` + text(r.Unit) + `</td>`)
		for _, x := range r.Cells {
			b.WriteString(`<td class="` + bestClass(x) + `">` + text(x.Text) + `</td>`)
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table>`)
	c.table = b.String()
}

func (c *Numbers) content() string { return c.table }
