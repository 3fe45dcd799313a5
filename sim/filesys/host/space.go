package host

import (
	"fmt"
	"math/bits"
)

// A space is the free pages of the device: a bit of each page, and a place to go on
// searching from.
type space struct {
	taken    []uint64 // a bit is set for a page that is in use, or beyond the device
	whole    []uint64 // a bit is set for a word of taken without a free page
	pages    int32
	reserved int32
	next     int32
	left     int
}

// reach is how many words of 64 pages are searched for a run before pieces are taken.
const reach = 1024

// Full is what Alloc and Reserve panic with: so many pages are wanted, of Left that are
// free of Pages that the host can use. Slots: files are so sparse that their lists of pages
// find no room.
type Full struct {
	Want, Left, Pages int
	Slots             bool
}

func (f *Full) String() string {
	if f.Slots {
		return fmt.Sprintf("files with holes have more than %d pages, %d for each that it has", sparse*f.Pages, sparse)
	}
	return fmt.Sprintf("%d pages of 4 KiB are wanted, and %d of the %d that are there besides other data and what collection keeps free are left", f.Want, f.Left, f.Pages)
}

// sparse is how many pages files may have, with those that have no home, for each of the
// device's.
const sparse = 4

func (s *space) init(pages int32) {
	s.taken = make([]uint64, (pages+63)/64)
	s.whole = make([]uint64, (len(s.taken)+63)/64)
	s.pages, s.left = pages, int(pages)
	if rest := pages % 64; rest != 0 {
		s.taken[len(s.taken)-1] = ^uint64(0) << rest
	}
}

// Pages is how many pages the device has.
func (h *Host) Pages() int32 { return h.space.pages }

// Left is how many pages of the device are free.
func (h *Host) Left() int { return h.space.left }

// Reserve takes n contiguous pages at the beginning of the device, for a file system's
// areas, and returns the first. It comes before the first Alloc.
func (h *Host) Reserve(n int) int32 {
	s := &h.space
	if n > s.left {
		panic(&Full{Want: n, Left: s.left, Pages: int(s.pages)})
	}
	first := s.reserved
	for i := first; i < first+int32(n); i++ {
		s.use(i)
	}
	s.left -= n
	s.reserved += int32(n)
	s.next = s.reserved
	return first
}

// Alloc takes n free pages of the device and appends them to list: a contiguous run if
// there is one within reach (64 Ki pages) of the page hint, or of where the last search
// ended if hint is None; else pieces. If hint is First it takes those with the lowest numbers,
// in a row or not. It panics with a *Full if there are too few; the
// engine makes an error of it.
func (h *Host) Alloc(n int, hint int32, list []int32) []int32 {
	s := &h.space
	if n > s.left {
		panic(&Full{Want: n, Left: s.left, Pages: int(s.pages)})
	}
	if n == 0 {
		return list
	}
	from := s.next
	switch {
	case hint == First:
		from = 0
	case hint >= 0 && hint < s.pages:
		from = hint
	}
	page, got := int32(0), 0
	if hint != First {
		page, got = s.run(from, n)
	}
	if got < n {
		page = s.free(from)
	}
	for n > 0 {
		if page == s.pages || s.taken[page>>6]>>(page&63)&1 != 0 {
			page = s.free(page)
		}
		s.use(page)
		list = append(list, page)
		s.left--
		n--
		page++
	}
	if hint < 0 && hint != First {
		s.next = page
	}
	return list
}

// Free gives pages back.
func (h *Host) Free(pages []int32) {
	s := &h.space
	for _, p := range pages {
		if bit := uint64(1) << (p & 63); s.taken[p>>6]&bit != 0 {
			s.taken[p>>6] &^= bit
			s.whole[p>>12] &^= 1 << (p >> 6 & 63)
			s.left++
		}
	}
}

// use takes a page.
func (s *space) use(page int32) {
	word := page >> 6
	s.taken[word] |= 1 << (page & 63)
	if s.taken[word] == ^uint64(0) {
		s.whole[word>>6] |= 1 << (word & 63)
	}
}

// open returns the first word at or after word that has a free page, or one beyond all.
func (s *space) open(word int32) int32 {
	for at := word >> 6; int(at) < len(s.whole); at++ {
		some := ^s.whole[at]
		if at == word>>6 {
			some &^= 1<<(word&63) - 1
		}
		if some != 0 {
			return at<<6 + int32(bits.TrailingZeros64(some))
		}
	}
	return int32(len(s.taken))
}

// free returns the first free page at or after from, or else of all. There is one.
func (s *space) free(from int32) int32 {
	if from >= s.pages {
		from = 0
	}
	word := from >> 6
	if left := ^s.taken[word] &^ (1<<(from&63) - 1); left != 0 {
		return word<<6 + int32(bits.TrailingZeros64(left))
	}
	if word = s.open(word + 1); int(word) >= len(s.taken) {
		word = s.open(0)
	}
	return word<<6 + int32(bits.TrailingZeros64(^s.taken[word]))
}

// run looks for n free pages in a row, from a page on and around the end, within reach.
// It returns the first and how many there are.
func (s *space) run(from int32, n int) (int32, int) {
	at, end := from, min(int64(from)+reach*64, int64(s.pages))
	for range 2 {
		for int64(at) < end {
			start := s.skip(at, end, true)
			if int64(start) >= end {
				break
			}
			stop := s.skip(start, min(int64(start)+int64(n), int64(s.pages)), false)
			if int(stop-start) >= n {
				return start, n
			}
			at = stop
		}
		if end < int64(s.pages) || from == 0 {
			break
		}
		at, end = 0, min(int64(from), reach*64)
	}
	return 0, 0
}

// skip returns the first page at or after at, before end, that is free, or taken; or end.
func (s *space) skip(at int32, end int64, free bool) int32 {
	flip := uint64(0)
	if free {
		flip = ^uint64(0)
	}
	for int64(at) < end {
		word := (s.taken[at>>6] ^ flip) >> (at & 63)
		if word != 0 {
			return int32(min(int64(at)+int64(bits.TrailingZeros64(word)), end))
		}
		if at = (at>>6 + 1) << 6; free {
			at = s.open(at>>6) << 6
		}
	}
	return int32(end)
}
