package engine

import (
	"testing"

	"spillway/sim/unit"
)

// A drive that reads half of what it could while it also writes has half of the
// time to write alone.
func TestTaken(t *testing.T) {
	d := Drive{Read: 7500 * unit.MBps, Write: 1900 * unit.MBps, MixedRead: 7000 * unit.MBps, MixedWrite: 1300 * unit.MBps}
	for _, tt := range []struct {
		reads, writes int64
		read, write   unit.Bandwidth
	}{
		{1000, 1000, 7000, 1300},
		{1500, 0, 7500, 1300},
		{500, 500, 7250, 1600},
		{120, 1000, 7000, 1828},
		{0, 0, 7500, 1900},
	} {
		want := Drive{d.Read, d.Write, tt.read * unit.MBps, tt.write * unit.MBps}
		if got := d.Taken(tt.reads, tt.writes); got != want {
			t.Errorf("reads %d and writes %d thousandths: %+v, want %+v", tt.reads, tt.writes, got, want)
		}
	}
}
