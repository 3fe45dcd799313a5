package blocks

import (
	"testing"

	"spillway/sim/unit"
)

// TestShare: what comes and what leaves at the same time take twice as long for as long as
// both do, and no longer.
func TestShare(t *testing.T) {
	for _, tt := range []struct {
		says             string
		inStart, inEnd   unit.Cycles // of a block that is coming
		outStart, outEnd unit.Cycles // of one that begins to leave at 40
		wantIn, wantOut  unit.Cycles
	}{
		{"the first ends first", 0, 100, 40, 140, 160, 200},
		{"the second ends first", 0, 300, 40, 140, 400, 240},
		{"begins later", 0, 100, 70, 170, 130, 200},
		{"one after the other", 0, 100, 100, 200, 100, 200},
		{"waits before it comes", 90, 190, 40, 140, 240, 190},
	} {
		r := &Run{now: 40, full: 2, shared: 1, in: thread{start: tt.inStart, end: tt.inEnd}, out: thread{start: tt.outStart, end: tt.outEnd}}
		r.share(&r.out, &r.in)
		if r.in.end != tt.wantIn || r.out.end != tt.wantOut {
			t.Errorf("%s: ends are %d and %d, want %d and %d", tt.says, r.in.end, r.out.end, tt.wantIn, tt.wantOut)
		}
	}
}
