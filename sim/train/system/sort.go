package system

import (
	"cmp"
	"slices"

	"spillway/sim/train/published"
	"spillway/sim/train/quirk"
)

// SortBy sorts what a planner has by value, the smallest first: equal elements
// stay in the order they are in or, as published, end up where the original's
// unstable sort leaves them.
func SortBy[E any](q quirk.Set, a []E, value func(E) float64) {
	keys := make([]published.Key, len(a))
	for i, e := range a {
		keys[i] = published.Key{Value: -value(e), Index: int32(i)}
	}
	if q.Has(quirk.UnstableSort) {
		published.Sort(keys, nil)
	} else {
		slices.SortFunc(keys, func(x, y published.Key) int {
			return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Index, y.Index))
		})
	}
	was := slices.Clone(a)
	for i, k := range keys {
		a[i] = was[k.Index]
	}
}
