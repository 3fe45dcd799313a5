package torch

import "slices"

// An alignment is which elements of two sequences are the same, in order.
type alignment struct {
	pairs  [][2]int32
	longer bool // the second was found in the first
	gaveUp bool // the search ended early, so there may be more
}

// Bounds of the search.
const (
	anchor    = 8  // elements that must agree where an alignment begins
	mostTries = 64 // beginnings that are tried
	// mostGaps bounds the elements left out between two places of an alignment that are
	// not changed any more: what is kept to choose among ways grows with its square.
	mostGaps = 2000
	mostWork = 1 << 28 // elements and diagonals that are looked at
)

// A search is what an alignment may still cost.
type search struct {
	work   int
	gaveUp bool
}

// align finds a, or most of it, inside b. Both follow one order; each may have
// elements that the other lacks. Of equal places it takes the first.
func align(a, b []int32) (best alignment) {
	if len(a) == 0 || len(b) == 0 {
		return best
	}
	tries := 0
	of := search{work: mostWork}
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
			of.gaveUp = false
			pairs := of.walk(a, b, from, at)
			if len(pairs) > len(best.pairs) {
				best.pairs, best.gaveUp = pairs, of.gaveUp
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
func (s *search) walk(a, b []int32, i, j int) (pairs [][2]int32) {
	back := s.follow(reversed(a[:i]), reversed(b[:j]))
	for k := len(back) - 1; k >= 0; k-- {
		pairs = append(pairs, [2]int32{int32(i) - 1 - back[k][0], int32(j) - 1 - back[k][1]})
	}
	for _, p := range s.follow(a[i:], b[j:]) {
		pairs = append(pairs, [2]int32{p[0] + int32(i), p[1] + int32(j)})
	}
	return pairs
}

func reversed(a []int32) []int32 {
	r := slices.Clone(a)
	slices.Reverse(r)
	return r
}

// follow pairs elements from the beginnings on until one sequence ends. It gives up
// where too many would be left out, and returns what it has.
func (s *search) follow(a, b []int32) (pairs [][2]int32) {
	gaps := 32 + len(a)/10
	for i, j := int32(0), int32(0); ; {
		part, x, y, d, done := s.part(a[i:], b[j:], min(gaps, mostGaps))
		for _, p := range part {
			pairs = append(pairs, [2]int32{p[0] + i, p[1] + j})
		}
		i, j, gaps = i+x, j+y, gaps-d
		if done {
			return pairs
		}
		if gaps <= 0 || s.work <= 0 || x+y == 0 {
			s.gaveUp = true
			return pairs
		}
	}
}

// part pairs elements from the beginnings on so that as few as possible are left out
// (Myers, An O(ND) Difference Algorithm, 1986), until one sequence ends, done, or the
// limit is reached. It returns how far it got in each and how many were left out.
func (s *search) part(a, b []int32, limit int) (pairs [][2]int32, endA, endB int32, gaps int, done bool) {
	// reach[d][k+d] is how far in a, with d elements left out, diagonal k gets: k is
	// the elements of a less those of b.
	var reach [][]int32
	end := 0 // the diagonal that got to an end, or furthest
	for d := 0; ; d++ {
		row := make([]int32, 2*d+1)
		furthest := int32(-1)
		for k := -d; k <= d; k += 2 {
			x := step(reach, d, k)
			y := x - int32(k)
			from := x
			for int(x) < len(a) && y >= 0 && int(y) < len(b) && a[x] == b[y] {
				x++
				y++
			}
			s.work -= 1 + int(x-from)
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
		if furthest < 0 { // all ways are beyond both ends
			x := reach[d-1][end+d-1]
			return trace(reach, end), x, x - int32(end), d, true
		}
		reach = append(reach, row)
		if done || d == limit || s.work <= 0 {
			x := row[end+d]
			return trace(reach, end), x, x - int32(end), d, done
		}
	}
}

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
