package fscalls

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRequestsOverPieces: a request over the end of a piece of 1 MiB is one in each, and one that no device
// has room for is left out; the notes say both.
func TestRequestsOverPieces(t *testing.T) {
	r, err := Read("x", strings.NewReader("128166372003061629,hm,0,Write,1044480,8192,1\n128166372003061630,hm,0,Read,0,4096,1\n128166372003061631,hm,0,Read,9223372036854775807,4096,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	said := slices.Clone(r.Notes)
	for _, c := range r.Unmatched {
		said = append(said, fmt.Sprint(c))
	}
	calls := 0
	for _, w := range r.Threads {
		calls += len(w)
	}
	if calls != 3 {
		t.Errorf("%d requests; want the two parts of the first, and the second", calls)
	}
	for _, want := range []string{"counts once in each", "or beyond 1 EiB"} {
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("no note says %q: %q", want, said)
		}
	}
}

// TestDevicesAreAsLargeAsTheyAreUsed: pieces are numbered within their device, so that two devices take as
// much room as what is accessed of both.
func TestDevicesAreAsLargeAsTheyAreUsed(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "%d,hm,%d,Write,%d,4096,1\n", 128166372003061629+i, i%100, i<<30)
	}
	r, err := Read("x", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	var all int64
	for _, n := range r.Nodes {
		all += n.Size
	}
	if len(r.Nodes) != 101 || all > 1000*extent || all < 900*extent {
		t.Errorf("%d nodes of %d MiB; want 100 devices and the root, of up to 1000 MiB", len(r.Nodes), all>>20)
	}
}
