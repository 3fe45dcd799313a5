package study

import (
	"slices"
	"testing"
)

// TestRecords takes cells with commas and without apart, and refuses a line of another
// length.
func TestRecords(t *testing.T) {
	got := Records("x.csv", "# source: a\na,b,c\n\n1,\"two, and\",3\r\n,,\"4\"\n")
	want := [][]string{{"1", "two, and", "3"}, {"", "", "4"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"", "# a\n", "a,b\n1\n", "a\n1,2\n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", text)
				}
			}()
			Records("x.csv", text)
		}()
	}
}

// TestGaps knows a gap that is recorded, with the value that it has alone.
func TestGaps(t *testing.T) {
	g := ReadGaps(Records("gaps.csv", GapColumns+"\n1,a,b,c,q,1.23\n1,a,b,c,r,-\n"))
	row := func(quantity string, fits bool, ours float64) *Row {
		return &Row{Point: &Point{Figure: "1", System: "a", Of: "b", At: "c", Quantity: quantity}, Status: Gap, OursFits: fits, Ours: ours}
	}
	for _, x := range []struct {
		r    *Row
		want bool
	}{
		{row("q", true, 1.2345), true},
		{row("q", true, 1.24), false},
		{row("q", false, 0), false},
		{row("r", false, 0), true},
		{row("r", true, 0), false},
		{row("s", true, 1.23), false},
	} {
		if g.Known(x.r) != x.want {
			t.Errorf("%v", GapOf(x.r))
		}
	}
	r := row("q", true, 1.23)
	if r.Status = Within; g.Known(r) {
		t.Error("what is within its limit is no gap")
	}
}
