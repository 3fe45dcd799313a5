package timeline

import "sort"

// block is after how many slices a sum table has a row: tables take 1/64 of a row a slice.
const block = 64

// Sums are the time of each category before every 64th slice of a track: with them the exact
// time of every category in any window takes a search and at most 64 slices.
type Sums struct {
	of    *Track
	cats  int
	table []int64 // row b is of the slices before 64b
}

// Sum makes the sum table of a track of a timeline with so many categories, in one pass.
func (t *Timeline) Sum(track int) *Sums {
	x := &t.Tracks[track]
	n := len(t.Cats)
	s := &Sums{of: x, cats: n, table: make([]int64, 0, (len(x.Begin)/block+1)*n)}
	row := make([]int64, n)
	for i := range x.Begin {
		if i%block == 0 {
			s.table = append(s.table, row...)
		}
		row[x.Cat[i]] += x.End[i] - x.Begin[i]
	}
	return s
}

// Before adds to into, which has a member a category, the time before a moment.
func (s *Sums) Before(at int64, into []int64) { s.add(at, 1, into) }

// Within sets into to the time of each category from a moment to another.
func (s *Sums) Within(from, to int64, into []int64) {
	clear(into)
	s.add(to, 1, into)
	s.add(from, -1, into)
}

func (s *Sums) add(at, sign int64, into []int64) {
	x := s.of
	n := sort.Search(len(x.Begin), func(i int) bool { return x.Begin[i] > at })
	if n == 0 {
		return
	}
	// Of the block of the last slice that has begun, as that may still last: n/block would
	// take a block's last slice as a whole.
	b := (n - 1) / block
	for c, v := range s.table[b*s.cats : (b+1)*s.cats] {
		into[c] += sign * v
	}
	for i := b * block; i < n; i++ {
		into[x.Cat[i]] += sign * (min(x.End[i], at) - x.Begin[i])
	}
}

// Bins are the times of each category in n equal parts of a window, a row a bin: what a
// picture of n columns shows. The last bin ends at to.
func (s *Sums) Bins(from, to int64, n int) []int64 {
	bins := make([]int64, n*s.cats)
	// Bounds are from + i·(to−from)/n without leaving 64 bits.
	whole, rest := (to-from)/int64(n), (to-from)%int64(n)
	bound := func(i int64) int64 { return from + i*whole + i*rest/int64(n) }
	for i := range n {
		s.Within(bound(int64(i)), bound(int64(i)+1), bins[i*s.cats:(i+1)*s.cats])
	}
	return bins
}
