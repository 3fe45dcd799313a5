package chart

import (
	"math"
	"slices"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// A Ranked is one system of a ranking.
type Ranked struct {
	System *lab.System
	Known  bool
	Values []float64 // by the laboratory's quantities; nil if there are none
	Unfit  bool      // the system cannot run it
	Why    string    // why there are no values
}

// A Ranking compares all systems at one setup, the best first.
type Ranking struct {
	Info    *lab.Info
	Setup   *knob.Setup
	Of      *report.Quantity   // that decides
	Columns []*report.Quantity // that are shown beside it
	Systems []Ranked
	Note    string
	Mode    string // how far it can be trusted
	Active  bool
}

// value is a system's value of a quantity, not a number if there is none.
func (k *Ranking) value(r *Ranked, q *report.Quantity) float64 {
	at := k.Info.Quantity(q.Key)
	if at < 0 || at >= len(r.Values) {
		return math.NaN()
	}
	return r.Values[at]
}

// sorted lists the systems, the best first, then those without a value, then those
// that have not run.
func (k *Ranking) sorted() []*Ranked {
	list := make([]*Ranked, len(k.Systems))
	for i := range k.Systems {
		list[i] = &k.Systems[i]
	}
	class := func(r *Ranked) int {
		switch {
		case !r.Known:
			return 2
		case !finite(k.value(r, k.Of)):
			return 1
		}
		return 0
	}
	order.Stable(list, func(a, b *Ranked) int {
		if x, y := class(a), class(b); x != y || x > 0 {
			return x - y
		}
		x, y := k.value(a, k.Of), k.value(b, k.Of)
		if k.Of.Better < 0 {
			x, y = y, x
		}
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return list
}

// Answer is the ranking as a chart and a table.
func (k *Ranking) Answer() Answer {
	k.relate()
	list := k.sorted()
	runs := make([]Run, len(list))
	for i, r := range list {
		runs[i] = Run{System: r.System, On: true}
		switch {
		case r.Values != nil:
			runs[i].Report = &report.Report{Fits: true, Values: r.Values}
		case r.Unfit:
			runs[i].Report = &report.Report{Reason: r.Why}
		case r.Known:
			runs[i].Error = r.Why
		case k.Active:
			runs[i].Status = "running"
		}
	}
	c := &Context{Info: k.Info, Setup: k.Setup, Note: k.Note, Mode: k.Mode, Variant: map[string]string{}, Waiting: "Not run yet."}
	for i := range runs {
		if list[i].System.Name == k.Info.Floor.System {
			c.Floor = runs[i].Report
		}
	}
	a := Answer{View: Single(c, k.Of.Key, runs)}
	a.ID, a.Title = "whatif", k.Of.Label+", system by system"
	a.Tables = []report.Table{k.table(list)}
	a.Says = k.says(list)
	if a.Says != "" {
		a.Alt = a.Says
	}
	return a
}

// relate gives the systems their headroom, where the floor is among them, and shows it.
func (k *Ranking) relate() {
	at := k.Info.Quantity(k.Info.Floor.Headroom)
	names, values := make([]string, len(k.Systems)), make([][]float64, len(k.Systems))
	for i := range k.Systems {
		names[i], values[i] = k.Systems[i].System.Name, k.Systems[i].Values
	}
	k.Info.Relate(names, values)
	some := false
	for i := range k.Systems {
		k.Systems[i].Values = values[i]
		some = some || at >= 0 && at < len(values[i]) && finite(values[i][at])
	}
	if q := k.Info.Quantities; some && k.Of != &q[at] && !slices.Contains(k.Columns, &q[at]) {
		k.Columns = append(slices.Clip(k.Columns), &q[at])
	}
}

// table has a row for every system.
func (k *Ranking) table(list []*Ranked) report.Table {
	t := report.Table{Title: k.Of.Label + ", system by system", Head: []string{"System", "Place"}}
	all := append([]*report.Quantity{k.Of}, k.Columns...)
	for _, q := range all {
		t.Head = append(t.Head, q.Label+bracketed(q.Unit))
	}
	t.Head = append(t.Head, "Why not")
	place := 0
	for _, r := range list {
		row := report.Row{Head: r.System.Title}
		has := finite(k.value(r, k.Of))
		text := Dash
		switch {
		case has && r.System.Name == k.Info.Floor.System:
			text = "bound"
		case has && r.System.Name == k.Info.Floor.Known:
			text = "best known"
		case has && r.System.Bound:
			text = "ideal"
		case has:
			place++
			text = strconv.Itoa(place)
		}
		row.Cells = append(row.Cells, report.Cell{Text: text, Best: has && place == 1 && !r.System.Bound})
		for i, q := range all {
			c := report.Cell{Text: Dash, Best: i == 0 && has && place == 1 && !r.System.Bound}
			if v := k.value(r, q); finite(v) {
				c.Text = Cell(q, v)
			}
			row.Cells = append(row.Cells, c)
		}
		why := r.Why
		if !r.Known {
			why = "not run yet"
			if k.Active {
				why = "running"
			}
		}
		row.Cells = append(row.Cells, report.Cell{Text: why})
		t.Rows = append(t.Rows, row)
	}
	return t
}

// says names the best, and how many cannot.
func (k *Ranking) says(list []*Ranked) string {
	var best *Ranked
	ran, cannot := 0, 0
	for _, r := range list {
		switch {
		case r.System.Bound:
		case finite(k.value(r, k.Of)):
			if ran++; best == nil {
				best = r
			}
		case r.Known:
			cannot++
		}
	}
	none := ""
	if cannot > 0 {
		none = " " + sentence(Count(int64(cannot))+" cannot run it; the table says why")
	}
	if best == nil {
		if cannot == 0 {
			return ""
		}
		return sentence("No system can run it")
	}
	value := With(Cell(k.Of, k.value(best, k.Of)), k.Of.Unit)
	if ran+cannot == 1 {
		return sentence(best.System.Title + ": " + inner(k.Of.Label) + " " + value)
	}
	what := "has the best " + inner(k.Of.Label)
	switch {
	case k.Of.Key == k.Info.Say.Quantity && k.Info.Say.Most != "":
		what = k.Info.Say.Most
	case k.Of.Better == 0:
		what = "has the most " + inner(k.Of.Label)
	}
	return sentence("Of "+Count(int64(ran))+" systems "+best.System.Title+" "+what+": "+value) + none
}
