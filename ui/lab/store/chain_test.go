package store

import (
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
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
	words := []string{"has left for host memory", "needed room", "Meanwhile"}
	for track := range h.Tracks {
		x := &h.Tracks[track]
		for i := range x.Begin {
			labtest.Chain(t, h, track, i, words, said)
		}
	}
	labtest.Said(t, words, said)
	t.Log(said)
}
