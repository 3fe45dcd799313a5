package labtest

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/timeline"
	"spillway/ui/lab"
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

// Chain counts in said which words the links of a wait's chain have; each link is of a slice or of none.
func Chain(t testing.TB, h *lab.Happening, track, slice int, words []string, said map[string]int) {
	t.Helper()
	for _, link := range h.Chain(track, slice) {
		if link.Track >= 0 && h.Tracks[link.Track].Next(link.Begin, func(k int) bool { return h.Tracks[link.Track].Begin[k] == link.Begin }) < 0 {
			t.Fatalf("%+v is about no slice", link)
		}
		for _, word := range words {
			if strings.Contains(link.Text, word) {
				said[word]++
			}
		}
	}
}

// Said reports words that no chain has.
func Said(t testing.TB, words []string, said map[string]int) {
	t.Helper()
	for _, word := range words {
		if said[word] == 0 {
			t.Errorf("no chain says %q: %v", word, said)
		}
	}
}

// Windows checks that what a laboratory records of windows is that part of the whole, x, which
// has all slices.
func Windows(t testing.TB, about string, x *timeline.Timeline, record func(timeline.Window) *timeline.Timeline) {
	t.Helper()
	for _, w := range []timeline.Window{{From: 0, To: max(1, x.End/100)}, {From: x.End / 3, To: x.End/3 + max(1, x.End/10)}, {From: x.End / 2, To: x.End}} {
		part := record(w)
		if err := part.Check(); err != nil {
			t.Errorf("%s: %+v: %v", about, w, err)
		}
		if !part.Part || part.Window != w || len(part.Tracks) != len(x.Tracks) || !slices.Equal(part.Waits, x.Waits) {
			t.Errorf("%s: %+v: %d tracks from %d to %d, %d waits; the whole has %d tracks and %d waits", about, w, len(part.Tracks), part.Window.From, part.Window.To, len(part.Waits), len(x.Tracks), len(x.Waits))
			continue
		}
		for i := range x.Tracks {
			all, some := &x.Tracks[i], &part.Tracks[i]
			n := 0
			for k := range all.Begin {
				if all.Begin[k] >= w.To || all.End[k] <= w.From && all.Begin[k] < w.From {
					continue
				}
				if n >= len(some.Begin) || all.Begin[k] != some.Begin[n] || all.End[k] != some.End[n] || all.Cat[k] != some.Cat[n] || all.Ref[k] != some.Ref[n] || all.Step[k] != some.Step[n] || x.Names[all.Label[k]] != part.Names[some.Label[n]] {
					t.Errorf("%s: %+v: %s: slice %d of the whole is another in the window", about, w, all.Name, k)
					break
				}
				n++
			}
			if n < len(some.Begin) {
				t.Errorf("%s: %+v: %s: %d slices, in the whole %d", about, w, all.Name, len(some.Begin), n)
			}
		}
	}
}

// Bins checks a timeline, x, whose slices are too many: what a laboratory records of a window sums
// to the bins below it, and the longest waits are those of the whole run.
func Bins(t testing.TB, about string, x *timeline.Timeline, record func(timeline.Window) *timeline.Timeline) {
	t.Helper()
	if x.Bins == nil || x.Len() > 0 || len(x.Waits) != timeline.MostWaits {
		t.Errorf("%s: %d slices, %d waits", about, x.Len(), len(x.Waits))
		return
	}
	n := x.Bins.Count
	for _, first := range []int{0, n / 4, n - n/100} {
		last := first + n/100
		w := timeline.Window{From: int64(first) * x.Bins.Width, To: min(x.End, int64(last)*x.Bins.Width)}
		part, want := record(w), make([]int64, len(x.Cats))
		for i := range x.Tracks {
			if x.Tracks[i].Kind == timeline.State {
				x.Bins.Within(i, first, last, want)
			}
		}
		if err := part.Check(); err != nil || part.Window != w || !slices.Equal(part.Spent(), want) || !slices.Equal(part.Waits, x.Waits) {
			t.Errorf("%s: from %d to %d, %d, in bins %d: %v", about, part.Window.From, part.Window.To, part.Spent(), want, err)
		}
	}
}

// Linked checks that runs of systems make the same progress, of which each step begins after the one
// before, so that they can be linked by it.
func Linked(t testing.TB, l *lab.Lab, u *knob.Setup, word string, systems ...string) {
	t.Helper()
	var first *timeline.Timeline
	for _, system := range systems {
		h, err := l.Timeline(u, system, nil, lab.Window{}, nil)
		if err != nil {
			t.Fatal(system, err)
		}
		if first == nil {
			first = h.Timeline
		}
		if err := h.Check(); err != nil || h.Word != word || !first.Linked(h.Timeline) {
			t.Errorf("%s and %s are not linked by %s: %d and %d of %q; %v", systems[0], system, word, len(first.Progress), len(h.Progress), h.Word, err)
		}
	}
}
