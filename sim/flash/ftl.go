package flash

// none marks an unmapped logical page, an invalid physical page and the end of
// a list of blocks; cold is a valid physical page that nobody will ask for; open marks a
// block that is being written, and so in no list.
const (
	none = -1
	cold = -2
	open = -3
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
	// Streams is how many frontiers the host's writes have in a plane, by what they say
	// ([Layer.WriteStream]); 0 is 1. Pages that are collected stay in the stream of their block.
	// Own: they have a frontier of their own instead, all streams the same. With more than
	// one frontier a plane keeps a free block more.
	Streams int32
	Own     bool
}

// Frontiers is how many blocks of a plane may be open at a time.
func (s *Shape) Frontiers() int32 {
	n := max(1, s.Streams)
	if s.Own {
		n++
	}
	return n
}

// A Layer is a page-mapping flash translation layer with greedy garbage
// collection. Logical page l belongs to plane l mod Units and never leaves it,
// so planes are independent. Physical pages are numbered plane by plane, block
// by block. A superblock over many dies is a block of one plane, of which page i
// is on die i mod their number.
//
// The valid pages of a plane must fit into all its blocks but one, with more than one
// frontier into all but these and End; then a block with an invalid page always exists when
// space is needed.
//
// Memory is that of the logical pages and of the blocks that were written, not
// of all physical pages: a block has no table of its pages until it is opened.
type Layer struct {
	units, blocks, pages int32
	begin, end           int32
	stepped              bool
	streams, collected   int32 // frontiers of the host; the one of collection, or none
	kept                 int32 // free blocks that only collection opens
	most                 int32 // valid pages of a plane that several frontiers leave room for

	home  []int32   // by logical page: physical page or none
	owner [][]int32 // by block: of each page the logical page if valid, else none; nil of one never opened
	spare [][]int32 // tables of blocks that were erased, all none
	valid []int32   // by block
	wear  []int32   // by block: erases

	next, prev  []int32 // by block: neighbors in its list
	first, last []int32 // by list; see list
	planes      []plane
	more        []front // by plane: the frontiers beyond its first
	stream      []uint8 // by block: which frontier filled it; nil of one that nobody asks for

	host, moved, erases int64 // pages written by the host; copied; blocks erased
}

// A front is an open block, none before the first, and how many of its pages are written.
type front struct{ open, fill int32 }

// A plane's first frontier, and its free and closed blocks.
type plane struct {
	front
	free  int32 // blocks in the free list
	low   int32 // no closed block has fewer valid pages
	valid int32 // pages
	due   bool  // collection has begun and not ended
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
	f.streams, f.collected = max(1, s.Streams), none
	if s.Own {
		f.collected = f.streams
	}
	if n := s.Frontiers(); n > 1 {
		f.kept, f.begin, f.end = 1, max(s.Begin, 1), max(s.End, s.Begin+1, 2)
		f.most = (f.blocks - n - f.end) * f.pages
		f.more = make([]front, s.Units*(n-1))
		for i := range f.more {
			f.more[i] = front{none, f.pages}
		}
	}
	if f.streams > 1 && !s.Own {
		f.stream = make([]uint8, s.Units*s.Blocks)
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
		f.next[p.open] = open
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
func (f *Layer) WriteTo(u, l int32) (copied, erased int32) { return f.WriteStream(u, l, 0) }

// WriteStream is WriteTo to the frontier of a stream, which is below [Shape.Streams].
func (f *Layer) WriteStream(u, l, stream int32) (copied, erased int32) {
	f.invalidate(l)
	q := f.front(u, stream)
	for q.fill == f.pages { // again if what was copied fills the block that was opened
		c, e := f.advance(u, stream)
		copied, erased = copied+c, erased+e
	}
	f.place(q, l)
	f.planes[u].valid++
	f.host++
	return copied, erased
}

// front is a frontier of plane u by its number: those of the host's streams, and that of
// collection.
func (f *Layer) front(u, number int32) *front {
	if number == 0 {
		return &f.planes[u].front
	}
	return &f.more[u*int32(len(f.more)/len(f.planes))+number-1]
}

// Fill maps the first logical pages, in order, of a layer without data. It is not
// counted as the host's and collects nothing.
func (f *Layer) Fill(pages int32) {
	for l := range pages {
		f.append(l%f.units, l, 0)
	}
}

// Age makes the first free block of plane u one that was written full long ago,
// of which so many pages are still valid. The host does not know them.
func (f *Layer) Age(u, valid int32) {
	b := f.take(u)
	f.valid[b] = valid
	f.planes[u].valid += valid
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

// Room reports whether plane u can take a page of any stream without its last free block, or has
// something to collect for it: with several frontiers, whether what is valid leaves a block for each.
func (f *Layer) Room(u int32) bool {
	p := &f.planes[u]
	if f.kept > 0 {
		return p.valid < f.most
	}
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
	q := &f.planes[u]
	q.valid--
	if f.next[b] != open {
		f.remove(f.list(u, v+1), b)
		f.push(f.list(u, v), b)
		q.low = min(q.low, v)
	}
}

// place writes logical page l, or a cold one, to a frontier that has room.
func (f *Layer) place(q *front, l int32) {
	f.owner[q.open][q.fill] = l
	if l != cold {
		f.home[l] = q.open*f.pages + q.fill
	}
	f.valid[q.open]++
	q.fill++
}

// append is place that opens a block when there is no room.
func (f *Layer) append(u, l, number int32) {
	q := f.front(u, number)
	if q.fill == f.pages {
		f.open(u, number)
	}
	f.place(q, l)
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

// open closes the full open block of a frontier of plane u, if it has one, and opens a free one.
func (f *Layer) open(u, number int32) {
	q := f.front(u, number)
	if q.open != none {
		f.close(u, q.open)
	}
	q.open, q.fill = f.take(u), 0
	f.next[q.open] = open
	if f.stream != nil {
		f.stream[q.open] = uint8(number)
	}
	f.table(q.open)
}

// advance is open, after which it collects if that is due and not left to Collect.
func (f *Layer) advance(u, number int32) (copied, erased int32) {
	f.open(u, number)
	q := &f.planes[u]
	if q.free > f.begin {
		return 0, 0
	}
	q.due = true
	for q.due && (!f.stepped || q.free <= f.kept) {
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
	return f.collect(u, f.first[f.list(u, q.low)]), true
}

// collect copies the valid pages of closed block victim of plane u and erases it.
func (f *Layer) collect(u, victim int32) (copied int32) {
	q := &f.planes[u]
	copied = f.valid[victim]
	f.remove(f.list(u, copied), victim)
	to := int32(0)
	switch {
	case f.collected != none:
		to = f.collected
	case f.stream != nil:
		to = int32(f.stream[victim])
	}
	if t := f.owner[victim]; t == nil {
		for range copied {
			f.append(u, cold, to)
		}
	} else {
		for i, l := range t {
			if l != none {
				t[i] = none
				f.append(u, l, to)
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
	return copied
}

// Worn returns how often blocks were erased: the one that was least, all in sum, and the one that
// was most. Forget makes all of them new.
func (f *Layer) Worn() (least, sum, most int64) {
	least = int64(f.wear[0])
	for _, n := range f.wear {
		least, sum, most = min(least, int64(n)), sum+int64(n), max(most, int64(n))
	}
	return least, sum, most
}

// Forget forgets how often blocks were erased, and what was written and copied until now.
func (f *Layer) Forget() {
	clear(f.wear)
	f.host, f.moved, f.erases = 0, 0, 0
}
