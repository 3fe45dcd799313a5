package timeline_test

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/timeline"
)

// Lives are packed so that none covers another, not much higher than what lives at once.
func TestLives(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		rec := timeline.Record(timeline.Picosecond, 1000, timeline.Category{Key: "a", Style: timeline.Holding})
		rec.Group("all", false)
		rec.Object("object")
		lives := rec.Lives("memory", "bytes")
		for range 1 + r.IntN(200) {
			begin := r.Int64N(1000)
			rec.Live(lives, timeline.Slice{Begin: begin, End: begin + r.Int64N(300) - 20, Amount: r.Int64N(1000), Ref: int32(r.IntN(2)) - 1})
		}
		run := rec.End()
		if err := run.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		l := &run.Lives[0]
		peak := int64(0)
		for i := range l.Begin {
			at := int64(0)
			for k := range l.Begin {
				if l.Begin[k] <= l.Begin[i] && l.End[k] > l.Begin[i] {
					at += l.Amount[k]
				}
				if k < i && l.End[k] > l.Begin[i] && l.Y[k] < l.Y[i]+l.Amount[i] && l.Y[i] < l.Y[k]+l.Amount[k] {
					t.Fatalf("seed %d: life %d covers %d", seed, i, k)
				}
			}
			peak = max(peak, at)
		}
		if l.High < peak || float64(l.High) > 1.5*float64(peak) {
			t.Errorf("seed %d: %d high, %d at once", seed, l.High, peak)
		}
	}
}
