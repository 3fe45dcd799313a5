package all_test

import (
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/lab/labtest"
	"spillway/ui/model/state"
	"spillway/ui/model/tour"
)

// every runs all systems of a share of the presets of a laboratory, at night of all, and
// hands over the runs with what the preset shows; of the others it runs the system in focus.
func every(t *testing.T, l *lab.Lab, check func(about string, s *state.State, runs []chart.Run)) {
	t.Helper()
	for i := range l.Presets {
		s, err := tour.StopState(&l.Info, &lab.Stop{Preset: l.Presets[i].Key})
		if err != nil {
			t.Fatal(err)
		}
		all := effort.Takes(i, 8)
		var runs []chart.Run
		for k := range l.Systems {
			if !all && l.Systems[k].Name != s.Look.Text(state.FocusKey) {
				continue
			}
			r, _, err := l.Run(s.Setup, l.Systems[k].Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			labtest.Report(t, l, l.Name+", "+l.Presets[i].Key+", "+l.Systems[k].Name, r)
			runs = append(runs, chart.Run{System: &l.Systems[k], On: true, Report: r})
		}
		about := l.Name + ", " + l.Presets[i].Key
		focus := runs[slices.IndexFunc(runs, func(r chart.Run) bool { return r.System.Name == s.Look.Text(state.FocusKey) })]
		if focus.System.Bound || !focus.Report.Fits || !slices.Contains(s.On, focus.System.Name) {
			t.Errorf("%s: %s is in focus, a bound, one that cannot run it (%s) or one that is not compared", about, focus.System.Name, focus.Report.Reason)
		}
		if all {
			check(about, &s, runs)
		}
	}
}

// Whatever runs, every chart has a sentence and every number a place in its table; the
// system in focus of every preset runs, no chart is empty with it, and nothing moves faster
// than the drawing says.
func TestEveryChartHasASentence(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every preset")
	}
	for _, door := range labs.Labs {
		l := door.New()
		labtest.Links(t, &l)
		every(t, &l, func(about string, s *state.State, runs []chart.Run) {
			c := &chart.Context{Info: &l.Info, Setup: s.Setup, Focus: s.Look.Text(state.FocusKey)}
			sentences(t, about, c, runs)
			drawnAll(t, about, c, s, runs)
			slower(t, about, c, runs)
		})
	}
}

// sentences checks that every chart has a sentence and a table.
func sentences(t *testing.T, about string, c *chart.Context, runs []chart.Run) {
	t.Helper()
	for _, v := range chart.Views(c, runs) {
		if v.Text == "" && v.Empty == "" {
			t.Errorf("%s: %s has no sentence", about, v.ID)
		}
		at := slices.IndexFunc(c.Info.Charts, func(x report.Chart) bool { return x.ID == v.ID })
		if c.Info.Charts[at].Kind != report.Values && !v.Absent && len(v.Table.Rows) == 0 && !(c.Info.Charts[at].None != "" && still(c, &c.Info.Charts[at], runs)) {
			t.Errorf("%s: %s has no table", about, v.ID)
		}
	}
}

// drawnAll checks that no chart of what is compared is empty with what is in focus.
func drawnAll(t *testing.T, about string, c *chart.Context, s *state.State, runs []chart.Run) {
	t.Helper()
	compared := slices.Clone(runs)
	for i := range compared {
		compared[i].On = slices.Contains(s.On, compared[i].System.Name)
	}
	for _, v := range chart.Views(c, compared) {
		at := slices.IndexFunc(c.Info.Charts, func(x report.Chart) bool { return x.ID == v.ID })
		if v.Empty != "" && !v.Absent && !(c.Info.Charts[at].None != "" && still(c, &c.Info.Charts[at], compared)) {
			t.Errorf("%s: %s is empty: %s", about, v.ID, v.Empty)
		}
	}
}

// still reports whether nothing that a chart is of has anything over time: closed formulas gave the
// values, or, of curves, none is of this chart. Bands are of what is in focus.
func still(c *chart.Context, x *report.Chart, runs []chart.Run) bool {
	return !slices.ContainsFunc(runs, func(r chart.Run) bool {
		return r.On && r.Report.Fits && (x.Kind != report.Bands || r.System.Name == c.Focus) && slices.ContainsFunc(r.Report.Curves, func(k report.Curve) bool {
			return x.Kind != report.Lines && x.Kind != report.Bands || k.Chart == x.ID
		})
	})
}

// times are the quantities that say how many seconds a run takes, of laboratories whose
// drawing has rates.
var times = map[string]string{"train": "iteration_s", "store": "time_s", "llm": "iteration_s"}

// slower checks that no lane of the drawing carries more than its rate, with any system.
func slower(t *testing.T, about string, c *chart.Context, runs []chart.Run) {
	t.Helper()
	for _, k := range c.Info.Picture.Links {
		for _, l := range k.Lanes {
			for i := range runs {
				r := runs[i].Report
				rate, unit, known := c.Info.Rate(c.Setup, r, &l)
				bytes, ok := r.Value(c.Info.Quantity(l.Bytes))
				if !known || !ok || unit != "GB/s" { // latencies are no rates
					continue
				}
				seconds, ok := r.Value(c.Info.Quantity(times[c.Info.Name]))
				q := &c.Info.Quantities[c.Info.Quantity(l.Bytes)]
				if !ok || q.Unit != "GB" {
					t.Errorf("%s, %s: %s has no time, or is no GB", about, runs[i].System.Name, l.Bytes)
				}
				if q.Shown(bytes) > 1.001*rate*seconds {
					t.Errorf("%s, %s: %s carries %.4g GB to %s in %.4g s, at a rate of %.4g GB/s", about, runs[i].System.Name, k.Key, q.Shown(bytes), l.To, seconds, rate)
				}
			}
		}
	}
}
