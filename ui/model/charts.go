package model

import (
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// ChartRuns are the room's runs as charts take them.
func (r *Room) ChartRuns() []chart.Run {
	runs := make([]chart.Run, 0, len(r.Runs))
	for i := range r.Runs {
		x := &r.Runs[i]
		runs = append(runs, chart.Run{
			System: x.System, On: x.On, Report: x.Report, Stale: x.Stale, Status: x.Status(), Error: x.Error, Before: r.Shelf.Before(x.System.Name),
			Seeds: r.seedValues(x),
		})
	}
	return runs
}

// ChartContext is what all charts of the room share.
func (r *Room) ChartContext() *chart.Context {
	pieces, trust := r.Brief()
	c := &chart.Context{
		Info: r.Info, Setup: r.State.Setup, Focus: r.Focus(), Variant: map[string]string{}, Base: r.Shelf.Base(),
		Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "),
	}
	switch {
	case r.lost():
		c.Waiting = "This waits for its file."
	case r.Blocked() != "":
		c.Waiting = "Not computed; the message above says why."
	}
	for _, ch := range r.Info.Charts {
		if len(ch.By) > 0 {
			c.Variant[ch.ID] = r.State.Look.Text(state.ByKey(ch.ID))
		}
	}
	return c
}

// Charts returns the charts of the view that is shown, as far as results are
// there: the laboratory's, the answer to What if, those of runs side by side, or the
// figure of a paper.
func (r *Room) Charts() []chart.View {
	switch r.State.View {
	case state.Compare:
		s := r.SideBySide("", "")
		if !chart.Aligned(r.Info) {
			return s.Views[:2]
		}
		return s.Views[:]
	case state.Reproduce:
		if s := r.Paper.Sheet(); s != nil && len(s.Drawing.Panels) > 0 {
			return []chart.View{chart.Sheet(s, r.Info)}
		}
		return nil
	case state.WhatIf:
		if v := r.Asked().View; v.Figure != nil {
			v.File = r.Ask.CSV()
			return []chart.View{v}
		}
		return nil
	}
	return chart.Views(r.ChartContext(), r.ChartRuns())
}

// Pictures are the charts of the runs, whatever view is open and whatever they are compared
// with: what everybody draws who opens the link to them.
func (r *Room) Pictures() []chart.View {
	c, runs := r.ChartContext(), r.ChartRuns()
	c.Base = nil
	for i := range runs {
		runs[i].Before = nil
	}
	return chart.Views(c, runs)
}

// A Side is what the view Compare shows of its runs.
type Side struct {
	Shown    []ShownRun
	Systems  []lab.System // the runs as if they were systems
	Runs     []chart.Run
	Same     bool          // all are of one workload
	Quantity string        // that the first chart is of
	Chart    *report.Chart // the second
	// Views are the charts of one quantity, of one of the laboratory's charts, and of
	// where time is lost.
	Views    [3]chart.View
	Headline string
}

// SideBySide makes what the view Compare shows; of a quantity and a chart that the
// laboratory does not have it takes what decides.
func (r *Room) SideBySide(quantity, chartID string) *Side {
	s := &Side{Shown: r.Shelf.Shown(), Same: true, Quantity: r.sideQuantity(quantity), Chart: r.sideChart(chartID)}
	s.Systems, s.Runs = make([]lab.System, len(s.Shown)), make([]chart.Run, len(s.Shown))
	for i := range s.Shown {
		x := &s.Shown[i]
		s.Systems[i] = chart.Named(i, x.Name)
		s.Runs[i] = chart.Run{System: &s.Systems[i], On: true, Report: x.Run.Report, Status: x.Run.Status(), Error: x.Run.Error}
		s.Same = s.Same && r.Of(x.Setup) == r.Of(s.Shown[0].Setup)
	}
	ctx := &chart.Context{Info: r.Info, Note: "Runs side by side", Variant: map[string]string{}}
	for i := range r.Info.Charts {
		if s.Same {
			ctx.Variant[r.Info.Charts[i].ID] = chart.ByKernel
		}
	}
	s.Views[0] = chart.Single(ctx, s.Quantity, s.Runs)
	s.Views[1] = chart.Beside(ctx, s.Chart, s.Runs)
	s.Views[1].By = nil
	aligned := s.Runs
	if !s.Same {
		aligned = nil
	}
	s.Views[2] = chart.Lag(ctx, aligned)
	if s.Headline = chart.Compared(r.Info, s.Runs); s.Headline == "" || !s.Same {
		s.Headline = chart.Headline(r.Info, s.Runs)
	}
	return s
}

func (r *Room) sideQuantity(key string) string {
	if r.Info.Quantity(key) >= 0 {
		return key
	}
	return append(r.Info.Say.Change[:len(r.Info.Say.Change):len(r.Info.Say.Change)], r.Info.Say.Quantity)[0]
}

// SideCharts are the laboratory's charts that runs side by side can share.
func (r *Room) SideCharts() (list []*report.Chart) {
	for i := range r.Info.Charts {
		if ch := &r.Info.Charts[i]; ch.Kind == report.Stacks || ch.Kind == report.Lines || ch.Kind == report.Steps {
			list = append(list, ch)
		}
	}
	return list
}

// sideChart is the chart with an ID: else what the headline calls the loss.
func (r *Room) sideChart(id string) *report.Chart {
	list := r.SideCharts()
	for _, key := range []string{id, r.Info.Say.Loss} {
		for _, ch := range list {
			if ch.ID == key {
				return ch
			}
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return &report.Chart{ID: "none", Title: "Nothing to draw", Kind: report.Lines}
}
