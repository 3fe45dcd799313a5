package runs

import (
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/state"
)

// ChartRuns are the runs as charts take them.
func (r *Runs) ChartRuns() []chart.Run {
	runs := make([]chart.Run, 0, len(r.List))
	related := r.related()
	for i := range r.List {
		x := &r.List[i]
		doubted, seeds := r.doubted(x)
		runs = append(runs, chart.Run{
			System: x.System, On: x.On, Report: related[i], Stale: x.Stale, Status: x.Status(), Error: x.Error, Before: r.Baseline.Before(x.System.Name),
			Doubted: doubted, Seeds: seeds,
		})
	}
	return runs
}

// related are the reports of the runs, those of its settings with their headroom.
func (r *Runs) related() []*report.Report {
	names, now, out := make([]string, len(r.List)), make([]*report.Report, len(r.List)), make([]*report.Report, len(r.List))
	for i := range r.List {
		x := &r.List[i]
		names[i], out[i] = x.System.Name, x.Report
		switch {
		case x.On && !x.Stale:
			now[i] = x.Report
		case !x.On && x.System.Name == r.room.Info.Floor.System:
			now[i] = r.floor.now()
		}
	}
	for i, x := range r.room.Info.Related(names, now) {
		if x != nil {
			out[i] = x
		}
	}
	return out
}

// ChartContext is what all charts of the laboratory share.
func (r *Runs) ChartContext() *chart.Context {
	pieces, trust := r.form.Brief()
	c := &chart.Context{
		Info: r.room.Info, Setup: r.room.State.Setup, Focus: r.room.Focus(), Variant: map[string]string{}, Base: r.Baseline.Base(),
		Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "), Floor: r.floor.now(),
	}
	switch {
	case r.files.Lost():
		c.Waiting = "This waits for its file."
	case r.Blocked() != "":
		c.Waiting = "Not computed; the message above says why."
	}
	for _, ch := range r.room.Info.Charts {
		if len(ch.By) > 0 {
			c.Variant[ch.ID] = r.room.State.Look.Text(state.ByKey(ch.ID))
		}
	}
	return c
}
