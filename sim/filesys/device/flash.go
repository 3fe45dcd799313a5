package device

import (
	"slices"

	"spillway/sim/filesys/machine"
	"spillway/sim/flash"
	"spillway/sim/unit"
)

// A channel works on one page at a time.
type channel struct {
	free unit.Time // when all work is done that was booked; with ReadsFirst, reads
	gaps []gap     // idle before that, and long enough for something
	// With ReadsFirst, when all programs and erases are done.
	programs unit.Time

	// What cleaning of the log has to do: pages of its half, the next of them, the page
	// that is being programmed and its lines. At cleanAt it goes on.
	todo    [2][]int32
	next    int
	page    int32
	lines   uint64
	void    bool // what is being programmed was written or trimmed since
	cleanAt unit.Time

	// What collection has to do of a block: copies, and the erase. At collectAt it goes on.
	copies    int32
	erase     bool
	collectAt unit.Time
}

// A gap is a time in which a channel is idle.
type gap struct{ from, to unit.Time }

// shape returns the flash of a device of so many blocks a channel, of which collection
// begins and ends with so many free, and on which so many pages a channel hold other data.
func shape(m *machine.Device) (s flash.Shape, old int32) {
	blocks := int64(m.Capacity/unit.Page) / (m.Channels * m.Pages)
	begin := blocks * m.CollectAt / 100
	end := max(begin+1, (blocks*m.CollectUntil+99)/100)
	used := blocks * m.Pages * m.Old / 100
	logical := max(0, (blocks-end-1)*m.Pages-used)
	return flash.Shape{
		Units: int32(m.Channels), Blocks: int32(blocks), Pages: int32(m.Pages), Logical: int32(logical * m.Channels),
		Begin: int32(begin), End: int32(end), Stepped: true,
	}, int32(used)
}

// logical returns how many pages the host knows.
func logical(m *machine.Device) int32 {
	s, _ := shape(m)
	return s.Logical
}

// newLayer returns flash without data of the host. Other data are spread evenly over
// blocks that were written full, so many that collection is about to begin.
func newLayer(m *machine.Device) *flash.Layer {
	s, old := shape(m)
	ftl := flash.NewLayer(&s)
	if aged := s.Blocks - 1 - max(1, s.Begin); old > 0 && aged > 0 {
		for u := range s.Units {
			for b := range aged {
				share := func(b int32) int64 { return int64(old) * int64(b) / int64(aged) }
				ftl.Age(u, int32(share(b+1)-share(b)))
			}
		}
	}
	return ftl
}

// book has a channel do a piece of work that arrives at a time, and returns when it begins:
// at the first time from then on when the channel is idle for so long.
func (d *Device) book(c *channel, at, took unit.Time) unit.Time {
	if len(c.gaps) > 0 {
		if start := d.fit(c, at, took); start >= 0 {
			return start
		}
	}
	idle := max(c.free, d.now)
	start := max(at, c.free)
	if start-idle >= d.shortest {
		c.gaps = append(c.gaps, gap{idle, start})
	}
	c.free = start + took
	return start
}

// fit is book within a gap; -1 if there is none that fits. Gaps that are over leave.
func (d *Device) fit(c *channel, at, took unit.Time) unit.Time {
	over := 0
	for over < len(c.gaps) && c.gaps[over].to < d.now+d.shortest {
		over++
	}
	c.gaps = slices.Delete(c.gaps, 0, over)
	for i, g := range c.gaps {
		start := max(at, g.from)
		if start+took > g.to {
			continue
		}
		var left [2]gap
		n := 0
		for _, g := range [2]gap{{g.from, start}, {start + took, g.to}} {
			if g.to-g.from >= d.shortest {
				left[n] = g
				n++
			}
		}
		c.gaps = slices.Replace(c.gaps, i, i+1, left[:n]...)
		return start
	}
	return none
}

// bookRead and bookProgram are book of a read and of anything else, in the order that the
// setup says.
func (d *Device) bookRead(c *channel, at unit.Time) (start unit.Time) {
	if !d.m.ReadsFirst {
		return d.book(c, at, d.m.Read)
	}
	start = max(at, c.free)
	if c.programs > start { // the program under way ends, the others wait for one more read
		start += (c.programs - start) % d.m.Program
		c.programs += d.m.Read
	}
	c.free = start + d.m.Read
	return start
}

func (d *Device) bookProgram(c *channel, at, took unit.Time) (start unit.Time) {
	if !d.m.ReadsFirst {
		return d.book(c, at, took)
	}
	start = max(at, c.free, c.programs)
	c.programs = start + took
	return start
}

// read reads a page of flash that somebody waits for, and returns when it is read.
func (d *Device) read(at unit.Time, page int32, why Why) unit.Time {
	u := uint32(page) % d.width
	start := d.bookRead(&d.channels[u], at)
	d.Counts.FlashReads[why]++
	d.Counts.Busy[u] += d.m.Read
	if why != ByCleaning {
		d.Counts.Waited += start - at
	}
	return start + d.m.Read
}

// program gives a page a new place and programs it, and returns when that is done. blocks
// says that the host waits for it.
func (d *Device) program(at unit.Time, page int32, why Why, blocks bool) unit.Time {
	u := uint32(page) % d.width
	c := &d.channels[u]
	copied, erased := d.ftl.Write(page)
	if erased > 0 { // there was no free block: everybody waits
		d.tidy(u, copied, erased)
		d.bookProgram(c, at, unit.Time(copied)*(d.m.Read+d.m.Program)+unit.Time(erased)*d.m.Erase)
	}
	start := d.bookProgram(c, at, d.m.Program)
	if c.collectAt == never && d.ftl.Due(int32(u)) {
		c.collectAt = max(at, d.now)
		d.due = min(d.due, c.collectAt)
	}
	d.Counts.FlashPrograms[why]++
	d.Counts.Programmed[d.of[page]]++
	d.Counts.Busy[u] += d.m.Program
	if blocks {
		d.Counts.Waited += start - at
	}
	return start + d.m.Program
}

// tidy counts what collection of a channel did.
func (d *Device) tidy(u uint32, copied, erased int32) {
	d.Counts.FlashReads[ByCollection] += int64(copied)
	d.Counts.FlashPrograms[ByCollection] += int64(copied)
	d.Counts.Erases += int64(erased)
	d.Counts.Busy[u] += unit.Time(copied)*(d.m.Read+d.m.Program) + unit.Time(erased)*d.m.Erase
}

// collect does the next piece of a channel's collection: it copies a page, or erases the
// block that has no more.
func (d *Device) collect(u int32, at unit.Time) {
	c := &d.channels[u]
	if !c.erase {
		c.collectAt = never
		if !d.ftl.Due(u) {
			return
		}
		copied, ok := d.ftl.Collect(u)
		if !ok {
			return
		}
		c.copies, c.erase = copied, true
	}
	if c.copies > 0 {
		c.copies--
		d.tidy(uint32(u), 1, 0)
		c.collectAt = d.bookProgram(c, at, d.m.Read+d.m.Program) + d.m.Read + d.m.Program
		return
	}
	c.erase = false
	d.tidy(uint32(u), 0, 1)
	c.collectAt = d.bookProgram(c, at, d.m.Erase) + d.m.Erase
}
