// Package device is a memory-semantic SSD: one space of pages that can be reached by
// block commands and, line by line, as memory.
//
// # Source
//
// ByteFS: System Support for (CXL-based) Memory-Semantic Solid-State Drives (ASPLOS 2025,
// arXiv 2501.04993), its section on the SSD's firmware, and the two branches of its
// artifact.
//
// # Departures
//
//  1. Methods are called in the order of simulated time and book servers ahead: an access
//     knows at once when it will end. A channel works in the order in which work arrives
//     there, also where that was asked for in another order; what is put off by work that
//     was asked for later ends later than was answered.
//  2. The device's state changes when an access is asked for, not when it ends.
//  3. Striped, a page belongs to the channel that is its number modulo their number, and
//     stays there. With one frontier, as in the artifact, pages in a row fill a block's worth
//     of one channel, then of the next; one that has no room is passed over. Each channel
//     collects by itself, into the block that the frontier fills there, and cleans the pages of
//     the log whose numbers are its own, wherever these are programmed.
//  4. Pages of a block command take their turns on the link in the order of the commands.
//  5. A page that is read while the buffer still has it waits for its program, unless the
//     buffer serves it (Serves): from when it is there until its program was to end when it
//     was booked.
//  6. Lines of open transactions that are carried to the other half of the log always find
//     room there, else log and transactions could wait for each other. File systems lock
//     such lines: two open transactions do not write the same one.
//  7. A single log takes back the room of all lines of a page when the page is clean,
//     wherever they are.
//  8. With ReadsFirst the host's reads, those of cleaning and no copies of collection go
//     before programs and erases that have not begun. A program that is put off so keeps
//     its slot of the write buffer, but for a write that has got that slot already.
//  9. The host knows what the flash has beyond other data and the blocks that are free when
//     collection ends; the artifact has as many logical pages as physical ones.
//  10. A page of flash is copied by collection and a page of the log is merged in one piece:
//     its read and its program.
//  11. A dirty page that leaves the page buffer goes to the write buffer, as block writes
//     do, and who needs its place waits for a slot there; in the artifact, and here with
//     ShortMisses, it waits for the program.
//  12. Alone, the blocks of a channel that are open or free come on top of Spare, and a piece of
//     collection puts off programs that were booked for later, whose slots of the write buffer
//     follow; a write that was answered stays so. What is said to be collection is what it did at
//     the channel in the time that was waited, as it was booked.
package device

import (
	"math"
	"math/bits"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/flash"
	"spillway/sim/unit"
)

// A Memory says what the device's DRAM is.
type Memory uint8

// The memories.
const (
	NoMemory   Memory = iota // block commands only (Ext4, F2FS)
	PageBuffer               // an LRU cache of pages for the byte path (NOVA, PMFS; ByteFS without its log)
	WriteLog                 // a log of lines (ByteFS)
	Alone                    // block commands only, of a host without a file system
)

const (
	none  = -1
	line  = 64 // bytes
	every = math.MaxUint64
	never = unit.Time(math.MaxInt64)
)

// A Device is an SSD under way. Every method is used in the order of simulated time and
// returns when the host may go on.
type Device struct {
	Counts Counts
	// Worked is told of pieces of a channel's work, in the order in which it does them, once
	// nothing can put them off any more; nil, or set before the first access.
	Worked func(channel int32, begins, took unit.Time)
	// Asked is how many bytes the load or store that comes next asks for, which is what is counted
	// of it; 0: whole lines.
	Asked int32

	m        machine.Device // at scale; byte accesses take nothing with FreeBytes
	waits    bool           // block writes wait for programs
	oneBlock bool           // pages in a row fill a block of a channel
	fresh    bool           // data pages without content are read too
	quirks   quirks
	record   func(plan.Event)
	now      unit.Time // of the last access
	firmware unit.Time // when the firmware is free
	link     unit.Time // when the link is
	width    uint32    // channels
	channels []channel
	slots    slots // of the write buffer
	shape    flash.Shape
	ftl      *flash.Layer
	front    int32       // the channel that the frontier is at, and the pages of its turn so far
	turn     int64       //
	held     []unit.Time // by page: until when the write buffer has it; nil unless it serves
	behind   unit.Time   // see Behind
	settled  unit.Time   // when the last page written in a block is programmed
	through  bool        // the block command under way is answered when it is
	// How many frontiers the flash has for the host; whether the device tells them apart, and
	// then by page when it was written last, in pages written; what the host said of the
	// write at hand.
	streams int32
	last    []int64
	wrote   int64
	how     plan.Writing
	// Of an SSD by itself: see Collecting; by slot of the write buffer, how long its program
	// waits for collection.
	alone      bool
	putsOff    bool // what is being booked is collection
	collecting unit.Time
	delays     []unit.Time
	of         []plan.Structure // by page: who wrote it last
	due        unit.Time        // when Act is

	log    *writeLog   // nil without
	buffer *pageBuffer // nil without
	shared bool        // the buffer serves block commands
}

// quirks are the artifact's accidents that are the device's.
type quirks struct{ noCommit, inverted, keepsLines, staleDirty, shortMisses bool }

// short is by how much ShortMisses shortens what the byte path waits for.
const short = 65 * unit.Microsecond

// New returns a device whose flash holds nothing but old data. waits says that block
// writes are answered when they are programmed. record may be nil.
func New(m *machine.Setup, memory Memory, waits bool, record func(plan.Event)) *Device {
	has := m.Quirks.Has
	d := &Device{
		m: m.Device, waits: waits, oneBlock: m.Device.Frontier == machine.OneBlock, fresh: m.Fresh, record: record,
		quirks: quirks{has(machine.NoCommit), has(machine.Inverted), has(machine.KeepsLines), has(machine.StaleDirty), has(machine.ShortMisses)},
		width:  uint32(m.Device.Channels), channels: make([]channel, m.Device.Channels),
		slots: newSlots(int32(max(1, m.Device.Buffer))),
		due:   never,
	}
	if has(machine.FreeBytes) {
		d.m.LineRead, d.m.LineWrite, d.m.Persist = 0, 0, 0
	}
	d.Counts.Busy = make([]unit.Time, d.width)
	for i := range d.channels {
		d.channels[i].number = int32(i)
		d.channels[i].page, d.channels[i].cleanAt, d.channels[i].collectAt = none, never, never
	}
	d.alone = memory == Alone
	if d.alone {
		d.shape = alone(&d.m)
		d.ftl = flash.NewLayer(&d.shape)
	} else {
		d.shape, _ = shape(&d.m)
		d.ftl = newLayer(&d.m)
	}
	pages := d.Pages()
	if d.streams = int32(max(1, d.m.Streams)); d.streams > 1 && d.m.StreamsBy == machine.ByHeat {
		d.last = make([]int64, pages)
	}
	if d.alone {
		d.delays = make([]unit.Time, max(1, d.m.Buffer))
	}
	if d.m.Serves {
		d.held = make([]unit.Time, pages)
	}
	d.of = make([]plan.Structure, pages)
	switch {
	case memory == WriteLog:
		d.log = newLog(&d.m, pages)
	case memory == PageBuffer || d.m.Shared && !d.alone:
		d.buffer, d.shared = newBuffer(int32(d.m.DRAM/unit.Page), pages), d.m.Shared
	}
	return d
}

// Pages is how many logical pages the device has.
func (d *Device) Pages() int32 { return d.shape.Logical }

// Preload gives a page content before the run begins, without time or counts.
func (d *Device) Preload(page int32) {
	d.Rewrite(page, 0)
}

// Rewrite is Preload of a page that may have content, by a stream.
func (d *Device) Rewrite(page int32, how plan.Writing) {
	u := d.place(page)
	d.how = how
	stream := int32(0)
	if d.streams > 1 {
		stream = d.stream(page)
	}
	for d.ftl.WriteStream(u, page, stream); d.ftl.Due(u); {
		if _, ok := d.ftl.Collect(u); !ok {
			break
		}
	}
	d.how = 0
}

// Worn returns how often blocks were erased: the one that was least, all in sum, and the one that
// was most, and how many there are. Forget makes all of them new.
func (d *Device) Worn() (least, sum, most, blocks int64) {
	least, sum, most = d.ftl.Worn()
	return least, sum, most, int64(d.shape.Units) * int64(d.shape.Blocks)
}

// Forget makes all blocks of the flash new, with what is in them.
func (d *Device) Forget() { d.ftl.Forget() }

// stream is the frontier that a page is to be written to, of several.
func (d *Device) stream(page int32) int32 {
	if d.last != nil {
		before := d.last[page]
		d.wrote++
		if d.last[page] = d.wrote; before == 0 {
			return 0
		}
		heat, limit := int32(0), int64(len(d.last))/2
		for heat < d.streams-1 && d.wrote-before < limit {
			heat, limit = heat+1, limit/4
		}
		return heat
	}
	said := d.how.Stream()
	if !d.alone && d.of[page] != plan.Data {
		said = 1
	}
	return said % d.streams
}

// Collecting is how much of what Behind has was garbage collection; of writes, how long the slot of
// the write buffer that the last page of it waited for was taken by a program that waited for that.
// Of an SSD by itself.
func (d *Device) Collecting() unit.Time { return d.collecting }

// collected notes how long a program waits for collection, by its slot of the write buffer.
func (d *Device) collected(c *channel, slot int32, from, to unit.Time) {
	if slot == none {
		slot = d.slots.first().id
	}
	d.delays[slot] = c.collects.within(d.now, from, to)
}

// Behind is how long the last read, of those of its pages that were there last, waited at its
// channel for programs and erases that came before it, as these were booked: with ReadsFirst one
// that reads have put off since counts where it was.
func (d *Device) Behind() unit.Time { return d.behind }

// count counts an access.
func (d *Device) count(s plan.Structure, i Interface, way Direction, bytes int64) {
	d.Counts.Bytes[s][i][way] += bytes
	d.Counts.Accesses[s][i][way]++
}

// asked is how many bytes are counted of an access of n lines.
func (d *Device) asked(n int) int64 {
	if d.Asked > 0 {
		return int64(d.Asked)
	}
	return int64(n) * line
}

// order has the firmware and the link take their turns for a page of a block command that
// arrives at a time, and returns when they have.
func (d *Device) order(at unit.Time) (firmware, link unit.Time) {
	d.firmware = max(d.firmware, at) + d.m.Firmware
	d.link = max(d.link, d.firmware) + d.m.Transfer
	return d.firmware, d.link
}

// BlockRead reads n pages from page.
func (d *Device) BlockRead(now unit.Time, s plan.Structure, page, n int32) unit.Time {
	d.now = now
	d.count(s, Block, Reads, int64(n)*int64(unit.Page))
	done, behind, collecting := now+d.m.Submit, unit.Time(0), unit.Time(0)
	for p := page; p < page+n; p++ {
		d.behind, d.collecting = 0, 0
		t, link := d.order(now + d.m.Submit)
		switch {
		case d.held != nil && d.held[p] > t: // which has the newest of it, but for lines in the log
			d.Counts.BufferHits++
		case d.shared:
			t = d.load(t, s, p)
		case d.buffer != nil && d.buffer.slot[p] != none: // it may be newer than flash
		case d.log != nil && !d.lacks(s, p, every):
		case d.content(s, p):
			t = d.read(t, p, ByHost)
		}
		if t += d.m.Transfer; max(t, link) > done {
			done, behind, collecting = max(t, link), d.behind, d.collecting
		}
	}
	d.behind, d.collecting = behind, collecting
	return done + d.m.Complete
}

// content reports whether a page is read from flash where it is not in DRAM. Data pages
// that hold zeros and were not written for that (Fresh) count too.
func (d *Device) content(s plan.Structure, page int32) bool {
	return d.ftl.Home(page) >= 0 || d.fresh && s == plan.Data
}

// Write is BlockWrite of a host that says how.
func (d *Device) Write(now unit.Time, page, n int32, how plan.Writing) unit.Time {
	d.how = how
	done := d.BlockWrite(now, plan.Data, page, n, 0)
	d.how = 0
	return done
}

// BlockWrite writes n pages from page, for transaction tx or 0.
func (d *Device) BlockWrite(now unit.Time, s plan.Structure, page, n, tx int32) unit.Time {
	d.now = now
	d.count(s, Block, Writes, int64(n)*int64(unit.Page))
	done, collecting := now+d.m.Submit, unit.Time(0)
	for p := page; p < page+n; p++ {
		firmware, link := d.order(now + d.m.Submit)
		slot := d.slots.first()
		t := max(max(firmware, slot.free)+d.m.Transfer, link)
		d.of[p] = s
		if d.record != nil {
			stored := plan.Event{At: now, Moment: plan.Stored, Structure: s, Page: p, Tx: tx}
			if d.through {
				stored.Lines = every
			}
			d.record(stored)
		}
		switch {
		case d.shared:
			t = max(d.store(firmware, p, every)+d.m.Transfer, link)
			if !d.waits && !d.through {
				done = max(done, t)
				continue
			}
			d.buffer.dirty[d.buffer.slot[p]] = false // it goes on to flash
		case d.buffer != nil:
			d.buffer.drop(p)
		case d.log != nil && !d.quirks.keepsLines:
			d.void(p)
		}
		if d.how != 0 && d.how.Part(p == page, p == page+n-1) && d.content(s, p) {
			t = d.read(t, p, ByHost) // what of the page is not written
		}
		collected := unit.Time(0)
		if d.alone && slot.free > firmware {
			collected = min(d.delays[slot.id], slot.free-firmware)
		}
		end := d.program(t, p, ByHost)
		d.settled = max(d.settled, end)
		if d.alone {
			d.delays[slot.id] += collected // who waits for the slot next waits for both
		}
		if d.waits || d.through {
			t = end
			if d.alone {
				collected = d.delays[slot.id]
			}
		}
		if t > done {
			done, collecting = t, collected
		}
	}
	d.collecting = collecting
	return done + d.m.Complete
}

// WriteThrough is a BlockWrite that is answered when its pages are programmed (FUA).
func (d *Device) WriteThrough(now unit.Time, s plan.Structure, page, n, tx int32) unit.Time {
	d.through = true
	end := d.BlockWrite(now, s, page, n, tx)
	d.through = false
	return end
}

// Flush is answered when all pages that were written in blocks before are programmed.
func (d *Device) Flush(now unit.Time) unit.Time {
	d.now = now
	if d.record != nil {
		d.record(plan.Event{At: now, Moment: plan.Flushed})
	}
	return max(now+d.m.Submit+d.m.Firmware, d.settled) + d.m.Complete
}

// ByteRead loads lines of a page.
func (d *Device) ByteRead(now unit.Time, s plan.Structure, page int32, lines uint64) unit.Time {
	d.now = now
	d.behind = 0
	n := bits.OnesCount64(lines)
	d.count(s, Byte, Reads, d.asked(n))
	t := now
	if d.log == nil {
		t = d.load(now, s, page)
	} else {
		lacks := d.lacks(s, page, lines)
		if d.quirks.inverted {
			lacks = d.log.has(page)&lines != 0 && d.ftl.Home(page) >= 0
		}
		if lacks {
			t = d.read(now, page, ByHost)
		}
	}
	return d.shorten(now, t) + unit.Time(n)*d.m.LineRead
}

// shorten returns when a byte access that began at now and waits for flash until t goes on.
func (d *Device) shorten(now, t unit.Time) unit.Time {
	if d.quirks.shortMisses {
		return max(now, t-short)
	}
	return t
}

// ByteWrite stores lines of a page. false says that the log is full: nothing was done, and
// the host asks again at the time returned, which is when a page will have been cleaned.
func (d *Device) ByteWrite(now unit.Time, s plan.Structure, page int32, lines uint64, tx int32) (unit.Time, bool) {
	d.now = now
	n := bits.OnesCount64(lines)
	if d.log != nil && !d.room(now, n) {
		return d.relief(), false
	}
	d.count(s, Byte, Writes, d.asked(n))
	d.of[page] = s
	if d.record != nil {
		d.record(plan.Event{At: now, Moment: plan.Appended, Structure: s, Page: page, Tx: tx, Lines: lines})
	}
	t := now
	if d.log != nil {
		d.append(now, page, lines, tx)
	} else {
		t = d.store(now, page, lines)
	}
	return d.shorten(now, t) + unit.Time(n)*d.m.LineWrite + d.m.Persist, true
}

// Commit commits a transaction.
func (d *Device) Commit(now unit.Time, tx int32) unit.Time {
	d.now = now
	if d.quirks.noCommit {
		return now
	}
	d.Counts.Commits++
	if d.record != nil {
		d.record(plan.Event{At: now, Moment: plan.Committed, Tx: tx})
	}
	if d.log != nil {
		d.log.commit(tx)
	}
	return now + d.m.Commit
}

// Trim says that a page holds nothing; one that keeps what is freed is not told.
func (d *Device) Trim(now unit.Time, page int32) {
	d.now = now
	if d.m.KeepsFreed {
		return
	}
	if d.record != nil {
		d.record(plan.Event{At: now, Moment: plan.Trimmed, Structure: d.of[page], Page: page})
	}
	if d.log != nil {
		d.void(page)
	}
	if d.buffer != nil {
		d.buffer.drop(page)
	}
	if d.held != nil {
		d.held[page] = 0
	}
	d.ftl.Trim(page)
}

// Mapped reports whether a page has content, in flash or in DRAM.
func (d *Device) Mapped(page int32) bool {
	switch {
	case d.ftl.Home(page) >= 0:
		return true
	case d.log != nil:
		return d.log.has(page) != 0
	case d.buffer != nil && d.buffer.slot[page] != none:
		return d.buffer.dirty[d.buffer.slot[page]]
	}
	return false
}

// Due returns when the device next does something by itself (cleaning, collection), and
// false if it will not until it is used. Act does what is due at that time.
func (d *Device) Due() (unit.Time, bool) { return d.due, d.due != never }

// Act does what is due.
func (d *Device) Act(now unit.Time) {
	d.now = now
	for d.due <= now {
		at := d.due
		for i := range d.channels {
			if c := &d.channels[i]; c.cleanAt <= at {
				d.clean(c, at)
			}
		}
		for i := range d.channels {
			if c := &d.channels[i]; c.collectAt <= at {
				d.collect(int32(i), at)
			}
		}
		d.plan()
	}
}

// plan finds out when the next thing is due.
func (d *Device) plan() {
	d.due = never
	for i := range d.channels {
		d.due = min(d.due, d.channels[i].cleanAt, d.channels[i].collectAt)
	}
}

// Unwritten is how many pages of DRAM flash does not have as they are: dirty ones of the
// page buffer, or those of which the log has lines.
func (d *Device) Unwritten() (n int64) {
	switch {
	case d.log != nil:
		d.log.pages.All(func(_ int32, l *logged) {
			if l.has() != 0 {
				n++
			}
		})
	case d.buffer != nil:
		for _, dirty := range d.buffer.dirty {
			if dirty {
				n++
			}
		}
	}
	return n
}

// Log returns how many bytes of the log are in use, of how many, and whether it is being
// cleaned.
func (d *Device) Log() (used, size int64, cleaning bool) {
	if d.log == nil {
		return 0, 0, false
	}
	l := d.log
	return l.used[0] + l.used[1], l.size, l.cleaning > 0
}
