package chart

import "spillway/sim/report"

// Fall returns a section's waterfall as a chart; where something happens over time a step leads to
// its longest wait.
func Fall(id string, f *report.Fall, timed bool) View {
	n := len(f.Steps)
	v := View{ID: id, Title: f.Title, Help: f.Help, Alt: f.Says, Results: 1, Rows: n, Height: barsHeight(n), Table: f.Table, File: f.CSV}
	b := &Bars{Unit: f.Unit, Wide: true, Parts: []Part{{Name: f.Title, Values: Column{0, n}}}, From: Column{n, n}}
	v.Figure = &Figure{Bars: b, Data: make([]float64, 2*n)}
	if timed {
		v.Figure.Opens = report.OpensWait
	}
	at := 0.0
	for i := range f.Steps {
		s := &f.Steps[i]
		if s.Total {
			at = 0
		}
		v.Figure.Data[i], v.Figure.Data[n+i] = s.Value, at
		at += s.Value
		b.Rows = append(b.Rows, Row{Name: s.Name, End: s.Text, Look: &Look{Color: "--" + s.Color, Pattern: s.Pattern}})
	}
	return v
}
