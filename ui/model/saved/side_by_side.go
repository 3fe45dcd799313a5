package saved

import (
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

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
	// Names are what the runs are called; Settings are the systems and what their settings
	// differ in, and Numbers all quantities, under Heads.
	Names, Heads      []string
	Settings, Numbers []chart.Number

	info *lab.Info
}

// SideBySide makes what the view Compare shows; of a quantity and a chart that the
// laboratory does not have it takes what decides.
func (s *Saved) SideBySide(quantity, chartID string) *Side {
	v := &Side{info: s.room.Info, Shown: s.Shown(), Same: true, Quantity: sideQuantity(s.room.Info, quantity), Chart: sideChart(s.room.Info, chartID)}
	v.Systems, v.Runs = make([]lab.System, len(v.Shown)), make([]chart.Run, len(v.Shown))
	for i := range v.Shown {
		x := &v.Shown[i]
		v.Systems[i] = chart.Named(i, x.Name)
		v.Runs[i] = chart.Run{System: &v.Systems[i], On: true, Report: x.Run.Report, Status: x.Run.Status(), Error: x.Run.Error}
		v.Same = v.Same && s.room.Of(x.Setup) == s.room.Of(v.Shown[0].Setup)
	}
	ctx := &chart.Context{Info: s.room.Info, Note: "Runs side by side", Variant: map[string]string{}}
	for i := range s.room.Info.Charts {
		if v.Same {
			ctx.Variant[s.room.Info.Charts[i].ID] = chart.ByKernel
		}
	}
	v.Views[0] = chart.Single(ctx, v.Quantity, v.Runs)
	v.Views[1] = chart.Beside(ctx, v.Chart, v.Runs)
	v.Views[1].By = nil
	aligned := v.Runs
	if !v.Same {
		aligned = nil
	}
	v.Views[2] = chart.Lag(ctx, aligned)
	if v.Headline = chart.Compared(s.room.Info, v.Runs); v.Headline == "" || !v.Same {
		v.Headline = chart.Headline(s.room.Info, v.Runs)
	}
	v.tabulate()
	return v
}

func sideQuantity(i *lab.Info, key string) string {
	if i.Quantity(key) >= 0 {
		return key
	}
	return append(i.Say.Change[:len(i.Say.Change):len(i.Say.Change)], i.Say.Quantity)[0]
}

// SideCharts are the laboratory's charts that runs side by side can share.
func SideCharts(i *lab.Info) (list []*report.Chart) {
	for n := range i.Charts {
		if ch := &i.Charts[n]; ch.Kind == report.Stacks || ch.Kind == report.Lines || ch.Kind == report.Steps {
			list = append(list, ch)
		}
	}
	return list
}

// sideChart is the chart with an ID: else what the headline calls the loss.
func sideChart(i *lab.Info, id string) *report.Chart {
	list := SideCharts(i)
	for _, key := range []string{id, i.Say.Loss} {
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
