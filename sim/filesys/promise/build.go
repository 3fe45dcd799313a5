package promise

import (
	"fmt"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/plan"
)

// An under is a call that is under way.
type under struct {
	changes int32 // of its node when it began, and how often that had been cut
	cuts    int32
	change  int32 // its own, from 1
	pages   []rewritten
	settled []int32 // versions of the node's pages that were answered when it began
	names   []join  // that a sync of a directory promises
	began   int32
}

// A sent is a page of a file on its way to a page of the device.
type sent struct {
	what   content
	thread int32
	lines  uint64
}

// A builder makes a history of events.
type builder struct {
	h       *History
	slots   []int32 // by page of the device, from 1
	queues  [][]sent
	last    []content // by slot: what was sent there last
	loose   []bool    // by slot: that is not flushed
	under   []under   // by call
	stored  [][]int32 // by thread: writes since the last transaction that it ended
	settled [][]int32 // by node and page: the newest version whose call was answered
	open    []int     // by node: its group that is open, from 1
	fresh   []int32   // writes that are not flushed
	synced  []int32   // by node: the event of its last answered sync
	ends    []int64   // by node: where the last write ended
	names   [][]join  // by directory: changes of nodes in it that no sync of it has promised; tx is the node
	// instead has by node that gave its name up the one that was made with it (tx), and its changes then.
	instead map[int32]join
	at      int32 // the event at hand
	err     error
}

// slot returns the number of a page of the device.
func (b *builder) slot(page int32) int32 {
	for int(page) >= len(b.slots) {
		b.slots = append(b.slots, make([]int32, int(page)+1-len(b.slots))...)
	}
	if b.slots[page] == 0 {
		b.h.pages++
		b.slots[page] = b.h.pages
		b.queues, b.last = append(b.queues, nil), append(b.last, content{node: -1})
		b.loose = append(b.loose, false)
	}
	return b.slots[page] - 1
}

func (b *builder) tx(number int32) *tx {
	for int(number) >= len(b.h.txs) {
		b.h.txs = append(b.h.txs, tx{})
	}
	return &b.h.txs[number]
}

// step takes an event.
func (b *builder) step(at int32, e *plan.Event) {
	h := b.h
	b.at = at
	switch e.Moment {
	case plan.Began:
		b.began(at, e)
	case plan.Answered:
		b.answered(at, e)
	case plan.Joined:
		n := b.covers(e)
		t := b.tx(e.Tx)
		t.nodes = append(t.nodes, join{n, e.Node})
	case plan.Placed:
		b.placed(e)
	case plan.Stored:
		w := write{event: at, until: never, slot: b.slot(e.Page), structure: e.Structure, what: content{node: -2}, tx: e.Tx}
		if !h.volatile || e.Lines != 0 {
			w.until = at
		}
		if e.Structure == plan.Data {
			w.what = b.arrived(w.slot, e.Thread)
		}
		h.writes = append(h.writes, w)
		n := int32(len(h.writes) - 1)
		b.loose[w.slot] = w.until == never
		if w.until == never {
			b.fresh = append(b.fresh, n)
		}
		if b.counts(e) {
			if t := b.tx(e.Tx); b.h.recovery.By == plan.ByLines && t.begun == 0 {
				t.begun = at + 1
			}
			list := b.of(e.Thread)
			*list = append(*list, n)
		}
	case plan.Appended:
		if e.Tx > 0 {
			if t := b.tx(e.Tx); t.begun == 0 {
				t.begun = at + 1
			}
		}
		if e.Structure == plan.Data {
			slot := b.slot(e.Page)
			h.lines = append(h.lines, stored{at, slot, b.arrived(slot, e.Thread)})
		}
	case plan.Flushed:
		for _, n := range b.fresh {
			h.writes[n].until = at
			b.loose[h.writes[n].slot] = false
		}
		b.fresh = b.fresh[:0]
	case plan.Committed, plan.Durable:
		b.durable(at, e)
	}
}

// covers is how many changes of a node a transaction makes durable that joins it now.
func (b *builder) covers(e *plan.Event) int32 {
	f := &b.h.files[e.Node]
	n := int32(len(f.changes))
	if b.h.recovery.By != plan.ByLines {
		return n
	}
	for i := n - 1; i >= 0 && f.changes[i].event >= f.joined; i-- {
		if c := &f.changes[i]; c.slot > 0 && c.thread != e.Thread && (len(b.queues[c.slot-1]) > 0 || b.loose[c.slot-1]) {
			n = i
		}
	}
	if n == int32(len(f.changes)) {
		f.joined = b.at
	}
	return n
}

// counts reports whether a block that was stored is a part of what makes a transaction durable.
func (b *builder) counts(e *plan.Event) bool {
	switch b.h.recovery.By {
	case plan.ByJournal:
		return e.Structure == plan.Journal
	case plan.ByNodes:
		return e.Structure != plan.Data
	case plan.ByLines:
		return e.Structure != plan.Data && e.Tx > 0
	}
	return false
}

// of returns the writes of a thread since the last transaction that it ended.
func (b *builder) of(thread int32) *[]int32 {
	at := int(max(thread, 0))
	for len(b.stored) <= at {
		b.stored = append(b.stored, nil)
	}
	return &b.stored[at]
}

// durable ends a transaction: what its thread wrote since the one before is what it needs.
func (b *builder) durable(at int32, e *plan.Event) {
	t, list := b.tx(e.Tx), b.of(e.Thread)
	t.event = at + 1
	t.writes = append(t.writes, *list...)
	*list = (*list)[:0]
}

func (f *file) page(i int32) {
	for int(i) >= len(f.moves) {
		f.moves, f.origin = append(f.moves, nil), append(f.origin, 0)
		f.version, f.newest = append(f.version, 0), append(f.newest, 0)
	}
}

func (b *builder) placed(e *plan.Event) {
	p := e.Place
	f := &b.h.files[p.Node]
	f.page(p.Index)
	if f.origin[p.Index] == 0 {
		if f.origin[p.Index] = p.Before + 1; p.Before < 0 {
			f.origin[p.Index] = -1
		}
	}
	if p.Before != e.Page {
		f.changes = append(f.changes, change{state: f.now(), event: b.at, slot: b.slot(e.Page) + 1, thread: e.Thread})
		f.moves[p.Index] = append(f.moves[p.Index], move{int32(len(f.changes)), b.slot(e.Page) + 1})
	} else {
		b.slot(e.Page)
	}
	slot := b.slot(e.Page)
	s := sent{content{p.Node, p.Index, f.version[p.Index]}, e.Thread, e.Lines}
	if e.Lines == 0 && p.Before >= 0 { // nothing of it has changed: nothing is sent
		b.last[slot] = s.what
		b.h.lines = append(b.h.lines, stored{b.at, slot, s.what})
		return
	}
	b.queues[slot] = append(b.queues[slot], s)
}

// arrived returns what a thread has written to a page of the device.
func (b *builder) arrived(slot, thread int32) content {
	q := b.queues[slot]
	at := -1
	for i := range q {
		if q[i].thread == thread {
			at = i
		}
	}
	if at < 0 {
		return b.last[slot]
	}
	b.last[slot] = q[at].what
	b.queues[slot] = append(q[:0], q[at+1:]...)
	return b.last[slot]
}

// changed adds a change to a file.
func (b *builder) changed(n int32, s state, cut bool, number int32) int32 {
	f := &b.h.files[n]
	f.changes = append(f.changes, change{state: s, cut: cut, call: number, event: b.at})
	c := int32(len(f.changes))
	if cut {
		first := int((s.size + pageSize - 1) / pageSize)
		for i := first; i < len(f.moves); i++ {
			f.moves[i] = append(f.moves[i], move{c, 0})
			f.version[i] = 0
		}
		f.cuts++
		for i := first; i < len(b.settledOf(n)); i++ {
			b.settled[n][i] = 0
		}
		for i := range f.vows {
			if v := &f.vows[i]; int(v.page) >= first && v.until == never {
				v.until = c
			}
		}
	}
	return c
}

// group returns the open group of a file that is being overwritten.
func (b *builder) group(n, at, number int32) *group {
	for len(b.open) < len(b.h.files) {
		b.open, b.synced = append(b.open, 0), append(b.synced, 0)
	}
	f := &b.h.files[n]
	if b.open[n] == 0 {
		g := group{from: at, to: never, call: number, at: map[int32]int{}}
		for i := range b.h.files {
			if o := &b.h.files[i]; int32(i) != n && b.synced[i] > 0 && b.synced[i] >= b.synced[n] && o.now().exists && len(o.vows) > 0 {
				k := backup{node: int32(i)}
				for _, d := range o.dues {
					k.changes = max(k.changes, d.changes)
				}
				for _, v := range o.vows {
					if v.until == never {
						k.pages = append(k.pages, rewritten{page: v.page, last: v.version})
					}
				}
				g.backups = append(g.backups, k)
			}
		}
		f.groups = append(f.groups, g)
		b.open[n] = len(f.groups)
	}
	return &f.groups[b.open[n]-1]
}

// wrote are the pages of a file with their last versions.
func (f *file) wrote() (list []rewritten) {
	for i, v := range f.version {
		if v > 0 && int64(i)*pageSize < f.now().size {
			list = append(list, rewritten{page: int32(i), last: v})
		}
	}
	return list
}

// began has names and caches as a call leaves them.
func (b *builder) began(at int32, e *plan.Event) {
	h, c, number := b.h, e.Of, int32(e.Call)
	for len(h.calls) <= int(number) {
		h.calls, h.answered = append(h.calls, call.Call{}), append(h.answered, 0)
	}
	for len(b.under) <= int(number) {
		b.under = append(b.under, under{})
	}
	h.calls[number] = c
	f := &h.files[c.Node]
	u := under{changes: int32(len(f.changes)), cuts: f.cuts, began: at}
	now := f.now()
	switch c.Code {
	case call.Create, call.Mkdir:
		if !now.exists {
			f.dir = c.Code == call.Mkdir
			u.change = b.changed(c.Node, state{exists: true}, true, number)
			f.parent = c.Dir
			b.named(c.Dir, c.Node)
			if c.Over != 0 && h.files[c.Over].now().exists {
				b.instead[c.Over] = join{u.change, c.Node}
			}
		}
	case call.Unlink, call.Rmdir:
		u.change = b.changed(c.Node, state{}, true, number)
		if j, ok := b.instead[c.Node]; ok {
			delete(b.instead, c.Node)
			if n := &h.files[j.tx]; n.now().exists && n.now().size > 0 {
				h.renames = append(h.renames, renamed{event: at, call: number, node: j.tx, moved: j.changes, over: c.Node, removed: u.change, drops: true, size: n.now().size, pages: n.wrote()})
			}
		}
		b.named(f.parent, c.Node)
		b.close(c.Node, at)
	case call.Rename:
		r := renamed{event: at, call: number, node: c.Node, over: c.Over, size: now.size}
		if c.Over != 0 {
			r.removed = b.changed(c.Over, state{}, true, number)
			b.named(c.Dir, c.Over)
			b.close(c.Over, at)
			r.pages = f.wrote()
		}
		u.change = b.changed(c.Node, now, false, number)
		f.changes[u.change-1].moved = true
		b.named(f.parent, c.Node)
		if f.parent != c.Dir {
			b.named(c.Dir, c.Node)
		}
		f.parent = c.Dir
		if r.moved = u.change; c.Over != 0 {
			h.renames = append(h.renames, r)
		}
	case call.Truncate:
		if now.size != c.Length {
			less := c.Length < now.size
			if less && c.Length == 0 && b.synced != nil && now.size > 0 || less && c.Length == 0 && f.first.exists && now.size > 0 {
				g := b.group(c.Node, at, number)
				g.cut = int32(len(f.changes)) + 1
			}
			u.change = b.changed(c.Node, state{true, c.Length}, less, number)
		}
	case call.Write:
		b.write(&u, at, &c, number)
	case call.Fsync, call.Fdatasync:
		if f.dir {
			for _, j := range b.namesOf(c.Node) {
				if k := h.files[j.tx].changes[j.changes-1].call; h.answered[k] > 0 {
					u.names = append(u.names, j)
				}
			}
		}
		u.settled = append(u.settled, b.settledOf(c.Node)...)
	}
	b.under[number] = u
}

// namesOf are the changes of names in a directory that no sync of it has promised.
func (b *builder) namesOf(dir int32) []join {
	for len(b.names) < len(b.h.files) {
		b.names = append(b.names, nil)
	}
	return b.names[dir]
}

// named notes that the last change of a node is one of names in a directory.
func (b *builder) named(dir, n int32) {
	list := b.namesOf(dir)
	b.names[dir] = append(list, join{int32(len(b.h.files[n].changes)), n})
}

func (b *builder) settledOf(n int32) []int32 {
	for len(b.settled) <= int(n) {
		b.settled = append(b.settled, nil)
	}
	return b.settled[n]
}

// write has a file's pages as a write leaves them in the cache.
func (b *builder) write(u *under, at int32, c *call.Call, number int32) {
	f := &b.h.files[c.Node]
	now, offset := f.now(), c.Offset
	if c.Flags&call.Append != 0 {
		offset = now.size
	}
	end := offset + c.Length
	if c.Length <= 0 {
		return
	}
	before := int64(-1)
	if f.first.exists || now.size > 0 {
		before = now.size
	}
	for i := offset / pageSize; i*pageSize < end; i++ {
		f.page(int32(i))
		old := f.version[i]
		f.version[i], f.newest[i] = at+1, at+1
		from, to := max(offset-i*pageSize, 0)/512, (min(end-i*pageSize, pageSize)-1)/512
		u.pages = append(u.pages, rewritten{int32(i), old, at + 1, uint8(1<<(to+1) - 1<<from)})
	}
	over := offset < before && b.durableBefore(c.Node) && (len(u.pages) > 1 || c.Flags&call.Sync == 0)
	if g := b.opened(c.Node); over || g != nil {
		if g == nil {
			g = b.group(c.Node, at, number)
			if n := len(f.groups); n > 1 && b.ends[c.Node] == offset { // the same log goes on
				g.backups = f.groups[n-2].backups
			}
		}
		for _, p := range u.pages {
			if !over && g.cut == 0 {
				break
			}
			if k, ok := g.at[p.page]; ok {
				g.pages[k].last = p.last
				g.pages[k].sectors |= p.sectors
			} else {
				g.at[p.page] = len(g.pages)
				g.pages = append(g.pages, p)
			}
		}
		g.size = max(now.size, end)
	}
	for len(b.ends) < len(b.h.files) {
		b.ends = append(b.ends, 0)
	}
	b.ends[c.Node] = end
	if end > now.size {
		u.change = b.changed(c.Node, state{true, end}, false, number)
	}
}

// durableBefore reports whether a file had something to lose: it was there before the run, or
// was synced in it.
func (b *builder) durableBefore(n int32) bool {
	return b.h.files[n].first.exists || int(n) < len(b.synced) && b.synced[n] > 0
}

// opened returns the group of a file that is open.
func (b *builder) opened(n int32) *group {
	if int(n) >= len(b.open) || b.open[n] == 0 {
		return nil
	}
	return &b.h.files[n].groups[b.open[n]-1]
}

// close ends the open group of a file.
func (b *builder) close(n, at int32) {
	if g := b.opened(n); g != nil {
		g.to, g.at = at, nil
		b.open[n] = 0
	}
}

// answered has what a call promises from now on.
func (b *builder) answered(at int32, e *plan.Event) {
	h, number := b.h, int32(e.Call)
	if int(number) >= len(b.under) {
		b.err = fmt.Errorf("call %d is answered that never began", number)
		return
	}
	h.answered[number] = at + 1
	u, c := &b.under[number], &h.calls[number]
	f := &h.files[c.Node]
	settled := b.settledOf(c.Node)
	for len(settled) < len(f.version) {
		settled = append(settled, 0)
	}
	if u.cuts != f.cuts { // its pages are gone, or not the same
		u.pages, u.settled = nil, nil
	}
	for _, p := range u.pages {
		settled[p.page] = max(settled[p.page], p.last)
	}
	b.settled[c.Node] = settled
	sync := c.Code == call.Fsync || c.Code == call.Fdatasync
	if !sync && (c.Code != call.Write || c.Flags&call.Sync == 0) || !f.now().exists {
		return
	}
	covers := u.changes
	if !sync {
		covers = max(u.change, 0)
		u.settled = u.settled[:0]
		for _, p := range u.pages {
			b.vow(f, p.page, p.last, at, number)
		}
		b.close(c.Node, at)
	}
	for i, v := range u.settled {
		if v > 0 {
			b.vow(f, int32(i), v, at, number)
		}
	}
	if sync {
		// Of changes that others make meanwhile nothing is promised; nor of places: where a page
		// is is promised with it.
		for covers > 0 && (f.changes[covers-1].call == 0 || f.changes[covers-1].moved && c.Code == call.Fdatasync || h.answered[f.changes[covers-1].call] == 0 || h.answered[f.changes[covers-1].call] > u.began+1) {
			covers--
		}
		for _, j := range u.names {
			o := &h.files[j.tx]
			o.dues = append(o.dues, due{j.changes, at, number})
		}
		if len(u.names) > 0 {
			b.names[c.Node] = slices.DeleteFunc(b.names[c.Node], func(j join) bool { return slices.Contains(u.names, j) })
		}
		for len(b.synced) < len(h.files) {
			b.open, b.synced = append(b.open, 0), append(b.synced, 0)
		}
		b.synced[c.Node] = at + 1
		b.close(c.Node, at)
	}
	if covers > 0 {
		f.dues = append(f.dues, due{covers, at, number})
	}
	u.settled, u.pages = nil, nil
}

// vow promises a version of a page.
func (b *builder) vow(f *file, page, version, at, number int32) {
	for int(page) >= len(f.vowed) {
		f.vowed = append(f.vowed, 0)
	}
	if f.vowed[page] == version {
		return
	}
	f.vowed[page] = version
	f.vows = append(f.vows, vow{page: page, version: version, until: never, call: number, event: at})
}

// finish sorts what was noted as it came.
func (b *builder) finish() {
	for i := range b.h.files {
		f := &b.h.files[i]
		for k := range f.origin { // homes of before the run are pages; here they are slots, from 1
			if o := f.origin[k]; o > 0 {
				f.origin[k] = b.slot(o-1) + 1
			}
		}
	}
}
