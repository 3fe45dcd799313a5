package filesys

import (
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
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
	words := []string{"is part of create", "thread", "Of that, the thread", "Meanwhile File system 1", "Waiting for the same", "Meanwhile the busiest, channel"}
	for track := range h.Tracks {
		x := &h.Tracks[track]
		for i := range min(len(x.Begin), 2000) {
			labtest.Chain(t, h, track, i, words, said)
		}
	}
	labtest.Said(t, words, said)
}
