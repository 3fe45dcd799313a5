package chart

import (
	"testing"

	"spillway/sim/report"
)

// A change that is for the better never reads as one for the worse.
func TestAmountOfChange(t *testing.T) {
	less, more := &report.Quantity{Better: -1}, &report.Quantity{Better: 1}
	for _, x := range []struct {
		q       *report.Quantity
		was, is float64
		want    string
	}{
		{less, 4, 0, "to 0, better"},
		{less, 4000, 0.01, "to almost 0, better"},
		{less, 4, 3, "−25 %, better"},
		{more, 4, 3, "−25 %, worse"},
		{more, 0, 3, "from 0, better"},
		{more, 2, 3, "+50 %, better"},
		{more, 2, 30, "15×, better"},
		{less, 2, 2, ""},
	} {
		if got := differ(x.q, x.was, x.is).text(); got != x.want {
			t.Errorf("%v to %v is %q, want %q", x.was, x.is, got, x.want)
		}
	}
}

// Axes and tooltips have four digits, thousands apart and dollars in front.
func TestTip(t *testing.T) {
	for _, x := range []struct {
		x          float64
		unit, want string
	}{
		{0, "", "0"}, {12.3456, "GiB", "12.35 GiB"}, {27608, "$", "$27,608"}, {-1234.5, "", "-1234"}, {1234567, "pages", "1\u202f234\u202f567 pages"}, {2.5, "×", "2.5×"}, {0.000125, "s", "0.000125 s"},
	} {
		if got := Tip(x.x, x.unit); got != x.want {
			t.Errorf("%v %s is %q, want %q", x.x, x.unit, got, x.want)
		}
	}
}
