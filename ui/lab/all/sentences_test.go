package all_test

import (
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/model"
)

// every runs all systems of a share of the presets of a laboratory, at night of all, and
// hands over the runs with what the preset shows.
func every(t *testing.T, l *lab.Lab, check func(about string, s *model.State, runs []chart.Run)) {
	t.Helper()
	for i := range l.Presets {
		if !effort.Takes(i, 4) {
			continue
		}
		s, err := model.StopState(&l.Info, &lab.Stop{Preset: l.Presets[i].Key})
		if err != nil {
			t.Fatal(err)
		}
		var runs []chart.Run
		for k := range l.Systems {
			r, _, err := l.Run(s.Setup, l.Systems[k].Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, chart.Run{System: &l.Systems[k], On: true, Report: r})
		}
		check(l.Name+", "+l.Presets[i].Key, &s, runs)
	}
}

// Whatever runs, every chart has a sentence and every number a place in its table; the
// system in focus runs and has something in every chart, and nothing moves faster than
// the drawing says.
func TestEveryChartHasASentence(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every preset")
	}
	for _, door := range labs.Labs {
		l := door.New()
		every(t, &l, func(about string, s *model.State, runs []chart.Run) {
			c := &chart.Context{Info: &l.Info, Setup: s.Setup, Focus: s.Look.Text(model.FocusKey)}
			sentences(t, about, c, runs)
			inFocus(t, about, c, s, runs)
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
		if c.Info.Charts[at].Kind != report.Values && !v.Absent && len(v.Table.Rows) == 0 {
			t.Errorf("%s: %s has no table", about, v.ID)
		}
	}
}

// inFocus checks that the system in focus is what the laboratory or the preset is about,
// that it runs, and that no chart of what is compared is empty.
func inFocus(t *testing.T, about string, c *chart.Context, s *model.State, runs []chart.Run) {
	t.Helper()
	at := slices.IndexFunc(runs, func(r chart.Run) bool { return r.System.Name == c.Focus })
	if focus := runs[at]; focus.System.Bound || !focus.Report.Fits || !slices.Contains(s.On, c.Focus) {
		t.Errorf("%s: %s is in focus, a bound, one that cannot run it (%s) or one that is not compared", about, c.Focus, focus.Report.Reason)
	}
	compared := slices.Clone(runs)
	for i := range compared {
		compared[i].On = slices.Contains(s.On, compared[i].System.Name)
	}
	for _, v := range chart.Views(c, compared) {
		if v.Empty != "" && !v.Absent {
			t.Errorf("%s: %s is empty: %s", about, v.ID, v.Empty)
		}
	}
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
				q := &c.Info.Quantities[c.Info.Quantity(l.Bytes)]
				seconds, ok := r.Value(c.Info.Quantity(times[c.Info.Name]))
				if !ok {
					t.Errorf("%s: no time of %s", about, runs[i].System.Name)
					continue
				}
				if q.Unit == "GB" {
					bytes *= 1e9
				}
				if bytes > 1.001e9*rate*seconds {
					t.Errorf("%s, %s: %s carries %.4g GB to %s in %.4g s, at a rate of %.4g GB/s", about, runs[i].System.Name, k.Key, bytes/1e9, l.To, seconds, rate)
				}
			}
		}
	}
}
