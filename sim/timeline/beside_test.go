package timeline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/timeline"
)

// stepped is a run of steps that take so long, each half work and half wait, with a move from
// each to the end of the next.
func stepped(took []int64) *timeline.Timeline {
	end := int64(0)
	for _, n := range took {
		end += n
	}
	r := timeline.Record(timeline.Picosecond, end, timeline.Category{Key: "work"}, timeline.Category{Key: "wait", Style: timeline.Waiting})
	r.Group("all", false)
	state, link := r.Track("state", timeline.State, ""), r.Track("link", timeline.Link, "bytes")
	counter := r.Counter("held", "bytes", 0)
	r.Object("object")
	lives := r.Lives("memory", "bytes")
	at, moved := int64(0), int64(0)
	for i, n := range took {
		r.Step("step")
		r.Reach("step", at)
		r.Slice(state, timeline.Slice{Begin: at, End: at + n/2, Ref: -1, Step: int32(i)})
		r.Slice(state, timeline.Slice{Begin: at + n/2, End: at + n, Cat: 1, Ref: -1, Step: int32(i)})
		r.Count(counter, at, int64(i))
		r.Live(lives, timeline.Slice{Begin: at, End: at + 2*n, Amount: 1 + n})
		if at >= moved && i+1 < len(took) {
			moved = at + n + took[i+1]
			r.Slice(link, timeline.Slice{Begin: at, End: moved, Ref: 0, Step: -1, Amount: n})
		}
		at += n
	}
	return r.End()
}

// Two runs by progress: a step has the room that the slower needs, so what is blank and what a
// run takes is all of it; sums stay; the lag is the difference; a run beside itself is not cut.
func TestBeside(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		var took [2][]int64
		var sum [2]int64
		slower := int64(0)
		for range 1 + r.IntN(30) + 1 {
			var n [2]int64
			for side := range n {
				n[side] = r.Int64N(3) * r.Int64N(50)
				took[side] = append(took[side], n[side])
				sum[side] += n[side]
			}
			slower += max(n[0], n[1])
		}
		a, b := stepped(took[0]), stepped(took[1])
		p, err := timeline.Beside(a, b, "A", "B", true)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if p.End != slower {
			t.Fatalf("seed %d: ends at %d, want %d", seed, p.End, slower)
		}
		spent := p.Spent()
		for c := range 2 {
			if want := a.Spent()[c] + b.Spent()[c]; spent[c] != want {
				t.Errorf("seed %d: category %d takes %d, want %d", seed, c, spent[c], want)
			}
		}
		if len(p.Tracks) != 5 {
			t.Fatalf("seed %d: %d tracks", seed, len(p.Tracks))
		}
		// Longer in A, longer in B: the blank of the other.
		longer := [2]int64{}
		for i, c := range p.Tracks[4].Cat {
			longer[c-2] += p.Tracks[4].End[i] - p.Tracks[4].Begin[i]
		}
		if longer[1] != p.End-sum[0] || longer[0] != p.End-sum[1] {
			t.Errorf("seed %d: blank %d, ends at %d, runs take %d", seed, longer, p.End, sum)
		}
		for i := range p.Counters {
			c := &p.Counters[i]
			if c.Unit != "ticks" {
				continue
			}
			if want := max(0, sum[1]-sum[0]); c.Name == "B behind A" && c.Value[len(c.Value)-1] != want {
				t.Errorf("seed %d: B is behind by %d, want %d", seed, c.Value, want)
			}
		}
		for track := range p.Tracks[:4] {
			for i := range p.Tracks[track].Begin {
				side, of, slice := p.Slice(track, i)
				x := &[]*timeline.Timeline{a, b}[side].Tracks[of]
				if in, at := p.Place(side, of, x.Begin[slice]); in != track || at != p.Tracks[track].Begin[i] {
					t.Errorf("seed %d: slice %d of track %d is at %d, placed at %d of track %d", seed, i, track, p.Tracks[track].Begin[i], at, in)
				}
			}
		}
		self, err := timeline.Beside(a, stepped(took[0]), "A", "A again", true)
		if err != nil {
			t.Fatal(err)
		}
		if self.End != a.End || len(self.Tracks[4].Begin) != 0 || !slices.Equal(self.Tracks[0].Begin, a.Tracks[0].Begin) || !slices.Equal(self.Tracks[3].End, a.Tracks[1].End) {
			t.Errorf("seed %d: a run beside itself has something blank", seed)
		}
		if clock, err := timeline.Beside(a, b, "A", "B", false); err != nil || clock.End != max(a.End, b.End) || clock.Check() != nil || !slices.Equal(clock.Tracks[2].Begin, b.Tracks[0].Begin) {
			t.Errorf("seed %d: by time: %v", seed, err)
		}
	}
}
