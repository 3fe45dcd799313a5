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
		opens := l.Setup()
		l.Presume(opens, nil, nil)
		if u.Equal(opens) != (p.Key == "training-and-bursts") {
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
		for _, lane := range l.Picture.Links[1].Lanes {
			moved := value(lane.Bytes)
			if want := moved / float64(rate) / value("time_s"); moved == 0 || math.Abs(value(lane.Busy)-want) > 1e-6 {
				t.Errorf("%s, to %s: busy is %v of %v bytes, want %v", p.Key, lane.To, value(lane.Busy), moved, want)
			}
		}
		works := 0.0
		for _, part := range doings() {
			works += value(partKey(part))
		}
		if lane := l.Picture.Links[0].Lanes[0]; works == 0 || math.Abs(value(lane.Busy)-works/value("time_s")) > 1e-6 {
			t.Errorf("%s: the store works for %v of the time, its parts are %v of %v s", p.Key, value(lane.Busy), works, value("time_s"))
		}
		if back, want := value("returned_bytes"), value("prefetched_bytes")+value("fetched_bytes"); back != want {
			t.Errorf("%s: %v bytes came back, want %v", p.Key, back, want)
		}
	}
}
