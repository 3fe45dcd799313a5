package kerneltimes_test

import (
	"math"
	"slices"
	"testing"

	"spillway/sim/study"
	"spillway/ui/lab/train"
	"spillway/ui/lab/train/papers/kerneltimes"
)

// TestErrors runs the measured steps and holds the law to what is asked of it, by kind of
// network: half of the rows within the first bound, nine of ten within the second. Of images eight
// of ten are within what the remark says.
func TestErrors(t *testing.T) {
	p := kerneltimes.Paper()
	l := train.New()
	own, err := l.Paper(p.Key)
	if err != nil {
		t.Fatal(err)
	}
	off := map[string][]float64{}
	for _, r := range p.Runs() {
		o, _, err := l.Measure(own, r.Name, r.Set, nil, nil)
		if err != nil || !o.Fits {
			t.Errorf("%s: %v, fits %v", r.Name, err, o != nil && o.Fits)
			continue
		}
		at := slices.IndexFunc(p.Points, func(x study.Point) bool { return x.Run() == r.Name })
		x := &p.Points[at]
		off[x.Figure] = append(off[x.Figure], math.Abs(o.Values[0]/x.Value-1))
		t.Logf("%-40s %-30s %+5.1f %%, %s", x.Of, x.At, 100*(o.Values[0]/x.Value-1), x.Note)
	}
	for figure, most := range map[string][2]float64{"images": {0.08, 0.20}, "bert": {0.16, 0.32}} {
		list := off[figure]
		slices.Sort(list)
		if n := len(list); n == 0 || list[n/2] > most[0] || list[n*9/10] > most[1] {
			t.Errorf("%s: %d rows, median %.3f, nine of ten within %.3f", figure, n, list[n/2], list[n*9/10])
		}
		if n := len(list); figure == "images" && list[n*8/10] > 0.15 {
			t.Errorf("eight of ten are within %.3f", list[n*8/10])
		}
	}
}
