package blocks

import (
	"math/bits"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// blockPages is how many pages a block has.
const blockPages = int64(Size / unit.Page)

// A pageSet is a set of the pages of a block.
type pageSet [blockPages / 64]uint64

// span returns the pages from lo to hi-1.
func span(lo, hi int64) (s pageSet) {
	for w := range s {
		from, to := lo-64*int64(w), hi-64*int64(w)
		if from < 64 && to > 0 {
			s[w] = (1<<min(to, 64) - 1) &^ (1<<max(from, 0) - 1)
		}
	}
	return s
}

func (s *pageSet) count() (n int64) {
	for _, x := range s {
		n += int64(bits.OnesCount64(x))
	}
	return n
}

// add adds the pages of o and returns how many there are.
func (s *pageSet) add(o *pageSet) uint16 {
	for w := range s {
		s[w] |= o[w]
	}
	return uint16(s.count())
}

// remove removes the pages of o and returns how many are left.
func (s *pageSet) remove(o *pageSet) uint16 {
	for w := range s {
		s[w] &^= o[w]
	}
	return uint16(s.count())
}

// common returns how many pages are in both sets.
func (s *pageSet) common(o *pageSet) (n int64) {
	for w := range s {
		n += int64(bits.OnesCount64(s[w] & o[w]))
	}
	return n
}

var (
	allPages = span(0, blockPages)
	noPages  pageSet
)

// all returns every page or none.
func all(n uint16) pageSet {
	if n == 0 {
		return noPages
	}
	return allPages
}

// dense returns s and, wherever more than half the pages of an aligned group of 16,
// 32, 64, ... 512 pages are there, the whole group; smaller groups first, so that
// what they add counts in larger ones. That is the driver's prefetch by density in
// whole numbers.
func (s pageSet) dense() pageSet {
	for size := int64(16); size <= blockPages; size *= 2 {
		for at := int64(0); at < blockPages; at += size {
			group := span(at, at+size)
			if n := s.common(&group); n != size && 2*n > size {
				s.add(&group)
			}
		}
	}
	return s
}

// Where a block's GPU memory is.
type blockState uint8

const (
	away    blockState = iota // it has none
	here                      // in the order of migration
	coming                    // it has some; the migration thread has it, or a kernel waits for that
	leaving                   // the eviction thread has it
)

// A block is the state of one block. How many pages are on the GPU, have a value and
// have a live one is mostly none or all; then there are no sets of them.
type block struct {
	prev, next             ID    // in order of migration
	slot                   int32 // in the window, or -1
	sets                   int32 // in blockMemory.sets, or -1
	tensors                int32 // that are live and overlap it
	tensor                 workload.TensorID
	on, valued, meaningful uint16 // counts of the sets
	state                  blockState
	unused                 bool // brought before it was needed, and not needed yet
}

// blockSets are the pages of a block that are on the GPU; that have a value, there or
// on the host; and those whose value is a live tensor's.
type blockSets struct{ on, valued, meaningful pageSet }

// blockMemory is what is where. The zero value is not ready: use newBlockMemory.
type gpuMemory struct {
	blocks []block
	sets   []blockSets
	shared map[int64]int32 // how many live tensors overlap a page, for pages that none has alone

	free           int64 // chunks of GPU memory
	oldest, newest ID
	// The window holds what a victim is drawn from: blocks from the oldest on, without
	// those that were spared. What is older than unseen is in it, or was spared.
	window []ID
	width  int
	unseen ID
}

func newGPUMemory(chunks, width int64) gpuMemory {
	width = max(1, min(width, chunks))
	return gpuMemory{
		shared: map[int64]int32{}, free: chunks, oldest: None, newest: None,
		window: make([]ID, 0, width), width: int(width), unseen: None,
	}
}

func (m *gpuMemory) known(b ID) bool { return b >= 0 && int(b) < len(m.blocks) }

// grow makes the first n blocks known.
func (m *gpuMemory) grow(n int64) {
	for int64(len(m.blocks)) < n {
		m.blocks = append(m.blocks, block{prev: None, next: None, slot: -1, sets: -1, tensor: -1})
	}
}

// split returns the sets of b.
func (m *gpuMemory) split(b ID) *blockSets {
	x := &m.blocks[b]
	if x.sets < 0 {
		x.sets = int32(len(m.sets))
		m.sets = append(m.sets, blockSets{all(x.on), all(x.valued), all(x.meaningful)})
	}
	return &m.sets[x.sets]
}

// An extent of pages is where a tensor lies, in pages of the address space.
type pageExtent struct{ first, last int64 }

// parts calls f for every block of e with the pages of it, from lo to hi-1.
func (e pageExtent) parts(f func(b ID, lo, hi int64)) {
	for b := e.first / blockPages; b <= e.last/blockPages; b++ {
		f(ID(b), max(0, e.first-b*blockPages), min(blockPages, e.last+1-b*blockPages))
	}
}

// edges calls f for the pages of a tensor that others may overlap too.
func edges(at, size unit.Bytes, f func(page int64)) {
	first, last := int64(at/unit.Page), int64((at+size-1)/unit.Page)
	front, back := at%unit.Page != 0, (at+size)%unit.Page != 0
	if front || back && first == last {
		f(first)
	}
	if back && first != last {
		f(last)
	}
}

// place notes that tensor t lives at an address.
func (m *gpuMemory) place(t workload.TensorID, at, size unit.Bytes) pageExtent {
	e := pageExtent{int64(at / unit.Page), int64((at + size - 1) / unit.Page)}
	for b := e.first / blockPages; b <= e.last/blockPages; b++ {
		m.blocks[b].tensors++
		m.blocks[b].tensor = t
	}
	edges(at, size, func(page int64) { m.shared[page]++ })
	return e
}

// release notes that a tensor no longer lives at an address: what is there is garbage.
func (m *gpuMemory) release(at, size unit.Bytes) {
	e := pageExtent{int64(at / unit.Page), int64((at + size - 1) / unit.Page)}
	edges(at, size, func(page int64) {
		if m.shared[page]--; m.shared[page] > 0 { // another tensor's, too
			if page == e.first {
				e.first++
			} else {
				e.last--
			}
			return
		}
		delete(m.shared, page)
	})
	for b := int64(at / unit.Page / unit.Bytes(blockPages)); b <= int64((at+size-1)/Size); b++ {
		m.blocks[b].tensors--
	}
	if e.first > e.last {
		return
	}
	e.parts(func(b ID, lo, hi int64) {
		x := &m.blocks[b]
		switch {
		case x.meaningful == 0:
		case hi-lo == blockPages && x.sets < 0:
			x.meaningful = 0
		default:
			gone := span(lo, hi)
			x.meaningful = m.split(b).meaningful.remove(&gone)
		}
	})
}

// incoming returns how many pages come when those of want do, or all if it is nil, and
// how many of them are garbage.
func (m *gpuMemory) incoming(b ID, want *pageSet) (n, garbage int64) {
	x := &m.blocks[b]
	if x.sets < 0 {
		if x.on != 0 || x.valued == 0 {
			return 0, 0
		}
		if n = blockPages; want != nil {
			n = want.count()
		}
		if x.meaningful == 0 {
			garbage = n
		}
		return n, garbage
	}
	if want == nil {
		want = &allPages
	}
	s := &m.sets[x.sets]
	for w := range want {
		in := want[w] & s.valued[w] &^ s.on[w]
		n += int64(bits.OnesCount64(in))
		garbage += int64(bits.OnesCount64(in &^ s.meaningful[w]))
	}
	return n, garbage
}

// outgoing returns how many pages b would take along, and how many of them are garbage.
func (m *gpuMemory) outgoing(b ID) (n, garbage int64) {
	x := &m.blocks[b]
	if x.sets < 0 {
		if x.on == 0 || x.valued == 0 {
			return 0, 0
		}
		if x.meaningful == 0 {
			return blockPages, blockPages
		}
		return blockPages, 0
	}
	s := &m.sets[x.sets]
	for w := range s.on {
		out := s.on[w] & s.valued[w]
		n += int64(bits.OnesCount64(out))
		garbage += int64(bits.OnesCount64(out &^ s.meaningful[w]))
	}
	return n, garbage
}

// arrive puts the pages of want, or all if it is nil, on the GPU.
func (m *gpuMemory) arrive(b ID, want *pageSet) {
	x := &m.blocks[b]
	if want == nil {
		if x.on = uint16(blockPages); x.sets >= 0 {
			m.sets[x.sets].on = allPages
		}
		return
	}
	s := m.split(b)
	x.on = s.on.add(want)
}

// clear takes all pages of b off the GPU. forget: their values are lost.
func (m *gpuMemory) clear(b ID, forget bool) {
	x := &m.blocks[b]
	if x.sets < 0 {
		if forget && x.on != 0 {
			x.valued = 0
		}
		x.on = 0
		return
	}
	s := &m.sets[x.sets]
	if forget {
		x.valued = s.valued.remove(&s.on)
	}
	s.on, x.on = noPages, 0
}

// touch notes that a tensor's pages have a value that is its own.
func (m *gpuMemory) touch(b ID, want *pageSet) {
	x := &m.blocks[b]
	if want == nil {
		x.valued, x.meaningful = uint16(blockPages), uint16(blockPages)
		if x.sets >= 0 {
			s := &m.sets[x.sets]
			s.valued, s.meaningful = allPages, allPages
		}
		return
	}
	s := m.split(b)
	x.valued, x.meaningful = s.valued.add(want), s.meaningful.add(want)
}

// appendMigrated puts b at the end of the order of migration.
func (m *gpuMemory) appendMigrated(b ID) {
	x := &m.blocks[b]
	x.state = here
	x.prev, x.next = m.newest, None
	if m.newest == None {
		m.oldest = b
	} else {
		m.blocks[m.newest].next = b
	}
	m.newest = b
	if m.unseen == None {
		m.unseen = b
	}
}

// unlink takes b out of the order of migration.
func (m *gpuMemory) unlink(b ID) {
	x := &m.blocks[b]
	if m.unseen == b {
		m.unseen = x.next
	}
	if x.prev == None {
		m.oldest = x.next
	} else {
		m.blocks[x.prev].next = x.next
	}
	if x.next == None {
		m.newest = x.prev
	} else {
		m.blocks[x.next].prev = x.prev
	}
	x.prev, x.next = None, None
	if x.slot >= 0 {
		m.removeFromWindow(x.slot)
	}
}

// removeFromWindow takes what is in a slot out of the window; the last one takes its place.
func (m *gpuMemory) removeFromWindow(slot int32) {
	last := len(m.window) - 1
	m.blocks[m.window[slot]].slot = -1
	if int(slot) != last {
		m.window[slot] = m.window[last]
		m.blocks[m.window[slot]].slot = slot
	}
	m.window = m.window[:last]
}

// resetWindow makes the window begin at the oldest block again.
func (m *gpuMemory) resetWindow() {
	for _, b := range m.window {
		m.blocks[b].slot = -1
	}
	m.window, m.unseen = m.window[:0], m.oldest
}
