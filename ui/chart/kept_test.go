package chart

import (
	"testing"

	"spillway/sim/report"
	"spillway/ui/lab"
)

// A limit that all keep, that some keep, that nobody keeps; among equals nobody is named alone.
func TestSayKept(t *testing.T) {
	d := &drawing{chart: &report.Chart{X: "requests a second", Unit: "s", Limit: "ttft", LimitLabel: "accepted"}}
	xs := []float64{1, 2, 3}
	of := func(title string, bound bool, ys ...float64) track {
		t := track{run: &Run{System: &lab.System{Title: title, Bound: bound}}}
		t.keeps(xs, ys, 10)
		return t
	}
	for _, x := range []struct {
		tracks []track
		want   string
	}{
		{[]track{of("Bound", true, 1, 1, 1)}, ""},
		{[]track{of("A", false, 1, 2, 3), of("B", false, 1, 2, 4)}, "All keep the accepted 10 s at every load."},
		{[]track{of("A", false, 1, 2, 3), of("B", false, 1, 20, 4)}, "A keeps the accepted 10 s at every load. B does up to 1."},
		{[]track{of("A", false, 1, 20, 30), of("B", false, 1, 2, 40)}, "B keeps the accepted 10 s up to 2 requests a second. A does up to 1."},
		{[]track{of("A", false, 1, 2, 30), of("B", false, 1, 2, 40), of("C", false, 20, 30, 40)}, "A keeps the accepted 10 s up to 2 requests a second, and others do, too. C never does."},
		{[]track{of("A", false, 11, 20, 30), of("Bound", true, 1, 2, 3)}, "Nobody keeps the accepted 10 s."},
	} {
		if got := d.sayKept(x.tracks, 10); got != x.want {
			t.Errorf("%q; want %q", got, x.want)
		}
	}
}
