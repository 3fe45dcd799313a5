package device

import (
	"spillway/sim/filesys/machine"
	"spillway/sim/flash"
	"spillway/sim/unit"
)

// A channel works on one page at a time.
type channel struct {
	number int32
	// Work that something may still come before, in order, and when what is before it ends;
	// when the last work arrives and ends; and of that work, how long all that rests before it
	// begins are in sum.
	jobs      []job
	head      int // of jobs; those before it are over
	free      unit.Time
	last, end unit.Time
	rests     unit.Time

	// What cleaning of the log has to do: pages of its half, the next of them, the page
	// that is being programmed and its lines. At cleanAt it goes on.
	todo    [2][]int32
	next    int
	page    int32
	lines   uint64
	void    bool // what is being programmed was written or trimmed since
	writes  gaps // programs and erases
	cleanAt unit.Time

	// What collection has to do of a block: copies, and the erase. At collectAt it goes on.
	copies    int32
	erase     bool
	collectAt unit.Time
	collects  gaps // of an SSD by itself: copies and erases of collection
}

// A job is a piece of a channel's work: when it arrives, begins and how long it takes. Where
// no slot follows work that is put off, as in the order in which work arrives, it is not kept
// when it begins but how long the channel rests before: what comes before it then hardly ever
// changes it.
type job struct {
	arrives, begins, took unit.Time
	rests                 unit.Time
	read                  bool
	slot                  int32 // of the write buffer, of a program that has one and may be put off; or none
}

// gaps are the times in which a channel does something, in order, that may not be over, and the
// first that is not.
type gaps struct {
	list []gap
	over int
}

type gap struct{ from, to unit.Time }

// add notes that a channel does it from a time on.
func (g *gaps) add(from, took unit.Time) {
	if n := len(g.list); n > g.over && g.list[n-1].to == from {
		g.list[n-1].to += took
		return
	}
	if g.over > 0 && len(g.list) == cap(g.list) {
		g.list, g.over = g.list[:copy(g.list, g.list[g.over:])], 0
	}
	g.list = append(g.list, gap{from, from + took})
}

// insert is add where others may come after.
func (g *gaps) insert(from, took unit.Time) {
	g.add(from, took)
	for i := len(g.list) - 1; i > g.over && g.list[i-1].from > g.list[i].from; i-- {
		g.list[i-1], g.list[i] = g.list[i], g.list[i-1]
	}
}

// within is how much of the time from one until another that is, of which nobody asks for an
// earlier one than now any more.
func (g *gaps) within(now, from, to unit.Time) (sum unit.Time) {
	for g.over < len(g.list) && g.list[g.over].to <= now {
		g.over++
	}
	for i := len(g.list) - 1; i >= g.over && g.list[i].to > from; i-- {
		sum += max(0, min(to, g.list[i].to)-max(from, g.list[i].from))
	}
	return sum
}

// place is the channel that a page is to be programmed on.
func (d *Device) place(page int32) int32 {
	if !d.oneBlock {
		return int32(uint32(page) % d.width)
	}
	if d.turn == d.m.Pages {
		d.front, d.turn = (d.front+1)%int32(d.width), 0
	}
	for range d.width {
		if d.ftl.Room(d.front) {
			break
		}
		d.front, d.turn = (d.front+1)%int32(d.width), 0
	}
	d.turn++
	return d.front
}

// channel is the one that a page is read from.
func (d *Device) channel(page int32) int32 {
	if d.oneBlock {
		if u := d.ftl.Plane(page); u >= 0 {
			return u
		}
	}
	return int32(uint32(page) % d.width)
}

// base is what flash is in either case.
func base(m *machine.Device) flash.Shape {
	return flash.Shape{Units: int32(m.Channels), Pages: int32(m.Pages), Stepped: true, Streams: int32(m.Streams), Own: m.CollectOwn}
}

// shape returns the flash of a device of so many blocks a channel, of which collection
// begins and ends with so many free, and on which so many pages a channel hold other data.
func shape(m *machine.Device) (s flash.Shape, old int32) {
	s = base(m)
	blocks := int64(m.Capacity/unit.Page) / (m.Channels * m.Pages)
	begin := blocks * m.CollectAt / 100
	end := max(begin+1, (blocks*m.CollectUntil+99)/100)
	used := blocks * m.Pages * m.Old / 100
	logical := max(0, (blocks-end-int64(s.Frontiers()))*m.Pages-used)
	s.Blocks, s.Logical, s.Begin, s.End = int32(blocks), int32(logical*m.Channels), int32(begin), int32(end)
	return s, int32(used)
}

// alone returns the flash of an SSD by itself: what the host may address is its capacity. Collection
// works with all the flash that there is beyond it: it begins with the last free block of a channel,
// with several frontiers with the last but one, and ends with one more. The blocks that are open,
// taken to be half full, or free come on top of Spare: a drive has thousands, of which these hardly
// count, and few are simulated.
func alone(m *machine.Device) flash.Shape {
	s := base(m)
	capacity := m.Capacity
	if m.Room > 0 {
		capacity = m.Room
	}
	logical := (int64((capacity+unit.Page-1)/unit.Page) + m.Channels - 1) / m.Channels
	fronts := s.Frontiers()
	s.Begin, s.Logical = min(fronts, 2), int32(logical*m.Channels)
	s.End = s.Begin + 1
	raw := (logical*(1000+m.Spare) + 1000*m.Pages - 1) / (1000 * m.Pages)
	s.Blocks = max(int32(raw)+s.Begin+fronts/2, int32((logical+m.Pages-1)/m.Pages)+s.End+fronts)
	return s
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

// book has a channel do a piece of work that arrives at a time, and returns when it
// begins. What was booked before but comes after it is put off.
func (d *Device) book(c *channel, at, took unit.Time, read bool, slot int32) (begins unit.Time) {
	if at < c.last || d.m.ReadsFirst {
		return d.insert(c, at, took, read, slot)
	}
	begins = max(at, c.end)
	rests := begins - c.end
	c.last, c.end = at, begins+took
	if at <= d.now { // nothing can come before any more
		if d.Worked != nil {
			d.tell(c)
			d.Worked(c.number, begins, took)
		}
		c.jobs, c.head, c.free, c.rests = c.jobs[:0], 0, c.end, 0
		return begins
	}
	if len(c.jobs) == cap(c.jobs) {
		d.settle(c)
		if c.head > len(c.jobs)/2 {
			c.jobs, c.head = c.jobs[:copy(c.jobs, c.jobs[c.head:])], 0
		}
	}
	c.jobs = append(c.jobs, job{at, begins, took, rests, read, slot})
	c.rests += rests
	return begins
}

// follows reports whether work may have a slot that follows it, so that it is kept when each
// piece begins.
func (d *Device) follows() bool { return d.m.ReadsFirst || d.alone }

// begins is when a job begins, before which the channel is free from a time on.
func (d *Device) begins(free unit.Time, j *job) unit.Time {
	if d.follows() {
		return j.begins
	}
	return free + j.rests
}

// settle passes over work that nothing can come before any more.
func (d *Device) settle(c *channel) {
	for c.head < len(c.jobs) {
		j := &c.jobs[c.head]
		if j.arrives > d.now || d.m.ReadsFirst && j.begins > d.now {
			break
		}
		begins := d.begins(c.free, j)
		c.free = begins + j.took
		c.rests -= j.rests
		c.head++
		if d.Worked != nil {
			d.Worked(c.number, begins, j.took)
		}
	}
}

// tell tells of the work that a channel has not been told of.
func (d *Device) tell(c *channel) {
	free := c.free
	for i := c.head; i < len(c.jobs); i++ {
		j := &c.jobs[i]
		begins := d.begins(free, j)
		d.Worked(c.number, begins, j.took)
		free = begins + j.took
	}
}

// Tell tells Worked of the work that is left, as it is known now, and of nothing more.
func (d *Device) Tell() {
	if d.Worked == nil {
		return
	}
	for i := range d.channels {
		d.tell(&d.channels[i])
	}
	d.Worked = nil
}

// squeeze is book of work that has no slot where other work comes after: that is put off by as
// much as the channel does not rest before it.
func (d *Device) squeeze(c *channel, at, took unit.Time) (begins unit.Time) {
	d.settle(c)
	i, free, after := c.head, c.free, c.rests
	for i < len(c.jobs) && c.jobs[i].arrives <= at {
		free += c.jobs[i].rests + c.jobs[i].took
		after -= c.jobs[i].rests
		i++
	}
	begins = max(at, free)
	rests := begins - free
	off := rests + took
	if after > 0 {
		for k := i; off > 0 && after > 0; k++ {
			if j := &c.jobs[k]; j.rests > 0 {
				after -= j.rests
				less := min(j.rests, off)
				j.rests -= less
				c.rests -= less
				off -= less
			}
		}
	}
	c.end += off
	c.rests += rests
	c.put(i, job{arrives: at, took: took, rests: rests, slot: none})
	return begins
}

// put puts a job before the one at i.
func (c *channel) put(i int, j job) int {
	if c.head > 0 { // there is room in front
		c.head--
		copy(c.jobs[c.head:], c.jobs[c.head+1:i])
		i--
	} else {
		c.jobs = append(c.jobs, job{})
		copy(c.jobs[i+1:], c.jobs[i:])
	}
	c.jobs[i] = j
	return i
}

// insert is book where other work may come after.
func (d *Device) insert(c *channel, at, took unit.Time, read bool, slot int32) (begins unit.Time) {
	if !d.follows() {
		return d.squeeze(c, at, took)
	}
	d.settle(c)
	i := c.head
	if d.m.ReadsFirst {
		i = len(c.jobs)
		for i > c.head && c.jobs[i-1].after(at, read) {
			i--
		}
	} else {
		for i < len(c.jobs) && c.jobs[i].arrives <= at {
			i++
		}
	}
	begins = max(at, c.free)
	if i > c.head {
		before := &c.jobs[i-1]
		begins = max(at, before.begins+before.took)
	}
	i = c.put(i, job{arrives: at, begins: begins, took: took, read: read, slot: slot})
	end := begins + took
	rest := c.jobs[i+1:]
	for k := range rest {
		if rest[k].begins >= end {
			break
		}
		was := rest[k].begins + rest[k].took
		rest[k].begins = end
		end += rest[k].took
		if s := rest[k].slot; s != none {
			d.slots.delay(s, was, end)
			if d.putsOff {
				d.delays[s] += end - was
			}
		}
	}
	last := &c.jobs[len(c.jobs)-1]
	c.last, c.end = last.arrives, last.begins+last.took
	return begins
}

// after reports whether a job comes after one that arrives at a time, with ReadsFirst.
func (j *job) after(at unit.Time, read bool) bool {
	if read != j.read {
		return read && j.begins > at
	}
	return j.arrives > at
}

// read reads a page of flash that somebody waits for, and returns when it is read.
func (d *Device) read(at unit.Time, page int32, why Why) unit.Time {
	u := d.channel(page)
	c := &d.channels[u]
	start := d.book(c, at, d.m.Read, true, none)
	if start > at {
		d.behind += c.writes.within(d.now, at, start)
		if d.alone {
			d.collecting += c.collects.within(d.now, at, start)
		}
	}
	d.Counts.FlashReads[why]++
	d.Counts.Busy[u] += d.m.Read
	return start + d.m.Read
}

// program gives a page a new place and programs it, in the slot of the write buffer that is
// free first if it comes from there, and returns when that is done.
func (d *Device) program(at unit.Time, page int32, why Why) unit.Time {
	u := d.place(page)
	c := &d.channels[u]
	stream := int32(0)
	if d.streams > 1 {
		stream = d.stream(page)
	}
	copied, erased := d.ftl.WriteStream(u, page, stream)
	if erased > 0 { // there was no free block: everybody waits
		d.tidy(u, copied, erased)
		took := unit.Time(copied)*(d.m.Read+d.m.Program) + unit.Time(erased)*d.m.Erase
		d.collects(c, at, took)
	}
	slot, held := int32(none), why == ByHost || why == ByBuffer && !d.quirks.shortMisses
	if held && (d.m.ReadsFirst || d.alone) { // it may be put off
		slot = d.slots.take()
	}
	start := d.book(c, at, d.m.Program, false, slot)
	d.works(c, start, d.m.Program)
	if d.alone && held {
		d.collected(c, slot, at, start)
	}
	if d.held != nil {
		d.held[page] = 0
		if held {
			d.held[page] = start + d.m.Program
		}
	}
	switch {
	case slot != none:
		d.slots.set(slot, start+d.m.Program)
	case held:
		d.slots.use(start + d.m.Program)
	}
	if c.collectAt == never && d.ftl.Due(u) {
		c.collectAt = max(at, d.now)
		d.due = min(d.due, c.collectAt)
	}
	d.Counts.FlashPrograms[why]++
	d.Counts.Programmed[d.of[page]]++
	d.Counts.Busy[u] += d.m.Program
	return start + d.m.Program
}

// tidy counts what collection of a channel did.
func (d *Device) tidy(u int32, copied, erased int32) {
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
		d.tidy(u, 1, 0)
		c.collectAt = d.collects(c, at, d.m.Read+d.m.Program)
		return
	}
	c.erase = false
	d.tidy(u, 0, 1)
	c.collectAt = d.collects(c, at, d.m.Erase)
}

// collects has a channel do work of collection, and returns when that ends.
func (d *Device) collects(c *channel, at, took unit.Time) unit.Time {
	d.putsOff = d.alone
	begins := d.book(c, at, took, false, none)
	d.putsOff = false
	d.works(c, begins, took)
	if d.alone {
		c.collects.insert(begins, took)
	}
	return begins + took
}

// works notes that a channel programs or erases.
func (d *Device) works(c *channel, from, took unit.Time) {
	if d.alone { // pieces of collection come before what is booked for later
		c.writes.insert(from, took)
	} else {
		c.writes.add(from, took)
	}
}
