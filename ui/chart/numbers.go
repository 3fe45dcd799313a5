package chart

import (
	"cmp"
	"encoding/csv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// A Number is one row of the table of all quantities.
type Number struct {
	Key, Label, Unit, Help string
	Cells                  []report.Cell // by compared system
}

// Numbers returns the heads and rows of the table of all quantities: one column
// a compared system, first their status. Quantities that no report has are left
// out.
func Numbers(info *lab.Info, runs []Run) (systems []string, rows []Number) {
	rs := visible(runs)
	state := Number{Label: "Status", Help: "Whether the system can run it."}
	for _, r := range rs {
		systems = append(systems, r.System.Title)
		s := orElse(r.status(), "ok")
		if r.Stale && r.Report != nil {
			s += " (outdated)"
		}
		state.Cells = append(state.Cells, report.Cell{Text: s})
	}
	rows = append(rows, state)
	for i := range info.Quantities {
		q := &info.Quantities[i]
		row := Number{Key: q.Key, Label: q.Label, Unit: q.Unit, Help: q.Help, Cells: make([]report.Cell, len(rs))}
		best, known, some := -1, 0, false
		var top float64
		for k, r := range rs {
			row.Cells[k].Text = Dash
			x, ok := r.value(i)
			if !ok {
				continue
			}
			row.Cells[k].Text, some = Cell(q, x)+r.within(info, q), true
			if was, ok := r.before(i); ok {
				row.Cells[k].Change = differ(q, was, x).text()
			}
			if !r.System.Bound {
				known++
			}
			if q.Better != 0 && !r.System.Bound && (best < 0 || float64(q.Better)*x > float64(q.Better)*top) {
				best, top = k, x
			}
		}
		if !some {
			continue
		}
		for k := range row.Cells {
			row.Cells[k].Best = known > 1 && best >= 0 && row.Cells[k].Text == row.Cells[best].Text && !rs[k].System.Bound
		}
		rows = append(rows, row)
	}
	return systems, rows
}

// within is how far off a value of q may be, " ± 12 %", empty where it is certain.
func (r *Run) within(info *lab.Info, q *report.Quantity) string {
	if band, ok := r.value(info.Quantity(q.Band)); q.Band != "" && ok {
		return " ± " + With(Digits(band, 2), "%")
	}
	return ""
}

// CSV returns all quantities with full precision in the units of the values:
// one row a system, their keys in the head, and after all of them one for each
// report of the baseline. Numbers of other settings are left out.
func CSV(c *Context, runs []Run) string {
	rows := [][]string{csvHead(c.Info)}
	for _, r := range visible(runs) {
		rows = append(rows, csvRow(c, r, cmp.Or(r.Setup, c.Setup)))
	}
	for _, r := range visible(runs) {
		if r.Before == nil || c.Base == nil {
			continue
		}
		row := csvRow(c, &Run{System: r.System, On: true, Report: r.Before}, c.Base)
		if row[6] == "ok" {
			row[6] = "baseline"
		}
		rows = append(rows, row)
	}
	return csvText(rows)
}

func csvText(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, row := range rows {
		_ = w.Write(report.Cells(row)) // a Builder takes everything
	}
	w.Flush()
	return b.String()
}

// csvHead are the names of csvRow's columns.
func csvHead(info *lab.Info) []string {
	head := []string{"lab", "system", "title", "setup", "workload", "origin", "status", "reason"}
	for i := range info.Quantities {
		head = append(head, info.Quantities[i].Key)
	}
	return head
}

// csvRow is the row of one run.
func csvRow(c *Context, r *Run, u *knob.Setup) []string {
	setup := ""
	if u != nil {
		setup = u.String()
	}
	row := []string{c.Info.Name, r.System.Name, r.System.Title, setup, "", "", orElse(r.status(), "ok"), r.Error}
	fresh := r.Report != nil && !r.Stale
	switch {
	case fresh:
		row[4], row[5] = r.Report.About, r.Report.Origin
		if r.unfit() {
			row[7] = r.Report.Reason
		}
	case r.Report != nil:
		row[6] = orElse(r.Status, NotRun)
	}
	for i := range c.Info.Quantities {
		cell := ""
		if fresh {
			if x, ok := r.value(i); ok {
				cell = exact(x)
			}
		}
		row = append(row, cell)
	}
	return row
}
