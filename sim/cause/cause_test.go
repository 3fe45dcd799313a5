package cause_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/cause"
)

// game is random times, by set.
func game(r *rand.Rand, n int) func(cause.Set) int64 {
	times := make([]int64, 1<<n)
	for i := range times {
		times[i] = r.Int64N(1e16) - 1e15
	}
	return func(s cause.Set) int64 { return times[s] }
}

func sum(parts []int64) (all int64) {
	for _, x := range parts {
		all += x
	}
	return all
}

// Parts add up to what curing all brings, to the unit.
func TestSharesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for range 2000 {
		n := r.IntN(cause.Most + 1)
		times := game(r, n)
		if got, want := sum(cause.Shares(n, times)), times(0)-times(cause.All(n)); got != want {
			t.Fatalf("%d causes: parts are %d together, curing all brings %d", n, got, want)
		}
	}
}

// A cause whose cure never changes anything has no part, and the others' parts are what they
// are without it.
func TestDummy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		times := game(r, 3)
		parts := cause.Shares(4, func(s cause.Set) int64 { return times(s &^ 8) })
		if parts[3] != 0 {
			t.Fatalf("what changes nothing has a part of %d", parts[3])
		}
		for c, x := range cause.Shares(3, times) {
			if d := parts[c] - x; d < -1 || d > 1 {
				t.Fatalf("part %d is %d, and %d without what changes nothing", c, parts[c], x)
			}
		}
	}
}

// Naming causes in another order names their parts in that order; a unit of rounding may go to
// another where two remainders are alike.
func TestPermutation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + r.IntN(cause.Most)
		times, to := game(r, n), r.Perm(n)
		parts := cause.Shares(n, times)
		moved := cause.Shares(n, func(s cause.Set) int64 {
			var was cause.Set
			for c := range n {
				if s.Has(to[c]) {
					was |= 1 << c
				}
			}
			return times(was)
		})
		for c := range n {
			if d := parts[c] - moved[to[c]]; d < -1 || d > 1 {
				t.Fatalf("%v, in another order %v", parts, moved)
			}
		}
	}
}

// What adds up by itself is divided as it is.
func TestIndependent(t *testing.T) {
	gains := []int64{500, 30, 0, -7}
	got := cause.Shares(4, func(s cause.Set) int64 {
		all := int64(1000)
		for c, x := range gains {
			if s.Has(c) {
				all -= x
			}
		}
		return all
	})
	if !slices.Equal(got, gains) {
		t.Errorf("%v, want %v", got, gains)
	}
}

// Two causes that wait for each other share what both bring.
func TestTogether(t *testing.T) {
	both := func(s cause.Set) int64 {
		if s == 3 {
			return 0
		}
		return 101
	}
	if got := cause.Shares(2, both); !slices.Equal(got, []int64{51, 50}) {
		t.Errorf("%v", got)
	}
	if got := cause.Alone(2, both); !slices.Equal(got, []int64{0, 0}) {
		t.Errorf("alone %v", got)
	}
	if got := cause.Enough(2, both); got != 3 {
		t.Errorf("enough are %b", got)
	}
}

func TestSets(t *testing.T) {
	for n := range cause.Most + 1 {
		list := cause.Sets(n)
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		if len(list) != 1<<n || len(slices.Compact(sorted)) != len(list) {
			t.Errorf("%d causes have the sets %b", n, list)
		}
		first := list[:cause.First(n)]
		if first[0] != 0 || !slices.Contains(first, cause.All(n)) {
			t.Errorf("%d causes: the first are %b", n, first)
		}
	}
}

func TestTop(t *testing.T) {
	for _, x := range []struct {
		difference int64
		parts      []int64
		want       int
		held       bool
	}{
		{100, []int64{80, 20}, 0, false},
		{100, []int64{55, 45}, -1, false},  // alike
		{-100, []int64{-10, -90}, 1, true}, // curing them takes longer
		{-100, []int64{-130, 30}, 0, true},
		{100, []int64{0, 0}, -1, false},
		{7, []int64{-381, 339, 49}, 1, true},
		{100, nil, -1, false},
	} {
		if got := cause.Top(x.difference, x.parts); got != x.want {
			t.Errorf("of %v the top is %d, want %d", x.parts, got, x.want)
		}
		if got := cause.Bound(x.parts); got != x.held {
			t.Errorf("%v hold each other up: %v", x.parts, got)
		}
	}
	if !cause.Near(1009, 1000) || cause.Near(1010, 1000) {
		t.Error("near is within a hundredth")
	}
}
