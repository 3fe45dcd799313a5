package train_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
)

// TestSpare: what may leave parts of a machine unused takes never longer, says what it leaves
// where it is faster, and is as without when it runs as published.
func TestSpare(t *testing.T) {
	if testing.Short() {
		t.Skip("forty runs each, natively")
	}
	faster := 0
	for _, seed := range []uint64{27, 33, 48, 68} { // where more hardware hurts without
		s := drawSetting(seed)
		for _, name := range []string{"g10-host", "capuchin", "superneurons"} {
			run := func(q quirk.Set, spare int64, record *engine.Record) *result.Result {
				o := inCorrectedMode()
				o.Quirks = q
				system.Spare.Set(&o, spare)
				r, err := train.Run(s.w, train.Request{System: name, Machine: s.m, Options: o, Record: record}, nil)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			all := run(quirk.Corrected(), 0, nil)
			if !all.Fits {
				continue
			}
			var record engine.Record
			less := run(quirk.Corrected(), 1, &record)
			if once := run(quirk.Corrected(), 1, nil); result.Hash(once) != result.Hash(less) {
				t.Errorf("%s, setting %d: with a record it is another result", name, seed)
			}
			says := slices.ContainsFunc(less.Notes, func(n string) bool { return strings.HasPrefix(n, "It leaves ") })
			if less.Time() > all.Time() || says != (less.Time() < all.Time()) {
				t.Errorf("%s, setting %d: %d cycles, without %d; notes %q", name, seed, less.Time(), all.Time(), less.Notes)
			}
			if says {
				faster++
			}
			var waits int64
			for _, x := range record.Stalls {
				waits += int64(x.End - x.Start)
			}
			if it := less.Main(); waits != int64(it.Ledger.Total()) {
				t.Errorf("%s, setting %d: the record has %d cycles of waiting, the ledger %d", name, seed, waits, it.Ledger.Total())
			}
			if a, b := run(quirk.Published(), 0, nil), run(quirk.Published(), 1, nil); result.Hash(a) != result.Hash(b) {
				t.Errorf("%s, setting %d: published results differ", name, seed)
			}
		}
	}
	if faster == 0 {
		t.Error("nothing is ever left unused")
	}
}
