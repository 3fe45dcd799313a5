package llm

import (
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
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
				labtest.Chain(t, h, track, i, words, said)
			}
		}
	}
	labtest.Said(t, words, said)
	t.Log(said)
}
