package flash

import (
	"fmt"

	"spillway/sim/unit"
)

// A Scale says how much smaller the simulated drive is than the drive.
type Scale struct {
	// Slice: one of so many channels, with that share of link, buffer, queue
	// and request.
	Slice int64
	// Pages: so many times fewer pages in a block; buffer, request and erase
	// time shrink alike.
	Pages int64
	// Blocks: so many times fewer blocks in a plane, rounded down.
	Blocks int64
}

// Size of the simulated drive: about planes planes with blocks blocks of at
// most pages pages; and how many host pages a timed phase measures.
const (
	leastPlanes = 8
	mostPages   = 128
	mostBlocks  = 64
	leastPages  = 16 // with very many planes
	manyPlanes  = 32
	readPhase   = 8192
	writePhase  = 32768
	mostBuffer  = writePhase / 16 // pages; more would outlast a phase
	queueDepth  = 256             // read commands the host keeps outstanding on the whole drive
	probe       = 4096            // bytes of an access whose latency is measured
)

// A Measurement is what a drive delivers under a pattern in its steady state.
type Measurement struct {
	// Read and Write are the sustained rates of reads alone and writes alone.
	Read, Write unit.Bandwidth
	// MixedRead and MixedWrite are the rates when both go on at the same time;
	// 0 where the pattern has none of them.
	MixedRead, MixedWrite unit.Bandwidth
	// ReadLatency and WriteLatency are those of one 4 KiB access to an idle drive.
	ReadLatency, WriteLatency unit.Time
	// LoadedRead is the mean latency of a page read in the mixed phase, with
	// the host's queue full: mostly waiting.
	LoadedRead unit.Time
	// Amplification is pages programmed per page the host wrote, in thousandths.
	Amplification int64
	// HostPages, FlashPages and Erases are counts of the simulated drive over
	// the phase that measured Amplification.
	HostPages, FlashPages, Erases int64
	Scale                         Scale
}

// scale chooses the simulated drive's size.
func (s *Spec) scale() Scale {
	c := Scale{Slice: 1}
	for n := s.Channels; n > 1; n-- {
		if s.Channels%n == 0 && s.units()/n >= leastPlanes {
			c.Slice = n
			break
		}
	}
	pages := min(mostPages, max(leastPages, mostPages*manyPlanes*c.Slice/s.units()))
	c.Pages = (s.Pages + pages - 1) / pages
	if s.InPlace() {
		c.Pages = 1
	}
	c.Blocks = max(1, s.Blocks()/mostBlocks)
	return c
}

// small is the simulated drive.
type small struct {
	spec                                           Spec // with scaled erase and sustained program time
	units, channels, blocks, pages, logical, slots int32
	link                                           unit.Bandwidth
	depth, buffer                                  int32
}

// shrink applies a scale to a drive for a pattern.
func (s *Spec) shrink(c Scale, p *Pattern) small {
	d := small{
		spec:     *s,
		units:    int32(s.units() / c.Slice),
		channels: int32(s.Channels / c.Slice),
		blocks:   int32(s.Blocks() / c.Blocks),
		pages:    int32(s.Pages / c.Pages),
		link:     max(1, s.Rate()/unit.Bandwidth(c.Slice)),
		depth:    int32(max(1, queueDepth/c.Slice)),
	}
	raw := int64(d.blocks) * int64(d.pages)
	d.logical = d.units * int32(unit.MulDiv(raw, 1000, 1000+s.OverProvision))
	d.blocks++ // collection's own block; the drive has thousands, of which one hardly counts
	d.buffer = int32(min(mostBuffer, max(int64(2*d.units), int64(s.Buffer)/(c.Slice*c.Pages*int64(s.Page)))))
	d.slots = int32(min(max(1, int64(p.Request)/(c.Slice*c.Pages*int64(s.Page))), int64(d.logical)))
	d.spec.Erase = unit.Time(unit.MulDiv(int64(s.Erase), int64(d.pages), s.Pages))
	d.spec.Program = s.sustainedProgram()
	if s.BurstProgram > 0 && p.Fresh {
		d.spec.Program = s.BurstProgram
	}
	return d
}

// Simulate brings a drive into the steady state of a pattern and measures it.
// It takes some 10 ms.
func Simulate(s Spec, p Pattern) (Measurement, error) {
	if err := s.Validate(); err != nil {
		return Measurement{}, err
	}
	if err := p.Validate(); err != nil {
		return Measurement{}, fmt.Errorf("pattern: %w", err)
	}
	m := Measurement{Amplification: 1000, Scale: s.scale()}
	d := s.shrink(m.Scale, &p)
	from := newSource(&p, d.logical, d.slots)
	var f *Layer
	if !s.InPlace() {
		f = NewLayer(&Shape{Units: d.units, Blocks: d.blocks, Pages: d.pages, Logical: d.logical})
		d.precondition(f, from, &p, &m)
	}
	m.Read, _, _ = d.measure(f, from, &m.Scale, d.depth, 0)
	_, m.Write, _ = d.measure(f, from, &m.Scale, 0, d.buffer)
	reads, writes := int32(unit.MulDiv(int64(d.depth), p.Reads, 500)), d.buffer
	if p.Reads > 0 {
		reads = max(1, reads)
	}
	if p.Reads == 1000 {
		writes = 0
	}
	m.MixedRead, m.MixedWrite, m.LoadedRead = d.measure(f, from, &m.Scale, reads, writes)
	if !p.Fresh { // a phase may end with more than its share of pages, for a moment above what the drive sustains
		read, write := s.Most()
		m.Read, m.MixedRead = min(m.Read, read), min(m.MixedRead, read)
		m.Write, m.MixedWrite = min(m.Write, write), min(m.MixedWrite, write)
	}
	m.ReadLatency, m.WriteLatency = s.latency()
	return m, nil
}

// precondition fills the drive and writes the pattern until the flash has been
// written twice over, then measures the amplification over once more. A fresh
// drive is only filled as far as it is measured.
func (d *small) precondition(f *Layer, from *source, p *Pattern, m *Measurement) {
	if p.Fresh {
		return
	}
	for l := range from.used() {
		f.Write(l)
	}
	from.bury(f, p.Dead)
	raw := int(d.units) * int(d.blocks) * int(d.pages)
	for range 2 * raw {
		f.Write(from.nextWrite(f))
	}
	host, moved, erases := f.host, f.moved, f.erases
	for range raw {
		f.Write(from.nextWrite(f))
	}
	m.HostPages, m.Erases = f.host-host, f.erases-erases
	m.FlashPages = m.HostPages + f.moved - moved
	m.Amplification = unit.MulDiv(m.FlashPages, 1000, m.HostPages)
}

// measure runs the drive with so many reads outstanding and so large a write
// buffer, and returns the whole drive's rates and the mean read latency.
func (d *small) measure(f *Layer, from *source, c *Scale, depth, buffer int32) (read, write unit.Bandwidth, latency unit.Time) {
	dev := newDevice(&d.spec, d.units, d.channels, d.spec.Page, d.link)
	dev.ftl, dev.source, dev.depth, dev.buffer = f, from, depth, buffer
	phase := int64(writePhase)
	if buffer == 0 {
		phase = readPhase
	}
	dev.run(phase / 8) // until queues are as full as they get
	r, w, start, wait := dev.read, dev.written, dev.now, dev.readTime
	dev.run(phase)
	took := int64(dev.now - start)
	page := int64(d.spec.Page) * c.Slice
	r, w = dev.read-r, dev.written-w
	if r > 0 {
		latency = (dev.readTime - wait) / unit.Time(r)
	}
	rate := func(n int64) unit.Bandwidth {
		return unit.Bandwidth(unit.MulDiv(n*page, int64(unit.Second), took))
	}
	return rate(r), rate(w), latency
}

// latency returns what one 4 KiB read and one write of an idle drive take.
func (s *Spec) latency() (read, write unit.Time) {
	d := newDevice(s, 1, 1, min(probe, s.Page), s.Rate())
	d.issue(hostRead, 0, none)
	d.drain()
	d.issue(hostWrite, 0, none)
	d.drain()
	return d.readTime + s.ReadOverhead, d.writeTime + s.WriteOverhead
}
