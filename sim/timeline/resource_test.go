package timeline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/timeline"
)

// What slices are for sums to all of their time, of two runs side by side too.
func TestAttribute(t *testing.T) {
	run := drawn(rand.New(rand.NewPCG(3, 1)), 500)
	run.Progress, run.Word = []int64{0, run.End / 3, run.End / 2}, "call"
	if run.Needed() != nil {
		t.Error("it says what nobody said")
	}
	run.Attribute([]timeline.Resource{{Key: "a"}, {Key: "b"}}, func(_, slice int) uint8 { return uint8(slice % 3) })
	x := &run.Tracks[0]
	want := make([]int64, 3)
	for i := range x.Begin {
		want[i%3] += x.End[i] - x.Begin[i]
	}
	if err := run.Check(); err != nil || !slices.Equal(run.Needed(), want) {
		t.Fatalf("%d, want %d: %v", run.Needed(), want, err)
	}
	for _, progress := range []bool{false, true} {
		p, err := timeline.Beside(run, run, "A", "B", progress)
		if err != nil || p.Check() != nil {
			t.Fatal(err, p.Check())
		}
		for i, n := range p.Needed() {
			if n != 2*want[i] {
				t.Errorf("linked by progress %t: %d for resource %d, want %d", progress, n, i, 2*want[i])
			}
		}
	}
	x.For[0] = 3
	if run.Check() == nil {
		t.Error("a resource that is not there is none")
	}
}

// How many slices last at once is what counting says.
func TestLoad(t *testing.T) {
	const end = 2000
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		rec := timeline.Record(timeline.Picosecond, end, make([]timeline.Category, 3)...)
		rec.Group("all", false)
		var count [end]int64
		for range 3 {
			track := rec.Track("one", timeline.Work, "")
			for at := r.Int64N(50); at < end; {
				next, cat := min(end, at+1+r.Int64N(60)), uint8(r.IntN(3))
				rec.Slice(track, timeline.Slice{Begin: at, End: next, Cat: cat, Ref: -1, Step: -1})
				for i := at; cat != 1 && i < next; i++ {
					count[i]++
				}
				at = next + r.Int64N(2)*r.Int64N(80)
			}
		}
		l := rec.End().Load(0, 3, func(cat uint8) bool { return cat != 1 })
		for range 200 {
			from := r.Int64N(end)
			to := from + r.Int64N(end-from)
			var all, some int64
			for _, n := range count[from:to] {
				all += n
				some += min(n, 1)
			}
			if a, s := l.Within(from, to); a != all || s != some {
				t.Fatalf("seed %d, from %d to %d: %d and %d, counted %d and %d", seed, from, to, a, s, all, some)
			}
		}
	}
}
