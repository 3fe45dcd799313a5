package torch

import "slices"

// An alignment is which elements of two sequences are the same, in order.
type alignment struct {
	pairs  [][2]int32
	longer bool // the second was found in the first
}

// Bounds of the search.
const (
	anchor    = 8  // elements that must agree where an alignment begins
	mostTries = 64 // beginnings that are tried
)

// align finds a, or most of it, inside b. Both follow one order; each may have
// elements that the other lacks. Of equal places it takes the first.
func align(a, b []int32) (best alignment) {
	if len(a) == 0 || len(b) == 0 {
		return best
	}
	tries := 0
	var seen []int // diagonals that were tried
	for _, from := range []int{0, len(a) / 2, len(a) / 4, 3 * len(a) / 4, len(a) - 1} {
		length := min(anchor, len(a)-from)
		if length < anchor && len(a) >= anchor {
			from = len(a) - anchor
			length = anchor
		}
		for at := 0; at+length <= len(b); at++ {
			if b[at] != a[from] || !slices.Equal(a[from:from+length], b[at:at+length]) || slices.Contains(seen, at-from) {
				continue
			}
			if tries++; tries > mostTries {
				return best
			}
			pairs := walk(a, b, from, at)
			if len(pairs) > len(best.pairs) {
				best.pairs = pairs
			}
			if len(pairs) == len(a) {
				return best
			}
			seen = append(seen, at-from)
		}
		if 100*len(best.pairs) >= enough*len(a) {
			return best
		}
	}
	return best
}

// walk follows both sequences from a place where they agree, to both sides.
func walk(a, b []int32, i, j int) (pairs [][2]int32) {
	back := follow(reversed(a[:i]), reversed(b[:j]))
	for k := len(back) - 1; k >= 0; k-- {
		pairs = append(pairs, [2]int32{int32(i) - 1 - back[k][0], int32(j) - 1 - back[k][1]})
	}
	for _, p := range follow(a[i:], b[j:]) {
		pairs = append(pairs, [2]int32{p[0] + int32(i), p[1] + int32(j)})
	}
	return pairs
}

func reversed(a []int32) []int32 {
	r := slices.Clone(a)
	slices.Reverse(r)
	return r
}

// follow pairs elements from the beginnings on so that as few as possible are left
// out until one sequence ends (Myers, An O(ND) Difference Algorithm, 1986). It gives
// up where too many would be, and returns what it has.
func follow(a, b []int32) (pairs [][2]int32) {
	limit := min(mostGaps, 32+len(a)/10)
	// reach[d][k+d] is how far in a, with d elements left out, diagonal k gets: k is
	// the elements of a less those of b.
	var reach [][]int32
	end := 0 // the diagonal that got to an end, or furthest
	for d := 0; ; d++ {
		row := make([]int32, 2*d+1)
		done, furthest := false, int32(-1)
		for k := -d; k <= d; k += 2 {
			x := step(reach, d, k)
			y := x - int32(k)
			for int(x) < len(a) && y >= 0 && int(y) < len(b) && a[x] == b[y] {
				x++
				y++
			}
			row[k+d] = x
			if int(x) > len(a) || int(y) > len(b) {
				continue
			}
			if x+y > furthest {
				end, furthest = k, x+y
			}
			if int(x) == len(a) || int(y) == len(b) {
				end, done = k, true
				break
			}
		}
		reach = append(reach, row)
		if done || d == limit {
			break
		}
	}
	return trace(reach, end)
}

// mostGaps bounds the elements that may be left out.
const mostGaps = 2000

// fromB reports whether diagonal k of row d begins by leaving out an element of b, not
// of a.
func fromB(before []int32, d, k int) bool {
	return k == -d || k != d && before[k-1+d-1] < before[k+1+d-1]
}

// step returns where diagonal k begins with d elements left out.
func step(reach [][]int32, d, k int) int32 {
	switch {
	case d == 0:
		return 0
	case fromB(reach[d-1], d, k):
		return reach[d-1][k+1+d-1]
	}
	return reach[d-1][k-1+d-1] + 1
}

// trace walks back from the end of diagonal k and collects what was paired.
func trace(reach [][]int32, k int) (pairs [][2]int32) {
	for d := len(reach) - 1; d >= 0; d-- {
		for x, from := reach[d][k+d], step(reach, d, k); x > from; {
			x--
			pairs = append(pairs, [2]int32{x, x - int32(k)})
		}
		switch {
		case d == 0:
		case fromB(reach[d-1], d, k):
			k++
		default:
			k--
		}
	}
	slices.Reverse(pairs)
	return pairs
}
