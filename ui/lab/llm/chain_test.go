package llm

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/timeline"
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

// What a GPU sends leads to the kernel of another that waits for it, which begins no earlier than it
// is there.
func TestSendsLeadToReceivers(t *testing.T) {
	l := New()
	h, err := l.Timeline(labtest.Setup(t, &l, "node=teraio model=llama3-8b layers=8 batch=4 micro=1 sequence=1024"), "teraio-mixed", nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for n := range h.Tracks {
		x := &h.Tracks[n]
		if !strings.HasPrefix(x.Name, "Sends ") {
			continue
		}
		for i, object := range x.Ref {
			if object < 0 {
				t.Fatalf("%s: slice %d is about nothing", x.Name, i)
			}
			for k := range h.Tracks {
				y := &h.Tracks[k]
				at := slices.Index(y.Ref, object)
				if y.Kind != timeline.Work || at < 0 {
					continue
				}
				if y.Group == x.Group || y.Begin[at] < x.End[i] {
					t.Errorf("%s of group %d ends at %d, %s of group %d gets it at %d", x.Name, x.Group, x.End[i], y.Name, y.Group, y.Begin[at])
				}
				pairs++
			}
		}
	}
	if pairs == 0 {
		t.Error("nothing that is sent arrives")
	}
	t.Log(pairs)
}
