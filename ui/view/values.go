package view

import (
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/table"
)

// Values is a chart that is a table: quantities that only some runs have.
type Values struct {
	*App
	Index  int
	saving *Formats
}

func (c *Values) view() *chart.View { return &c.views[c.Index] }

// valuesHTML is a table of numbers.
func valuesHTML(t *report.Table) vugu.HTML {
	return tableHTML(`<table class="numbers">`, t.Head, len(t.Rows), func(i int) string {
		var text strings.Builder
		text.WriteString(rowHTML(t.Rows[i].Head))
		for _, x := range t.Rows[i].Cells {
			text.WriteString(`<td>` + cellMarkup(x) + `</td>`)
		}
		return text.String()
	})
}

// some reports whether any run has one of the quantities.
func (c *Values) some() bool {
	for i := range c.runs {
		for _, key := range c.Info.Charts[c.Index].Of {
			if r := &c.runs[i]; r.On && r.Report != nil {
				if _, ok := r.Report.Value(c.Info.Quantity(key)); ok {
					return true
				}
			}
		}
	}
	return false
}

// menu has the formats of the table.
func (c *Values) menu() vugu.Builder {
	if c.saving == nil {
		c.saving = &Formats{App: c.App, id: c.view().ID, about: func() string { return c.view().Title }, list: func() []format {
			v := c.view()
			return c.tableFormats(v.ID, func() { c.Page.Save(c.Name(v.ID, "csv"), "text/csv", v.CSV()) }, func() *table.File { return c.file(v.Title, v.Mode, v.Table) })
		}}
	}
	return c.saving
}
