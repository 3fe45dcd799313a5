package question

import (
	"slices"
	"strconv"
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// answers are what came out, as charts, tables and files.
type answers struct{ *core }

// Asked is the answer to the question of What if as far as it is known: a chart
// with its tables where knobs are varied or searched or systems ranked, nothing else.
func (a *answers) Asked() chart.Answer {
	if a.Problem() != "" {
		return chart.Answer{}
	}
	switch a.Kind() {
	case state.Vary:
		return a.sweep()
	case state.Find:
		return a.searchChart()
	case state.Rank:
		return a.ranking()
	}
	return chart.Answer{}
}

// Compared lists the compared systems.
func (a *answers) Compared() []*lab.System {
	var list []*lab.System
	for i := range a.room.Info.Systems {
		for _, name := range a.room.State.On {
			if s := &a.room.Info.Systems[i]; s.Name == name {
				list = append(list, s)
			}
		}
	}
	return list
}

// asked is the quantity that is looked at.
func (a *answers) asked() *report.Quantity { return &a.room.Info.Quantities[a.Of()] }

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
func (a *answers) sweep() chart.Answer {
	axes := a.vary.Axes()
	if len(axes) == 0 {
		return chart.Answer{}
	}
	pieces, trust := a.form.Brief()
	systems := a.Compared()
	if f := a.floor(state.Vary); f != "" && !slices.Contains(a.room.State.On, f) {
		x, _ := a.room.Info.System(f) // of the laboratory's own
		systems = append(systems, x)
	}
	s := &chart.Sweep{
		Of: a.asked(), Systems: systems, Floor: a.floor(state.Vary), Show: a.room.State.Ask.Text(state.ShowKey), Focus: a.room.Focus(),
		Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "), Active: a.Active(),
	}
	if a.place != "" && len(axes) == 1 {
		s.Look, s.Looks = a.Place(), true
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
				x := a.vary.At(sys.Name, i, k)
				t := chart.Trial{Known: x.Known, Value: x.Value, Why: x.Problem, Unfit: x.Unfit && !sys.Bound} // a bound runs nothing
				if high == 1 {
					t.Low, t.High = a.vary.Band(sys.Name, i)
				}
				trials = append(trials, t)
			}
		}
	}
	s.At = func(sys, i, k int) chart.Trial { return trials[(i*high+k)*n+sys] }
	return s.Answer()
}

// searchChart draws what searches have tried.
func (a *answers) searchChart() chart.Answer {
	pieces, trust := a.form.Brief()
	w := &chart.Walks{Of: a.asked(), Knob: a.search.Searched(), Bound: a.search.Bound(), Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "), Active: a.Active()}
	switch find := a.text(state.FindKey); {
	case find == state.Most:
		w.None = func(systems string) string { return "that was tried runs with " + systems }
	case find == state.Close && w.Bound != nil:
		w.None = func(systems string) string {
			return "that was tried brings " + systems + " within " + a.text(state.WithinKey) + " % of " + w.Bound.Title
		}
	}
	found := a.search.Found()
	for i := range found {
		f := &found[i]
		w.Walks = append(w.Walks, chart.Walk{System: f.System, Xs: f.Xs, Ys: f.Ys, Than: f.Than, At: f.At})
	}
	return w.Answer()
}
