package quirk

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseString(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	sets := []Set{0, Published(), ProfilePenalty, CoarseBatch, ArrivalOrder | HandTuned}
	for range 200 {
		sets = append(sets, Set(r.Uint32())&Published())
	}
	for _, s := range sets {
		if got, err := Parse(s.String()); err != nil || got != s {
			t.Errorf("%b prints %q and reads %b, %v", s, s, got, err)
		}
	}
	for _, tt := range []struct {
		text string
		want Set
	}{
		{"", 0},
		{"corrected", 0},
		{"published", Published()},
		{"arrival-order", ArrivalOrder},
		{"coarse-batch,profile-penalty", CoarseBatch | ProfilePenalty},
		{"wrap-slip,wrap-slip", WrapSlip},
	} {
		if got, err := Parse(tt.text); err != nil || got != tt.want {
			t.Errorf("Parse(%q) = %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
	for _, bad := range []string{"nothing", "published,wrap-slip", "wrap-slip,", " wrap-slip"} {
		if got, err := Parse(bad); err == nil || !strings.Contains(err.Error(), "unknown quirk") {
			t.Errorf("Parse(%q) = %v, %v; want an error", bad, got, err)
		}
	}
}

// Names, numbers and documentation are complete and stable.
func TestAll(t *testing.T) {
	// In links and documents: never reorder, never rename.
	keys := strings.Fields(`profile-penalty arrival-order overlap-faults dead-writeback no-promotion
		free-skips-moving symmetric-ssd faster-iteration pointer-order zero-benefit unstable-sort
		binary-gigabytes double-input eager-overshoot wrap-slip empty-window-busy
		weights-ignore-lanes hand-tuned arena-for-gds coarse-batch
		ssd-benefit one-link host-peak own-victims link-overcommit early-batch exact-arena instant-ssd`)
	all := All()
	if len(all) < len(keys) {
		t.Fatalf("%d quirks, want at least %d", len(all), len(keys))
	}
	seen := map[string]bool{"published": true, "corrected": true}
	var union Set
	for i, e := range all {
		if i < len(keys) && e.Key != keys[i] {
			t.Errorf("quirk %d is %q, was %q", i+1, e.Key, keys[i])
		}
		if e.Number != i+1 || e.Quirk != 1<<i {
			t.Errorf("%s: number %d, bit %b; want %d, %b", e.Key, e.Number, e.Quirk, i+1, 1<<i)
		}
		if seen[e.Key] || strings.Trim(e.Key, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("key %q is taken or needs escaping", e.Key)
		}
		for _, text := range []string{e.Text, e.Paper} {
			if !strings.HasSuffix(text, ".") || len(text) < 20 {
				t.Errorf("%s: %q is not a sentence", e.Key, text)
			}
		}
		if e.Source == "" {
			t.Errorf("%s: no source", e.Key)
		}
		seen[e.Key] = true
		union |= e.Quirk
	}
	if union != Published() || !Published().Has(CoarseBatch) || Corrected().Has(ArrivalOrder) {
		t.Errorf("published is %b, all quirks are %b", Published(), union)
	}
	// The constants and the list are in the same order.
	for q, key := range map[Set]string{
		ProfilePenalty: "profile-penalty", OverlapFaults: "overlap-faults", FreeSkipsMoving: "free-skips-moving",
		FasterIteration: "faster-iteration", PointerOrder: "pointer-order", UnstableSort: "unstable-sort",
		WrapSlip: "wrap-slip", HandTuned: "hand-tuned", ArenaForGDS: "arena-for-gds", CoarseBatch: "coarse-batch",
	} {
		if q.String() != key {
			t.Errorf("%b is %q, want %q", q, q, key)
		}
	}
}

func TestHas(t *testing.T) {
	s := ArrivalOrder | WrapSlip
	if !s.Has(ArrivalOrder) || !s.Has(s) || s.Has(ArrivalOrder|HandTuned) || !s.Has(0) {
		t.Errorf("Has of %v is wrong", s)
	}
}
