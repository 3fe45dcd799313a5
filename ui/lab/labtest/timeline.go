package labtest

import (
	"slices"
	"testing"

	"spillway/sim/timeline"
)

// Timeline checks that a timeline contradicts nothing and that its State tracks sum to the
// ledger, ledger[c] being the ticks of category c: to the tick.
func Timeline(t testing.TB, about string, x *timeline.Timeline, ledger []int64) {
	t.Helper()
	if err := x.Check(); err != nil {
		t.Errorf("%s: %v", about, err)
	}
	if got := x.Spent(); !slices.Equal(got, ledger) {
		t.Errorf("%s: State tracks sum to %d, the ledger is %d", about, got, ledger)
	}
}
