package link

import (
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/train/result"
)

// Every direction is the one between its ends, and counts in a place of its own.
func TestDirections(t *testing.T) {
	var all result.Traffic
	for d := range Directions {
		from, to := d.Ends()
		other := from
		if d.Out() {
			other = to
		}
		if from == to || (from == machine.GPU) != d.Out() || Between(other, d.Out()) != d {
			t.Errorf("direction %d is from %v to %v", d, from, to)
		}
		d.Count(&all, 1<<(8*d))
	}
	if want := (result.Traffic{SSDOut: 1, SSDIn: 1 << 8, HostOut: 1 << 16, HostIn: 1 << 24}); all != want {
		t.Errorf("%+v moved, want %+v", all, want)
	}
}
