package device

import (
	"math/bits"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/table"
	"spillway/sim/unit"
)

// entry is what a line takes of the log: 64 bytes and the number of its transaction.
const entry = line + 4

// A writeLog is a log of lines in two halves: one is appended to, the other is cleaned.
// A single log is one room in which both are.
type writeLog struct {
	pages    table.Table[logged]
	active   int      // the half that is appended to
	used     [2]int64 // bytes of the halves
	size     int64
	single   bool
	start    int64 // how full the active half, or the whole, is when they swap
	cleaning int   // channels that have pages of the other half
	carried  int64 // bytes that this cleaning carried

	// Lines that open transactions wrote, in lists by the lowest byte of their numbers.
	open  []opened
	first [256]int32
	spare int32 // a list of unused ones
}

// logged is which lines of a page the log has: in each half, and which of them a
// transaction wrote that has not committed; and how many lines were put into each half.
type logged struct {
	half  [2]uint64
	open  uint64
	lines [2]int32
}

func (l *logged) has() uint64 { return l.half[0] | l.half[1] }

// has is which lines of a page are in the log.
func (l *writeLog) has(page int32) uint64 {
	if p := l.pages.Find(page); p != nil {
		return p.has()
	}
	return 0
}

// opened are lines of a page that an open transaction wrote.
type opened struct {
	tx, page int32
	lines    uint64
	next     int32
}

func newLog(m *machine.Device, pages int32) *writeLog {
	l := &writeLog{pages: table.New[logged](int(pages)), size: int64(m.DRAM), single: m.Single, spare: none}
	for i := range l.first {
		l.first[i] = none
	}
	l.start = l.size * m.LogAt / 100
	if !l.single {
		l.start = l.size / 2 * m.LogAt / 100
	}
	return l
}

// lacks reports whether a read of lines has to read flash, and counts what the log serves.
func (d *Device) lacks(s plan.Structure, page int32, lines uint64) bool {
	content := d.content(s, page)
	switch has := d.log.has(page) & lines; {
	case has == 0:
		return content
	case has == lines || !content:
		d.Counts.LogHits++
		return false
	}
	d.Counts.LogPartial++
	return true
}

// fits reports whether n lines more fit.
func (l *writeLog) fits(n int) bool {
	used, size := l.used[l.active], l.size/2
	if l.single {
		used, size = l.used[0]+l.used[1], l.size
	}
	return used+int64(n)*entry <= size
}

// room reports whether n lines more fit, and swaps the halves if they then do. Where half
// of the log or more was carried there is always room.
func (d *Device) room(now unit.Time, n int) bool {
	for swapped := false; !d.log.fits(n); {
		switch {
		case d.log.cleaning == 0 && (swapped || d.log.stale()):
			return true
		case d.log.cleaning == 0:
			d.swap(now)
			swapped = true
		case d.due <= now:
			d.Act(now)
		default:
			return false
		}
	}
	return true
}

// relief returns when each channel will have cleaned the page that it is at, before which
// no half is empty; of a single log when the first will.
func (d *Device) relief() unit.Time {
	first, last := never, d.now
	for i := range d.channels {
		if at := d.channels[i].cleanAt; at != never {
			first, last = min(first, at), max(last, at)
		}
	}
	if d.log.single {
		return first
	}
	return last
}

// append puts lines into the active half.
func (d *Device) append(now unit.Time, page int32, lines uint64, tx int32) {
	l := d.log
	p := l.pages.At(page)
	n := int64(bits.OnesCount64(lines))
	d.Counts.Appended += n
	c := &d.channels[uint32(page)%d.width]
	old := p.half[1-l.active]
	if c.page == page && !c.void { // those that are being programmed end as merged
		old &^= c.lines
	}
	d.Counts.Replaced += int64(bits.OnesCount64((p.half[l.active] | old) & lines))
	p.half[1-l.active] &^= old & lines
	l.put(c, page, lines)
	if tx == 0 || d.quirks.noCommit {
		l.forget(page, lines)
	} else {
		l.begin(tx, page, lines)
	}
	if l.full() {
		d.swap(now)
	}
}

// put adds lines to the active half.
func (l *writeLog) put(c *channel, page int32, lines uint64) {
	p := l.pages.At(page)
	if p.half[l.active] == 0 {
		c.todo[l.active] = append(c.todo[l.active], page)
	}
	p.half[l.active] |= lines
	n := bits.OnesCount64(lines)
	p.lines[l.active] += int32(n)
	l.used[l.active] += int64(n) * entry
}

// full reports whether it is time to swap.
func (l *writeLog) full() bool {
	return l.cleaning == 0 && l.used[l.active] >= l.start && !l.stale()
}

// stale reports whether half of the active half or more is what cleaning carried there: to
// clean it now would carry most of it again.
func (l *writeLog) stale() bool { return l.used[l.active] < 2*l.carried }

// swap has the active half cleaned; the other is empty.
func (d *Device) swap(now unit.Time) {
	l := d.log
	old := l.active
	l.active, l.carried = 1-old, 0
	d.Counts.Swaps++
	if d.record != nil {
		d.record(plan.Event{At: now, Moment: plan.Swapped})
	}
	for i := range d.channels {
		if c := &d.channels[i]; len(c.todo[old]) > 0 {
			c.next, c.cleanAt = 0, now
			l.cleaning++
			d.due = min(d.due, now)
		}
	}
}

// clean ends the page that a channel cleans and begins the next.
func (d *Device) clean(c *channel, at unit.Time) {
	l := d.log
	old := 1 - l.active
	if c.page != none {
		l.release(c.page, old)
		if !c.void {
			l.pages.At(c.page).half[old] &^= c.lines
			d.Counts.Merged[bits.OnesCount64(c.lines)]++
			if d.record != nil {
				d.record(plan.Event{At: at, Moment: plan.Merged, Structure: d.of[c.page], Page: c.page, Lines: c.lines})
			}
		}
	}
	c.page, c.void = none, false
	for c.next < len(c.todo[old]) {
		page := c.todo[old][c.next]
		c.next++
		p := l.pages.At(page)
		if carried := p.half[old] & p.open; carried != 0 {
			d.Counts.Carried += int64(bits.OnesCount64(carried))
			p.half[old] &^= carried
			l.put(c, page, carried)
			l.carried += int64(bits.OnesCount64(carried)) * entry
		}
		if p.half[old] == 0 {
			l.release(page, old)
			continue
		}
		c.page, c.lines = page, p.half[old]
		if d.record != nil {
			d.record(plan.Event{At: at, Moment: plan.Merging, Structure: d.of[page], Page: page, Lines: c.lines})
		}
		t := at
		if c.lines != every && d.ftl.Home(page) >= 0 {
			t = d.read(t, page, ByCleaning)
		}
		c.cleanAt = d.program(t, page, ByCleaning)
		return
	}
	c.todo[old], c.next, c.cleanAt = c.todo[old][:0], 0, never
	if l.cleaning--; l.cleaning == 0 {
		l.used[old] = 0
		if l.full() {
			d.swap(at)
		}
	}
}

// release gives back the room of a page that is clean, in a single log; a half waits for
// its last page.
func (l *writeLog) release(page int32, old int) {
	p := l.pages.At(page)
	if l.single {
		l.used[old] -= int64(p.lines[old]) * entry
	}
	p.lines[old] = 0
}

// void forgets the lines of a page, which was written or trimmed.
func (d *Device) void(page int32) {
	l := d.log
	p := l.pages.Find(page)
	if p == nil || p.has() == 0 {
		return
	}
	d.Counts.Voided += int64(bits.OnesCount64(p.half[0]) + bits.OnesCount64(p.half[1]))
	l.forget(page, every)
	p.half = [2]uint64{}
	if c := &d.channels[uint32(page)%d.width]; c.page == page {
		c.void = true
	}
}

// begin notes that an open transaction wrote lines of a page.
func (l *writeLog) begin(tx, page int32, lines uint64) {
	own := l.first[tx&255]
	for own != none && (l.open[own].tx != tx || l.open[own].page != page) {
		own = l.open[own].next
	}
	p := l.pages.At(page)
	if own == none {
		l.forget(page, lines)
		if own = l.spare; own != none {
			l.spare = l.open[own].next
		} else {
			own = int32(len(l.open))
			l.open = append(l.open, opened{})
		}
		l.open[own] = opened{tx, page, 0, l.first[tx&255]}
		l.first[tx&255] = own
	} else if p.open&lines&^l.open[own].lines != 0 {
		l.forget(page, lines)
	}
	l.open[own].lines |= lines
	p.open |= lines
}

// forget takes lines of a page from the open transactions that wrote them.
func (l *writeLog) forget(page int32, lines uint64) {
	p := l.pages.Find(page)
	if p == nil || p.open&lines == 0 {
		return
	}
	p.open &^= lines
	for _, i := range l.first {
		for ; i != none; i = l.open[i].next {
			if l.open[i].page == page {
				l.open[i].lines &^= lines
			}
		}
	}
}

// commit ends a transaction: its lines can be merged.
func (l *writeLog) commit(tx int32) {
	before, i := int32(none), l.first[tx&255]
	for i != none {
		o := &l.open[i]
		next := o.next
		if o.tx != tx {
			before, i = i, next
			continue
		}
		l.pages.At(o.page).open &^= o.lines
		if before == none {
			l.first[tx&255] = next
		} else {
			l.open[before].next = next
		}
		o.next, l.spare = l.spare, i
		i = next
	}
}
