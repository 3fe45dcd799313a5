package session

import (
	"spillway/ui/chart"
	"spillway/ui/model/state"
)

// Charts returns the charts of the view that is shown, as far as results are
// there: the laboratory's, the answer to What if, or the
// figure of a paper.
func (l *Laboratory) Charts() []chart.View {
	switch l.State.View {
	case state.Timeline:
		return nil
	case state.Reproduce:
		if s := l.Papers.Sheet(); s != nil && len(s.Drawing.Panels) > 0 {
			return []chart.View{chart.Sheet(s, l.Info)}
		}
		return nil
	case state.WhatIf:
		if v := l.Question.Asked().View; v.Figure != nil {
			v.File = l.Question.CSV()
			return []chart.View{v}
		}
		return nil
	}
	runs := l.Runs.ChartRuns()
	c := l.Compared(runs)
	views := chart.Views(c, runs)
	if lag := l.Lag(c, runs); !lag.Absent {
		views = append(views, lag)
	}
	return views
}

// Pictures are the charts of the runs, whatever view is open and whatever they are compared
// with: what everybody draws who opens the link to them.
func (l *Laboratory) Pictures() []chart.View {
	c, runs := l.Runs.ChartContext(), l.Runs.ChartRuns()
	c.Base = nil
	for i := range runs {
		runs[i].Before = nil
	}
	return chart.Views(c, runs)
}
