package model

import (
	"strconv"
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// Asked is the answer to the question of What if as far as it is known: a chart
// with its tables where knobs are varied or searched or systems ranked, nothing else.
func (r *Room) Asked() chart.Answer {
	if r.Ask.Problem() != "" {
		return chart.Answer{}
	}
	switch r.Ask.Kind() {
	case state.Vary:
		return r.sweep()
	case state.Find:
		return r.walks()
	case state.Rank:
		return r.ranking()
	}
	return chart.Answer{}
}

// Compared lists the compared systems.
func (r *Room) Compared() []*lab.System {
	var list []*lab.System
	for i := range r.Info.Systems {
		for _, name := range r.State.On {
			if s := &r.Info.Systems[i]; s.Name == name {
				list = append(list, s)
			}
		}
	}
	return list
}

// asked is the quantity that is looked at.
func (r *Room) asked() *report.Quantity { return &r.Info.Quantities[r.Ask.Of()] }

// dim is a varied knob as charts take it.
func dim(x *Axis) chart.Dim {
	d := chart.Dim{Label: x.Knob.Label, Unit: x.Knob.Unit, Labels: x.Labels, Xs: x.Xs, Now: x.Now}
	for i, t := range x.Texts {
		if t == x.Now {
			d.Now = x.Labels[i]
		}
	}
	d.NowX, _ = strconv.ParseFloat(x.Now, 64) // 0 where it is no number
	return d
}

// sweep draws what varied knobs do.
func (r *Room) sweep() chart.Answer {
	axes := r.Ask.Axes()
	if len(axes) == 0 {
		return chart.Answer{}
	}
	pieces, trust := r.Brief()
	s := &chart.Sweep{
		Of: r.asked(), Systems: r.Compared(), Show: r.State.Ask.Text(state.ShowKey), Focus: r.Focus(),
		Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "), Active: r.Ask.Active(),
	}
	high := 1
	for i := range axes {
		s.Dims = append(s.Dims, dim(&axes[i]))
	}
	if len(axes) == 2 {
		high = len(axes[1].Texts)
	}
	n := len(s.Systems)
	trials := make([]chart.Trial, 0, n*len(axes[0].Texts)*high)
	for i := range axes[0].Texts {
		for k := range high {
			for _, sys := range s.Systems {
				x := r.Ask.At(sys.Name, i, k)
				trials = append(trials, chart.Trial{Known: x.Known, Value: x.Value, Why: x.Problem, Unfit: x.Unfit})
			}
		}
	}
	s.At = func(sys, i, k int) chart.Trial { return trials[(i*high+k)*n+sys] }
	return s.Answer()
}

// walks draws what searches have tried.
func (r *Room) walks() chart.Answer {
	pieces, trust := r.Brief()
	w := &chart.Walks{Of: r.asked(), Knob: r.Ask.Searched(), Bound: r.Ask.Bound(), Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "), Active: r.Ask.Active()}
	switch find := r.Ask.text(state.FindKey); {
	case find == state.Most:
		w.None = func(systems string) string { return "that was tried runs with " + systems }
	case find == state.Close && w.Bound != nil:
		w.None = func(systems string) string {
			return "that was tried brings " + systems + " within " + r.Ask.text(state.WithinKey) + " % of " + w.Bound.Title
		}
	}
	found := r.Ask.Found()
	for i := range found {
		f := &found[i]
		w.Walks = append(w.Walks, chart.Walk{System: f.System, Xs: f.Xs, Ys: f.Ys, Than: f.Than, At: f.At})
	}
	return w.Answer()
}
