package f2fs

import (
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

// # Checkpoints

// Wait lets a thread go on whose checkpoint is done.
func (f *fs) Wait(t *plan.Thread, s *plan.Step, now unit.Time) bool {
	if s.N == landed {
		if f.flying[s.Page] > 0 {
			f.stalled = t.ID
			return false
		}
		return true
	}
	if s.Tx <= f.done {
		return true
	}
	f.waiters = append(f.waiters, waiter{t.ID, s.Tx})
	if s.Tx > f.started {
		f.wanted = true
		f.h.Env.Start(checkpointer, now)
	}
	return false
}

// Marked is told of a step Mark.
func (f *fs) Marked(t *plan.Thread, n plan.Note, now unit.Time) {
	f.now = now
	if n.What == landed {
		half := n.Page
		if f.flying[half]--; f.flying[half] == 0 && half != f.started&1 && f.stalled != host.None {
			f.h.Env.Wake(f.stalled, now)
			f.stalled = host.None
		}
		return
	}
	if f.h.Env.Recording() {
		f.h.Env.Record(plan.Event{Moment: plan.Durable, Tx: n.Tx})
	}
	if n.What == synced {
		return
	}
	f.busy = false
	f.done = f.started
	f.h.Counts.Commits++
	for _, segment := range f.freeing {
		if f.kind[segment] == dead { // else it was used in need
			f.kind[segment] = free
			f.free++
			f.dead--
			t.Add(plan.Step{Kind: plan.Trim, Page: f.main + segment*f.pages, N: f.pages})
		}
	}
	f.freeing = f.freeing[:0]
	kept := f.waiters[:0]
	for _, w := range f.waiters {
		if w.checkpoint <= f.done {
			f.h.Env.Wake(w.thread, now)
		} else {
			kept = append(kept, w)
		}
	}
	f.waiters = kept
}

// Actors are who makes checkpoints, and who writes dirty metadata when there is much.
func (f *fs) Actors() int { return actors }

// Act appends what an actor does next.
func (f *fs) Act(t *plan.Thread, actor int, now unit.Time) {
	f.now = now
	if actor == cleaner {
		if f.dirty > f.h.MetaMost()/2 {
			f.writeOldest(t)
		}
		return
	}
	if f.busy {
		return
	}
	if !f.wanted {
		if f.dirty == 0 && f.dead == 0 {
			f.armed = false
			return
		}
		if now < f.last+f.interval {
			f.h.Env.Start(checkpointer, f.last+f.interval)
			return
		}
	}
	f.last, f.wanted, f.busy, f.freer = now, false, true, t
	if under := f.started & 1; f.flying[under] > 0 {
		t.Add(plan.Step{Kind: plan.Wait, N: landed, Page: under})
	}
	f.started++
	tx := f.nextTx
	f.tx++
	f.nextTx = f.tx
	f.checkpoint(t, tx)
	for segment, kind := range f.kind {
		if kind == dead {
			f.freeing = append(f.freeing, int32(segment))
		}
	}
	t.Add(plan.Note{What: finished, Tx: tx}.Step())
	f.h.Env.Start(checkpointer, now+f.interval)
	f.armed = true
}

// fly notes that the steps planned last write blocks that the next checkpoint takes for
// written: it waits until they are, else it would free what they replace too soon.
func (f *fs) fly(t *plan.Thread) {
	f.flying[f.started&1]++
	t.Add(plan.Note{What: landed, Page: f.started & 1}.Step())
}

// checkpoint appends the writing of all dirty leaves and nodes, of the tables, and of the
// checkpoint itself.
func (f *fs) checkpoint(t *plan.Thread, tx int32) {
	from := len(t.Steps)
	for _, log := range [...]int{leafLog, nodeLog} {
		for _, block := range f.list[f.at:] {
			if f.state[block] != dirty || f.logOf(block) != log {
				continue
			}
			if block < f.most {
				f.record(t, tx, block)
			}
			switch {
			case block < f.most:
				f.loose[block] = f.started
			case block < 2*f.most:
				f.loose[block-f.most] = f.started
			}
			f.write(t, from, block, log)
		}
	}
	for _, block := range f.list[f.at:] {
		f.state[block] = clean
	}
	f.list, f.at = f.list[:0], 0

	from = len(t.Steps)
	for i, changed := range f.natChanged {
		if changed && f.natEntries > natJournal {
			f.send(t, from, plan.Pointer, f.nat+int32(i))
		}
	}
	if f.natEntries > 0 {
		clear(f.natChanged)
		f.natEntries = 0
	}
	for i := range int32(sitBlocks) {
		f.send(t, from, plan.BlockBitmap, f.sit+(f.started*sitBlocks+i)%f.sitPages)
	}
	system.Together(t, from)
	f.packs ^= 1 // two packs take turns
	f.flush(t)
	t.Add(plan.Step{Kind: plan.BlockWrite, Structure: plan.Superblock, Page: f.pack + f.packs*packBlocks, N: packBlocks}.Through(f.h.Setup.Flushes()))
}

// Finish writes the checkpoint that is due.
func (f *fs) Finish(t *plan.Thread, now unit.Time) {
	f.now = now
	if f.dirty > 0 {
		f.checkpoint(t, f.nextTx)
	}
}

// # Segments

// allocate returns the next page of a log, for an owner.
func (f *fs) allocate(log int, o owner) int32 {
	l := &f.logs[log]
	if l.next == l.end {
		if l.end > 0 {
			if was := (l.end - 1) / f.pages; f.valid[was] > 0 {
				f.kind[was] = full
			} else {
				f.kind[was] = dead
				f.dead++
			}
		}
		segment := f.open()
		l.next = segment * f.pages
		l.end = l.next + f.pages
	}
	page := l.next
	l.next++
	f.owners[page] = o
	f.valid[page/f.pages]++
	return f.main + page
}

// open returns a free segment, which is open now. In need it takes one that would be free
// after the checkpoint.
func (f *fs) open() int32 {
	want := int8(free)
	if f.free == 0 {
		if want = dead; f.dead == 0 {
			panic(&host.Full{Want: int(f.pages), Left: f.h.Left(), Pages: int(f.h.Pages())})
		}
		f.dead--
	} else {
		f.free--
	}
	for f.kind[f.next] != want {
		f.next = (f.next + 1) % int32(len(f.kind))
	}
	f.kind[f.next] = open
	if want == dead {
		f.keep(f.next)
	}
	return f.next
}

// keep sees to it that a checkpoint under way does not discard a segment, which is used
// again.
func (f *fs) keep(segment int32) {
	if !f.busy {
		return
	}
	for i := range f.freer.Steps {
		if s := &f.freer.Steps[i]; s.Kind == plan.Trim && s.Page == f.main+segment*f.pages {
			s.N = 0
		}
	}
}

// invalidate says that a page holds nothing any more.
func (f *fs) invalidate(page int32) {
	page -= f.main
	f.owners[page].node = host.None
	segment := page / f.pages
	if f.valid[segment]--; f.valid[segment] == 0 && f.kind[segment] == full {
		f.kind[segment] = dead
		f.dead++
	}
}

// drop invalidates pages.
func (f *fs) drop(pages []int32) {
	for _, p := range pages {
		f.invalidate(p)
	}
}

// balance cleans a segment if few are free: of those that are full the one with the fewest
// valid pages. If some only need a checkpoint, it asks for that.
func (f *fs) balance(t *plan.Thread) {
	if f.free >= short {
		return
	}
	if f.dead > 0 && !f.wanted && !f.busy {
		f.wanted = true
		f.h.Env.Start(checkpointer, f.now)
	}
	if f.free+f.dead >= short {
		return
	}
	victim := int32(host.None)
	for i, kind := range f.kind {
		if kind == full && (victim == host.None || f.valid[i] < f.valid[victim]) {
			victim = int32(i)
		}
	}
	if victim == host.None || f.valid[victim] == f.pages {
		return
	}
	first := victim * f.pages
	for page := first; page < first+f.pages; {
		page = f.rescue(t, page, first+f.pages)
	}
}

// rescue moves the next valid pages to the end of a log: it reads those that the cache
// lacks, all at once, and then writes. It returns where the rest begins.
func (f *fs) rescue(t *plan.Thread, page, end int32) int32 {
	from, first := len(t.Steps), page
	n := 0
	for ; page < end && n < f.batch; page++ {
		o := f.owners[page]
		if o.node == host.None {
			continue
		}
		n++
		s, cached := plan.Data, false
		if o.index == meta {
			s, cached = f.structure(o.node), f.h.Has(f.keys+o.node)
		} else {
			cached = f.h.Files[o.node].Slots[o.index].Frame != host.None
		}
		if !cached {
			t.Add(plan.Step{Kind: plan.BlockRead, Structure: s, Page: f.main + page, N: 1})
		}
	}
	system.Together(t, from)
	from = len(t.Steps)
	for p := first; p < page; p++ {
		o := f.owners[p]
		if o.node == host.None {
			continue
		}
		if o.index == meta {
			if f.state[o.node] == dirty {
				f.write(t, from, o.node, coldLog)
				f.loosen(t, o.node)
			} else {
				f.move(o.node, coldLog)
				f.send(t, from, f.structure(o.node), f.home[o.node])
			}
			continue
		}
		f.invalidate(f.main + p)
		home := f.allocate(coldLog, o)
		f.h.Files[o.node].Slots[o.index].Home = home
		f.send(t, from, plan.Data, home)
		block := o.node
		if o.index >= perNode {
			block = f.second(o.node)
		}
		f.markDirty(block)
		if f.h.Env.Recording() {
			f.h.Env.Record(plan.Event{Moment: plan.Placed, Page: home, Lines: ^uint64(0), Place: plan.Place{Node: o.node, Index: o.index, Before: f.main + p}})
		}
	}
	system.Together(t, from)
	return page
}
