package view

import (
	"html"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/form"
	"spillway/ui/model/sections"
	"spillway/ui/table"
)

// Section is one of the laboratory's own parts of the page.
type Section struct {
	*App
	Key  string
	view sections.View

	saving  *Formats
	maps    []chart.View // of the view's maps
	of      *report.Section
	rev     int
	figures []vugu.Builder    // as many as there were ever maps
	typed   map[string]string // into fields that are still being edited, by key
}

// menu has the formats of the section's tables.
func (c *Section) menu() vugu.Builder {
	if c.saving == nil {
		c.saving = &Formats{App: c.App, id: "section-" + c.Key, about: func() string { return c.view.Title }, list: func() []format {
			return c.tableFormats(c.Key, func() { c.Page.Save(c.Name(c.Key, "csv"), "text/csv", c.shown().CSV) }, func() *table.File {
				mode := c.view.About
				for i := range c.Info.Sections {
					if s := &c.Info.Sections[i]; s.Key == c.Key && s.Run {
						_, trust := c.Form.Brief()
						mode = strings.Join(trust, " · ")
					}
				}
				return c.file(c.view.Title, mode, c.tables()...)
			})
		}}
	}
	return c.saving
}

// Compute finds the section as of now; it may not be there.
func (c *Section) Compute() {
	c.view = sections.View{}
	for _, v := range c.Sections.Views() {
		if v.Key == c.Key {
			c.view = v
		}
	}
	c.draw()
}

// draw makes the charts of the maps, if something has changed.
func (c *Section) draw() {
	if c.of == c.view.Shown && c.rev == c.Rev {
		return
	}
	c.of, c.rev = c.view.Shown, c.Rev
	c.maps = c.Sections.Maps(&c.view)
	for i := len(c.figures); i < len(c.maps); i++ {
		c.figures = append(c.figures, &Figure{App: c.App, source: func() *chart.View {
			if i < len(c.maps) {
				return &c.maps[i]
			}
			return &chart.View{ID: "section-" + c.Key + "-none"} // while it goes away
		}})
	}
}

// plots are the charts that are there now.
func (c *Section) plots() []vugu.Builder { return c.figures[:len(c.maps)] }

// fieldText is what stands in a field: what is being typed into it, so that what comes
// in meanwhile does not overwrite it, else what is set.
func (c *Section) fieldText(f form.Field) string {
	if text, ok := c.typed[f.Key]; ok {
		return text
	}
	return f.Text
}

func (c *Section) typing(key string, e vugu.DOMEvent) {
	if c.typed == nil {
		c.typed = map[string]string{}
	}
	c.typed[key] = e.PropString("target", "value")
}

func (c *Section) picked(key string, e vugu.DOMEvent) {
	delete(c.typed, key)
	c.TurnLook(key, e.PropString("target", "value"))
}

// there reports whether the section is there.
func (c *Section) there() bool { return c.view.Key != "" }

func (c *Section) label() string {
	if c.view.Open {
		return "Hide"
	}
	return "Show"
}

// shown is what is known, or nothing.
func (c *Section) shown() *report.Section {
	if c.view.Shown == nil {
		return &report.Section{}
	}
	return c.view.Shown
}

func (c *Section) text() []string { return c.shown().Text }

func (c *Section) tables() []report.Table { return c.shown().Tables }

func (c *Section) notes() []string { return c.shown().Notes }

// tableHTML is a table, whose rows may open settings.
func (c *Section) tableHTML(t *report.Table) vugu.HTML {
	return tableHTML(`<table class="`+tableClass(*t)+`"><caption>`+html.EscapeString(t.Title)+`</caption>`, t.Head, len(t.Rows), func(i int) string {
		r := &t.Rows[i]
		name := html.EscapeString(r.Head)
		if to, ok := c.Sections.Link(*r).(string); ok {
			name = `<a href="` + html.EscapeString(to) + `">` + name + `</a>`
		}
		var text strings.Builder
		text.WriteString(`<th scope="row" title="` + html.EscapeString(r.Sub) + `">` + name + ` ` + tag("unit", "", html.EscapeString(c.sub(*r))) + `</th>`)
		for i, x := range r.Cells {
			text.WriteString(`<td data-head="` + html.EscapeString(columnOf(t, i)) + `" class="` + bestClass(x) + `" style="` + chart.CellStyle(x) + `">` + html.EscapeString(x.Text) + `</td>`)
		}
		return text.String()
	})
}

// tableHTML is a table with n rows: what opens it, the heads of its columns, and what is in a row.
func tableHTML(open string, head []string, n int, row func(i int) string) vugu.HTML {
	var b strings.Builder
	b.WriteString(open + `<thead><tr>`)
	for _, h := range head {
		b.WriteString(`<th scope="col">` + html.EscapeString(h) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i := range n {
		b.WriteString(`<tr>` + row(i) + `</tr>`)
	}
	b.WriteString(`</tbody></table>`)
	return vugu.HTML(b.String())
}

// rowHTML is a row of texts, the first its head.
func rowHTML(texts ...string) string {
	name := "th"
	var row strings.Builder
	for _, t := range texts {
		row.WriteString(`<` + name + `>` + html.EscapeString(t) + `</` + name + `>`)
		name = "td"
	}
	return `<th scope="row">` + strings.TrimPrefix(row.String(), "<th>")
}

// longSub is how long a row's second line may be to be shown; longer ones are a
// hint of its head.
const longSub = 40

func (c *Section) sub(r report.Row) string {
	if len(r.Sub) > longSub {
		return ""
	}
	return r.Sub
}

func bestClass(x report.Cell) string {
	if len(x.Stack) > 0 {
		return "stack"
	}
	if x.Best {
		return "best"
	}
	return "other"
}

// fields are the section's knobs.
func (c *Section) fields() []form.Field {
	return c.LookFields(&c.view)
}

// narrowColumns is how many columns a window of a phone has room for.
const narrowColumns = 4

// tableClass is the class of a table: on a phone the rows of one with many columns are blocks.
func tableClass(t report.Table) string {
	if len(t.Head) > narrowColumns {
		return "numbers shares many"
	}
	return "numbers shares"
}

// columnOf is the head of the i-th cell of a row, which it bears where rows are blocks.
func columnOf(t *report.Table, i int) string {
	if len(t.Head) <= narrowColumns || i+1 >= len(t.Head) {
		return ""
	}
	return t.Head[i+1]
}
