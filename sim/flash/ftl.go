package flash

// none marks an unmapped logical page, an invalid physical page and the end of
// a list of blocks; cold is a valid physical page that nobody will ask for.
const (
	none = -1
	cold = -2
)

// A Shape is how large a [Layer] is and when it collects garbage.
type Shape struct {
	Units, Blocks, Pages int32 // planes; blocks of a plane; pages of a block
	Logical              int32 // pages that the host knows
	// Collection of a plane begins when no more than Begin blocks are free after one
	// was opened, and goes on until End are (at least Begin+1).
	Begin, End int32
	// Stepped: collection is due then, and a block is collected whenever [Layer.Collect]
	// is called. Only when no block is free does a write collect by itself.
	Stepped bool
}

// A Layer is a page-mapping flash translation layer with greedy garbage
// collection. Logical page l belongs to plane l mod Units and never leaves it,
// so planes are independent. Physical pages are numbered plane by plane, block
// by block. A superblock over many dies is a block of one plane, of which page i
// is on die i mod their number.
//
// The valid pages of a plane must fit into all its blocks but one; then a
// block with an invalid page always exists when space is needed.
//
// Memory is that of the logical pages and of the blocks that were written, not
// of all physical pages: a block has no table of its pages until it is opened.
type Layer struct {
	units, blocks, pages int32
	begin, end           int32
	stepped              bool

	home  []int32   // by logical page: physical page or none
	owner [][]int32 // by block: of each page the logical page if valid, else none; nil of one never opened
	spare [][]int32 // tables of blocks that were erased, all none
	valid []int32   // by block
	wear  []int32   // by block: erases

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
	due  bool  // collection has begun and not ended
}

// list returns the list of the closed blocks of plane u with v valid pages;
// v = pages+1 is its free list.
func (f *Layer) list(u, v int32) int32 { return u*(f.pages+2) + v }

// NewLayer returns a layer without data.
func NewLayer(s *Shape) *Layer {
	f := &Layer{
		units: s.Units, blocks: s.Blocks, pages: s.Pages,
		begin: s.Begin, end: max(s.End, s.Begin+1), stepped: s.Stepped,
		home: make([]int32, s.Logical), owner: make([][]int32, s.Units*s.Blocks),
		valid: make([]int32, s.Units*s.Blocks), wear: make([]int32, s.Units*s.Blocks),
		next: make([]int32, s.Units*s.Blocks), prev: make([]int32, s.Units*s.Blocks),
		first: make([]int32, s.Units*(s.Pages+2)), last: make([]int32, s.Units*(s.Pages+2)),
		planes: make([]plane, s.Units),
	}
	for _, s := range [][]int32{f.home, f.first, f.last} {
		for i := range s {
			s[i] = none
		}
	}
	for u := range f.units {
		p := &f.planes[u]
		p.open, p.low, p.free = u*f.blocks, f.pages, f.blocks-1
		f.table(p.open)
		for b := u*f.blocks + 1; b < (u+1)*f.blocks; b++ {
			f.push(f.list(u, f.pages+1), b)
		}
	}
	return f
}

// table gives block b, which is opened, a table of its pages.
func (f *Layer) table(b int32) {
	if f.owner[b] != nil {
		return
	}
	if n := len(f.spare); n > 0 {
		f.owner[b], f.spare = f.spare[n-1], f.spare[:n-1]
		return
	}
	t := make([]int32, f.pages)
	for i := range t {
		t[i] = none
	}
	f.owner[b] = t
}

// push appends block b to a list.
func (f *Layer) push(list, b int32) {
	tail := f.last[list]
	f.next[b], f.prev[b], f.last[list] = none, tail, b
	if tail == none {
		f.first[list] = b
		return
	}
	f.next[tail] = b
}

// remove takes block b out of a list.
func (f *Layer) remove(list, b int32) {
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

// Write maps logical page l to a fresh physical page of its plane. It returns
// how many pages garbage collection copied first and how many blocks it erased.
// Amortized O(1) a page written or copied.
func (f *Layer) Write(l int32) (copied, erased int32) { return f.WriteTo(l%f.units, l) }

// WriteTo is Write to plane u, which need not be the page's own: a layer that is written so
// has pages where they were written last, and only those that are mapped have a plane
// ([Layer.Plane]). Plane u must have room ([Layer.Room]).
func (f *Layer) WriteTo(u, l int32) (copied, erased int32) {
	f.invalidate(l)
	for f.planes[u].fill == f.pages { // again if what was copied fills the block that was opened
		c, e := f.advance(u)
		copied, erased = copied+c, erased+e
	}
	f.place(u, l)
	f.host++
	return copied, erased
}

// Fill maps the first logical pages, in order, of a layer without data. It is not
// counted as the host's and collects nothing.
func (f *Layer) Fill(pages int32) {
	for l := range pages {
		f.append(l%f.units, l)
	}
}

// Age makes the first free block of plane u one that was written full long ago,
// of which so many pages are still valid. The host does not know them.
func (f *Layer) Age(u, valid int32) {
	b := f.take(u)
	f.valid[b] = valid
	f.close(u, b)
}

// Begin makes collection of plane u due if it has no more free blocks than that takes.
func (f *Layer) Begin(u int32) {
	if q := &f.planes[u]; q.free <= f.begin {
		q.due = true
	}
}

// Trim forgets logical page l.
func (f *Layer) Trim(l int32) { f.invalidate(l) }

// Home returns the physical page of logical page l, -1 of one that is not mapped.
func (f *Layer) Home(l int32) int32 { return f.home[l] }

// Plane returns the plane that logical page l is in, -1 of one that is not mapped.
func (f *Layer) Plane(l int32) int32 {
	if f.home[l] == none {
		return none
	}
	return f.home[l] / f.pages / f.blocks
}

// Room reports whether plane u can take a page without its last free block, or has something to
// collect for it.
func (f *Layer) Room(u int32) bool {
	p := &f.planes[u]
	if p.fill < f.pages || p.free > 1 {
		return true
	}
	for p.low < f.pages && f.first[f.list(u, p.low)] == none {
		p.low++
	}
	return p.low < f.pages
}

// Due reports whether collection of plane u has begun and not ended.
func (f *Layer) Due(u int32) bool { return f.planes[u].due }

// invalidate unmaps logical page l, if it is mapped.
func (f *Layer) invalidate(l int32) {
	p := f.home[l]
	if p == none {
		return
	}
	f.home[l] = none
	b := p / f.pages
	f.owner[b][p-b*f.pages] = none
	u := b / f.blocks
	v := f.valid[b] - 1
	f.valid[b] = v
	if q := &f.planes[u]; b != q.open {
		f.remove(f.list(u, v+1), b)
		f.push(f.list(u, v), b)
		q.low = min(q.low, v)
	}
}

// place writes logical page l, or a cold one, to the open block of plane u, which has room.
func (f *Layer) place(u, l int32) {
	q := &f.planes[u]
	f.owner[q.open][q.fill] = l
	if l != cold {
		f.home[l] = q.open*f.pages + q.fill
	}
	f.valid[q.open]++
	q.fill++
}

// append is place that opens a block when there is no room.
func (f *Layer) append(u, l int32) {
	if f.planes[u].fill == f.pages {
		f.open(u)
	}
	f.place(u, l)
}

// close puts full block b of plane u among the closed ones.
func (f *Layer) close(u, b int32) {
	v := f.valid[b]
	f.push(f.list(u, v), b)
	f.planes[u].low = min(f.planes[u].low, v)
}

// take takes the first free block of plane u.
func (f *Layer) take(u int32) int32 {
	free := f.list(u, f.pages+1)
	b := f.first[free]
	f.remove(free, b)
	f.planes[u].free--
	return b
}

// open closes the full open block of plane u and opens a free one.
func (f *Layer) open(u int32) {
	q := &f.planes[u]
	f.close(u, q.open)
	q.open, q.fill = f.take(u), 0
	f.table(q.open)
}

// advance is open, after which it collects if that is due and not left to Collect.
func (f *Layer) advance(u int32) (copied, erased int32) {
	f.open(u)
	q := &f.planes[u]
	if q.free > f.begin {
		return 0, 0
	}
	q.due = true
	for q.due && (!f.stepped || q.free == 0) {
		c, ok := f.Collect(u)
		if !ok {
			break
		}
		copied += c
		erased++
	}
	return copied, erased
}

// Collect copies the valid pages of the closed block of plane u that has the
// fewest and erases it. It returns how many pages those were, and false if
// nothing was collected: no block has an invalid page.
func (f *Layer) Collect(u int32) (copied int32, ok bool) {
	q := &f.planes[u]
	for q.low < f.pages && f.first[f.list(u, q.low)] == none {
		q.low++
	}
	if q.low == f.pages {
		q.due = false
		return 0, false
	}
	victim := f.first[f.list(u, q.low)]
	f.remove(f.list(u, q.low), victim)
	copied = f.valid[victim]
	if t := f.owner[victim]; t == nil {
		for range copied {
			f.append(u, cold)
		}
	} else {
		for i, l := range t {
			if l != none {
				t[i] = none
				f.append(u, l)
			}
		}
		f.spare, f.owner[victim] = append(f.spare, t), nil
	}
	f.valid[victim] = 0
	f.wear[victim]++
	f.push(f.list(u, f.pages+1), victim)
	q.free++
	q.due = q.free < f.end
	f.moved += int64(copied)
	f.erases++
	return copied, true
}
