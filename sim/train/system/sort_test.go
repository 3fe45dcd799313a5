package system

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/train/quirk"
)

func TestSortBy(t *testing.T) {
	length := func(s string) float64 { return float64(len(s)) }
	for _, q := range []quirk.Set{quirk.Corrected(), quirk.Published()} {
		a := []string{"ccc", "a", "bb", "d"}
		SortBy(q, a, length)
		if want := []string{"a", "d", "bb", "ccc"}; !slices.Equal(a, want) {
			t.Errorf("%v: %v, want %v", q, a, want)
		}
	}
	// 17 equal elements: published.Sort changes their order.
	for q, want := range map[quirk.Set]string{quirk.Corrected(): "abcdefghijklmnopq", quirk.Published(): "iqponmlkjahgfedcb"} {
		a := strings.Split("abcdefghijklmnopq", "")
		SortBy(q, a, length)
		if got := strings.Join(a, ""); got != want {
			t.Errorf("%v: %s, want %s", q, got, want)
		}
	}
}
