package timeline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/timeline"
)

// A long run is recorded with so many slices on two State tracks, a Link that moves without
// taking time now and then, and a window.
func long(seed uint64, n int, w timeline.Window) *timeline.Timeline {
	r := rand.New(rand.NewPCG(seed, 2))
	cats := make([]timeline.Category, 5)
	cats[1].Style, cats[3].Style = timeline.Waiting, timeline.Waiting
	rec := timeline.Record(timeline.Picosecond, int64(n)*1000, cats...)
	rec.Look(w)
	rec.Group("all", false)
	tracks := []int{rec.Track("one", timeline.State, ""), rec.Track("two", timeline.State, ""), rec.Track("moves", timeline.Link, "bytes")}
	name := rec.Name("a")
	var ends [3]int64
	for i := range n {
		k := r.IntN(3)
		took := 1 + r.Int64N(1500)
		if r.IntN(10) == 0 {
			took *= 7
		}
		if k == 2 && i%5 == 0 {
			took = 0
		}
		s := timeline.Slice{Begin: ends[k] + r.Int64N(2)*r.Int64N(99), Cat: uint8(r.IntN(5)), Ref: -1, Step: -1, Name: name, Amount: 2}
		s.End = s.Begin + took
		ends[k] = s.End
		rec.Slice(tracks[k], s)
	}
	return rec.End()
}

// What a window has is that part of the whole, and its longest waits are those of the whole.
func TestWindowIsPartOfTheWhole(t *testing.T) {
	for seed := range uint64(20) {
		whole := long(seed, 5000, timeline.Window{})
		if whole.Part || whole.Bins != nil || whole.Check() != nil {
			t.Fatalf("seed %d: %v", seed, whole.Check())
		}
		r := rand.New(rand.NewPCG(seed, 3))
		from := r.Int64N(whole.End)
		w := timeline.Window{From: from, To: from + 1 + r.Int64N(whole.End-from)}
		part := long(seed, 5000, w)
		if !part.Part || part.Window != w || part.Bins != nil || part.Check() != nil {
			t.Fatalf("seed %d: %+v of %+v: %v", seed, part.Window, w, part.Check())
		}
		if !slices.Equal(part.Waits, whole.Waits) {
			t.Fatalf("seed %d: waits differ", seed)
		}
		spent, sum := part.Spent(), make([]int64, 5)
		for i := range whole.Tracks {
			a, b := &whole.Tracks[i], &part.Tracks[i]
			first, kept := 0, 0
			for k := range a.Begin {
				if a.Begin[k] < w.To && (a.End[k] > w.From || a.Begin[k] >= w.From) {
					if kept++; kept == 1 {
						first = k
					}
				}
			}
			if kept != len(b.Begin) || kept > 0 && (!slices.Equal(a.Begin[first:first+kept], b.Begin) || !slices.Equal(a.End[first:first+kept], b.End) || !slices.Equal(a.Amount[first:first+kept], b.Amount)) {
				t.Fatalf("seed %d, track %d: %d slices of %d", seed, i, len(b.Begin), kept)
			}
			if a.Kind == timeline.State {
				in := make([]int64, 5)
				whole.Sum(i).Within(w.From, w.To, in)
				for c := range in {
					sum[c] += in[c]
				}
			}
		}
		if !slices.Equal(spent, sum) {
			t.Fatalf("seed %d: %d in the window, of the whole %d", seed, spent, sum)
		}
	}
}

// A track may begin when there are too many slices already.
func TestTrackAfterTooManySlices(t *testing.T) {
	rec := timeline.Record(timeline.Picosecond, 4*timeline.MostSlices, timeline.Category{}, timeline.Category{Style: timeline.Waiting})
	rec.Group("all", false)
	one := rec.Track("one", timeline.State, "")
	for i := range int64(2 * timeline.MostSlices) {
		rec.Slice(one, timeline.Slice{Begin: 2 * i, End: 2*i + 1, Cat: uint8(i % 2), Ref: -1, Step: -1})
	}
	rec.Slice(rec.Track("two", timeline.State, ""), timeline.Slice{Begin: 5, End: 5000, Cat: 1, Ref: -1, Step: -1})
	x := rec.End()
	if err := x.Check(); err != nil || x.Bins == nil || !slices.Equal(x.Spent(), []int64{timeline.MostSlices, timeline.MostSlices + 4995}) {
		t.Errorf("%d: %v", x.Spent(), err)
	}
	if w := x.Waits[0]; w.Track != 1 || w.Begin != 5 || w.End != 5000 {
		t.Errorf("the longest wait is %+v", w)
	}
}

// Of too many slices bins are left, which sum to what slices would; waits are the longest of
// all; and a window that would have too many slices is made smaller.
func TestTooManySlices(t *testing.T) {
	const n = 600_000
	x := long(1, n, timeline.Window{})
	if !x.Part || x.Bins == nil || x.Len() != 0 || x.Check() != nil {
		t.Fatalf("%d slices: %v", x.Len(), x.Check())
	}
	var spent [5]int64
	var waits []int64
	const pieces = 5 // windows that have few enough
	for i := range int64(pieces) {
		w := timeline.Window{From: i * x.End / pieces, To: (i + 1) * x.End / pieces}
		part := long(1, n, w)
		if part.Window != w || part.Len() == 0 && i < 2 {
			t.Fatalf("%d slices in %+v of %+v", part.Len(), part.Window, w)
		}
		for c, took := range part.Spent() {
			spent[c] += took
		}
		for k := range part.Tracks[:2] {
			for j, at := range part.Tracks[k].Begin {
				if c := part.Tracks[k].Cat[j]; at >= w.From && (c == 1 || c == 3) {
					waits = append(waits, part.Tracks[k].End[j]-at)
				}
			}
		}
	}
	if !slices.Equal(x.Spent(), spent[:]) {
		t.Errorf("bins sum to %d, slices to %d", x.Spent(), spent)
	}
	slices.SortFunc(waits, func(a, b int64) int { return int(b - a) })
	if len(x.Waits) != timeline.MostWaits {
		t.Fatalf("%d waits", len(x.Waits))
	}
	for i, w := range x.Waits {
		if w.End-w.Begin != waits[i] {
			t.Fatalf("wait %d of %d, want %d", i, w.End-w.Begin, waits[i])
		}
	}
	wide := long(1, n, timeline.Window{From: 1, To: x.End - 1})
	if middle := x.End / 2; wide.Len() > timeline.MostSlices || wide.Len() == 0 && wide.Tracks[0].End != nil || wide.Window.From > middle || wide.Window.To < middle || wide.Check() != nil {
		t.Errorf("%d slices from %d to %d of %d: %v", wide.Len(), wide.Window.From, wide.Window.To, x.End, wide.Check())
	}
	for _, parts := range []int{1, 7, 1000, 1 << 20} {
		y := x.Spread(parts)
		if err := y.Check(); err != nil || y.Bins != nil || y.Len() > 3*5*max(parts, 1) || !slices.Equal(y.Spent(), spent[:]) {
			t.Errorf("in %d parts: %d slices, %d; %v", parts, y.Len(), y.Spent(), err)
		}
	}
	if y := long(2, 100, timeline.Window{}); y.Spread(10) != y {
		t.Error("what has slices is spread")
	}
}
