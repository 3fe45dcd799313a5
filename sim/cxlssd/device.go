package cxlssd

import (
	"fmt"
	"math/bits"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// foreign stands for a page of the device that is none of the footprint.
const foreign = ^uint32(0)

// A page is where a page of the footprint is, and what of it is dirty.
type page struct {
	// at is a way of the cache, counted from 1, if it is positive; a page in host DRAM
	// has the complement of its place there, others have 0.
	at     int32
	block  int32  // of slots in the log, counted from 1
	dirty  uint64 // lines written while it is in the cache or in host DRAM
	logged uint64 // lines in the log
}

// A way of the cache.
type way struct {
	page  int32 // or one of those below
	count int32 // ready hits
	ready unit.Time
	stamp int64 // the least was used last the longest ago
	// Lines that were read and written.
	read, written uint64
}

// What a way may hold besides a page of the footprint.
const (
	nothing  = -1
	aForeign = -2
)

// served is how a request was served.
type served struct {
	latency       unit.Time
	flash, queued unit.Time // of it, what it waited for flash, and for the queue before it
	estimate      unit.Time // of the queue, if that triggers switches
	kind          Kind
	far           bool // it waits for flash
}

// device is the expander, and the host DRAM that promoted pages have.
type device struct {
	design Design
	setup  *Setup
	recipe *stream.Recipe
	result *Result
	watch  *Watch // nil of none
	random stream.Random
	flash  *nand
	scale  int64
	dry    bool // a pass without time: flash is not asked
	own    *own // what somebody wrote, or nil
	counts bool // of ready hits in the cache: somebody may promote, or asks
	// plain is set if a read of a page in host DRAM changes nothing, plainCache if a ready
	// hit in the cache changes nothing but the way.
	plain, plainCache bool

	pages []page
	ways  []way
	sets  uint32
	assoc uint32
	clock int64 // of stamps

	log  writeLog
	host host

	// Latencies of what needs no flash.
	hostHit, cacheHit, logWrite unit.Time
	trueLatency, evictClean     bool

	linkBit  unit.Time // time of a line on the link, 0 without limit
	linkFree [directions]unit.Time
	flying   []unit.Time // when the last misses are done, a ring, if their number is limited
	flyAt    int

	stops int64 // promotions that cores have not been stopped for

	// Times of bills that are not the same of all requests of a kind.
	waits [Kinds][Parts]unit.Time
}

// The directions of the link.
const (
	toHost   = iota // lines that are read, pages that are promoted
	toDevice        // lines that are written, pages that are demoted
	directions
)

// record is the bytes of a slot of the log: a line and its address.
const record = 72

func newDevice(w *stream.Workload, s *Setup, scale int64, design Design, requests *stream.Stream, result *Result) (*device, error) {
	d := &device{
		design: design, setup: s, scale: scale, recipe: &w.Recipe, result: result,
		random: stream.DeviceSeed(s.Seed), pages: make([]page, requests.Pages),
		log:     writeLog{next: never},
		hostHit: w.Recipe.DRAM, cacheHit: s.Access + s.Link + s.Index, logWrite: s.Access + s.Link,
		trueLatency: s.Quirks.Has(TrueLatency), evictClean: s.Quirks.Has(EvictClean),
		counts: design.Promote != NoPromotion,
	}
	if design.DRAM {
		for i := range d.pages {
			d.pages[i].at = -1
		}
		return d, nil
	}
	if s.Quirks.Has(FixedHost) {
		d.hostHit = s.Access
	}
	if !s.Quirks.Has(FreeIndex) {
		d.logWrite += s.Index
	}
	if s.LinkRate > 0 {
		d.linkBit = s.LinkRate.Time(64)
	}
	if !s.Quirks.Has(UnlimitedMisses) {
		d.flying = make([]unit.Time, 2048)
	}
	d.assoc = uint32(s.Ways)
	sets := int64(s.cacheSize(design.Log)) / scale / int64(unit.Page) / s.Ways
	if sets < 1 {
		return nil, fmt.Errorf("at 1/%d the device's DRAM of %v leaves no set of %d pages for the cache; choose more DRAM, a smaller log or a larger scale", scale, s.DRAM, s.Ways)
	}
	d.sets = uint32(sets)
	d.ways = make([]way, sets*s.Ways)
	if design.Log {
		slots := int64(s.Log) / scale / record
		if slots < 4 {
			return nil, fmt.Errorf("at 1/%d a log of %v has %d slots; choose at least 4", scale, s.Log, slots)
		}
		d.log.init(slots, s)
		result.Slots = slots
	}
	if design.Promote != NoPromotion {
		d.host.init(d, int64(s.Host)/scale/int64(unit.Page), s)
	}
	if err := s.checkFlash(requests.Pages); err != nil {
		return nil, err
	}
	d.flash = newNAND(s, requests.Pages, design.Switch && !d.trueLatency)
	return d, nil
}

// access serves a request that reaches memory now.
func (d *device) access(q stream.Request, now unit.Time) served {
	number := q.Page()
	p := &d.pages[number]
	line := uint64(1) << q.Line()
	if q.Write() {
		d.result.DirtyLines++
	}
	if p.at < 0 {
		if q.Write() {
			d.overwrite(p.dirty & line)
			p.dirty |= line
		}
		if d.host.tracked || d.watch != nil {
			return d.hostAccess(p, number, now)
		}
		return served{latency: d.hostHit, kind: HostHit}
	}
	link := unit.Time(0)
	if d.linkBit != 0 && !d.dry {
		direction := toHost
		if q.Write() {
			direction = toDevice
		}
		link = d.link(direction, 1, now)
		now += link // only then is it at the device
	}
	if d.log.next <= now {
		d.compact(now)
	}
	if d.design.Log && q.Write() {
		if p.at > 0 {
			d.ways[p.at-1].written |= line
		}
		wait := d.append(number, q.Line(), now)
		return served{latency: link + d.logWrite + wait, queued: wait, kind: LogWrite}
	}
	s := served{latency: link + d.cacheHit, kind: CacheHit}
	d.host.accesses++
	if d.own != nil {
		d.own.happens(d.own.access, number, now)
	}
	if p.at > 0 {
		w := &d.ways[p.at-1]
		if q.Write() {
			w.written |= line
			d.overwrite(p.dirty & line)
			p.dirty |= line
		} else {
			w.read |= line
		}
		if now >= w.ready {
			d.clock++
			w.stamp = d.clock
			if d.watch != nil {
				d.tell(number, "hit", now)
			}
			if d.counts {
				d.hit(p, w, now)
			}
			return s
		}
		if p.logged&line != 0 {
			s.kind = LogRead
			return s
		}
		rest := w.ready - now
		s.kind, s.far, s.latency = Merged, true, s.latency+rest
		s.flash = min(rest, d.setup.Read)
		s.queued = rest - s.flash
		return s
	}
	if p.logged&line != 0 {
		s.kind = LogRead
		return s
	}
	return d.miss(p, q, line, now, s)
}

// overwrite counts lines that are written while they are dirty.
func (d *device) overwrite(lines uint64) {
	if lines != 0 {
		d.result.LinesOverwritten++
	}
}

// miss reads a page from flash into the cache.
func (d *device) miss(p *page, q stream.Request, line uint64, now unit.Time, s served) served {
	number := q.Page()
	at := d.victim(number % d.sets)
	w := &d.ways[at]
	victim := *w
	d.clock++
	*w = way{page: int32(number), stamp: d.clock}
	p.at = int32(at) + 1
	if q.Write() {
		w.written = line
		p.dirty = line
	} else {
		w.read = line
	}
	if d.own != nil {
		d.own.happens(d.own.miss, number, now)
	}
	if d.dry {
		d.evict(&victim, now)
		return s
	}
	if d.watch != nil {
		d.tell(number, "miss", now)
	}
	begin := now
	if d.flying != nil {
		begin = max(begin, d.flying[d.flyAt])
	}
	if d.flash.counting && !(q.Write() && d.recipe.Stores == stream.Buffered) { // which never switch
		s.estimate = d.flash.estimate(number, now-(s.latency-d.cacheHit)) // before the link: so times rise
	}
	done, flash := d.flash.read(number, begin)
	if d.flying != nil {
		d.flying[d.flyAt] = done
		d.flyAt = (d.flyAt + 1) & (len(d.flying) - 1)
	}
	w.ready = done
	s.kind, s.far = Missed, true
	s.latency += done - now
	s.flash, s.queued = flash, done-now-flash
	d.result.UserReads++
	d.result.UserReadTime += done - now
	d.evict(&victim, now) // nobody waits for it
	return s
}

// victim returns the way of a set that was used the longest ago.
func (d *device) victim(set uint32) uint32 {
	first := set * d.assoc
	ways := d.ways[first : first+d.assoc]
	best, least := 0, ways[0].stamp
	for i := 1; i < len(ways); i++ {
		if ways[i].stamp < least {
			best, least = i, ways[i].stamp
		}
	}
	return first + uint32(best)
}

// evict takes a page out of the cache. What is dirty is programmed; with a log nothing is.
func (d *device) evict(w *way, now unit.Time) {
	switch w.page {
	case nothing:
		return
	case aForeign:
		if !d.design.Log && (d.evictClean || d.random.Chance(d.recipe.DemoteDirty)) {
			d.evictionProgram(foreign, 0, now)
		}
		return
	}
	number := uint32(w.page)
	p := &d.pages[number]
	d.left(w)
	if d.own != nil {
		d.own.left(w, now)
	}
	p.at = 0
	if d.watch != nil {
		d.tell(number, "evict", now)
	}
	if !d.design.Log && (d.evictClean || p.dirty != 0) {
		d.evictionProgram(number, p.dirty, now)
	}
	p.dirty = 0
}

func (d *device) evictionProgram(number uint32, dirty uint64, now unit.Time) {
	d.result.EvictionPrograms++
	d.result.LinesProgrammed += int64(bits.OnesCount64(dirty))
	d.program(number, now)
}

func (d *device) program(number uint32, now unit.Time) {
	if d.dry {
		return
	}
	d.flash.program(number, now)
	if d.watch != nil && number != foreign {
		d.tell(number, "program", now)
	}
}

// left counts the lines of a page that leaves the cache.
func (d *device) left(w *way) {
	d.result.LinesRead[bits.OnesCount64(w.read)]++
	d.result.LinesWritten[bits.OnesCount64(w.written)]++
}

// link is how long lines wait for the link in a direction, and are on it.
func (d *device) link(direction int, lines, now unit.Time) unit.Time {
	f := &d.linkFree[direction]
	*f = max(*f, now) + lines*d.linkBit
	return *f - now
}

// move has lines of a page that moves take the link; no request waits for them.
func (d *device) move(direction, lines int, now unit.Time) {
	if d.linkBit != 0 && !d.dry {
		d.link(direction, unit.Time(lines), now)
	}
}

func (d *device) tell(number uint32, what string, now unit.Time) {
	if d.watch.Page != nil && !d.dry {
		d.watch.Page(number, what, now)
	}
}
