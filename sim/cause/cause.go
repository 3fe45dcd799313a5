// Package cause says what makes a run as long as it is: by running it again with causes cured,
// one alone, some together and all, and dividing what that brings among them as Shapley did
// (A Value for n-Person Games, 1953). A cause that changes nothing gets nothing, two alike get
// the same, and the parts add up exactly.
package cause

import "math/bits"

// Most is how many causes are told apart at most: each doubles the runs.
const Most = 4

// A Set is which causes are cured, a bit each, the first the lowest.
type Set uint8

// Has reports whether a cause, by its place, is cured.
func (s Set) Has(cause int) bool { return s>>cause&1 == 1 }

// All is the set of n causes.
func All(n int) Set { return 1<<n - 1 }

// Sets lists all sets of n causes in the order in which they are worth running: none, each
// alone and all, which are enough for a sentence and are the first First(n); then the others.
func Sets(n int) []Set {
	list := make([]Set, 0, 1<<n)
	list = append(list, 0)
	for c := range n {
		list = append(list, 1<<c)
	}
	if n > 1 {
		list = append(list, All(n))
	}
	for s := range All(n) {
		if k := bits.OnesCount8(uint8(s)); k > 1 {
			list = append(list, s)
		}
	}
	return list
}

// First is how many of Sets say what one cause alone brings, and all together.
func First(n int) int { return min(n+2, 1<<n) }

// Shares divides what curing all causes brings, t(none) − t(all), among n of them. t is how long
// a run takes in any unit, below 2⁵⁸ of them, with a set cured. Parts are whole and add up
// exactly: each is rounded down, and the units that are missing go to the largest remainders,
// of equal ones to the first.
func Shares(n int, t func(Set) int64) []int64 {
	factorial := [Most + 1]int64{1, 1, 2, 6, 24}
	whole := factorial[n]
	parts, remainders := make([]int64, n), make([]int64, n)
	missing := t(0) - t(All(n))
	for c := range n {
		for s := range All(n) + 1 {
			if s.Has(c) {
				continue
			}
			k := bits.OnesCount8(uint8(s))
			weight, gain := factorial[k]*factorial[n-1-k], t(s)-t(s|1<<c)
			// Whole units first, so that nothing overflows.
			parts[c] += gain / whole * weight
			remainders[c] += gain % whole * weight
		}
		down := remainders[c] / whole
		if remainders[c]%whole < 0 {
			down--
		}
		parts[c] += down
		remainders[c] -= down * whole
		missing -= parts[c]
	}
	for ; missing > 0; missing-- {
		largest := 0
		for c := range n {
			if remainders[c] > remainders[largest] {
				largest = c
			}
		}
		parts[largest]++
		remainders[largest] = -1
	}
	return parts
}

// Alone is what curing one cause brings.
func Alone(n int, t func(Set) int64) []int64 {
	gains := make([]int64, n)
	for c := range n {
		gains[c] = t(0) - t(1<<c)
	}
	return gains
}

// Near reports whether a run is so near to a bound that nobody asks why: within a hundredth.
func Near(t, bound int64) bool { return t-bound < bound/100 }

// Top is the part that says why a difference is as it is, by its place. Where no part alone
// does, it is -1: the largest is not a quarter larger than the next.
func Top(difference int64, parts []int64) int {
	first, second := -1, int64(0)
	toward := func(x int64) int64 {
		if difference < 0 {
			return -x
		}
		return x
	}
	for c, x := range parts {
		switch x = toward(x); {
		case x <= 0:
		case first < 0 || x > toward(parts[first]):
			if first >= 0 {
				second = toward(parts[first])
			}
			first = c
		case x > second:
			second = x
		}
	}
	if first >= 0 && 4*toward(parts[first]) < 5*second {
		return -1
	}
	return first
}

// Bound reports whether causes hold each other up: curing some makes it longer, by more than a
// tenth of what all bring together.
func Bound(parts []int64) bool {
	var worse, all int64
	for _, x := range parts {
		all += x
		worse -= min(x, 0)
	}
	return 10*worse > max(all, -all)
}

// Enough is the smallest set that brings nineteen twentieths of what all bring, of equally small
// ones that which brings most; none where all bring nothing.
func Enough(n int, t func(Set) int64) Set {
	all := t(0) - t(All(n))
	if all <= 0 {
		return 0
	}
	best := All(n)
	for s := range All(n) {
		if gain := t(0) - t(s); gain >= all/20*19 {
			if k, least := bits.OnesCount8(uint8(s)), bits.OnesCount8(uint8(best)); k < least || k == least && t(s) < t(best) {
				best = s
			}
		}
	}
	return best
}
