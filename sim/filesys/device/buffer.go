package device

import (
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A pageBuffer is the device's DRAM as an LRU cache of pages.
type pageBuffer struct {
	slot       []int32 // by page: where it is, or none
	page       []int32 // by slot: the page, or none
	dirty      []bool
	next, prev []int32 // neighbors of a slot in the order of use; the last slot is both ends
}

func newBuffer(slots, pages int32) *pageBuffer {
	b := &pageBuffer{
		slot: make([]int32, pages), page: make([]int32, slots), dirty: make([]bool, slots),
		next: make([]int32, slots+1), prev: make([]int32, slots+1),
	}
	for i := range b.slot {
		b.slot[i] = none
	}
	for i := range b.page {
		b.page[i] = none
	}
	for i := range b.next {
		b.next[i] = int32(i+1) % (slots + 1)
		b.prev[i] = (int32(i) + slots) % (slots + 1)
	}
	return b
}

// end is the place before the slot that was used last and after the one that was not for
// longest.
func (b *pageBuffer) end() int32 { return int32(len(b.page)) }

// move puts a slot behind another one.
func (b *pageBuffer) move(slot, behind int32) {
	b.next[b.prev[slot]], b.prev[b.next[slot]] = b.next[slot], b.prev[slot]
	after := b.next[behind]
	b.next[behind], b.prev[slot] = slot, behind
	b.next[slot], b.prev[after] = after, slot
}

// drop forgets a page, if it is there; its slot is the next to be used.
func (b *pageBuffer) drop(page int32) {
	s := b.slot[page]
	if s == none {
		return
	}
	b.slot[page], b.page[s], b.dirty[s] = none, none, false
	if last := b.prev[b.end()]; last != s {
		b.move(s, last)
	}
}

// use finds a page's slot and makes it the last used one.
func (b *pageBuffer) use(page int32) int32 {
	s := b.slot[page]
	if s != none && b.next[b.end()] != s {
		b.move(s, b.end())
	}
	return s
}

// claim gives a page the slot that was not used for longest, whose page goes to the write
// buffer if it is dirty. It returns the slot, with that page's flag, and when it is free.
func (d *Device) claim(at unit.Time, page int32) (slot int32, t unit.Time) {
	b := d.buffer
	s := b.prev[b.end()]
	if old := b.page[s]; old != none {
		b.slot[old] = none
		if b.dirty[s] {
			if d.quirks.shortMisses {
				at = d.program(at, old, ByBuffer)
			} else {
				at = max(at, d.slots.first().free)
				d.program(at, old, ByBuffer)
			}
		}
	}
	b.slot[page], b.page[s] = s, page
	return b.use(page), at
}

// load is a read of a page through the buffer; it returns when the page is there.
func (d *Device) load(at unit.Time, s plan.Structure, page int32) unit.Time {
	if d.buffer.use(page) != none {
		d.Counts.BufferHits++
		return at
	}
	if !d.content(s, page) {
		d.empty()
		return at
	}
	d.Counts.BufferMisses++
	slot, t := d.claim(at, page)
	d.buffer.dirty[slot] = false
	return d.read(t, page, ByBuffer)
}

// store is a write of lines of a page into the buffer; it returns when it is done. What
// is not written of the page has to be read.
func (d *Device) store(at unit.Time, page int32, lines uint64) unit.Time {
	b := d.buffer
	if slot := b.use(page); slot != none {
		d.Counts.BufferHits++
		b.dirty[slot] = true
		return at
	}
	d.Counts.BufferMisses++
	slot, t := d.claim(at, page)
	if !d.quirks.staleDirty {
		b.dirty[slot] = true
	}
	if lines != every {
		if d.ftl.Home(page) >= 0 {
			return d.read(t, page, ByBuffer)
		}
		d.empty()
	}
	return t
}

// empty counts a page without content that is taken into the buffer as read from flash, if such
// are to be counted; it takes no time.
func (d *Device) empty() {
	if d.m.CountsEmpty {
		d.Counts.Promoted++
	}
}
