package chart_test

import (
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

// A chart names who has most only where one stands out, and has a sentence that is
// true where it has values.
func TestWhoStandsOut(t *testing.T) {
	info := &lab.Info{
		Name: "bakery",
		Systems: []lab.System{
			{Name: "dream", Title: "Dream", Bound: true},
			{Name: "oven", Title: "Oven"},
			{Name: "kiln", Title: "Kiln"},
			{Name: "fire", Title: "Fire"},
		},
		Quantities: []report.Quantity{{Key: "loaves", Label: "Loaves", Unit: "kg", Places: 1}},
	}
	of := []string{"loaves"}
	bars := report.Chart{ID: "x", Kind: report.Bars, Of: of, Say: "bakes most", None: "nothing is baked"}
	stacks := report.Chart{ID: "x", Kind: report.Stacks, Of: of, Say: "bakes most", None: "nothing is baked"}
	lines := report.Chart{ID: "x", Kind: report.Lines, Unit: "kg", Say: "is highest"}
	table := report.Chart{ID: "x", Kind: report.Values, Of: of}
	quiet := report.Chart{ID: "x", Kind: report.Bars, Of: of}
	none := report.None()
	const lacks = "No system that is compared has a value here."
	for _, x := range []struct {
		chart  report.Chart
		values []float64
		want   string
	}{
		{bars, []float64{1, 5, 4, 3}, "Oven bakes most: 5.0 kg."},
		{bars, []float64{1, 5, 5.01, 3}, "Kiln bakes most, level with Oven: 5.0 kg."},
		{bars, []float64{1, 5, 5, 5}, "The same for all that are compared: 5.0 kg."},
		{bars, []float64{1, 0, 0, 0}, "Nothing is baked."},
		{stacks, []float64{1, 5, 4, 3}, "Oven bakes most, 5 kg."},
		{stacks, []float64{1, 5, 5, 3}, "Oven bakes most, level with Kiln, 5 kg."},
		{stacks, []float64{1, 5, 5, 5}, "The same for all that are compared: 5 kg."},
		{lines, []float64{1, -0.8, -0.9, -1}, "Oven is highest: -0.8 kg."},
		{lines, []float64{1, -0.8, -0.8, -0.8}, "The same for all that are compared: -0.8 kg."},
		{lines, []float64{1, 2, 2, 1}, "Oven is highest, level with Kiln: 2 kg."},
		{table, []float64{1, 5, 4, 3}, "Loaves: most with Oven, 5.0 kg."},
		{table, []float64{none, none, none, 3}, "Loaves: most with Fire, 3.0 kg."},
		{table, []float64{none, -1, 0, none}, "Its numbers stand in its table."},
		{table, []float64{none, none, none, none}, lacks},
		{quiet, []float64{9, 5, 4, 3}, "Loaves: most with Dream, 9.0 kg."},
	} {
		runs := make([]chart.Run, len(info.Systems))
		for i := range runs {
			r := &report.Report{Fits: true, Values: []float64{x.values[i]}}
			if x.chart.Kind == report.Lines {
				r.Curves = []report.Curve{{Chart: "x", X: []float64{1, 2}, Y: []float64{-3, x.values[i]}}}
			}
			runs[i] = chart.Run{System: &info.Systems[i], On: true, Report: r}
		}
		v := chart.Draw(&chart.Context{Info: info, Setup: info.Setup()}, &x.chart, runs)
		if v.Text != x.want {
			t.Errorf("%v of %v: %q, want %q", x.chart.Kind, x.values, v.Text, x.want)
		}
	}
}

// Whom the headline calls level by chance is level under the chart of what decides, too; of
// lines that stay at zero nobody has most.
func TestNobodyStandsOut(t *testing.T) {
	info := &lab.Info{
		Say:        lab.Say{Quantity: "loaves", Seed: "seed"},
		Systems:    []lab.System{{Name: "oven", Title: "Oven"}, {Name: "kiln", Title: "Kiln"}},
		Quantities: []report.Quantity{{Key: "loaves", Label: "Loaves", Unit: "kg", Places: 1}, {Key: "crumbs", Label: "Crumbs", Unit: "kg", Places: 1}},
	}
	runs := make([]chart.Run, 2)
	for i, n := range []float64{86.8, 85.8} {
		runs[i] = chart.Run{System: &info.Systems[i], On: true, Report: &report.Report{
			Fits: true, Values: []float64{n, n}, Curves: []report.Curve{{Chart: "loaf", X: []float64{1, 2}, Y: []float64{0, 0}}},
		}}
	}
	for _, x := range []struct {
		chart report.Chart
		want  string
	}{
		{report.Chart{ID: "x", Kind: report.Bars, Of: []string{"loaves"}, Say: "bakes most"}, "Oven bakes most, level with Kiln: 86.8 kg."},
		{report.Chart{ID: "x", Kind: report.Bars, Of: []string{"crumbs"}, Say: "drops most"}, "Oven drops most: 86.8 kg."},
		{report.Chart{ID: "loaf", Kind: report.Lines, Unit: "kg", Say: "has most at a time", None: "no loaf is in the oven"}, "No loaf is in the oven."},
	} {
		if v := chart.Draw(&chart.Context{Info: info, Setup: info.Setup()}, &x.chart, runs); v.Text != x.want {
			t.Errorf("%q, want %q", v.Text, x.want)
		}
	}
}

// A sentence that begins with a name leaves the name as it is written.
func TestNameBegins(t *testing.T) {
	info := &lab.Info{
		Systems:    []lab.System{{Name: "vdnn", Title: "vDNN"}, {Name: "uvm", Title: "Base UVM", Look: 1}},
		Quantities: []report.Quantity{{Key: "loaves", Label: "Loaves", Unit: "kg", Places: 1}},
	}
	ch := report.Chart{ID: "x", Kind: report.Bars, Of: []string{"loaves"}, Say: "is fastest", None: "nothing is baked"}
	for _, x := range []struct {
		value float64
		want  string
	}{{2, "vDNN is fastest: 2.0 kg."}, {0, "Nothing is baked."}} {
		runs := []chart.Run{
			{System: &info.Systems[0], On: true, Report: &report.Report{Fits: true, Values: []float64{x.value}}},
			{System: &info.Systems[1], On: true, Report: &report.Report{Fits: true, Values: []float64{x.value / 2}}},
		}
		if v := chart.Draw(&chart.Context{Info: info, Setup: info.Setup()}, &ch, runs); v.Text != x.want {
			t.Errorf("%q, want %q", v.Text, x.want)
		}
	}
}

// After cancelling, a finding says that it is of the settings before.
func TestCancelledFinding(t *testing.T) {
	info := &lab.Info{
		Systems:    []lab.System{{Name: "oven", Title: "Oven"}, {Name: "kiln", Title: "Kiln", Look: 1}},
		Quantities: []report.Quantity{{Key: "loaves", Label: "Loaves", Unit: "kg", Places: 1}},
	}
	ch := report.Chart{ID: "x", Kind: report.Bars, Of: []string{"loaves"}, Say: "bakes most"}
	for _, x := range []struct {
		old  int
		want string
	}{{0, "Oven bakes most: 2.0 kg."}, {1, "In part of the settings before: Oven bakes most: 2.0 kg."}, {2, "Before: Oven bakes most: 2.0 kg."}} {
		runs := make([]chart.Run, 2)
		for i := range runs {
			runs[i] = chart.Run{System: &info.Systems[i], On: true, Report: &report.Report{Fits: true, Values: []float64{float64(2 - i)}}}
			if i < x.old {
				runs[i].Stale, runs[i].Status = true, chart.Cancelled
			}
		}
		if v := chart.Draw(&chart.Context{Info: info, Setup: info.Setup()}, &ch, runs); v.Text != x.want {
			t.Errorf("%q, want %q", v.Text, x.want)
		}
	}
}

// Of shares that are 100 % together nobody needs to hear that: the caption says where systems
// differ most, or what most is of where they do not.
func TestShares(t *testing.T) {
	info := &lab.Info{
		Systems:    []lab.System{{Name: "oven", Title: "Oven"}, {Name: "kiln", Title: "Kiln"}},
		Quantities: []report.Quantity{{Key: "rye", Label: "Rye", Unit: "%"}, {Key: "oat", Label: "Oat", Unit: "%"}, {Key: "corn", Label: "Corn", Unit: "%"}},
	}
	ch := report.Chart{ID: "x", Kind: report.Stacks, Of: []string{"rye", "oat", "corn"}, Unit: "%", Max: 100}
	for want, values := range map[string][2][]float64{
		"The same for all that are compared: 50 % is oat.": {{20, 50, 30}, {20, 50, 30}},
		"Rye: most with Kiln, 40 %.":                       {{20, 50, 30}, {40, 40, 20}},
	} {
		runs := make([]chart.Run, 2)
		for i := range runs {
			runs[i] = chart.Run{System: &info.Systems[i], On: true, Report: &report.Report{Fits: true, Values: values[i]}}
		}
		if v := chart.Draw(&chart.Context{Info: info, Setup: info.Setup()}, &ch, runs); v.Text != want {
			t.Errorf("%v: %q, want %q", values, v.Text, want)
		}
	}
}
