package flash

import "spillway/sim/unit"

// Kinds of flash work. A stage is a server and how long it is busy.
const (
	hostRead  uint8 = iota // plane senses, channel, link out
	hostWrite              // link in (done for the host), channel, plane programs
	gcCopy                 // plane senses, channel twice, plane programs
	gcErase                // plane erases
	kinds
)

// An op is one page on its way through the drive.
type op struct {
	kind, stage uint8
	unit        int32 // plane
	page        int32 // logical, of a host write
	next        int32 // in its server's queue, or in the list of unused ops
	begun       unit.Time
	left        unit.Time // of a suspended stage
}

// A server is a plane, a channel or a direction of the link: it works on one op
// at a time and takes those of the first queue first.
type server struct {
	busy        int32     // op or none
	until       unit.Time // when it is done with it
	seq         int64     // of the event that says so
	first, last [2]int32
}

// An event is the end of a server's work.
type event struct {
	at     unit.Time
	seq    int64
	server int32
}

// A device is the timed part of a drive: an event simulation whose state is a
// queue for each plane, channel and link direction.
type device struct {
	units, channels int32
	ftl             *Layer // nil: written in place
	source          *source
	stages          [kinds][3]unit.Time // how long each stage takes

	now     unit.Time
	seq     int64
	servers []server
	events  []event // binary heap by (at, seq)
	ops     []op
	unused  int32

	depth, buffer   int32 // reads outstanding, and pages in the write buffer, at most
	reading, inside int32 // now

	read, written       int64 // pages finished since count began
	readTime, writeTime unit.Time
}

// newDevice returns an idle drive with the given planes and channels, whose
// accesses move moved bytes over a channel and over a link of the given rate.
func newDevice(s *Spec, units, channels int32, moved unit.Bytes, link unit.Bandwidth) *device {
	d := &device{units: units, channels: channels, unused: none}
	channel, host := s.Channel.Time(moved), link.Time(moved)
	d.stages = [kinds][3]unit.Time{
		hostRead:  {s.Read, channel, host},
		hostWrite: {host, channel, s.Program},
		gcCopy:    {s.Read, 2 * channel, s.Program},
		gcErase:   {s.Erase},
	}
	d.servers = make([]server, units+channels+2)
	for i := range d.servers {
		d.servers[i] = server{busy: none, first: [2]int32{none, none}, last: [2]int32{none, none}}
	}
	return d
}

// last returns the number of the last stage of a kind of work.
func last(kind uint8) uint8 {
	if kind == gcErase {
		return 0
	}
	return 2
}

// where returns the server and queue of an op's stage. Reads of the host go
// first at planes and channels; all else is first come, first served.
func (d *device) where(o *op) (s int32, queue int) {
	switch {
	case o.kind == hostRead && o.stage == 2:
		return d.units + d.channels, 0
	case o.kind == hostWrite && o.stage == 0:
		return d.units + d.channels + 1, 0
	}
	s = o.unit
	if o.stage == 1 {
		s = d.units + o.unit%d.channels
	}
	if o.kind == hostRead {
		return s, 0
	}
	return s, 1
}

// issue starts a new op.
func (d *device) issue(kind uint8, unit, page int32) {
	i := d.unused
	if i == none {
		i = int32(len(d.ops))
		d.ops = append(d.ops, op{})
	} else {
		d.unused = d.ops[i].next
	}
	d.ops[i] = op{kind: kind, unit: unit, page: page, begun: d.now}
	d.enqueue(i)
}

// enqueue puts op i into the queue of its stage's server. A read of the host
// suspends what garbage collection or a write does on its plane.
func (d *device) enqueue(i int32) {
	o := &d.ops[i]
	o.next = none
	k, q := d.where(o)
	s := &d.servers[k]
	if s.busy == none {
		d.start(k, i)
		return
	}
	if b := &d.ops[s.busy]; q == 0 && k < d.units && b.kind != hostRead {
		b.left = s.until - d.now
		b.next = s.first[1]
		if b.next == none {
			s.last[1] = s.busy
		}
		s.first[1] = s.busy
		d.start(k, i)
		return
	}
	if s.last[q] == none {
		s.first[q] = i
	} else {
		d.ops[s.last[q]].next = i
	}
	s.last[q] = i
}

// start lets server k work on op i.
func (d *device) start(k, i int32) {
	o, s := &d.ops[i], &d.servers[k]
	took := d.stages[o.kind][o.stage]
	if o.left > 0 {
		took, o.left = o.left, 0
	}
	d.seq++
	s.busy, s.until, s.seq = i, d.now+took, d.seq
	d.schedule(event{s.until, s.seq, k})
}

// step handles the next event.
func (d *device) step() {
	e := d.pop()
	d.now = e.at
	s := &d.servers[e.server]
	if s.seq != e.seq {
		return // suspended since
	}
	i := s.busy
	s.busy = none
	for q := range s.first {
		if n := s.first[q]; n != none {
			s.first[q] = d.ops[n].next
			if s.first[q] == none {
				s.last[q] = none
			}
			d.start(e.server, n)
			break
		}
	}
	d.proceed(i)
}

// proceed takes op i, whose stage has ended, to the next.
func (d *device) proceed(i int32) {
	o := &d.ops[i]
	if o.stage == last(o.kind) {
		d.finish(i)
		return
	}
	if o.kind == hostWrite && o.stage == 0 {
		d.writeTime += d.now - o.begun
		d.arrive(o.unit, o.page)
		o = &d.ops[i]
	}
	o.stage++
	d.enqueue(i)
}

// arrive maps a page that has come in and queues the garbage collection it needs.
func (d *device) arrive(unit, page int32) {
	if d.ftl == nil {
		return
	}
	copied, erased := d.ftl.Write(page)
	for range copied {
		d.issue(gcCopy, unit, none)
	}
	for range erased {
		d.issue(gcErase, unit, none)
	}
}

// finish ends op i.
func (d *device) finish(i int32) {
	o := &d.ops[i]
	switch o.kind {
	case hostRead:
		d.read++
		d.reading--
		d.readTime += d.now - o.begun
	case hostWrite:
		d.written++
		d.inside--
	}
	o.next = d.unused
	d.unused = i
}

// run keeps the drive as busy as depth and buffer allow until n more host pages
// are done.
func (d *device) run(n int64) {
	for end := d.read + d.written + n; d.read+d.written < end; d.step() {
		for ; d.reading < d.depth; d.reading++ {
			d.issue(hostRead, d.source.nextRead()%d.units, none)
		}
		for ; d.inside < d.buffer; d.inside++ {
			l := d.source.nextWrite(d.ftl)
			d.issue(hostWrite, l%d.units, l)
		}
	}
}

// drain runs until nothing is under way.
func (d *device) drain() {
	for len(d.events) > 0 {
		d.step()
	}
}

// schedule adds an event to the heap.
func (d *device) schedule(e event) {
	d.events = append(d.events, e)
	h, i := d.events, len(d.events)-1
	for i > 0 {
		up := (i - 1) / 2
		if !before(&e, &h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

// pop takes the earliest event off the heap.
func (d *device) pop() event {
	h := d.events
	top, n := h[0], len(h)-1
	e := h[n]
	d.events = h[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && before(&h[down+1], &h[down]) {
			down++
		}
		if !before(&h[down], &e) {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = e
	return top
}

// before orders events by time, then by when they were scheduled.
func before(a, b *event) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }
