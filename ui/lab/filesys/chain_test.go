package filesys

import (
	"strings"
	"testing"

	"spillway/ui/lab"
)

// Waits of a run with a journal say of which call they are, who has the lock, what commits and what
// the flash does; every link about a slice is about one that is there.
func TestChain(t *testing.T) {
	l := New()
	u, err := l.Read("scale=256")
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.Timeline(u, "ext4", nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	words := []string{"is a part of create", "thread", "With it, that thread", "Meanwhile File system 1", "So do", "Meanwhile the busiest, channel"}
	for track := range h.Tracks {
		x := &h.Tracks[track]
		for i := range min(len(x.Begin), 2000) {
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
	for _, word := range words {
		if said[word] == 0 {
			t.Errorf("no chain says %q: %v", word, said)
		}
	}
}
