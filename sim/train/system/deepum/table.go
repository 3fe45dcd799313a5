package deepum

import (
	"slices"

	"spillway/sim/train/engine/blocks"
	"spillway/sim/unit"
)

// A geometry is the shape of every block table.
type geometry struct{ rows, ways, successors int }

// size returns what a table takes of host memory: a tag and the successors of 4
// bytes each, for every place of every row, used or not.
func (g geometry) size() unit.Bytes {
	return unit.Bytes(g.rows) * unit.Bytes(g.ways) * unit.Bytes(4+4*g.successors)
}

// row returns the row of a block.
func (g geometry) row(b int32) uint32 { return uint32(b) % uint32(g.rows) }

// An entry is an index into a table's entries. The first stands for the start of the
// kernel: it is in no row.
type entry int32

const (
	start entry = 0
	none  entry = -1
)

// A blockTable holds which blocks faulted after which in one kernel. Only entries that
// exist take memory.
type blockTable struct {
	geometry
	// slots have the entry used last of each row, in open addressing by row; 0: free.
	// There is a power of two of them, a quarter free.
	slots []entry
	used  int   // rows that have an entry
	lost  int64 // entries that made room for others of their row
	// cells are the entries one after the other: the tag, the entry of the same row used
	// next longest ago, and the successors, that of the last time first.
	cells []int32
	end   blocks.ID // that faulted last
}

// Places in an entry.
const (
	tag = iota
	next
	firstSuccessor
)

func newBlockTable(g geometry) *blockTable {
	t := &blockTable{geometry: g, end: blocks.None}
	t.add(blocks.None)
	return t
}

// entries returns how many blocks have an entry.
func (t *blockTable) entries() int { return len(t.cells)/t.stride() - 1 }

func (t *blockTable) stride() int { return firstSuccessor + t.geometry.successors }

func (t *blockTable) cell(e entry, place int) *int32 { return &t.cells[int(e)*t.stride()+place] }

// list returns the places of an entry's successors; the last may be free.
func (t *blockTable) list(e entry) []int32 {
	at := int(e)*t.stride() + firstSuccessor
	return t.cells[at : at+t.geometry.successors : at+t.geometry.successors]
}

// after returns what faulted after e's block, that of the last time first, in
// place.
func (t *blockTable) after(e entry) []int32 {
	list := t.list(e)
	for i, b := range list {
		if b == int32(blocks.None) {
			return list[:i]
		}
	}
	return list
}

// slot returns the index of a row's slot, or of the free one where it belongs.
func (t *blockTable) slot(row uint32) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := row & mask
	for t.slots[i] != 0 && t.row(*t.cell(t.slots[i], tag)) != row {
		i = (i + 1) & mask
	}
	return i
}

// find returns the entry of a block, or none.
func (t *blockTable) find(b blocks.ID) entry {
	if len(t.slots) == 0 {
		return none
	}
	for e := t.slots[t.slot(t.row(int32(b)))]; e != 0; e = entry(*t.cell(e, next)) {
		if *t.cell(e, tag) == int32(b) {
			return e
		}
	}
	return none
}

// touch returns the entry of a block, which from now on is its row's last used. There
// is one if there was none: in a full row that used longest ago goes.
func (t *blockTable) touch(b blocks.ID) entry {
	if 4*(t.used+1) > 3*len(t.slots) {
		t.grow()
	}
	head := &t.slots[t.slot(t.row(int32(b)))]
	if *head == 0 {
		*head = t.add(b)
		t.used++
		return *head
	}
	last, before, n := *head, start, 1
	for *t.cell(last, tag) != int32(b) {
		e := entry(*t.cell(last, next))
		if e == 0 {
			if n < t.ways {
				e = t.add(b)
				*t.cell(e, next) = int32(*head)
				*head = e
				return e
			}
			t.lost++
			*t.cell(last, tag) = int32(b)
			t.clear(last)
			break
		}
		last, before, n = e, last, n+1
	}
	if before != start {
		*t.cell(before, next) = *t.cell(last, next)
		*t.cell(last, next) = int32(*head)
		*head = last
	}
	return last
}

// learn notes that b faulted after the block of e, or first if e is start.
func (t *blockTable) learn(e entry, b blocks.ID) {
	list := t.list(e)
	i := slices.Index(list, int32(b))
	if i < 0 {
		i = len(list) - 1
	}
	copy(list[1:i+1], list[:i])
	list[0] = int32(b)
}

// add appends an entry without successors.
func (t *blockTable) add(b blocks.ID) entry {
	e := entry(len(t.cells) / t.stride())
	t.cells = append(t.cells, int32(b), 0)
	for range t.geometry.successors {
		t.cells = append(t.cells, int32(blocks.None))
	}
	return e
}

func (t *blockTable) clear(e entry) {
	for i := range t.list(e) {
		t.list(e)[i] = int32(blocks.None)
	}
}

// grow makes room for twice as many rows.
func (t *blockTable) grow() {
	old := t.slots
	t.slots = make([]entry, max(4, 2*len(old)))
	for _, e := range old {
		if e != 0 {
			t.slots[t.slot(t.row(*t.cell(e, tag)))] = e
		}
	}
}
