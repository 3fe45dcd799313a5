package cxlssd

import (
	"cmp"
	"slices"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// cached returns the way that has a page, or nil.
func (n *naive) cached(page uint32) *naivePage {
	for _, w := range n.ways {
		if w != nil && w.page == int64(page) {
			return w
		}
	}
	return nil
}

// of returns the ways of a page's set.
func (n *naive) of(page uint32) []*naivePage {
	first := int(page) % n.sets * int(n.s.Ways)
	return n.ways[first : first+int(n.s.Ways)]
}

// victim returns the place in a set that a page takes.
func victim(set []*naivePage) int {
	best := 0
	for i, w := range set {
		if w == nil {
			return i
		}
		if w.stamp < set[best].stamp {
			best = i
		}
	}
	return best
}

// miss makes room for a page in the cache and puts it there.
func (n *naive) miss(page uint32, now unit.Time) (p, old *naivePage) {
	set := n.of(page)
	i := victim(set)
	old = set[i]
	n.stamp++
	set[i] = newNaivePage(int64(page), n.stamp)
	return set[i], old
}

// evict is a page that left the cache for another.
func (n *naive) evict(old *naivePage, now unit.Time) {
	if old == nil {
		return
	}
	n.gone(old)
	programmed := n.s.Quirks.Has(EvictClean) || len(old.dirty) > 0
	if old.page < 0 && !n.d.Log && !programmed {
		programmed = n.rnd.Chance(n.c.DemoteDirty)
	}
	if !n.d.Log && programmed {
		n.res.EvictionPrograms++
		n.res.LinesProgrammed += int64(len(old.dirty))
		n.program(old.page, now)
	}
}

// program is one that nobody waits for.
func (n *naive) program(page int64, now unit.Time) {
	if !n.dry {
		n.flash.program(uint32(page), now)
	}
}

// gone counts the lines of a page that leaves the cache.
func (n *naive) gone(p *naivePage) {
	if p.page >= 0 {
		n.res.LinesRead[len(p.read)]++
		n.res.LinesWritten[len(p.wrote)]++
	}
}

// hit is a page of the cache that is there: it may be promoted.
func (n *naive) hit(p *naivePage, now unit.Time) {
	n.stamp++
	p.stamp = n.stamp
	p.count++
	if n.promotes != nil {
		if n.promotes(p) && n.hostMost > 0 {
			n.promote(p, now)
		}
		return
	}
	switch n.d.Promote {
	case NoPromotion:
		return
	case OnMiss:
		n.promote(p, now)
		return
	case TPP:
		if n.s.Quirks.Has(StayArmed) || n.seenTwice(uint32(p.page), now) {
			n.promote(p, now)
		}
		return
	}
	moved := false
	if p.count >= n.threshold && n.hostMost > 0 {
		n.benefit += p.count
		moved = true
		n.promote(p, now)
	}
	if n.accesses >= n.s.PromoteReset {
		n.accesses, n.benefit, n.threshold = 0, 0, n.s.PromoteAt
		return
	}
	low, high := 4*n.benefit <= n.accesses, 4*n.benefit >= 3*n.accesses
	if n.s.Quirks.Has(IntegerRatio) {
		low, high = n.benefit/n.accesses == 0, n.benefit/n.accesses >= 1
	}
	if low {
		n.threshold = min(n.threshold+1, n.s.PromoteAt)
	} else if high && moved {
		n.threshold = max(n.threshold-1, 1)
	}
}

// seenTwice is whether an access is the second one to a page that a scan had armed
// before it; a scan arms ScanPages at random every ScanPeriod.
func (n *naive) seenTwice(page uint32, now unit.Time) bool {
	period := n.s.ScanPeriod / unit.Time(n.s.Scale)
	for n.scan+64*period <= now { // the last 64 will do
		n.scan += period
	}
	for ; n.scan <= now; n.scan += period {
		for range max(1, n.s.ScanPages/n.s.Scale) {
			n.armed[uint32(n.rnd.Below(int64(n.all.Pages)))] = true
		}
	}
	if !n.armed[page] {
		return false
	}
	delete(n.armed, page)
	if !n.active[page] {
		n.active[page] = true
		return false
	}
	return true
}

// promote moves a page from the cache to host DRAM.
func (n *naive) promote(p *naivePage, now unit.Time) {
	if n.hostMost == 0 {
		return
	}
	for i, w := range n.ways {
		if w == p {
			n.ways[i] = nil
		}
	}
	n.gone(p)
	n.res.Promotions++
	n.stops++
	n.move(&n.linkRead, stream.Lines, now)
	n.settle(&naiveHost{page: p.page, there: now + n.s.Copy, dirty: p.dirty}, now)
}

// settle gives a page a place in host DRAM, which another may have to leave.
func (n *naive) settle(p *naiveHost, now unit.Time) {
	n.stamp++
	p.stamp = n.stamp
	if n.hostSets > 0 {
		set := n.host[int(p.page)%n.hostSets*8:][:8]
		best := 0
		for i, h := range set {
			if h == nil {
				best = i
				break
			}
			if h.stamp < set[best].stamp {
				best = i
			}
		}
		old := set[best]
		set[best] = p
		if old != nil {
			n.demote(old, now)
		}
	} else {
		n.host = append(n.host, p)
		if len(n.host)+n.foreign > n.hostMost {
			old := &naiveHost{page: -1}
			if n.foreign > 0 {
				n.foreign--
			} else {
				old, n.host = n.host[0], n.host[1:]
			}
			n.demote(old, now)
		}
	}
	pages := int64(0)
	for _, h := range n.host {
		if h != nil && h.page >= 0 {
			pages++
		}
	}
	n.res.HostPages = max(n.res.HostPages, pages)
}

// move takes a direction of the link.
func (n *naive) move(free *unit.Time, lines int, now unit.Time) {
	if n.s.LinkRate > 0 && !n.dry {
		*free = max(*free, now) + unit.Time(lines)*n.s.LinkRate.Time(64)
	}
}

// demote is a page that left host DRAM. What is dirty in it goes to flash, or to the log,
// or nowhere.
func (n *naive) demote(old *naiveHost, now unit.Time) {
	n.res.Demotions++
	lost := n.d.Log && n.s.Quirks.Has(DemotionLost)
	dirty := len(old.dirty) > 0
	if old.page < 0 {
		dirty = !lost && n.rnd.Chance(n.c.DemoteDirty)
	}
	switch {
	case !dirty:
	case lost:
		n.res.LinesLost += int64(len(old.dirty))
	case n.d.Log && old.page >= 0:
		n.move(&n.linkWritten, len(old.dirty), now)
		for line := range uint8(stream.Lines) {
			if old.dirty[line] {
				n.append(uint32(old.page), line, now)
			}
		}
	default:
		n.move(&n.linkWritten, stream.Lines, now)
		n.res.DemotionPrograms++
		n.res.LinesProgrammed += int64(len(old.dirty))
		n.program(old.page, now)
	}
}

// hosted returns a page in host DRAM, or nil, and notes that it is used.
func (n *naive) hosted(page uint32) *naiveHost {
	for i, h := range n.host {
		if h != nil && h.page == int64(page) {
			n.stamp++
			h.stamp = n.stamp
			if n.hostSets == 0 {
				n.host = append(slices.Delete(n.host, i, i+1), h)
			}
			return h
		}
	}
	return nil
}

// logged returns where the log has a line, or -1.
func (n *naive) logged(page uint32, line uint8) int {
	for i, s := range n.log {
		if !s.dead && s.page == page && s.line == line {
			return i
		}
	}
	return -1
}

// append puts a line into the log and returns how long it waited for a slot.
func (n *naive) append(page uint32, line uint8, now unit.Time) (wait unit.Time) {
	one := n.s.Quirks.Has(OneLog)
	for n.compacts && (one && len(n.log) == n.slots || !one && n.number == n.target+2) {
		wait = max(wait, n.cursor-now)
		n.compactPage()
	}
	n.res.Appends++
	if i := n.logged(page, line); i >= 0 {
		n.log[i].dead = true
		n.res.Replaced++
		n.res.LinesOverwritten++
	}
	n.log = append(n.log, naiveSlot{page: page, line: line, log: n.number})
	if n.filled++; !one && n.filled == n.half {
		n.number, n.filled = n.number+1, 0
	}
	if !n.compacts && (one && len(n.log) >= n.half || !one && n.filled == 0) {
		n.compact(now)
	}
	return wait
}

// compact begins to program every page of the log, or of the log that is full.
func (n *naive) compact(now unit.Time) {
	n.compacts, n.target, n.began = true, n.number-1, now
	n.cursor = max(n.cursor, now)
	if n.s.Quirks.Has(RunAhead) || n.dry {
		for n.compacts {
			n.compactPage()
		}
	}
}

// compactPage programs the page of the first line.
func (n *naive) compactPage() {
	one := n.s.Quirks.Has(OneLog)
	here := func(i int) bool { return one || n.log[i].log == n.target }
	for len(n.log) > 0 && here(0) && n.log[0].dead {
		n.log = n.log[1:]
	}
	if len(n.log) == 0 || !here(0) || one && len(n.log)*10_000 < n.slots {
		n.compacts = false
		n.res.Compactions++
		if !one && n.number == n.target+2 { // the other log is full by now
			n.compact(n.cursor)
		}
		return
	}
	n.merge(here)
}

// merge programs the page of the first slot with all its lines that are here.
func (n *naive) merge(here func(i int) bool) {
	page, lines := n.log[0].page, 0
	for i := range n.log {
		if n.log[i].page == page && !n.log[i].dead && here(i) {
			n.log[i].dead = true
			lines++
		}
	}
	n.res.CompactionPrograms++
	n.res.Merged[lines]++
	n.res.LinesProgrammed += int64(lines)
	read := lines < stream.Lines && n.cached(page) == nil
	if read {
		n.res.CompactionReads++
	}
	if n.dry {
		return
	}
	if read {
		n.cursor = n.flash.compactRead(page, n.cursor)
	}
	n.ends = append(n.ends, n.flash.compactProgram(page, n.cursor))
	// As many programs are under way as flash can do at once, unless all is booked ahead.
	if before := len(n.ends) - 1 - int(n.s.Servers()); before >= 0 && !n.s.Quirks.Has(RunAhead) {
		n.cursor = max(n.cursor, n.ends[before])
	}
}

// An answer is what the device says to a request.
type answer struct {
	kind     Kind
	bill     [Parts]unit.Time
	after    unit.Time // what remains of the read that it waits for
	estimate unit.Time
}

func (a *answer) latency() unit.Time { return sum(a.bill[:]) }

// ask is a request at the device, which answers when the data are there.
func (n *naive) ask(r stream.Request, now unit.Time) (a answer) {
	page, line, write, issued := r.Page(), r.Line(), r.Write(), now
	if write {
		n.res.DirtyLines++
	}
	if h := n.hosted(page); h != nil {
		if write {
			n.write(h.dirty, line)
		}
		if n.s.Copy > 0 && h.there > now {
			a.kind = CacheHit
			a.bill = [Parts]unit.Time{PartLink: n.s.Link, PartIndex: n.s.Index, PartDRAM: n.s.Access}
			return a
		}
		a.bill[PartHost] = n.c.DRAM
		if !n.d.DRAM && n.s.Quirks.Has(FixedHost) {
			a.bill[PartHost] = n.s.Access
		}
		return a
	}
	a.bill = [Parts]unit.Time{PartLink: n.s.Link, PartIndex: n.s.Index, PartDRAM: n.s.Access}
	if n.s.LinkRate > 0 && !n.dry {
		free := &n.linkRead
		if write {
			free = &n.linkWritten
		}
		n.move(free, 1, now)
		a.bill[PartLink] += *free - now
		now = *free // only then is it at the device
	}
	for n.compacts && n.cursor <= now {
		n.compactPage()
	}
	p := n.cached(page)
	if !write || !n.d.Log {
		n.accesses++ // misses too: a page of 64 lines in a row is an eighth of misses, and so is never in a threshold below 7
	}
	if p != nil && write {
		p.wrote[line] = true
	} else if p != nil {
		p.read[line] = true
	}
	if p != nil && write && !n.d.Log {
		n.write(p.dirty, line)
	}
	switch {
	case write && n.d.Log:
		a.kind = LogWrite
		if n.s.Quirks.Has(FreeIndex) {
			a.bill[PartIndex] = 0
		}
		a.bill[PartQueue] = n.append(page, line, now)
	case p != nil && p.ready <= now:
		a.kind = CacheHit
		n.hit(p, now)
	case n.logged(page, line) >= 0:
		a.kind = LogRead
	case p != nil:
		a.kind = Merged
		a.after = p.ready - now
		a.bill[PartFlash] = min(a.after, n.s.Read)
		a.bill[PartQueue] = a.after - a.bill[PartFlash]
	default:
		p, old := n.miss(page, now)
		if write {
			p.wrote[line], p.dirty[line] = true, true
		} else {
			p.read[line] = true
		}
		if n.dry {
			n.evict(old, now)
			return a
		}
		a.kind = Missed
		begin := now
		if !n.s.Quirks.Has(UnlimitedMisses) && len(n.misses) >= 2048 {
			begin = max(now, n.misses[len(n.misses)-2048])
		}
		if n.estimates() && (!write || n.c.Stores == stream.Blocking) {
			a.estimate = n.flash.estimate(page, issued)
		}
		done, flash := n.flash.read(page, begin)
		n.misses = append(n.misses, done)
		p.ready = done
		n.res.UserReads++
		n.res.UserReadTime += done - now
		a.after = done - now
		a.bill[PartFlash], a.bill[PartQueue] = flash, a.after-flash
		n.evict(old, now) // nobody waits for it
	}
	return a
}

// write makes a line dirty that may be so already.
func (n *naive) write(lines map[uint8]bool, line uint8) {
	if lines[line] {
		n.res.LinesOverwritten++
	}
	lines[line] = true
}

// Ages of what is there at the start reach so far back.
const naiveAges = 1_000_000_000

// initial fills cache and host DRAM with what is resident at the start.
func (n *naive) initial() {
	n.rnd = stream.DeviceSeed(n.s.Seed)
	promotes := n.d.Promote != NoPromotion
	fill := n.c.Fill
	if promotes {
		fill = n.c.FillPromote
	}
	age := func() int64 { return 1 - int64(n.rnd.Next()>>32)*naiveAges>>32 }
	for i := range n.ways {
		n.ways[i] = nil
		if n.rnd.Chance(fill) {
			n.ways[i] = &naivePage{page: -1, stamp: age()}
		}
	}
	n.host, n.foreign = make([]*naiveHost, 8*n.hostSets), 0
	n.threshold, n.accesses, n.benefit = n.s.PromoteAt, 0, 0
	n.armed, n.active, n.scan = map[uint32]bool{}, map[uint32]bool{}, n.s.ScanPeriod/unit.Time(n.s.Scale)
	n.stamp = naiveAges

	type deep struct{ page, depth int64 }
	var hosted []deep
	for k := range n.c.Classes {
		class := &n.c.Classes[k]
		table := class.Warm
		if n.d.Log && (class.WarmLog != nil || class.NoLog) {
			table = class.WarmLog
		}
		if len(table) == 0 {
			continue
		}
		for page := n.c.First(k); page < n.c.First(k)+class.Pages; page++ {
			d, ever := inverse(table, n.rnd.Below(1e9))
			if ever && promotes && d < int64(n.hostMost) {
				hosted = append(hosted, deep{page, d})
				continue
			}
			if promotes {
				d -= int64(n.hostMost)
			}
			if ever && d < int64(len(n.ways)) {
				n.resident(page, 1-unit.MulDiv(naiveAges, d, int64(len(n.ways))))
			}
		}
	}
	full := promotes && n.c.DemoteDirty > 0 && n.s.Host <= unit.Bytes(n.c.DemoteMost)*unit.MiB
	if full {
		for i := range n.host {
			n.host[i] = &naiveHost{page: -1, stamp: age()}
		}
	}
	// The deepest were used the longest ago.
	slices.SortFunc(hosted, func(a, b deep) int { return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(a.page, b.page)) })
	if n.hostSets == 0 {
		hosted = hosted[max(0, len(hosted)-n.hostMost):]
	}
	before := *n.res
	n.dry, before.HostPages = true, 0
	n.res.HostPages = 0
	for _, h := range hosted {
		n.settle(&naiveHost{page: h.page, dirty: map[uint8]bool{}}, 0)
	}
	n.dry = false
	for _, h := range n.host {
		if h != nil && h.page >= 0 {
			before.HostPages++
		}
	}
	*n.res = before
	if full && n.hostSets == 0 {
		n.foreign = n.hostMost - len(n.host)
	}

	for k := range n.c.Classes {
		class := &n.c.Classes[k]
		if class.Theta == 0 || !class.Random {
			continue
		}
		popular := class.Popularity()
		for range class.Total() * 6 / 10 {
			page := uint32(n.c.First(k)) + popular.Page(&n.rnd)
			if n.hosted(page) != nil {
				continue
			}
			p := n.cached(page)
			if p == nil {
				set := n.of(page)
				p = newNaivePage(int64(page), 0)
				set[victim(set)] = p
			}
			n.stamp++
			p.stamp = n.stamp
		}
	}
}

func newNaivePage(page, stamp int64) *naivePage {
	return &naivePage{page: page, stamp: stamp, read: map[uint8]bool{}, wrote: map[uint8]bool{}, dirty: map[uint8]bool{}}
}

// inverse is with how many pages of cache a page is resident of which u of 1e9 pages are
// more likely to be; ever is false if it is with none.
func inverse(table []stream.Resident, u int64) (pages int64, ever bool) {
	var before stream.Resident
	for _, p := range table {
		if u < p.Millionths*1000 {
			return before.Pages + unit.MulDiv(u-before.Millionths*1000, p.Pages-before.Pages, (p.Millionths-before.Millionths)*1000), true
		}
		before = p
	}
	return 0, false
}

// resident puts a page of the footprint in the place of one that is not.
func (n *naive) resident(page, stamp int64) {
	set := n.of(uint32(page))
	best := -1
	for i, w := range set {
		if w == nil {
			best = i
			break
		}
		if w.page < 0 && (best < 0 || w.stamp < set[best].stamp) {
			best = i
		}
	}
	if best >= 0 {
		set[best] = newNaivePage(page, stamp)
	}
}

// begin makes the device as it is at the start.
func (n *naive) begin() {
	s := &n.s
	if n.d.DRAM {
		for p := range n.all.Pages {
			n.host = append(n.host, &naiveHost{page: int64(p), dirty: map[uint8]bool{}})
		}
		n.rnd = stream.DeviceSeed(s.Seed)
		return
	}
	memory := s.DRAM
	if n.d.Log {
		if s.Quirks.Has(LostEighth) {
			memory -= memory / 8
		}
		memory -= s.Log
		n.slots = int(int64(s.Log) / s.Scale / 72)
		n.res.Slots = int64(n.slots)
		n.half = n.slots / 2
	}
	n.sets = int(int64(memory) / s.Scale / int64(unit.Page) / s.Ways)
	n.ways = make([]*naivePage, n.sets*int(s.Ways))
	switch pages := int(int64(s.Host) / s.Scale / int64(unit.Page)); n.d.Promote {
	case NoPromotion:
	case AstriFlash, OnMiss:
		n.hostMost = pages / 8 * 8
		n.hostSets = min(pages/8, int(n.all.Pages)) // more are never used
	default:
		n.hostMost = pages
	}
	n.flash = newNaiveStore(s, n.all.Pages, n.estimates())
	n.initial()
	if n.d.Log {
		n.warmLog()
	}
	if n.d.Promote != NoPromotion {
		n.res.PromoteAt = n.threshold
	}
}

// warmLog passes the whole stream through the device without time, for what is in the
// log then.
func (n *naive) warmLog() {
	before, random := *n.res, n.rnd
	n.dry = true
	for at, more := 0, true; more; at += 16 {
		more = false
		for _, of := range n.all.Threads {
			for i := at; i < min(at+16, len(of)); i++ {
				n.ask(of[i], 0)
				more = true
			}
		}
	}
	n.res.CompactionReads, n.res.CompactionPrograms = 0, 0
	if n.s.Quirks.Has(WarmCharged) {
		for len(n.log) > 0 {
			if n.log[0].dead {
				n.log = n.log[1:]
				continue
			}
			n.merge(func(int) bool { return true })
		}
		n.number, n.filled = 0, 0
	}
	reads, programs := n.res.CompactionReads, n.res.CompactionPrograms
	*n.res = before
	n.dry, n.rnd, n.stops = false, random, 0
	n.linkRead, n.linkWritten = 0, 0
	n.initial()
	if !n.s.Quirks.Has(WarmCharged) {
		for _, slot := range n.log {
			if !slot.dead {
				n.res.DirtyLines++
			}
		}
		return
	}
	n.res.WarmReads, n.res.WarmPrograms = reads, programs
	n.res.CompactionReads, n.res.CompactionPrograms = reads, programs
	for range reads {
		n.flash.compactRead(uint32(n.rnd.Below(int64(n.all.Pages))), 0)
	}
	for range programs {
		n.flash.compactProgram(foreign, 0)
	}
}
