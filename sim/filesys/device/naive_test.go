package device

import (
	"math/bits"
	"slices"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/flash"
	"spillway/sim/unit"
)

// A naive is a second device, written from the description with plain lists: the log
// is its entries, the buffer a list in the order of use, a channel the list of what it did.
// Only the flash layer is shared.
type naive struct {
	Counts
	m         machine.Setup
	d         machine.Device
	memory    Memory
	waits     bool
	events    []plan.Event
	firm      unit.Time
	link      unit.Time
	slots     []unit.Time
	ftl       *flash.Layer
	writer    map[int32]plan.Structure
	channels  []naiveChannel
	halves    [2][]naiveLine
	active    int
	cleaning  bool
	carried   int
	committed map[int32]bool
	lru       []naivePage // the last used one first
	written   int         // pages that the frontier has taken
	front     int32
	until     map[int32]unit.Time // the write buffer has a page
}

type naiveChannel struct {
	jobs      []job
	work      []gap     // what it did and will do, in order
	cleanAt   unit.Time // −1: nothing to do
	at        int       // the entry of the half that cleaning is at
	merging   int32
	collectAt unit.Time
	copies    int
	erasing   bool
}

type naiveLine struct {
	page, tx int32
	line     int
	live     bool
	merging  bool
	gone     bool // of a single log: its room is free again
}

type naivePage struct {
	page  int32
	dirty bool
}

func newNaive(m *machine.Setup, memory Memory, waits bool) *naive {
	n := &naive{
		m: *m, d: m.Device, memory: memory, waits: waits,
		until: map[int32]unit.Time{}, writer: map[int32]plan.Structure{}, committed: map[int32]bool{0: true},
		slots: make([]unit.Time, m.Device.Buffer), channels: make([]naiveChannel, m.Device.Channels),
	}
	if memory == NoMemory && m.Device.Shared {
		n.memory = PageBuffer
	}
	for i := range n.channels {
		n.channels[i].cleanAt, n.channels[i].collectAt, n.channels[i].merging = -1, -1, -1
	}
	n.Busy = make([]unit.Time, m.Device.Channels)
	n.ftl = newLayer(&n.d)
	return n
}

func (n *naive) has(q uint32) bool { return uint32(n.m.Quirks)&q != 0 }

// serve has a channel do something that arrives at a time, and says when it begins: all
// that it ever did is in a list in order, and times follow from that.
func (c *naiveChannel) serve(j job, readsFirst bool) unit.Time {
	i := len(c.jobs)
	for ; i > 0; i-- {
		last := c.jobs[i-1]
		first := j.arrives < last.arrives
		if readsFirst && j.read && !last.read {
			first = j.arrives < last.begins
		} else if readsFirst && !j.read && last.read {
			first = false
		}
		if !first {
			break
		}
	}
	c.jobs = slices.Insert(c.jobs, i, j)
	c.work = c.work[:0]
	end := unit.Time(0)
	for k := range c.jobs {
		begins := max(c.jobs[k].arrives, end)
		c.jobs[k].begins = begins
		end = begins + c.jobs[k].took
		c.work = append(c.work, gap{begins, end})
	}
	return c.jobs[i].begins
}

func (n *naive) book(page int32, at, took unit.Time, read bool, slot int32) unit.Time {
	return n.bookAt(int(page)%len(n.channels), at, took, read, slot)
}

// where is the channel of a page.
func (n *naive) where(page int32) int {
	if n.d.Frontier == machine.OneBlock {
		if u := n.ftl.Plane(page); u >= 0 {
			return int(u)
		}
	}
	return int(page) % len(n.channels)
}

// next is the channel that a page goes to.
func (n *naive) next(page int32) int32 {
	k := int32(len(n.channels))
	if n.d.Frontier != machine.OneBlock {
		return page % k
	}
	if n.written == int(n.d.Pages) {
		n.front, n.written = (n.front+1)%k, 0
	}
	for tried := int32(0); tried < k && !n.ftl.Room(n.front); tried++ {
		n.front, n.written = (n.front+1)%k, 0
	}
	n.written++
	return n.front
}

func (n *naive) bookAt(u int, at, took unit.Time, read bool, slot int32) unit.Time {
	n.Busy[u] += took
	c := &n.channels[u]
	before := slices.Clone(c.jobs)
	begins := c.serve(job{arrives: at, took: took, read: read, slot: slot}, n.d.ReadsFirst)
	if !n.d.ReadsFirst {
		return begins
	}
	// Who is put off has its slot longer.
	same := 0
	for same < len(before) && c.jobs[same] == before[same] {
		same++
	}
	for i := same; i < len(before); i++ {
		was, is := before[i], c.jobs[i+1]
		if was.slot != none && n.slots[was.slot] == was.begins+was.took {
			n.slots[was.slot] = is.begins + is.took
		}
	}
	return begins
}

func (n *naive) read(page int32, at unit.Time, why Why) unit.Time {
	start := n.bookAt(n.where(page), at, n.d.Read, true, none)
	n.FlashReads[why]++
	return start + n.d.Read
}

func (n *naive) program(now unit.Time, page int32, at unit.Time, why Why) unit.Time {
	u := n.next(page)
	if copied, erased := n.ftl.WriteTo(u, page); erased > 0 {
		n.FlashReads[ByCollection] += int64(copied)
		n.FlashPrograms[ByCollection] += int64(copied)
		n.Erases += int64(erased)
		n.bookAt(int(u), at, unit.Time(copied)*(n.d.Read+n.d.Program)+unit.Time(erased)*n.d.Erase, false, none)
	}
	slot := int32(none)
	if why == ByHost || why == ByBuffer && !n.has(uint32(machine.ShortMisses)) {
		slot = int32(slices.Index(n.slots, slices.Min(n.slots)))
		n.slots[slot] = never
	}
	start := n.bookAt(int(u), at, n.d.Program, false, slot)
	n.until[page] = 0
	if slot != none {
		n.slots[slot] = start + n.d.Program
		n.until[page] = start + n.d.Program
	}
	if n.channels[u].collectAt < 0 && n.ftl.Due(u) {
		n.channels[u].collectAt = max(at, now)
	}
	n.FlashPrograms[why]++
	n.Programmed[n.writer[page]]++
	return start + n.d.Program
}

// lines is which lines of a page the log has.
func (n *naive) lines(page int32) (mask uint64) {
	for _, h := range n.halves {
		for _, e := range h {
			if e.page == page && e.live {
				mask |= 1 << e.line
			}
		}
	}
	return mask
}

func (n *naive) mapped(page int32) bool { return n.ftl.Home(page) >= 0 }

func (n *naive) find(page int32) int {
	return slices.IndexFunc(n.lru, func(p naivePage) bool { return p.page == page })
}

func (n *naive) content(page int32) bool {
	if n.mapped(page) || n.lines(page) != 0 {
		return true
	}
	i := n.find(page)
	return i >= 0 && n.lru[i].dirty
}

// access is a load or a store through the page buffer.
func (n *naive) access(now unit.Time, s plan.Structure, page int32, at unit.Time, lines uint64, write bool) unit.Time {
	if i := n.find(page); i >= 0 {
		n.BufferHits++
		p := n.lru[i]
		p.dirty = p.dirty || write
		n.lru = slices.Insert(slices.Delete(n.lru, i, i+1), 0, p)
		return at
	}
	reads := n.mapped(page)
	if !write {
		reads = reads || n.m.Fresh && s == plan.Data
		if !reads {
			return at
		}
	}
	n.BufferMisses++
	flag := false
	if most := int(n.d.DRAM / unit.Page); len(n.lru) == most {
		left := n.lru[most-1]
		n.lru = n.lru[:most-1]
		if left.page >= 0 && left.dirty {
			if n.has(uint32(machine.ShortMisses)) {
				at = n.program(now, left.page, at, ByBuffer)
			} else {
				at = max(at, slices.Min(n.slots))
				n.program(now, left.page, at, ByBuffer)
			}
		}
		flag = left.dirty
	}
	dirty := write
	if write && n.has(uint32(machine.StaleDirty)) {
		dirty = flag
	}
	n.lru = slices.Insert(n.lru, 0, naivePage{page, dirty})
	if reads && (!write || lines != every) {
		at = n.read(page, at, ByBuffer)
	}
	return at
}

// served says whether the log leaves something to flash, and counts.
func (n *naive) served(s plan.Structure, page int32, lines uint64) (flash bool) {
	has := n.lines(page) & lines
	flash = (n.mapped(page) || n.m.Fresh && s == plan.Data) && has != lines
	if has != 0 && flash {
		n.LogPartial++
	} else if has != 0 {
		n.LogHits++
	}
	return flash
}

func (n *naive) count(s plan.Structure, i Interface, w Direction, size int) {
	n.Bytes[s][i][w] += int64(size)
	n.Accesses[s][i][w]++
}

func (n *naive) command(now unit.Time) (firm, link unit.Time) {
	n.firm = max(n.firm, now+n.d.Submit) + n.d.Firmware
	n.link = max(n.link, n.firm) + n.d.Transfer
	return n.firm, n.link
}

func (n *naive) blockRead(now unit.Time, s plan.Structure, page, pages int32) (done unit.Time) {
	n.count(s, Block, Reads, int(pages)*4096)
	done = now + n.d.Submit
	for p := page; p < page+pages; p++ {
		at, link := n.command(now)
		flash := n.mapped(p) || n.m.Fresh && s == plan.Data
		memory := n.memory
		if n.d.Serves && n.until[p] > at {
			n.BufferHits++
			memory, flash = NoMemory, false
		}
		switch memory {
		case PageBuffer:
			if n.d.Shared {
				at = n.access(now, s, p, at, every, false)
				flash = false
			} else if n.find(p) >= 0 {
				flash = false
			}
		case WriteLog:
			flash = n.served(s, p, every)
		}
		if flash {
			at = n.read(p, at, ByHost)
		}
		done = max(done, at+n.d.Transfer, link)
	}
	return done + n.d.Complete
}

func (n *naive) blockWrite(now unit.Time, s plan.Structure, page, pages, tx int32) (done unit.Time) {
	n.count(s, Block, Writes, int(pages)*4096)
	done = now + n.d.Submit
	for p := page; p < page+pages; p++ {
		at, link := n.command(now)
		n.writer[p] = s
		n.event(plan.Event{At: now, Moment: plan.Stored, Structure: s, Page: p, Tx: tx})
		if n.memory == PageBuffer && n.d.Shared {
			at = max(n.access(now, s, p, at, every, true)+n.d.Transfer, link)
			if !n.waits {
				done = max(done, at)
				continue
			}
			n.lru[0].dirty = false
		} else {
			first := slices.Min(n.slots)
			at = max(max(at, first)+n.d.Transfer, link)
			n.forget(p, n.has(uint32(machine.KeepsLines)))
		}
		end := n.program(now, p, at, ByHost)
		if n.waits {
			at = end
		}
		done = max(done, at)
	}
	return done + n.d.Complete
}

// forget drops a page from DRAM; the slot that it leaves in the buffer is empty.
func (n *naive) forget(page int32, keeps bool) {
	if i := n.find(page); i >= 0 {
		n.lru = append(slices.Delete(n.lru, i, i+1), naivePage{-1, false})
	}
	if keeps {
		return
	}
	for h := range n.halves {
		for i := range n.halves[h] {
			if e := &n.halves[h][i]; e.page == page && e.live {
				e.live = false
				n.Voided++
			}
		}
	}
}

func (n *naive) byteRead(now unit.Time, s plan.Structure, page int32, lines uint64) unit.Time {
	n.count(s, Byte, Reads, 64*bits.OnesCount64(lines))
	at := now
	if n.memory == PageBuffer {
		at = n.access(now, s, page, at, lines, false)
	} else {
		flash := n.served(s, page, lines)
		if n.has(uint32(machine.Inverted)) {
			flash = n.mapped(page) && n.lines(page)&lines != 0
		}
		if flash {
			at = n.read(page, at, ByHost)
		}
	}
	return n.ends(now, at) + n.each(lines, n.d.LineRead)
}

func (n *naive) ends(now, at unit.Time) unit.Time {
	if n.has(uint32(machine.ShortMisses)) {
		return max(now, at-65*unit.Microsecond)
	}
	return at
}

func (n *naive) each(lines uint64, t unit.Time) unit.Time {
	if n.has(uint32(machine.FreeBytes)) {
		return 0
	}
	return t * unit.Time(bits.OnesCount64(lines))
}

func (n *naive) bytes() (active, old int64) {
	for _, e := range n.halves[1-n.active] {
		if !e.gone {
			old += 68
		}
	}
	return int64(len(n.halves[n.active])) * 68, old
}

// trigger says whether the log is so full that cleaning begins.
func (n *naive) trigger() bool {
	size := int64(n.d.DRAM)
	if !n.d.Single {
		size /= 2
	}
	active, _ := n.bytes()
	return !n.cleaning && active >= size*n.d.LogAt/100 && active >= 2*68*int64(n.carried)
}

func (n *naive) fits(lines uint64) bool {
	active, old := n.bytes()
	active += 68 * int64(bits.OnesCount64(lines))
	if n.d.Single {
		return active+old <= int64(n.d.DRAM)
	}
	return active <= int64(n.d.DRAM)/2
}

func (n *naive) byteWrite(now unit.Time, s plan.Structure, page int32, lines uint64, tx int32) (unit.Time, bool) {
	if n.memory == WriteLog && !n.fits(lines) {
		if active, _ := n.bytes(); !n.cleaning && active >= 2*68*int64(n.carried) {
			n.swap(now)
		}
		if !n.fits(lines) {
			n.act(now)
		}
		if !n.fits(lines) && n.cleaning {
			var ends []unit.Time
			for i := range n.channels {
				if at := n.channels[i].cleanAt; at >= 0 {
					ends = append(ends, at)
				}
			}
			if n.d.Single {
				return slices.Min(ends), false
			}
			return slices.Max(ends), false
		}
	}
	n.count(s, Byte, Writes, 64*bits.OnesCount64(lines))
	n.writer[page] = s
	n.event(plan.Event{At: now, Moment: plan.Appended, Structure: s, Page: page, Tx: tx, Lines: lines})
	at := now
	if n.memory == PageBuffer {
		at = n.access(now, s, page, at, lines, true)
	} else {
		if n.has(uint32(machine.NoCommit)) {
			tx = 0
		}
		for i := range 64 {
			if lines>>i&1 != 0 {
				n.Appended++
				n.append(page, i, tx, true)
			}
		}
		if n.trigger() {
			n.swap(now)
		}
	}
	at = n.ends(now, at) + n.each(lines, n.d.LineWrite)
	if !n.has(uint32(machine.FreeBytes)) {
		at += n.d.Persist
	}
	return at, true
}

// append puts a line into the active half, in place of one that is not being programmed.
func (n *naive) append(page int32, line int, tx int32, replaces bool) {
	for h := range n.halves {
		for i := range n.halves[h] {
			e := &n.halves[h][i]
			if e.page == page && e.line == line && e.live && !e.merging {
				e.live = false
				if replaces {
					n.Replaced++
				}
			}
		}
	}
	n.halves[n.active] = append(n.halves[n.active], naiveLine{page: page, tx: tx, line: line, live: true})
}

func (n *naive) swap(now unit.Time) {
	n.Swaps++
	n.event(plan.Event{At: now, Moment: plan.Swapped})
	for _, e := range n.halves[n.active] {
		c := &n.channels[int(e.page)%len(n.channels)]
		c.cleanAt, c.at, n.cleaning = now, 0, true
	}
	n.active = 1 - n.active
	n.carried = 0
}

// release frees a page's room in a single log.
func (n *naive) release(page int32) {
	for i := range n.halves[1-n.active] {
		if e := &n.halves[1-n.active][i]; e.page == page && n.d.Single {
			e.gone = true
		}
	}
}

func (n *naive) clean(u int, now unit.Time) {
	c, old := &n.channels[u], &n.halves[1-n.active]
	if c.merging >= 0 {
		mask := uint64(0)
		for i := range *old {
			if e := &(*old)[i]; e.page == c.merging && e.merging {
				e.merging = false
				if e.live {
					e.live = false
					mask |= 1 << e.line
				}
			}
		}
		if mask != 0 {
			n.Merged[bits.OnesCount64(mask)]++
			n.event(plan.Event{At: now, Moment: plan.Merged, Structure: n.writer[c.merging], Page: c.merging, Lines: mask})
		}
		n.release(c.merging)
		c.merging = -1
	}
	for ; c.at < len(*old); c.at++ {
		page := (*old)[c.at].page
		if int(page)%len(n.channels) != u {
			continue
		}
		mask := uint64(0)
		for i := range *old {
			e := &(*old)[i]
			if e.page != page || !e.live {
				continue
			}
			if n.committed[e.tx] {
				mask |= 1 << e.line
				e.merging = true
				continue
			}
			n.Carried++
			n.carried++
			n.append(page, e.line, e.tx, false)
		}
		if mask == 0 {
			n.release(page)
			continue
		}
		c.merging = page
		n.event(plan.Event{At: now, Moment: plan.Merging, Structure: n.writer[page], Page: page, Lines: mask})
		at := now
		if mask != every && n.mapped(page) {
			at = n.read(page, at, ByCleaning)
		}
		c.cleanAt = n.program(now, page, at, ByCleaning)
		return
	}
	c.cleanAt = -1
	for i := range n.channels {
		if n.channels[i].cleanAt >= 0 {
			return
		}
	}
	*old, n.cleaning = nil, false
	if n.trigger() {
		n.swap(now)
	}
}

func (n *naive) collect(u int, now unit.Time) {
	c := &n.channels[u]
	switch {
	case c.copies > 0:
	case c.erasing:
		c.erasing = false
		n.Erases++
		c.collectAt = n.book(int32(u), now, n.d.Erase, false, none) + n.d.Erase
		return
	default:
		copied, ok := int32(0), false
		if n.ftl.Due(int32(u)) {
			copied, ok = n.ftl.Collect(int32(u))
		}
		if !ok {
			c.collectAt = -1
			return
		}
		c.copies, c.erasing = int(copied), true
		n.collect(u, now)
		return
	}
	c.copies--
	n.FlashReads[ByCollection]++
	n.FlashPrograms[ByCollection]++
	took := n.d.Read + n.d.Program
	c.collectAt = n.book(int32(u), now, took, false, none) + took
}

func (n *naive) due() (t unit.Time, ok bool) {
	for _, c := range n.channels {
		for _, at := range []unit.Time{c.cleanAt, c.collectAt} {
			if at >= 0 && (!ok || at < t) {
				t, ok = at, true
			}
		}
	}
	return t, ok
}

func (n *naive) act(now unit.Time) {
	for t, ok := n.due(); ok && t <= now; t, ok = n.due() {
		for u := range n.channels {
			if at := n.channels[u].cleanAt; at >= 0 && at <= t {
				n.clean(u, t)
			}
		}
		for u := range n.channels {
			if at := n.channels[u].collectAt; at >= 0 && at <= t {
				n.collect(u, t)
			}
		}
	}
}

func (n *naive) commit(now unit.Time, tx int32) unit.Time {
	if n.has(uint32(machine.NoCommit)) {
		return now
	}
	n.Commits++
	n.committed[tx] = true
	n.event(plan.Event{At: now, Moment: plan.Committed, Tx: tx})
	return now + n.d.Commit
}

func (n *naive) trim(now unit.Time, page int32) {
	n.event(plan.Event{At: now, Moment: plan.Trimmed, Structure: n.writer[page], Page: page})
	n.forget(page, false)
	n.until[page] = 0
	n.ftl.Trim(page)
}

func (n *naive) event(e plan.Event) { n.events = append(n.events, e) }
