package workspace

import (
	"testing"

	"spillway/sim/knob"
)

// Of two numbers of which one is within the other, whoever types one is told where the other went.
func TestMoved(t *testing.T) {
	number := func(key, within string) knob.Info {
		return knob.Info{Key: key, Label: key, Kind: knob.Number, Scale: 1, Min: 0, Max: 100, Default: "8", Within: within}
	}
	for _, tt := range [][3]string{
		{"micro", "16", "batch: now 16."},
		{"batch", "4", "micro: now 4."},
		{"micro", "2", ""},
	} {
		u := knob.NewSetup([]knob.Info{number("micro", "batch"), number("batch", "")})
		before := u.Clone()
		if err := u.Set(tt[0], tt[1]); err != nil {
			t.Error(err)
		}
		if got := moved(before, u, tt[0]); got != tt[2] {
			t.Errorf("%s=%s: got %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
