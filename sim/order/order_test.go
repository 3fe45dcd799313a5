package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct{ key, at int }

// It says what package slices says.
func TestStable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		list := make([]pair, n)
		for i := range list {
			list[i] = pair{r.IntN(1 + n/3), i}
		}
		want := slices.Clone(list)
		compare := func(a, b pair) int { return a.key - b.key }
		slices.SortStableFunc(want, compare)
		if Stable(list, compare); !slices.Equal(list, want) {
			t.Fatalf("%v, want %v", list, want)
		}
	}
}
