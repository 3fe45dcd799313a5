package report_test

import (
	"slices"
	"testing"

	"spillway/sim/report"
)

// A text that begins like a formula is none; numbers stay numbers.
func TestCells(t *testing.T) {
	in := []string{`=HYPERLINK("http://elsewhere.test","x")`, "+cmd", "-cmd", "@sum", "-", "\tx", "-1.5", "+1.7e-14", "-3.9 %", "+12%", "text", "", "a=b", "−3"}
	want := []string{`'=HYPERLINK("http://elsewhere.test","x")`, "'+cmd", "'-cmd", "'@sum", "'-", "'\tx", "-1.5", "+1.7e-14", "-3.9 %", "+12%", "text", "", "a=b", "−3"}
	if got := report.Cells(in); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
