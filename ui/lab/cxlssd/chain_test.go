package cxlssd

import (
	"strings"
	"testing"

	"spillway/ui/lab"
)

// The longest wait of a run with too many slices says in a window what it came of; every link about
// a slice is about one that is there.
func TestChain(t *testing.T) {
	l := New()
	u, err := l.Read(small)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := l.Timeline(u, "skybyte-w", nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	words := []string{"is on the core", "busiest for requests", "compaction"}
	for _, w := range whole.Waits[:20] {
		h, err := l.Timeline(u, "skybyte-w", nil, lab.Window{From: w.Begin - (w.End-w.Begin)/2, To: w.End + (w.End-w.Begin)/2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := &h.Tracks[w.Track]
		i := x.Next(w.Begin, func(int) bool { return true })
		if i < 0 || x.Begin[i] != w.Begin {
			t.Fatalf("%+v is not in its window", w)
		}
		for _, link := range h.Chain(int(w.Track), i) {
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
	for _, word := range words {
		if said[word] == 0 {
			t.Errorf("no chain says %q: %v", word, said)
		}
	}
}
