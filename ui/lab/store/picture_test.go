package store

import (
	"math"
	"testing"

	"spillway/sim/knob"
)

// Presets run, something moves in them, and the picture's shares are bytes over
// rate times time. One is the default.
func TestPresets(t *testing.T) {
	l := New()
	for _, p := range l.Presets {
		u := l.Setup()
		pairs, err := knob.Pairs(p.Set)
		if err == nil {
			err = u.Apply(pairs)
		}
		if err != nil {
			t.Fatalf("%s: %v", p.Key, err)
		}
		if u.Equal(l.Setup()) != (p.Key == "training-and-bursts") {
			t.Errorf("%s: %s", p.Key, u)
		}
		r, _, err := l.Run(u, "lru", nil, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v, %+v", p.Key, err, r)
		}
		value := func(key string) float64 {
			v, ok := r.Value(l.Quantity(key))
			if !ok {
				t.Errorf("%s has no %s", p.Key, key)
			}
			return v
		}
		rate, err := knob.ParseDecimal(u.Text("link"), 1e9)
		if err != nil {
			t.Fatal(err)
		}
		for _, lane := range l.Picture.Links[0].Lanes {
			moved := value(lane.Bytes)
			if want := moved / float64(rate) / value("time_s"); moved == 0 || math.Abs(value(lane.Busy)-want) > 1e-6 {
				t.Errorf("%s, to %s: busy is %v of %v bytes, want %v", p.Key, lane.To, value(lane.Busy), moved, want)
			}
		}
		if back, want := value("returned_bytes"), value("prefetched_bytes")+value("fetched_bytes"); back != want {
			t.Errorf("%s: %v bytes came back, want %v", p.Key, back, want)
		}
	}
}
