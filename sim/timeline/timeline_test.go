package timeline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// drawn is a track of n slices with gaps between some of them.
func drawn(r *rand.Rand, n int) *timeline.Timeline {
	const end = 1 << 40
	rec := timeline.Record(timeline.Picosecond, end, make([]timeline.Category, 5)...)
	rec.Group("all", false)
	track := rec.Track("one", timeline.State, "")
	at := int64(0)
	for i := range n {
		at += r.Int64N(2) * r.Int64N(100)
		next := at + 1 + r.Int64N(1000)
		rec.Slice(track, timeline.Slice{Begin: at, End: next, Cat: uint8(r.IntN(5)), Ref: -1, Step: -1, Name: rec.Name([]string{"a", "b"}[i%2])})
		at = next
	}
	return rec.End()
}

// naive is what [timeline.Sums.Before] says, slice by slice.
func naive(x *timeline.Track, at int64) []int64 {
	sum := make([]int64, 5)
	for i, from := range x.Begin {
		sum[x.Cat[i]] += max(0, min(x.End[i], at)-from)
	}
	return sum
}

// Sums are those of all slices: at the begin and the end of every slice, of those that are
// the last of a block and the first of the next too, beside them, and where nothing is.
func TestSums(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, n := range []int{0, 1, 2, 63, 64, 65, 127, 128, 129, 500} {
			run := drawn(r, n)
			if err := run.Check(); err != nil || run.Len() != n {
				t.Fatalf("seed %d: %d slices of %d: %v", seed, run.Len(), n, err)
			}
			x, sums := &run.Tracks[0], run.Sum(0)
			probes := []int64{0, 1, run.End}
			for i := range x.Begin {
				probes = append(probes, x.Begin[i], x.End[i], (x.Begin[i]+x.End[i])/2, x.Begin[i]+1, x.End[i]-1)
			}
			got := make([]int64, 5)
			for _, at := range probes {
				clear(got)
				if sums.Before(at, got); !slices.Equal(got, naive(x, at)) {
					t.Fatalf("seed %d, %d slices, before %d: %d, slice by slice %d", seed, n, at, got, naive(x, at))
				}
			}
			bins := make([]int64, 5)
			last := int64(n)*1100 + 1
			for i, v := range sums.Bins(0, last, 77) {
				bins[i%5] += v
			}
			if !slices.Equal(bins, naive(x, last)) {
				t.Fatalf("seed %d, %d slices: bins sum to %d, slices to %d", seed, n, bins, naive(x, last))
			}
		}
	}
}

// What goes on is joined, what takes no time or lies outside is dropped, names are there once.
func TestRecorder(t *testing.T) {
	r := timeline.Record(timeline.Cycle(1_200_000_000), 100, timeline.Category{Key: "a"}, timeline.Category{Key: "b"})
	r.Group("g", false)
	k := r.Track("t", timeline.Note, "bytes")
	c := r.Counter("c", "bytes", 0)
	name := r.Name("x")
	for _, s := range [][3]int64{{-5, 10, 0}, {10, 20, 0}, {20, 20, 1}, {20, 30, 1}, {90, 120, 1}, {120, 130, 1}} {
		r.Slice(k, timeline.Slice{Begin: s[0], End: s[1], Cat: uint8(s[2]), Name: name, Ref: -1, Step: -1, Amount: 3})
	}
	for _, v := range [][2]int64{{0, 1}, {5, 1}, {7, 2}, {7, 3}, {200, 4}} {
		r.Count(c, v[0], v[1])
	}
	run := r.End()
	if err := run.Check(); err != nil {
		t.Fatal(err)
	}
	x := &run.Tracks[k]
	if !slices.Equal(x.Begin, []int64{0, 20, 90}) || !slices.Equal(x.End, []int64{20, 30, 100}) || !slices.Equal(x.Amount, []int64{6, 3, 3}) || run.Dropped != 2 {
		t.Errorf("%d to %d, %d, %d dropped", x.Begin, x.End, x.Amount, run.Dropped)
	}
	if r.Name("x") != name || len(run.Names) != 2 {
		t.Errorf("names %q", run.Names)
	}
	if v := &run.Counters[c]; !slices.Equal(v.At, []int64{0, 7, 100}) || !slices.Equal(v.Value, []int64{1, 3, 4}) {
		t.Errorf("counter %d at %d", v.Value, v.At)
	}
	if run.Tick != (timeline.Tick{Num: 2500, Den: 3}) || run.Tick.Time(6) != 5*unit.Nanosecond {
		t.Errorf("a cycle of 1.2 GHz is %v ps, six are %d ps", run.Tick, run.Tick.Time(6))
	}
	x.End[0] = 25
	if run.Check() == nil {
		t.Error("slices may overlap")
	}
}

func BenchmarkSums(b *testing.B) {
	run := drawn(rand.New(rand.NewPCG(1, 1)), 100_000)
	sums, into := run.Sum(0), make([]int64, 5)
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			run.Sum(0)
		}
	})
	b.Run("window", func(b *testing.B) {
		for b.Loop() {
			sums.Within(12_345_678, 23_456_789, into)
		}
	})
}
