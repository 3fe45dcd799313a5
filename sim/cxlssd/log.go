package cxlssd

import (
	"math"
	"math/bits"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// A writeLog is a ring of slots, each with a line and its address, and by page where its
// lines are. Lines that were written again leave dead slots behind.
type writeLog struct {
	ring       []uint32 // page and line
	head, tail int64    // slots that were freed and taken, of all time
	half       int64
	blocks     []int32 // in groups of 64: the slot of every line of a page
	free       []int32 // groups that no page has, counted from 1

	oneLog, ahead bool
	// A compaction goes on until head is at limit. It does its next page at the time
	// next, which is never if it is not under way or was booked at once.
	next, cursor unit.Time
	began        unit.Time
	limit        int64
	active       bool
	whole        bool        // both logs are compacted at once, when warming ends
	ends         []unit.Time // of the last programs, a ring, where pages wait for them
	endAt        int
	pages, lines int64 // of this compaction
}

const never = unit.Time(math.MaxInt64)

func (l *writeLog) init(slots int64, s *Setup) {
	*l = writeLog{
		ring: make([]uint32, slots), half: slots / 2, next: never,
		oneLog: s.Quirks.Has(OneLog), ahead: s.Quirks.Has(RunAhead),
	}
	if !l.oneLog {
		slots -= slots & 1
		l.ring, l.half = l.ring[:slots], slots/2
	}
	if !l.ahead {
		l.ends = make([]unit.Time, s.Servers())
	}
}

func (l *writeLog) used() int64 { return l.tail - l.head }

func (l *writeLog) slot(position int64) int64 { return position % int64(len(l.ring)) }

// block returns a free group of slots.
func (l *writeLog) block() int32 {
	if len(l.free) == 0 {
		n := int32(len(l.blocks) / stream.Lines)
		grow := max(n, 64)
		l.blocks = append(l.blocks, make([]int32, int(grow)*stream.Lines)...)
		for i := n + grow; i > n; i-- {
			l.free = append(l.free, i)
		}
	}
	b := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return b
}

// append writes a line into the log, and returns how long it waited for a slot.
func (d *device) append(number uint32, line uint8, now unit.Time) unit.Time {
	l := &d.log
	p := &d.pages[number]
	wait := unit.Time(0)
	for l.active && (l.oneLog && l.used() == int64(len(l.ring)) || !l.oneLog && l.tail == l.limit+l.half) {
		wait = max(wait, l.cursor-now)
		d.compactPage()
	}
	bit := uint64(1) << line
	switch {
	case p.logged&bit != 0:
		d.result.Replaced++
		d.result.LinesOverwritten++
	case p.logged == 0:
		p.block = l.block()
	}
	p.logged |= bit
	slot := l.slot(l.tail)
	l.ring[slot] = number<<6 | uint32(line)
	l.blocks[int(p.block-1)*stream.Lines+int(line)] = int32(slot)
	l.tail++
	d.result.Appends++
	if d.watch != nil {
		d.tell(number, "append", now)
	}
	switch {
	case l.active:
	case d.own != nil && d.own.compact != nil:
		d.ownCompact(now)
	case l.oneLog && l.used() >= l.half || !l.oneLog && l.tail%l.half == 0:
		d.startCompaction(now)
	}
	return wait
}

func (d *device) startCompaction(now unit.Time) {
	l := &d.log
	l.active, l.limit, l.began = true, l.tail, now
	if !l.oneLog {
		l.limit = l.head + l.half // as far as the log that is full
	}
	l.pages, l.lines = 0, 0
	l.cursor = max(l.cursor, now)
	l.next = l.cursor
	if l.ahead || d.dry {
		for l.active {
			d.compactPage()
		}
	}
}

// compact goes on with a compaction up to now.
func (d *device) compact(now unit.Time) {
	for d.log.next <= now {
		d.compactPage()
	}
}

// live reports whether a slot has the newest of its line.
func (d *device) live(slot int64) bool {
	r := d.log.ring[slot]
	p := &d.pages[r>>6]
	return p.logged>>(r&63)&1 != 0 && int64(d.log.blocks[int(p.block-1)*stream.Lines+int(r&63)]) == slot
}

// compactPage merges the lines of the page that is at the head of the log with the page,
// and programs it.
func (d *device) compactPage() {
	l := &d.log
	if l.oneLog {
		l.limit = l.tail
	}
	d.skip()
	if l.head == l.limit || l.oneLog && l.used()*10_000 < int64(len(l.ring)) {
		l.active, l.next = false, never
		d.result.Compactions++
		if d.watch != nil && d.watch.Compaction != nil && !d.dry {
			d.watch.Compaction(l.began, l.cursor, l.pages, l.lines)
		}
		switch {
		case d.own != nil && d.own.compact != nil:
			if !l.oneLog {
				d.ownCompact(l.cursor)
			}
		case !l.oneLog && l.tail == l.limit+l.half: // the other log is full by now
			d.startCompaction(l.cursor)
		}
		return
	}
	d.merge()
}

// skip frees the dead slots at the head of the log.
func (d *device) skip() {
	l := &d.log
	for l.head < l.limit && !d.live(l.slot(l.head)) {
		l.head++
	}
}

// merge is the work of compactPage.
func (d *device) merge() {
	l := &d.log
	number := l.ring[l.slot(l.head)] >> 6
	p := &d.pages[number]
	lines := p.logged
	if !l.oneLog && !l.whole {
		// The other log has taken lines of the page meanwhile.
		old := l.slot(l.limit-l.half) / l.half
		for rest := lines; rest != 0; rest &= rest - 1 {
			line := bits.TrailingZeros64(rest)
			if int64(l.blocks[int(p.block-1)*stream.Lines+line])/l.half != old {
				lines &^= 1 << line
			}
		}
	}
	read := p.at <= 0 && lines != ^uint64(0)
	if read {
		d.result.CompactionReads++
	}
	if !d.dry {
		if read {
			l.cursor = d.flash.compactRead(number, l.cursor)
		}
		end := d.flash.compactProgram(number, l.cursor)
		if l.ends != nil {
			l.cursor = max(l.cursor, l.ends[l.endAt])
			l.ends[l.endAt] = end
			if l.endAt++; l.endAt == len(l.ends) {
				l.endAt = 0
			}
		}
		if d.watch != nil {
			d.tell(number, "program", l.cursor)
		}
		l.next = l.cursor
	}
	n := int64(bits.OnesCount64(lines))
	d.result.CompactionPrograms++
	d.result.Merged[n]++
	d.result.LinesProgrammed += n
	l.pages++
	l.lines += n
	p.logged &^= lines
	if p.logged == 0 {
		l.free = append(l.free, p.block)
		p.block = 0
	}
}
