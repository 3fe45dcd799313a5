package llm

import (
	"strings"
	"testing"

	"spillway/ui/lab"
)

// Waits for tensors, for room and for other stages say what they came of; every link about a slice is
// about one that is there.
func TestChain(t *testing.T) {
	l := New()
	said := map[string]int{}
	words := []string{"It waits for", "It had left at", "Before it on its way", "has left, GPU →", "that way was busy", "meanwhile"}
	for _, system := range []string{"teraio-ssd", "zero-infinity"} {
		u, err := l.Read("")
		if err != nil {
			t.Fatal(err)
		}
		h, err := l.Timeline(u, system, nil, lab.Window{}, nil)
		if err != nil {
			t.Fatal(system, err)
		}
		for track := range h.Tracks {
			x := &h.Tracks[track]
			for i := range x.Begin {
				for _, link := range h.Chain(track, i) {
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
		}
	}
	for _, word := range words {
		if said[word] == 0 {
			t.Errorf("no chain says %q: %v", word, said)
		}
	}
	t.Log(said)
}
