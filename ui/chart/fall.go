package chart

import (
	"strings"

	"spillway/sim/report"
)

// Fall returns a section's waterfall as a chart.
func Fall(id string, f *report.Fall) View {
	v := View{ID: id, Title: f.Title, Help: f.Help, Results: 1, Rows: len(f.Steps), Height: barsHeight(len(f.Steps))}
	v.Table = report.Table{Title: f.Title, Head: []string{"Step", join("Adds", f.Unit)}}
	x := &Figure{Bars: &Bars{Unit: f.Unit, Wide: true}}
	v.Figure, v.rows = x, [][]string{{"step", "total", "value", "unit"}}
	var from, add []float64
	var said []string
	at := 0.0
	for _, s := range f.Steps {
		total := ""
		if s.Total {
			at, total = 0, "total"
		}
		from, add = append(from, at), append(add, s.Value)
		at += s.Value
		x.Bars.Rows = append(x.Bars.Rows, Row{Name: s.Name, End: s.Text, Look: &Look{Color: "--" + s.Color, Pattern: s.Pattern}})
		v.Table.Rows = append(v.Table.Rows, report.Row{Head: s.Name, Cells: []report.Cell{{Text: s.Text, Best: s.Total}}})
		v.rows = append(v.rows, []string{s.Name, total, exact(s.Value), f.Unit})
		said = append(said, s.Name+" "+s.Text)
	}
	x.Bars.From = x.add(from...)
	x.Bars.Parts = []Part{{Name: f.Title, Values: x.add(add...)}}
	v.Alt = sentence(strings.Join(said, ", "))
	return v
}
