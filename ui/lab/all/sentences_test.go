package all_test

import (
	"slices"
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/model"
)

// Whatever runs, every chart has a sentence and every number a place in its table.
func TestEveryChartHasASentence(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every preset")
	}
	for _, door := range labs.Labs {
		l := door.New()
		for i := range l.Presets {
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
			c := &chart.Context{Info: &l.Info, Setup: s.Setup, Focus: s.On[len(s.On)-1]}
			if at := slices.IndexFunc(l.Systems, func(x lab.System) bool { return x.Main && slices.Contains(s.On, x.Name) }); at >= 0 {
				c.Focus = l.Systems[at].Name // as the page does at first
			}
			for _, v := range chart.Views(c, runs) {
				if v.Text == "" && v.Empty == "" {
					t.Errorf("%s, %s: %s has no sentence", l.Name, l.Presets[i].Key, v.ID)
				}
				at := 0
				for at < len(l.Charts) && l.Charts[at].ID != v.ID {
					at++
				}
				if l.Charts[at].Kind != report.Values && !v.Absent && len(v.Table.Rows) == 0 {
					t.Errorf("%s, %s: %s has no table", l.Name, l.Presets[i].Key, v.ID)
				}
			}
		}
	}
}
