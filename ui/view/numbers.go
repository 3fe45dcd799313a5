package view

import (
	"html"
	"slices"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/session"
	"spillway/ui/table"
)

// Numbers is the table of all quantities.
type Numbers struct {
	*App
	markup
	table string // as HTML
	query string // what rows are to have in their names, small
	of    *session.Laboratory
	at    int

	saving *Formats
}

// Compute makes the table when something changed. It is one string, because
// hundreds of cells cost more than all else on the page, on every drawing.
func (c *Numbers) Compute() {
	c.fresh()
	if c.of == c.Laboratory && c.at == c.Rev {
		return
	}
	c.of, c.at = c.Laboratory, c.Rev
	heads, rows := chart.Numbers(c.Info, c.runs)
	rows = slices.DeleteFunc(rows, func(r chart.Number) bool {
		return !strings.Contains(strings.ToLower(r.Label+" "+r.Unit+" "+r.Help), c.query)
	})
	c.table = numbersMarkup("numbers", "Quantity", heads, rows)
}

// unfolded reports whether the table is shown; in a page inside another one it is what that
// asked for.
func (c *Numbers) unfolded() bool { return c.frame != nil || c.open["numbers"] }

func (c *Numbers) fold() { c.ToggleOpen("numbers") }

// find leaves the rows that have a text.
func (c *Numbers) find(e vugu.DOMEvent) {
	c.query, c.at = strings.ToLower(strings.TrimSpace(e.PropString("target", "value"))), -1
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

// menu has the formats of the table, of all results, and of the run in focus.
func (c *Numbers) menu() vugu.Builder {
	if c.saving == nil {
		c.saving = &Formats{App: c.App, id: "results", about: func() string { return "all numbers" }, list: c.formats}
	}
	return c.saving
}

func (c *Numbers) formats() []format {
	list := c.tableFormats("results", c.SaveCSV, func() *table.File {
		heads, rows := chart.Numbers(c.Info, c.runs)
		_, trust := c.Form.Brief()
		return c.file("All numbers: "+c.Note(), strings.Join(trust, " · "), numbersTable("Quantity", heads, rows))
	})
	return append(list, append([]format{
		{"json", "JSON", "All results", c.SaveJSON},
		{"bundle", "Bundle", "One zip with settings, results and hashes; dropping it here, or spillway check, computes it again and compares", c.SaveBundle},
	}, c.exports()...)...)
}

// exports are the laboratory's formats of the run in focus.
func (c *Numbers) exports() []format {
	var list []format
	system, err := c.Info.System(c.Focus())
	if err != nil {
		return nil
	}
	for i := range c.Info.Exports {
		e := &c.Info.Exports[i]
		label := system.Title + ": " + e.Title
		if e.Workload {
			label = e.Title
		}
		list = append(list, format{e.Key, label, e.About, func() { c.saveExport(e, system) }})
	}
	return list
}

// saveExport has the run of a system written in a format, and downloads it.
func (c *Numbers) saveExport(e *lab.Export, system *lab.System) {
	name := c.Name(system.Name+"-"+e.Key, e.Ext)
	if e.Workload {
		name = c.Name(e.Key, e.Ext)
	}
	c.Output.ExportRun(e, system, lab.Origin{Link: c.link(), Version: c.Version}, func(data []byte) { c.Page.SaveBytes(name, e.Mime, data) })
}

// numbersTable is a table of numbers as files have it: with units beside names.
func numbersTable(what string, heads []string, rows []chart.Number) report.Table {
	t := report.Table{Head: append([]string{what}, heads...)}
	for i := range rows {
		r := &rows[i]
		head := r.Label
		if r.Unit != "" {
			head += ", " + r.Unit
		}
		t.Rows = append(t.Rows, report.Row{Head: head, Cells: r.Cells})
	}
	return t
}

func (c *Numbers) content() string { return c.table }
