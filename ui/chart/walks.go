package chart

import (
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// A Walk is what a search for one system has tried.
type Walk struct {
	System *lab.System
	Xs, Ys []float64 // not a number where there is no value
	Than   []float64 // of the bound at the same points
	At     int       // of the answer, -1 if there is none
}

// Walks are searches that look for a value of one knob.
type Walks struct {
	Of     *report.Quantity
	Knob   *knob.Info
	Bound  *lab.System // nil if there is none
	Walks  []Walk
	None   func(systems string) string // what no value does for systems; nil for "is enough for" them
	Note   string
	Mode   string // how far it can be trusted
	Active bool
}

// Answer draws the curves that were walked, with rings where the answers are.
func (w *Walks) Answer() Answer {
	name := join(w.Knob.Label, w.Knob.Unit)
	a := Answer{View: View{ID: "whatif", Title: w.Of.Label + ", where it was tried", Note: w.Note, Mode: w.Mode, Height: sweepHeight}}
	f := &Figure{Panels: &Panels{Names: []string{""}, X: Axis{Name: name, Log: true}, Y: Axis{Name: join(w.Of.Label, w.Of.Unit), Unit: w.Of.Unit}}}
	p := f.Panels
	table := report.Table{Title: a.Title, Head: []string{w.Knob.Label + bracketed(w.Knob.Unit)}}
	var x, y span
	var all []float64
	for i := range w.Walks {
		for k := range w.Walks[i].Xs {
			all = append(all, w.Walks[i].Xs[k])
			x.add(w.Walks[i].Xs[k])
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if x.any && x.high > x.low {
		p.X.Log, p.X.Min, p.X.Max = x.low > 0 && x.high > 20*x.low, new(x.low), new(x.high)
	}
	bound := map[float64]float64{}
	for i := range w.Walks {
		k := &w.Walks[i]
		ys := make([]float64, len(k.Ys))
		for n, v := range k.Ys {
			if ys[n] = w.Of.Shown(v); finite(v) {
				a.Results++
				y.add(ys[n])
			}
			if n < len(k.Than) && finite(k.Than[n]) {
				bound[k.Xs[n]] = w.Of.Shown(k.Than[n])
			}
		}
		look := SystemLook(k.System)
		p.Series = append(p.Series, Series{Name: k.System.Title, Shape: Line, Look: look, Points: f.points(k.Xs, ys), Picks: f.add()})
		p.Legend = append(p.Legend, k.System.Title)
		if k.At >= 0 && k.At < len(ys) && finite(ys[k.At]) {
			p.Series = append(p.Series, Series{Name: k.System.Title, Shape: Rings, Look: look, Points: f.points(k.Xs[k.At:k.At+1], ys[k.At:k.At+1]), Picks: f.add()})
		}
		table.Head = append(table.Head, k.System.Title)
	}
	if w.Bound != nil && len(bound) > 0 {
		var bx, by []float64
		for _, at := range all {
			if v, ok := bound[at]; ok {
				bx, by = append(bx, at), append(by, v)
				y.add(v)
			}
		}
		look := SystemLook(w.Bound)
		look.Pattern = 1
		p.Series = append(p.Series, Series{Name: w.Bound.Title, Shape: Line, Look: look, Points: f.points(bx, by), Picks: f.add()})
		p.Legend = append(p.Legend, w.Bound.Title)
	}
	if y.any && y.low >= 0 {
		p.Y.Min = new(float64(0))
	}
	w.rows(&table, all)
	a.Figure, a.Tables = f, []report.Table{table}
	a.Says = w.says()
	a.Alt = a.Says
	if a.Results == 0 {
		a.Empty = "Nothing has run yet."
		if w.Active {
			a.Empty = "Computing…"
		}
	}
	return a
}

// rows lists what was tried.
func (w *Walks) rows(t *report.Table, all []float64) {
	for _, x := range all {
		r := report.Row{Head: strconv.FormatFloat(x, 'f', -1, 64)}
		for i := range w.Walks {
			k := &w.Walks[i]
			c := report.Cell{}
			if at := slices.Index(k.Xs, x); at >= 0 {
				c.Text, c.Best = Dash, at == k.At
				if finite(k.Ys[at]) {
					c.Text = Cell(w.Of, k.Ys[at])
				}
			}
			r.Cells = append(r.Cells, c)
		}
		t.Rows = append(t.Rows, r)
	}
}

// says lists the answers in one sentence.
func (w *Walks) says() string {
	var said, none []string
	var x span
	for i := range w.Walks {
		k := &w.Walks[i]
		for _, v := range k.Xs {
			x.add(v)
		}
		if k.At >= 0 {
			said = append(said, k.System.Title+" "+With(strconv.FormatFloat(k.Xs[k.At], 'f', -1, 64), w.Knob.Unit))
		} else if len(k.Xs) > 0 {
			none = append(none, k.System.Title)
		}
	}
	text := ""
	if len(said) > 0 {
		text = sentence(w.Knob.Label + ": " + strings.Join(said, ", "))
	}
	if len(none) > 0 {
		tried := "no " + inner(w.Knob.Label) + " from " + strconv.FormatFloat(x.low, 'f', -1, 64) + " to " + With(strconv.FormatFloat(x.high, 'f', -1, 64), w.Knob.Unit)
		not := "is enough for " + prose.List(none)
		if w.None != nil {
			not = w.None(prose.List(none))
		}
		text += " " + sentence(tried+" "+not)
	}
	return strings.TrimSpace(text)
}
