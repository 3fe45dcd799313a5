package timeline

import "sort"

// During calls f for the slices of a track that last in a part of the run, in order, with how long
// they do; it ends when f returns false.
func (x *Track) During(from, to int64, f func(slice int, ticks int64) bool) {
	for i := sort.Search(len(x.End), func(i int) bool { return x.End[i] > from }); i < len(x.Begin) && x.Begin[i] < to; i++ {
		if ticks := min(x.End[i], to) - max(x.Begin[i], from); ticks > 0 && !f(i, ticks) {
			return
		}
	}
}

// Longest is the slice of a track, of those that is accepts, that lasts longest in a part of the
// run, of two the later; -1 if none does.
func (x *Track) Longest(from, to int64, is func(slice int) bool) (slice int, ticks int64) {
	slice = -1
	x.During(from, to, func(i int, n int64) bool {
		if n >= ticks && is(i) {
			slice, ticks = i, n
		}
		return true
	})
	return slice, ticks
}

// Last is the last slice of a track, of those that is accepts, that begins before a moment; -1 if
// none does.
func (x *Track) Last(before int64, is func(slice int) bool) int {
	for i := sort.Search(len(x.Begin), func(i int) bool { return x.Begin[i] >= before }) - 1; i >= 0; i-- {
		if is(i) {
			return i
		}
	}
	return -1
}

// Next is the first slice of a track, of those that is accepts, that begins at a moment or later; -1
// if none does.
func (x *Track) Next(from int64, is func(slice int) bool) int {
	for i := sort.Search(len(x.Begin), func(i int) bool { return x.Begin[i] >= from }); i < len(x.Begin); i++ {
		if is(i) {
			return i
		}
	}
	return -1
}

// Main is the category to which most of a track's time in a part of the run goes, with that time;
// -1 if none does.
func (x *Track) Main(from, to int64) (cat int, ticks int64) {
	var sums [Most]int64
	x.During(from, to, func(i int, n int64) bool {
		sums[x.Cat[i]] += n
		return true
	})
	cat = -1
	for c, n := range sums {
		if n > ticks {
			cat, ticks = c, n
		}
	}
	return cat, ticks
}
