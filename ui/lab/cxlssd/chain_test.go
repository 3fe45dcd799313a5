package cxlssd

import (
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
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
		labtest.Chain(t, h, int(w.Track), i, words, said)
	}
	labtest.Said(t, words, said)
}

// All designs answer the same requests, by which two runs are linked.
func TestLinked(t *testing.T) {
	l := New()
	u := labtest.Setup(t, &l, "workload=bfs-dense scale=64")
	labtest.Linked(t, &l, u, "request", "base-cssd", "skybyte-c", "skybyte-full")
}
