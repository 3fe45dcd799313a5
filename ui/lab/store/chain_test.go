package store

import (
	"strings"
	"testing"

	"spillway/ui/lab"
)

// Waits for room, for what was evicted and for the store say what they came of; every link about a
// slice is about one that is there.
func TestChain(t *testing.T) {
	l := New()
	u, err := l.Read("")
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.Timeline(u, l.Systems[0].Name, nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for track := range h.Tracks {
		x := &h.Tracks[track]
		for i := range x.Begin {
			for _, link := range h.Chain(track, i) {
				if link.Track >= 0 && h.Tracks[link.Track].Next(link.Begin, func(k int) bool { return h.Tracks[link.Track].Begin[k] == link.Begin }) < 0 {
					t.Fatalf("%+v is about no slice", link)
				}
				for _, word := range []string{"has left for host memory", "needed room", "had left at", "comes back", "With full knowledge", "Meanwhile"} {
					if strings.Contains(link.Text, word) {
						said[word]++
					}
				}
			}
		}
	}
	for _, word := range []string{"has left for host memory", "needed room", "Meanwhile"} {
		if said[word] == 0 {
			t.Errorf("no chain says %q: %v", word, said)
		}
	}
	t.Log(said)
}
