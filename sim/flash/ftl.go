package flash

// none marks an unmapped logical page, an invalid physical page and the end of
// a list of blocks.
const none = -1

// A layer is a page-mapping flash translation layer with greedy garbage
// collection. Logical page l belongs to plane l mod units and never leaves it,
// so planes are independent. Physical pages are numbered plane by plane, block
// by block.
//
// The logical pages of a plane must fit into all its blocks but one; then a
// block with an invalid page always exists when space is needed.
type layer struct {
	units, blocks, pages int32 // planes; blocks of a plane; pages of a block

	home  []int32 // by logical page: physical page or none
	owner []int32 // by physical page: logical page if valid, else none
	valid []int32 // by block
	wear  []int32 // by block: erases

	next, prev  []int32 // by block: neighbors in its list
	first, last []int32 // by list; see list
	planes      []plane

	host, moved, erases int64 // pages written by the host; copied; blocks erased
}

// A plane's open block, how far it is written, and its free and closed blocks.
type plane struct {
	open int32
	fill int32 // pages written in the open block
	free int32 // blocks in the free list
	low  int32 // no closed block has fewer valid pages
}

// list returns the list of the closed blocks of plane u with v valid pages;
// v = pages+1 is its free list.
func (f *layer) list(u, v int32) int32 { return u*(f.pages+2) + v }

// newLayer returns a layer without data.
func newLayer(units, blocks, pages, logical int32) *layer {
	f := &layer{
		units: units, blocks: blocks, pages: pages,
		home: make([]int32, logical), owner: make([]int32, units*blocks*pages),
		valid: make([]int32, units*blocks), wear: make([]int32, units*blocks),
		next: make([]int32, units*blocks), prev: make([]int32, units*blocks),
		first: make([]int32, units*(pages+2)), last: make([]int32, units*(pages+2)),
		planes: make([]plane, units),
	}
	for _, s := range [][]int32{f.home, f.owner, f.first, f.last} {
		for i := range s {
			s[i] = none
		}
	}
	for u := range units {
		p := &f.planes[u]
		p.open, p.low, p.free = u*blocks, pages, blocks-1
		for b := u*blocks + 1; b < (u+1)*blocks; b++ {
			f.push(f.list(u, pages+1), b)
		}
	}
	return f
}

// push appends block b to a list.
func (f *layer) push(list, b int32) {
	tail := f.last[list]
	f.next[b], f.prev[b], f.last[list] = none, tail, b
	if tail == none {
		f.first[list] = b
		return
	}
	f.next[tail] = b
}

// remove takes block b out of a list.
func (f *layer) remove(list, b int32) {
	before, after := f.prev[b], f.next[b]
	if before == none {
		f.first[list] = after
	} else {
		f.next[before] = after
	}
	if after == none {
		f.last[list] = before
	} else {
		f.prev[after] = before
	}
}

// write maps logical page l to a fresh physical page of its plane. It returns
// how many pages garbage collection copied first and whether it erased a block.
// Amortized O(1) a page written or copied.
func (f *layer) write(l int32) (copied int32, erased bool) {
	u := l % f.units
	f.invalidate(l)
	if f.planes[u].fill == f.pages {
		copied, erased = f.advance(u)
	}
	f.place(u, l)
	f.host++
	return copied, erased
}

// trim forgets logical page l.
func (f *layer) trim(l int32) { f.invalidate(l) }

// invalidate unmaps logical page l, if it is mapped.
func (f *layer) invalidate(l int32) {
	p := f.home[l]
	if p == none {
		return
	}
	f.home[l], f.owner[p] = none, none
	b := p / f.pages
	u := b / f.blocks
	v := f.valid[b] - 1
	f.valid[b] = v
	if q := &f.planes[u]; b != q.open {
		f.remove(f.list(u, v+1), b)
		f.push(f.list(u, v), b)
		q.low = min(q.low, v)
	}
}

// place writes logical page l to the open block of plane u, which has room.
func (f *layer) place(u, l int32) {
	q := &f.planes[u]
	p := q.open*f.pages + q.fill
	f.home[l], f.owner[p] = p, l
	f.valid[q.open]++
	q.fill++
}

// advance closes the full open block of plane u and opens a free one. If that
// was the last, it copies the valid pages of the closed block with the fewest
// into the new one and erases it.
func (f *layer) advance(u int32) (copied int32, erased bool) {
	q := &f.planes[u]
	v := f.valid[q.open]
	f.push(f.list(u, v), q.open)
	q.low = min(q.low, v)
	free := f.list(u, f.pages+1)
	q.open, q.fill = f.first[free], 0
	f.remove(free, q.open)
	q.free--
	if q.free > 0 {
		return 0, false
	}
	for f.first[f.list(u, q.low)] == none {
		q.low++
	}
	victim := f.first[f.list(u, q.low)]
	f.remove(f.list(u, q.low), victim)
	copied = f.valid[victim]
	for p := victim * f.pages; p < (victim+1)*f.pages; p++ {
		if l := f.owner[p]; l != none {
			f.owner[p] = none
			f.place(u, l)
		}
	}
	f.valid[victim] = 0
	f.wear[victim]++
	f.push(free, victim)
	q.free++
	f.moved += int64(copied)
	f.erases++
	return copied, true
}
