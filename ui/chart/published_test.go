package chart_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/chart"
)

// TestPublished draws published values as rings in the look of the line that they
// stand beside, and says them; they are no curve of ours.
func TestPublished(t *testing.T) {
	c := context()
	line := report.Curve{Chart: "slow", X: []float64{0, 100}, Y: []float64{1, 3}}
	stated := report.Curve{Chart: "slow", Name: "published", X: []float64{20, 80}, Y: []float64{1.5, 9}, Published: true}
	oven := chart.Run{System: &c.Info.Systems[1], On: true, Report: &report.Report{Fits: true, Values: make([]float64, 5), Curves: []report.Curve{line, stated}}}
	views := chart.Views(c, []chart.Run{oven})
	at := slices.IndexFunc(views, func(v chart.View) bool { return v.ID == "slow" })
	v := &views[at]
	p := v.Figure.Panels
	if len(p.Series) != 2 || p.Series[0].Shape != chart.Line || p.Series[1].Shape != chart.Rings || p.Series[0].Look != p.Series[1].Look || p.Series[1].Name != "Oven, published" {
		t.Errorf("%+v", p.Series)
	}
	if !strings.Contains(v.Alt, "Oven, published: 1.5× at 20, 9× at 80.") || len(v.Table.Rows) != 1 || v.Picks || strings.Contains(v.Text, "9") {
		t.Errorf("alt %q, text %q, %d rows, picks %v", v.Alt, v.Text, len(v.Table.Rows), v.Picks)
	}
}

// TestUnpublished says nothing of published values in a figure that has none.
func TestUnpublished(t *testing.T) {
	ours := study.Mark{Panel: "A", Series: "B", X: 1, Y: 2, Known: true, Fits: true}
	s := study.Sheet{Paper: "p", Figure: "12", Drawing: study.Drawing{
		Kind: study.Bars, Panels: []string{"A"}, Series: []study.Series{{Name: "B"}},
		Published: []study.Mark{{Panel: "A", Series: "B", X: 1}}, Ours: []study.Mark{ours},
	}}
	if v := chart.Sheet(&s, bakery()); v.Text != "Bars: this simulator." || len(v.Figure.Columns.Names) != 0 {
		t.Errorf("%q, ticks %q", v.Text, v.Figure.Columns.Names)
	}
	s.Drawing.Published[0] = ours
	if v := chart.Sheet(&s, bakery()); v.Text != "Bars: this simulator. Ticks: the published values." || len(v.Figure.Columns.Names) != 1 {
		t.Errorf("%q, ticks %q", v.Text, v.Figure.Columns.Names)
	}
}

// Values of a figure's table have digits that a person reads.
func TestPublishedDigits(t *testing.T) {
	for _, x := range []struct {
		v    float64
		unit string
		want string
	}{{320.96256, "MB", "320.963"}, {0, "s", "0"}, {1.25, "s", "1.25"}, {12, "pages", "12"}} {
		if got := chart.LineOf(&study.Line{Published: x.v, Fits: true, Unit: x.unit}).Published; got != x.want {
			t.Errorf("%v %s: %q, want %q", x.v, x.unit, got, x.want)
		}
	}
}
