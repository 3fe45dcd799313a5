package stream

import (
	"math/bits"
	"slices"
)

// A Profile is what a stream is like, whatever memory it runs on. Orders between threads
// are those of their clocks, which are the sums of their gaps.
type Profile struct {
	Requests, Writes int64
	Touched          int64   // pages with a request
	ByThread         []int64 // requests of every thread
	Cycles           int64   // gaps of the thread that computes longest

	// Lines counts the touched pages by how many of their 64 lines are read or written,
	// Written those by how many are written.
	Lines, Written [Lines + 1]int64

	// Reuse counts requests by how many other pages were asked for since the last request
	// to the same page: Reuse[0] are those with none, Reuse[i] those with 1<<(i-1) up to
	// (1<<i)-1. An LRU cache of n pages holds those below n. First are the first requests
	// to their pages.
	Reuse [25]int64
	First int64

	// Hot is the share of all requests, in millionths, that the 1<<i most asked pages
	// have; the last is that of all.
	Hot []int64

	// Runs are the longest ranges of touched pages with consecutive numbers, the longest
	// first and at most eight; RunCount is how many ranges there are. A recording whose
	// pages are numbered as they are first touched has one.
	Runs     []int64
	RunCount int64
}

// Profile looks at every request once, and takes the logarithm of the pages for those
// whose page was not used lately.
func (s *Stream) Profile() *Profile {
	p := &Profile{ByThread: make([]int64, len(s.Threads))}
	for t, list := range s.Threads {
		p.ByThread[t] = int64(len(list))
		cycles := int64(0)
		for _, q := range list {
			cycles += int64(q.Gap())
		}
		p.Cycles = max(p.Cycles, cycles)
	}
	lines, written := make([]uint64, s.Pages), make([]uint64, s.Pages)
	asked := make([]uint32, s.Pages)
	r := newRecency(int(s.Pages))
	order := s.walk()
	for {
		q, t := order.next()
		if t < 0 {
			break
		}
		page := q.Page()
		p.Requests++
		asked[page]++
		bit := uint64(1) << q.Line()
		lines[page] |= bit
		if q.Write() {
			p.Writes++
			written[page] |= bit
		}
		switch d := r.touch(page); {
		case d < 0:
			p.First++
		default:
			p.Reuse[bits.Len(uint(d))]++
		}
	}
	run := int64(0)
	for page := range lines {
		if lines[page] == 0 {
			p.run(&run)
			continue
		}
		run++
		p.Touched++
		p.Lines[bits.OnesCount64(lines[page])]++
		p.Written[bits.OnesCount64(written[page])]++
	}
	p.run(&run)
	slices.Sort(asked)
	sum, next := int64(0), 1
	for i := range p.Touched {
		sum += int64(asked[len(asked)-1-int(i)])
		if int(i)+1 == next || i+1 == p.Touched {
			p.Hot = append(p.Hot, sum*1e6/p.Requests)
			next *= 2
		}
	}
	return p
}

// run ends a range of pages.
func (p *Profile) run(n *int64) {
	if *n == 0 {
		return
	}
	p.RunCount++
	at := len(p.Runs)
	for at > 0 && p.Runs[at-1] < *n {
		at--
	}
	p.Runs = slices.Insert(p.Runs, at, *n)
	p.Runs = p.Runs[:min(len(p.Runs), 8)]
	*n = 0
}

// recent is how many pages stand in the list of those used last.
const recent = 64

// recency finds how many other pages were used since a page was. The last ones stand in
// a list, the last first. Those that have left it have a place in a Fenwick tree (Fenwick:
// "A new data structure for cumulative frequency tables", 1994), in the order in which
// they did; when places run out, those in use are numbered anew.
type recency struct {
	list   []uint32
	place  []int32 // by page: from 1 on, 0 of one never used, -1 of one in the list
	tree   []int32 // sums of places in use
	page   []int32 // by place, -1 of a free one
	placed int32   // last place given
	used   int32
}

func newRecency(pages int) *recency {
	size := 2*pages + 2
	r := &recency{list: make([]uint32, 0, recent), place: make([]int32, pages), tree: make([]int32, size), page: make([]int32, size)}
	return r
}

// touch uses a page and returns how many others were since it was, -1 if it never was.
func (r *recency) touch(page uint32) int {
	at := r.place[page]
	distance := -1
	if at < 0 {
		i := 0
		for r.list[i] != page {
			i++
		}
		copy(r.list[1:i+1], r.list[:i])
		r.list[0] = page
		return i
	}
	if at > 0 {
		behind := int32(0)
		for i := at; i > 0; i &= i - 1 {
			behind += r.tree[i]
		}
		distance = len(r.list) + int(r.used-behind)
		r.add(at, -1)
		r.page[at] = -1
		r.used--
	}
	r.place[page] = -1
	if len(r.list) < recent {
		r.list = append(r.list, 0)
	} else {
		r.leave(r.list[recent-1])
	}
	copy(r.list[1:], r.list)
	r.list[0] = page
	return distance
}

// leave gives a page that left the list a place.
func (r *recency) leave(page uint32) {
	if int(r.placed) == len(r.tree)-1 {
		r.renumber()
	}
	r.placed++
	r.used++
	r.place[page] = r.placed
	r.page[r.placed] = int32(page)
	r.add(r.placed, 1)
}

func (r *recency) add(at, n int32) {
	for i := int(at); i < len(r.tree); i += i & -i {
		r.tree[i] += n
	}
}

// renumber takes out the free places.
func (r *recency) renumber() {
	n := int32(0)
	for i := int32(1); i <= r.placed; i++ {
		if page := r.page[i]; page >= 0 {
			n++
			r.page[n] = page
			r.place[page] = n
		}
	}
	r.placed = n
	for i := range r.tree {
		// The places 1 to n have one each: the sum of the range that ends at i.
		low := i - i&-i
		r.tree[i] = int32(min(i, int(n)) - min(low, int(n)))
	}
}
