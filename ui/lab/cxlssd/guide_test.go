package cxlssd

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// Every value of a sweep of the tour can be run, and the sweep shows something: not all
// values give the same.
func TestSweeps(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every value of every sweep")
	}
	l := New()
	sweeps := 0
	for i := range l.Tour {
		stop := &l.Tour[i]
		pairs, err := knob.Pairs(stop.Show)
		if err != nil {
			t.Fatal(err)
		}
		show := map[string]string{}
		for _, p := range pairs {
			show[p.Key] = p.Text
		}
		if show["view"] != "whatif" {
			continue
		}
		sweeps++
		at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return p.Key == stop.Preset })
		if at < 0 {
			t.Fatalf("stop %s: no preset %q", stop.Key, stop.Preset)
		}
		got := map[string]bool{}
		for value := range strings.SplitSeq(show["ask-values"], ",") {
			u := setOf(t, &l, l.Presets[at].Set+" scale=16 "+show["ask-vary"]+"="+value)
			_, raw, err := l.Run(u, "skybyte-full", nil, nil)
			if err != nil {
				t.Fatalf("stop %s, %s: %v", stop.Key, value, err)
			}
			got[l.Hash(raw)] = true
		}
		if len(got) < 2 {
			t.Errorf("stop %s: all values of %s give the same", stop.Key, show["ask-vary"])
		}
	}
	if sweeps != 5 {
		t.Errorf("%d sweeps", sweeps)
	}
}
