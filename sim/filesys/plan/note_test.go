package plan

import (
	"math"
	"testing"
)

// TestNote: a step Mark tells what it was made of.
func TestNote(t *testing.T) {
	for _, n := range []Note{
		{},
		{What: 255, Node: -1, Page: math.MinInt32, Tx: math.MaxInt32, From: -1, To: math.MinInt32},
		{What: 1, Node: 2, Page: 3, Tx: 4, From: 5, To: 6},
	} {
		if s := n.Step(); s.Kind != Mark || s.Note() != n {
			t.Errorf("%+v, then %+v", n, s.Note())
		}
	}
}
