package chart_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
)

// seeded are runs of two systems, as they are and with two other seeds.
func seeded(c *chart.Context, oven, kiln []float64) []chart.Run {
	of := func(speed float64, at int) *report.Report {
		return &report.Report{
			Fits: true, Values: []float64{speed, 100 * speed, 50, report.None(), report.None()},
			Curves: []report.Curve{{Chart: "heat", By: "time", X: []float64{0, 1, 2 + float64(at)/10}, Y: []float64{0, 10 * speed, 5}}},
		}
	}
	list := runs(c.Info)[1:3]
	for i, speeds := range [][]float64{oven, kiln} {
		r := &list[i]
		r.Stale, r.Status, r.Report, r.Seeds = false, "", of(speeds[0], 0), nil
		for k, x := range speeds[1:] {
			r.Seeds, r.Doubted = append(r.Seeds, of(x, k+1)), append(r.Doubted, x)
		}
	}
	return list
}

// Bars and curves have their bands once other seeds are known, and those whose bands overlap are
// level; what is of other settings has none.
func TestBandsOfSeeds(t *testing.T) {
	c := context()
	c.Info.Say.Seed = "seed"
	list := seeded(c, []float64{0.9, 0.8, 0.95}, []float64{0.7, 0.75, 0.6})
	view := func(id string, list []chart.Run) chart.View {
		return chart.Draw(c, &c.Info.Charts[slices.IndexFunc(c.Info.Charts, func(x report.Chart) bool { return x.ID == id })], list)
	}
	numbers := func(f *chart.Figure, at chart.Column) []float64 { return f.Data[at[0] : at[0]+at[1]] }
	v := view("speed", list)
	if got := numbers(v.Figure, v.Figure.Bars.Band); !slices.Equal(got, []float64{0, 0.8, 0.95, 1, 0.6, 0.75}) || !strings.Contains(v.Help, "three runs with other random numbers") {
		t.Errorf("bars have bands %v, help %q", got, v.Help)
	}
	if v.Text != "Oven is fastest: 0.9 × dream." && !strings.HasPrefix(v.Text, "Oven is fastest: ") {
		t.Errorf("%q", v.Text)
	}
	v = view("lost", list)
	if got := numbers(v.Figure, v.Figure.Bars.Band); len(got) != 6 || got[1] >= got[2] {
		t.Errorf("sums have bands %v", got)
	}
	v = view("heat", list)
	if got := numbers(v.Figure, v.Figure.Panels.Series[0].Band); !slices.Equal(got, []float64{0, 0, 0, 1, 8, 9.5, 2, 5, got[8]}) || got[8] < 5 {
		t.Errorf("a curve has the band %v", got)
	}
	list[1].Stale = true
	v = view("speed", list)
	if got := numbers(v.Figure, v.Figure.Bars.Band); len(got) != 3 {
		t.Errorf("what is of other settings has a band: %v", got)
	}
	list = seeded(c, []float64{0.9, 0.7, 0.95}, []float64{0.7, 0.75, 0.6})
	if v = view("speed", list); !strings.Contains(v.Text, "(so is Kiln, old)") && !strings.Contains(v.Text, "Kiln, old") {
		t.Errorf("bands overlap: %q", v.Text)
	}
	if says, _ := chart.Verdict(c.Info, list); !strings.Contains(says, "are level") {
		t.Errorf("bands overlap: %q", says)
	}
}
