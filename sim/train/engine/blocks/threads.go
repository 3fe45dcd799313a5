package blocks

import (
	"math/bits"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// fault brings what the running kernel misses of its next block: the pages of want, or
// all if it is nil. It waits until they are there. Then the visit is over before the
// threads go on, so that it cannot lose the block again.
//
// The migration thread ends what it does first. Then the block takes memory, which
// waits for a victim if there is none; then the driver handles the faults it counts, and
// moves. A block that the pager has asked for is served the same way, only that its
// faults are not counted; a kernel that comes while it is on its way waits for the rest.
func (r *Run) fault(v *visiting, want *pageSet, missing int64) {
	b := v.b
	x := &r.mem.blocks[b]
	late := false
	if r.pager != nil {
		late = x.state == coming || r.next == b || r.pager.Queued(b)
		r.pager.Fault(b, late)
	}
	cause := func(c result.Cause) result.Cause {
		if late {
			return result.LatePrefetch
		}
		return c
	}
	if late {
		r.paging.Late++
		r.it.Faults.Moving += missing
	} else {
		r.paging.Missed++
	}
	if x.state == coming {
		r.in.awaited = true
		r.await(result.LatePrefetch, x)
		return
	}
	r.urgent = true
	if r.next == b {
		r.next = None
	}
	for x.state == leaving { // its end is later where something begins to come beside it
		r.wait(cause(result.Eviction), r.out.end)
	}
	if holds := x.state == here; holds {
		r.mem.unlink(b)
		x.state = coming
		r.untilIdle(cause(result.HostRead))
	} else {
		r.untilIdle(cause(result.HostRead))
		r.makeRoom(cause(result.Eviction))
		x.state = coming
	}
	var handling unit.Cycles
	if !late {
		valued := missing - r.fresh(b, want)
		r.it.Faults.Host += valued
		r.it.Faults.Unallocated += missing - valued
		r.uncounted += missing * 1000
		n := r.uncounted / r.rules.PerFault
		r.uncounted -= n * r.rules.PerFault
		r.paging.Faults += n
		handling = unit.Cycles(n) * r.perFault
	}
	if r.rules.Whole || late {
		want = nil
	} else if r.rules.Density && want != nil {
		s := *want
		s.add(&r.mem.split(b).on)
		s = s.dense()
		want = &s
	}
	r.in.awaited, r.in.tensor = true, v.tensor
	r.migrate(b, want, r.now+handling+r.perBlock)
	r.wait(cause(result.FaultHandling), r.in.start)
	r.await(cause(result.HostRead), x)
	r.urgent = false
}

// await waits for a block that is coming. Its end is later where another begins to leave
// beside it.
func (r *Run) await(c result.Cause, x *block) {
	for x.state == coming {
		r.wait(c, r.in.end)
	}
}

// untilIdle waits until the migration thread has ended what it does. Nobody gives it more.
func (r *Run) untilIdle(c result.Cause) {
	for r.in.end != engine.Forever {
		r.wait(c, r.in.end)
	}
}

// share makes t, which begins to move, and other, if it is moving, take longer while both
// do: each then has the link's shared rate. Until now the end of other reckoned with the
// link to itself from now on, as that of t does.
func (r *Run) share(t, other *thread) {
	if other.end == engine.Forever || r.shared == r.full {
		return
	}
	from := max(r.now, t.start, other.start) // since when both move
	first, last := t, other
	if last.end < first.end {
		first, last = last, first
	}
	if first.end <= from {
		return
	}
	// What the first has left takes longer by the slowdown, the last one as much.
	left := first.end - from
	slower := unit.Cycles(unit.MulDiv(int64(left), int64(r.full), int64(r.shared))) - left
	first.end, last.end = first.end+slower, last.end+slower
}

// fresh returns how many of the missing pages of want, or of all, no kernel has
// touched.
func (r *Run) fresh(b ID, want *pageSet) (n int64) {
	x := &r.mem.blocks[b]
	if x.sets < 0 {
		switch {
		case x.valued != 0:
			return 0
		case want == nil:
			return blockPages
		}
		return want.count()
	}
	if want == nil {
		want = &allPages
	}
	s := &r.mem.sets[x.sets]
	for w := range want {
		n += int64(bits.OnesCount64(want[w] &^ (s.valued[w] | s.on[w])))
	}
	return n
}

// migrate makes the migration thread, which is idle, move pages of b from a time on.
func (r *Run) migrate(b ID, want *pageSet, start unit.Cycles) {
	n, garbage := r.mem.incoming(b, want)
	t := &r.in
	t.b, t.pages, t.garbage, t.start, t.end = b, n, garbage, start, start+r.moving[n]
	r.share(t, &r.out)
	if t.all = want == nil; !t.all {
		t.want = *want
	}
}

// migrated notes that what the migration thread moves is there.
func (r *Run) migrated() {
	t := &r.in
	t.end = engine.Forever
	if t.all {
		r.mem.arrive(t.b, nil)
	} else {
		r.mem.arrive(t.b, &t.want)
	}
	r.mem.appendMigrated(t.b)
	if !t.awaited {
		r.paging.Prefetched++
		r.mem.blocks[t.b].unused = true
	}
	r.hostPages -= t.pages
	r.it.Traffic.HostIn += unit.Bytes(t.pages) * unit.Page
	r.paging.GarbageIn += unit.Bytes(t.garbage) * unit.Page
	if r.record != nil {
		why := engine.Planned
		if t.awaited {
			why = engine.OnFault
		}
		r.moved(t, machine.Host, machine.GPU, why)
	}
}

// moved records a transfer that has ended.
func (r *Run) moved(t *thread, from, to machine.Tier, why engine.Reason) {
	if t.pages == 0 {
		return
	}
	r.record.Transfer(engine.Transfer{
		Tensor: t.tensor, From: from, To: to, Reason: why,
		Start: max(r.start, t.start) - r.since, End: r.now - r.since, Bytes: unit.Bytes(t.pages) * unit.Page,
	})
}

// makeRoom takes a chunk of GPU memory, waiting for a victim to leave if it must.
func (r *Run) makeRoom(c result.Cause) {
	for r.mem.free == 0 {
		if r.out.end == engine.Forever && r.evict(r.victim(true)) {
			continue
		}
		r.wait(c, r.out.end)
	}
	r.mem.free--
}

// evict makes b leave, which is out of the order of migration already. dropped: it has
// left at once.
func (r *Run) evict(b ID) (dropped bool) {
	x := &r.mem.blocks[b]
	if x.unused {
		r.paging.Useless++
		x.unused = false
	}
	if r.pager != nil && x.tensors == 0 && r.pager.Drop(b) {
		r.paging.Dropped++
		r.mem.clear(b, true)
		x.state = away
		r.mem.free++
		return true
	}
	n, garbage := r.mem.outgoing(b)
	r.mem.clear(b, false)
	x.state = leaving
	t := &r.out
	t.b, t.pages, t.garbage, t.start = b, n, garbage, r.now+r.perBlock+unit.Cycles(r.asked)*r.perSpare
	t.end, t.tensor = t.start+r.moving[n], x.tensor
	r.share(t, &r.in)
	return false
}

// evicted notes that what the eviction thread moves is gone.
func (r *Run) evicted() {
	t := &r.out
	t.end = engine.Forever
	r.mem.blocks[t.b].state = away
	r.mem.free++
	r.hostPages += t.pages
	r.it.Traffic.HostOut += unit.Bytes(t.pages) * unit.Page
	r.paging.GarbageOut += unit.Bytes(t.garbage) * unit.Page
	if r.record != nil {
		r.moved(t, machine.GPU, machine.Host, engine.ForRoom)
	}
}

// startTransfers gives idle threads work.
func (r *Run) startTransfers() {
	if r.pager == nil {
		return
	}
	for {
		r.prefetch()
		if r.out.end != engine.Forever {
			return
		}
		ready := int64(r.pager.Ready())
		if r.next != None {
			ready = max(ready, 1)
		}
		if r.mem.free >= ready {
			return
		}
		b := r.victim(false)
		if b == None || !r.evict(b) {
			return
		}
	}
}

// prefetch makes the migration thread, if it is idle, move the block that the pager
// wants next. What is leaving must have left first.
func (r *Run) prefetch() {
	if r.in.end != engine.Forever || r.urgent {
		return
	}
	for {
		if r.next == None {
			b, ok := r.pager.Next()
			if !ok {
				return
			}
			if !r.mem.known(b) {
				continue
			}
			r.next = b
		}
		x := &r.mem.blocks[r.next]
		if x.on == uint16(blockPages) {
			r.next = None
			continue
		}
		switch x.state {
		case leaving:
			return
		case away:
			if r.mem.free == 0 {
				return
			}
			r.mem.free--
		case here:
			r.mem.unlink(r.next)
		}
		x.state = coming
		r.in.awaited, r.in.tensor = false, x.tensor
		r.migrate(r.next, nil, r.now+r.perBlock)
		r.next = None
		return
	}
}

// victim takes the block out of the order of migration that is to leave: one of the
// window, drawn at random, that the pager does not spare. For a fault it is the oldest
// if there is none; else None.
func (r *Run) victim(fault bool) ID {
	m := &r.mem
	r.asked = 0
	for {
		for len(m.window) < m.width && m.unseen != None {
			b := m.unseen
			m.unseen = m.blocks[b].next
			if r.pager == nil || !r.spares(b) {
				m.blocks[b].slot = int32(len(m.window))
				m.window = append(m.window, b)
			}
		}
		if len(m.window) == 0 {
			break
		}
		slot := r.draw(len(m.window))
		b := m.window[slot]
		if r.pager != nil && r.spares(b) {
			m.removeFromWindow(int32(slot))
			continue
		}
		m.unlink(b)
		r.asked++
		return b
	}
	if !fault {
		return None
	}
	b := m.oldest
	m.unlink(b)
	return b
}

// spares reports whether the pager spares b, and counts what it spares.
func (r *Run) spares(b ID) bool {
	if !r.pager.Spare(b) {
		return false
	}
	r.asked++
	return true
}

// draw draws a number from 0 to n-1.
func (r *Run) draw(n int) int {
	if n == 1 {
		return 0
	}
	hi, _ := bits.Mul64(r.random.next(), uint64(n))
	return int(hi)
}
