package timeline_test

import (
	"testing"

	"spillway/sim/timeline"
)

// What lasts longest in a part, what was last before and comes next, and where most time goes.
func TestFind(t *testing.T) {
	r := timeline.Record(timeline.Picosecond, 100, timeline.Category{Key: "a"}, timeline.Category{Key: "b"})
	r.Group("g", false)
	r.Track("t", timeline.Link, "bytes")
	for _, s := range []timeline.Slice{{Begin: 0, End: 10}, {Begin: 10, End: 10, Cat: 1}, {Begin: 20, End: 50, Cat: 1}, {Begin: 50, End: 90}} {
		s.Ref, s.Step = -1, -1
		r.Slice(0, s)
	}
	x := &r.End().Tracks[0]
	all := func(int) bool { return true }
	second := func(i int) bool { return x.Cat[i] == 1 }
	if i, n := x.Longest(5, 60, all); i != 2 || n != 30 {
		t.Errorf("longest: slice %d, %d ticks", i, n)
	}
	if i, n := x.Longest(45, 55, all); i != 3 || n != 5 { // of two the later
		t.Errorf("longest of equal ones: slice %d, %d ticks", i, n)
	}
	if i, _ := x.Longest(50, 60, second); i != -1 {
		t.Errorf("longest that is not there: slice %d", i)
	}
	if i := x.Last(50, second); i != 2 {
		t.Errorf("last: slice %d", i)
	}
	if i := x.Last(10, second); i != -1 {
		t.Errorf("last that is not there: slice %d", i)
	}
	if i := x.Next(11, second); i != 2 {
		t.Errorf("next: slice %d", i)
	}
	if i := x.Next(51, all); i != -1 {
		t.Errorf("next that is not there: slice %d", i)
	}
	if c, n := x.Main(0, 100); c != 0 || n != 50 {
		t.Errorf("most: category %d, %d ticks", c, n)
	}
	if c, _ := x.Main(92, 95); c != -1 {
		t.Errorf("most of nothing: category %d", c)
	}
}
