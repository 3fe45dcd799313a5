package cxlssd

import (
	"math/bits"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// host is the DRAM of the host that promoted pages may take.
type host struct {
	capacity, pages int64
	foreign         int64 // pages of it that are none of the footprint and leave first
	// tracked is whether accesses to pages matter: for their order, or for when they were
	// copied.
	tracked bool

	// Of a list in the order of use: the neighbours of every page, and of the list's ends
	// behind the last page. Nil if everything fits.
	before, behind []int32

	// Of sets of eight, where they are.
	sets  uint32
	slots []hostSlot

	copied []unit.Time // when pages were there, if copying takes time

	// Of the adaptive threshold.
	threshold         int64
	accesses, benefit int64

	// Of sampling.
	marks      []uint8
	scan       unit.Time // when the next scan is
	period     unit.Time
	sample     int64
	stayArmed  bool
	integer    bool
	mostCount  int64
	resetAfter int64
}

type hostSlot struct {
	page  int32
	stamp int64
}

const (
	armed  = 1 << iota // its next access will be seen
	active             // it was seen
)

// hostWays is the associativity of host DRAM in AstriFlash.
const hostWays = 8

func (h *host) init(d *device, capacity int64, s *Setup) {
	*h = host{
		capacity: capacity, threshold: s.PromoteAt, mostCount: s.PromoteAt, resetAfter: s.PromoteReset,
		stayArmed: s.Quirks.Has(StayArmed), integer: s.Quirks.Has(IntegerRatio),
	}
	n := len(d.pages)
	switch p := d.design.Promote; {
	case p == AstriFlash || p == OnMiss:
		h.capacity = capacity / hostWays * hostWays
		h.sets = uint32(min(capacity/hostWays, int64(n))) // more are never used
		h.slots = make([]hostSlot, int(h.sets)*hostWays)
		h.tracked = true
	case capacity < int64(n):
		h.before, h.behind = make([]int32, n+1), make([]int32, n+1)
		h.tracked = true
	}
	if s.Copy > 0 {
		h.copied = make([]unit.Time, n)
		h.tracked = true
	}
	if d.design.Promote == TPP && !h.stayArmed {
		h.marks = make([]uint8, n)
		h.period, h.sample = max(s.ScanPeriod/unit.Time(d.scale), 1), max(s.ScanPages/d.scale, 1)
	}
	h.clear()
}

func (h *host) clear() {
	h.pages, h.foreign = 0, 0
	for i := range h.slots {
		h.slots[i] = hostSlot{page: nothing}
	}
	if h.before != nil {
		end := len(h.before) - 1
		h.before[end], h.behind[end] = int32(end), int32(end)
	}
	clear(h.copied)
	clear(h.marks)
	h.threshold, h.accesses, h.benefit, h.scan = h.mostCount, 0, 0, h.period
}

// unlink takes a page out of the order of use.
func (h *host) unlink(number int32) {
	a, b := h.before[number], h.behind[number]
	h.behind[a], h.before[b] = b, a
}

// lead puts a page at the front of the order of use.
func (h *host) lead(number int32) {
	end := int32(len(h.before) - 1)
	first := h.behind[end]
	h.before[number], h.behind[number] = end, first
	h.behind[end], h.before[first] = number, number
}

// hostAccess serves a request for a page in host DRAM, where it matters when that was.
func (d *device) hostAccess(p *page, number uint32, now unit.Time) served {
	h := &d.host
	switch {
	case h.before != nil:
		if h.behind[len(h.before)-1] != int32(number) {
			h.unlink(int32(number))
			h.lead(int32(number))
		}
	case h.slots != nil:
		d.clock++
		h.slots[^p.at].stamp = d.clock
	}
	if d.watch != nil {
		d.tell(number, "host", now)
	}
	if h.copied != nil && now < h.copied[number] {
		return served{latency: d.cacheHit, kind: CacheHit}
	}
	return served{latency: d.hostHit, kind: HostHit}
}

// hit counts a ready hit in the cache, after which the page may be promoted.
func (d *device) hit(p *page, w *way, now unit.Time) {
	w.count++
	if d.own != nil {
		d.ownHit(p, w, now)
		return
	}
	d.decide(p, w, now)
}

// decide promotes a page that was hit, if the design's mechanism says so.
func (d *device) decide(p *page, w *way, now unit.Time) {
	h := &d.host
	switch d.design.Promote {
	case OnMiss:
		d.promote(p, w, now)
		return
	case TPP:
		if h.stayArmed || d.sampled(uint32(w.page), now) {
			d.promote(p, w, now)
		}
		return
	}
	promoted := int64(w.count) >= h.threshold && h.capacity > 0
	if promoted {
		h.benefit += int64(w.count)
		d.promote(p, w, now)
	}
	if h.accesses >= h.resetAfter {
		h.accesses, h.benefit, h.threshold = 0, 0, h.mostCount
		return
	}
	low, high := h.benefit*4 <= h.accesses, h.benefit*4 >= h.accesses*3
	if h.integer {
		low, high = h.benefit < h.accesses, h.benefit >= h.accesses
	}
	switch {
	case low:
		h.threshold = min(h.threshold+1, h.mostCount)
	case high && promoted:
		h.threshold = max(h.threshold-1, 1)
	}
}

// mostScans is how many scans an access makes up for at most, when there was none for
// long: what more would mark is marked, but for a few pages.
const mostScans = 64

// sampled reports whether an access is the second one that the scans of TPP saw.
func (d *device) sampled(number uint32, now unit.Time) bool {
	h := &d.host
	if missed := (now-h.scan)/h.period - (mostScans - 1); missed > 0 {
		h.scan += missed * h.period
	}
	for h.scan <= now {
		for range h.sample {
			h.marks[d.random.Below(int64(len(h.marks)))] |= armed
		}
		h.scan += h.period
	}
	mark := h.marks[number]
	if mark&armed == 0 {
		return false
	}
	h.marks[number] = active
	return mark&active != 0
}

// promote moves a page from the cache to host DRAM.
func (d *device) promote(p *page, w *way, now unit.Time) {
	h := &d.host
	if h.capacity == 0 {
		return
	}
	number := uint32(w.page)
	d.left(w)
	*w = way{page: nothing}
	d.result.Promotions++
	if d.setup.Shootdown != 0 {
		d.stops++
	}
	if d.watch != nil {
		d.tell(number, "promote", now)
	}
	d.move(toHost, stream.Lines, now)
	if h.copied != nil {
		h.copied[number] = now + d.setup.Copy
	}
	d.intoHost(p, number, now)
	if d.own != nil {
		d.own.happens(d.own.arrived, number, now)
	}
}

// intoHost gives a page a place in host DRAM, which another may have to leave.
func (d *device) intoHost(p *page, number uint32, now unit.Time) {
	h := &d.host
	p.at = -1
	if h.slots != nil {
		first := number % h.sets * hostWays
		best := first
		for i := first + 1; i < first+hostWays; i++ {
			if h.slots[i].stamp < h.slots[best].stamp {
				best = i
			}
		}
		if victim := h.slots[best].page; victim != nothing {
			d.demote(victim, now)
		}
		d.clock++
		h.slots[best] = hostSlot{int32(number), d.clock}
		p.at = ^int32(best)
	} else {
		if h.pages+h.foreign >= h.capacity {
			victim := int32(aForeign)
			if h.foreign > 0 {
				h.foreign--
			} else {
				victim = h.before[len(h.before)-1]
				h.unlink(victim)
			}
			d.demote(victim, now)
		}
		if h.before != nil {
			h.lead(int32(number))
		}
	}
	h.pages++
	d.result.HostPages = max(d.result.HostPages, h.pages)
}

// demote writes a page that left host DRAM, if it is dirty.
func (d *device) demote(victim int32, now unit.Time) {
	d.result.Demotions++
	logged := d.design.Log
	lost := logged && d.setup.Quirks.Has(DemotionLost)
	if victim == aForeign {
		// What is not of the footprint has no place in the log.
		if !lost && d.random.Chance(d.recipe.DemoteDirty) {
			d.result.DemotionPrograms++
			d.move(toDevice, stream.Lines, now)
			d.program(foreign, now)
		}
		return
	}
	d.host.pages--
	p := &d.pages[victim]
	dirty := p.dirty
	p.at, p.dirty = 0, 0
	if d.watch != nil {
		d.tell(uint32(victim), "demote", now)
	}
	switch {
	case dirty == 0:
	case lost:
		d.result.LinesLost += int64(bits.OnesCount64(dirty))
	case logged:
		d.move(toDevice, bits.OnesCount64(dirty), now)
		for ; dirty != 0; dirty &= dirty - 1 {
			d.append(uint32(victim), uint8(bits.TrailingZeros64(dirty)), now)
		}
	default:
		d.move(toDevice, stream.Lines, now)
		d.result.DemotionPrograms++
		d.result.LinesProgrammed += int64(bits.OnesCount64(dirty))
		d.program(uint32(victim), now)
	}
}
