package cxlssd

import (
	"slices"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// ages is the largest stamp of what is there at the start.
const ages = 1_000_000_000

// begin brings the device into the state in which the measured run begins.
func (d *device) begin(requests *stream.Stream) {
	if d.design.DRAM {
		return
	}
	d.initial()
	if !d.design.Log {
		return
	}
	watch, before, start := d.watch, *d.result, d.save()
	d.watch, d.dry = nil, true
	d.pass(requests)
	for d.log.active {
		d.compactPage()
	}
	charged := d.setup.Quirks.Has(WarmCharged)
	reads, programs := int64(0), int64(0)
	if charged {
		reads, programs = d.result.CompactionReads, d.result.CompactionPrograms
		d.drain()
		reads, programs = d.result.CompactionReads-reads, d.result.CompactionPrograms-programs
	}
	*d.result = before
	d.watch, d.dry, d.stops = watch, false, 0
	d.log.cursor, d.log.next, d.linkFree = 0, never, [directions]unit.Time{}
	d.restore(start)
	d.result.WarmReads, d.result.WarmPrograms = reads, programs
	d.result.CompactionReads, d.result.CompactionPrograms = reads, programs
	for range reads {
		d.flash.compactRead(uint32(d.random.Below(int64(len(d.pages)))), 0)
	}
	for range programs {
		d.flash.compactProgram(foreign, 0)
	}
	if !charged {
		d.result.DirtyLines = d.logged()
	}
}

// state is what warming the log leaves as it was: all but the log.
type state struct {
	places []int32 // of pages
	ways   []way
	host   host
	clock  int64
	random stream.Random
	kept   policy.State // of what somebody wrote
}

func (d *device) save() *state {
	s := &state{places: make([]int32, len(d.pages)), ways: slices.Clone(d.ways), host: d.host, clock: d.clock, random: d.random}
	for i := range d.pages {
		s.places[i] = d.pages[i].at
	}
	h := &s.host
	h.before, h.behind, h.slots = slices.Clone(h.before), slices.Clone(h.behind), slices.Clone(h.slots)
	h.copied, h.marks = slices.Clone(h.copied), slices.Clone(h.marks)
	if d.own != nil {
		s.kept = d.own.State.Save()
	}
	return s
}

func (d *device) restore(s *state) {
	for i := range d.pages {
		d.pages[i].at, d.pages[i].dirty = s.places[i], 0
	}
	d.ways, d.host, d.clock, d.random = s.ways, s.host, s.clock, s.random
	if d.own != nil {
		d.own.State = s.kept
	}
}

// pass puts all requests through cache, log and promotion without time, sixteen of a
// thread at a time.
func (d *device) pass(requests *stream.Stream) {
	for at, more := 0, true; more; at += 16 {
		more = false
		for _, t := range requests.Threads {
			if at >= len(t) {
				continue
			}
			if d.own != nil && d.own.Over() {
				return
			}
			more = true
			for _, q := range t[at:min(at+16, len(t))] {
				// What access does then, but for counts that are forgotten after the pass.
				p := &d.pages[q.Page()]
				switch {
				case p.at < 0 && !d.host.tracked:
					if q.Write() {
						p.dirty |= 1 << q.Line()
					}
				case p.at > 0 && !q.Write() && !d.counts:
					d.clock++
					d.ways[p.at-1].stamp = d.clock
				default:
					d.access(q, 0)
				}
			}
		}
	}
}

// drain compacts all that is in the log.
func (d *device) drain() {
	l := &d.log
	l.limit, l.whole = l.tail, true
	for d.skip(); l.head < l.tail; d.skip() {
		d.merge()
	}
	l.whole, l.head, l.tail = false, 0, 0
}

// initial is the state before anything ran: what the recipe says is resident, and pages
// of what ran before.
func (d *device) initial() {
	d.random = stream.DeviceSeed(d.setup.Seed)
	for i := range d.pages {
		d.pages[i].at, d.pages[i].dirty = 0, 0
	}
	promotes := d.design.Promote != NoPromotion
	fill := d.recipe.Fill
	if promotes {
		fill = d.recipe.FillPromote
	}
	for i := range d.ways {
		d.ways[i] = way{page: nothing}
		if d.random.Chance(fill) {
			d.ways[i] = way{page: aForeign, stamp: d.age(int64(d.random.Next()>>32) * ages >> 32)}
		}
	}
	d.clock = 2 * ages
	d.host.clear()
	var hosted []resident
	for i := range d.recipe.Classes {
		c := &d.recipe.Classes[i]
		table := c.Warm
		if d.design.Log && (c.WarmLog != nil || c.NoLog) {
			table = c.WarmLog
		}
		if len(table) == 0 {
			continue
		}
		first := d.recipe.First(i)
		for number := first; number < first+c.Pages; number++ {
			depth, ok := depth(table, d.random.Below(1e9))
			switch {
			case !ok:
			case promotes && depth < d.host.capacity:
				hosted = append(hosted, resident{depth, uint32(number)})
			case promotes:
				d.place(uint32(number), depth-d.host.capacity)
			default:
				d.place(uint32(number), depth)
			}
		}
	}
	if promotes {
		d.fillHost(hosted)
	}
	for i := range d.recipe.Classes {
		c := &d.recipe.Classes[i]
		if c.Theta == 0 || !c.Random {
			continue
		}
		popular := c.Popularity()
		first := uint32(d.recipe.First(i))
		for range c.Total() * 6 / 10 {
			d.touch(first + popular.Page(&d.random))
		}
	}
}

// resident is a page with how deep it is in the order of use.
type resident struct {
	depth  int64
	number uint32
}

// age returns the stamp of something that is so old.
func (d *device) age(a int64) int64 { return ages - a + 1 }

// depth returns how large a cache must be for a page to be resident, if u of 1e9 pages are
// likelier to be.
func depth(table []stream.Resident, u int64) (int64, bool) {
	pages, share := int64(0), int64(0)
	for _, p := range table {
		if to := p.Millionths * 1000; u < to {
			return pages + unit.MulDiv(u-share, p.Pages-pages, to-share), true
		}
		pages, share = p.Pages, p.Millionths*1000
	}
	return 0, false
}

// place puts a page into the cache, if it is large enough, in place of the oldest foreign one.
func (d *device) place(number uint32, depth int64) {
	if depth >= int64(len(d.ways)) {
		return
	}
	first := number % d.sets * d.assoc
	best := -1
	ways := d.ways[first : first+d.assoc]
	for i := range ways {
		if ways[i].page < 0 && (best < 0 || ways[i].stamp < ways[best].stamp) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	ways[best] = way{page: int32(number), stamp: d.age(unit.MulDiv(ages, depth, int64(len(d.ways))))}
	d.pages[number].at = int32(first) + int32(best) + 1
}

// fillHost puts pages into host DRAM, the deepest first, and fills the rest of it with
// foreign ones, if the recipe says that it was full.
func (d *device) fillHost(hosted []resident) {
	h := &d.host
	full := d.recipe.DemoteDirty > 0 && d.setup.Host <= unit.Bytes(d.recipe.DemoteMost)*unit.MiB
	if h.slots != nil && full {
		for i := range h.slots {
			h.slots[i] = hostSlot{aForeign, d.age(int64(d.random.Next()>>32) * ages >> 32)}
		}
	}
	if h.tracked {
		slices.SortFunc(hosted, func(a, b resident) int {
			if a.depth != b.depth {
				return int(b.depth - a.depth)
			}
			return int(a.number) - int(b.number)
		})
	}
	if h.tracked && h.slots == nil { // what does not fit was used the longest ago
		hosted = hosted[max(0, len(hosted)-int(h.capacity)):]
	}
	result := *d.result
	dry := d.dry
	d.dry = true
	for _, r := range hosted {
		d.intoHost(&d.pages[r.number], r.number, 0)
	}
	d.dry = dry
	*d.result = result
	d.result.HostPages = h.pages
	if full && h.slots == nil {
		h.foreign = h.capacity - h.pages
	}
}

// touch is an access to a page before the run.
func (d *device) touch(number uint32) {
	p := &d.pages[number]
	switch {
	case p.at < 0:
		if d.host.tracked {
			watch := d.watch
			d.watch = nil
			d.hostAccess(p, number, 0)
			d.watch = watch
		}
	case p.at > 0:
		d.clock++
		d.ways[p.at-1].stamp = d.clock
	default:
		at := d.victim(number % d.sets)
		if old := d.ways[at].page; old >= 0 {
			d.pages[old].at = 0
		}
		d.clock++
		d.ways[at] = way{page: int32(number), stamp: d.clock}
		p.at = int32(at) + 1
	}
}

// logged counts the lines in the log.
func (d *device) logged() int64 {
	n := int64(0)
	for i := range d.pages {
		n += lines(d.pages[i].logged)
	}
	return n
}
