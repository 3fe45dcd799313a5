package draw_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/draw"
)

// A waterfall's bars begin where the one before ended, downwards too, and totals at zero; a line
// leads from each to the next.
func TestFall(t *testing.T) {
	f := report.Fall{ID: "why", Title: "What makes it wait", Unit: "s", Steps: []report.Step{
		{Name: "Ext4", Text: "10 s", Value: 10, Total: true, Color: "system-1"},
		{Key: "flash", Name: "Flash", Text: "−6 s", Value: -6, Color: "ssd-in"},
		{Key: "link", Name: "Link", Text: "+2 s", Value: 2, Color: "host-in"},
		{Name: "ByteFS", Text: "6 s", Value: 6, Total: true, Color: "system-2"},
	}, CSV: "step\n"}
	v := chart.Fall("why", &f, true)
	if b := v.Figure.Bars; len(b.Rows) != 4 || b.From[1] != 4 || v.CSV() != "step\n" {
		t.Fatalf("%+v", b)
	}
	if want := []float64{10, -6, 2, 6, 0, 10, 4, 0}; len(v.Figure.Data) != len(want) || v.Figure.Data[5] != 10 || v.Figure.Data[6] != 4 || v.Figure.Data[7] != 0 {
		t.Errorf("%v, want %v", v.Figure.Data, want)
	}
	svg := draw.SVG(&v, draw.Options{Theme: draw.Light})
	var bars [][2]float64
	for _, m := range regexp.MustCompile(`<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"`).FindAllStringSubmatch(svg, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		w, _ := strconv.ParseFloat(m[2], 64)
		if h, _ := strconv.ParseFloat(m[3], 64); h > 15 && h < 25 {
			bars = append(bars, [2]float64{x, x + w})
		}
	}
	if len(bars) != 4 {
		t.Fatalf("%d bars in %s", len(bars), svg)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.2 }
	if !near(bars[0][1], bars[1][1]) || !near(bars[1][0], bars[2][0]) || !near(bars[2][1], bars[3][1]) || !near(bars[0][0], bars[3][0]) {
		t.Errorf("%v", bars)
	}
}
