package ext4

import (
	"slices"

	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

// quarter is how many blocks a transaction has when it is committed early.
func (f *fs) quarter() int { return max(int(f.logSize/4), 1) }

// join makes a block part of the running transaction.
func (f *fs) join(page int32) {
	b := f.blocks.At(page)
	if b.joined == f.running {
		return
	}
	if len(f.next.blocks) == 0 {
		f.since = f.now
		f.h.Env.Start(journal, f.now+f.interval)
	}
	b.joined = f.running
	f.next.blocks = append(f.next.blocks, page)
	f.h.Pin(page)
	if len(f.next.blocks) >= f.quarter() && !f.wanted {
		f.wanted = true
		f.h.Env.Start(journal, f.now)
	}
}

// revoke forgets a block of metadata that is none any more: no transaction writes it home.
func (f *fs) revoke(page int32) {
	b := f.blocks.At(page)
	for _, tx := range []*transaction{&f.next, &f.current} {
		if b.joined < f.running && tx == &f.next || b.joined != f.committing && tx == &f.current {
			continue
		}
		if i := slices.Index(tx.blocks, page); i >= 0 {
			tx.blocks[i] = host.None
		}
	}
	b.joined = 0
	if tx := b.latest; tx != 0 {
		f.live[tx%f.logSize]--
		b.latest = 0
		f.unlink(page)
		f.release()
	}
	f.h.Forget(page)
}

// Wait is asked when a thread comes to a step Wait.
func (f *fs) Wait(t *plan.Thread, s *plan.Step, now unit.Time) bool {
	if s.Tx == 0 {
		switch s.N {
		case forNode:
			s.Tx = f.nodeTx[s.Page]
		case forData:
			s.Tx = f.dataTx[s.Page]
		case forRoom:
			switch {
			case len(f.next.blocks) < f.quarter():
			case f.committing != 0:
				s.Tx = f.committing
			case f.starved:
				s.Tx = f.running
			}
		}
	}
	if s.Tx < f.uncommitted() {
		return true
	}
	if s.Tx == f.running && !f.wanted {
		f.wanted = true
		f.h.Env.Start(journal, now+f.h.Setup.Host.Wake)
	}
	f.waiters = append(f.waiters, waiter{t.ID, s.Tx})
	return false
}

// Marked is told the note of a step Mark.
func (f *fs) Marked(t *plan.Thread, n plan.Note, now unit.Time) {
	f.now = now
	switch n.What {
	case allocated, sized:
		if !f.h.Files[n.Node].Exists {
			return // it was removed in the meantime
		}
		f.touch(n.Node)
		f.dataTx[n.Node] = f.running
		if n.What == allocated {
			f.space(n.Page)
			if f.extent[n.Node] == host.None && len(f.h.Files[n.Node].Slots) > inInode {
				f.extent[n.Node] = f.block(n.Node, plan.Pointer)
				f.space(f.extent[n.Node])
			}
			if e := f.extent[n.Node]; e != host.None {
				f.join(e)
			}
		}
		f.record(t, n.Node)
	case renamed:
		f.touch(n.Node)
		f.record(t, n.Node)
	case committed:
		f.committed()
	case checkpointed:
		f.endCheckpoint()
	case flushing:
		f.flushes = true
	case sent:
		tx := f.nodeTx[n.Node]
		if n.Page == forData {
			tx = f.dataTx[n.Node]
		}
		if tx < f.uncommitted() || tx == f.committing && f.flushes {
			f.flush(t) // when it has waited
		}
	}
}

// Actors are the journal's thread and what writes blocks home.
func (f *fs) Actors() int { return actors }

// Act appends what an actor does next.
func (f *fs) Act(t *plan.Thread, actor int, now unit.Time) {
	f.now = now
	if actor == journal {
		f.commit(t)
	} else {
		f.checkpoint(t)
	}
}

// commit begins to commit the running transaction if it is time.
func (f *fs) commit(t *plan.Thread) {
	n := len(f.next.blocks)
	if n == 0 || f.committing != 0 {
		return
	}
	if !f.wanted && f.now < f.since+f.interval {
		f.h.Env.Start(journal, f.since+f.interval)
		return
	}
	blocks := int32(n) + 1 + int32(n)/tags // and their descriptors
	if f.usedLog > 0 && f.usedLog+blocks+1 > f.logSize {
		f.starved = true
		f.h.Env.Start(checkpoint, f.now)
		return
	}
	f.committing = f.running
	f.running++
	f.wanted = false
	f.next, f.current = f.current, f.next
	f.next.blocks, f.next.freed = f.next.blocks[:0], f.next.freed[:0]
	f.size[f.committing%f.logSize] = min(blocks+1, f.logSize)
	f.usedLog += min(blocks+1, f.logSize)

	f.h.Compute(t, f.h.Setup.Host.Copy*unit.Time(n))
	f.writeLog(t, blocks)
	if f.h.Setup.Flushes() {
		t.Add(plan.Note{What: flushing}.Step())
		f.flush(t)
	}
	f.writeLog(t, 1)
	commit := &t.Steps[len(t.Steps)-1]
	*commit = commit.Through(f.h.Setup.Flushes())
	t.Add(plan.Note{What: committed}.Step())
}

// flush appends a barrier, where the device needs one.
func (f *fs) flush(t *plan.Thread) {
	if f.h.Setup.Flushes() {
		t.Add(plan.Step{Kind: plan.Flush})
	}
}

// writeLog appends the write of so many pages of the journal, at once.
func (f *fs) writeLog(t *plan.Thread, n int32) {
	for n > 0 {
		now := min(n, f.logSize-f.head)
		n -= now
		t.Add(plan.Step{Kind: plan.BlockWrite, Structure: plan.Journal, Page: f.log + f.head, N: now, With: n > 0})
		f.head = (f.head + now) % f.logSize
	}
}

// committed ends a commit: its blocks may go home, and who waits goes on.
func (f *fs) committed() {
	tx := f.committing
	i := tx % f.logSize
	if len(f.ring) < 2*len(f.current.blocks) { // larger than the journal, which is empty else
		f.ring, f.ringAt = make([]int32, 2*len(f.current.blocks)), 0
	}
	f.begin[i], f.count[i], f.live[i] = f.ringAt, 0, 0
	for _, page := range f.current.blocks {
		if page == host.None {
			continue
		}
		b := f.blocks.At(page)
		if old := b.latest; old != 0 {
			f.live[old%f.logSize]--
		}
		b.latest = tx
		f.live[i]++
		f.count[i]++
		f.ring[f.ringAt] = page
		f.ringAt = (f.ringAt + 1) % int32(len(f.ring))
		if !b.home.in() {
			f.link(page)
		}
	}
	f.h.Free(f.current.freed)
	blocks := uint64(len(f.current.blocks))
	f.current.blocks, f.current.freed = f.current.blocks[:0], f.current.freed[:0]
	f.committing, f.flushes = 0, false
	f.h.Counts.Commits++
	if f.h.Env.Recording() {
		f.h.Env.Record(plan.Event{Moment: plan.Durable, Tx: tx, Lines: blocks})
	}
	kept := f.waiters[:0]
	for _, w := range f.waiters {
		if w.tx <= tx {
			f.h.Env.Wake(w.thread, f.now+f.h.Setup.Host.Wake)
		} else {
			kept = append(kept, w)
		}
	}
	f.waiters = kept
	f.release()
	switch {
	case f.crowded():
		f.h.Env.Start(checkpoint, f.now)
	case f.first != host.None:
		f.h.Env.Start(checkpoint, f.blocks.At(f.first).home.since+f.old)
	}
}

// uncommitted is the first transaction that is not committed.
func (f *fs) uncommitted() int32 {
	if f.committing != 0 {
		return f.committing
	}
	return f.running
}

// release gives up the journal's pages of transactions whose blocks are all home or in
// later ones.
func (f *fs) release() {
	for f.tail < f.uncommitted() && f.live[f.tail%f.logSize] == 0 {
		f.usedLog -= f.size[f.tail%f.logSize]
		f.tail++
	}
	if f.starved {
		f.starved = false
		f.h.Env.Start(journal, f.now)
	}
}

// crowded says that the oldest transactions have to leave the journal.
func (f *fs) crowded() bool {
	return f.tail < f.uncommitted() && (f.starved || int64(f.usedLog)*4 > int64(f.logSize)*3)
}

// checkpoint appends the writing home of the next blocks, if it is time: those of the
// oldest transaction if the journal is crowded, or those committed long ago.
func (f *fs) checkpoint(t *plan.Thread) {
	if len(f.going) > 0 {
		return
	}
	f.pages = f.pages[:0]
	if f.crowded() {
		i := f.tail % f.logSize
		for j := range f.count[i] {
			page := f.ring[(f.begin[i]+j)%int32(len(f.ring))]
			if b := f.blocks.At(page); b.latest == f.tail && b.home.in() && len(f.pages) < f.batch {
				f.pages = append(f.pages, page)
			}
		}
	} else {
		for page := f.first; page != host.None && len(f.pages) < f.batch && f.blocks.At(page).home.since+f.old <= f.now; page = f.blocks.At(page).home.next {
			f.pages = append(f.pages, page)
		}
	}
	if len(f.pages) == 0 {
		if f.first != host.None {
			f.h.Env.Start(checkpoint, f.blocks.At(f.first).home.since+f.old)
		}
		return
	}
	for _, page := range f.pages {
		f.unlink(page)
		f.going = append(f.going, goes{page, f.blocks.At(page).latest})
	}
	f.writeHome(t, f.pages)
	f.flush(t) // before the journal forgets them
	t.Add(plan.Note{What: checkpointed}.Step())
}

// writeHome appends the writes of blocks to where they belong, all at once.
func (f *fs) writeHome(t *plan.Thread, pages []int32) {
	slices.Sort(pages)
	from := len(t.Steps)
	for _, page := range pages {
		system.Join(t, from, plan.Step{Kind: plan.BlockWrite, Structure: f.kind[page], Page: page, N: 1})
	}
	system.Together(t, from)
}

// endCheckpoint ends a batch of the checkpoint.
func (f *fs) endCheckpoint() {
	for _, g := range f.going {
		b := f.blocks.At(g.page)
		if b.latest != g.tx {
			continue // a later transaction has it, or it is none any more
		}
		f.live[g.tx%f.logSize]--
		b.latest = 0
		if b.joined < f.uncommitted() && g.page >= f.blockBitmap {
			f.h.Unpin(g.page)
		}
	}
	f.going = f.going[:0]
	f.release()
}

func (f *fs) link(page int32) {
	f.blocks.At(page).home = link{before: f.last, next: host.None, since: f.now + 1}
	if f.last == host.None {
		f.first = page
	} else {
		f.blocks.At(f.last).home.next = page
	}
	f.last = page
}

func (f *fs) unlink(page int32) {
	l := &f.blocks.At(page).home
	if !l.in() {
		return
	}
	l.since = 0
	if l.before == host.None {
		f.first = l.next
	} else {
		f.blocks.At(l.before).home.next = l.next
	}
	if l.next == host.None {
		f.last = l.before
	} else {
		f.blocks.At(l.next).home.before = l.before
	}
}

// Finish commits what runs and writes everything home.
func (f *fs) Finish(t *plan.Thread, now unit.Time) {
	f.now = now
	if n := int32(len(f.next.blocks)); n > 0 {
		f.writeLog(t, n+1+n/tags+1)
	}
	f.pages = f.pages[:0]
	for page := f.first; page != host.None; page = f.blocks.At(page).home.next {
		f.pages = append(f.pages, page)
	}
	for _, tx := range []*transaction{&f.current, &f.next} {
		for _, page := range tx.blocks {
			if page != host.None && !f.blocks.At(page).home.in() {
				f.link(page)
				f.pages = append(f.pages, page)
			}
		}
	}
	f.writeHome(t, f.pages)
}
