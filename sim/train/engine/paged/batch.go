package paged

import (
	"math"
	"math/bits"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// A batch is the bookkeeping of one migration batch: pages moved so far, and
// where victims must go because a share or the host's memory ran out.
type batch struct {
	share
	allocs                                int64
	in, inSSD, inHost, out, toSSD, toHost int64
	forced                                machine.Tier // Nowhere: not forced
	gated                                 bool         // a fetch stopped because nothing could leave the GPU
	refused                               bool         // nothing could leave for want of a share of host and SSD
	paid                                  bool         // a cost of transfers took of a share
}

// idle reports whether nothing has moved, nor was paid for.
func (b *batch) idle() bool { return b.in+b.out+b.allocs == 0 && !b.paid }

// A flow counts pages moved.
type flow struct{ ssdIn, hostIn, ssdOut, hostOut int64 }

func (f *flow) add(b *batch) {
	f.ssdIn += b.inSSD
	f.hostIn += b.inHost
	f.ssdOut += b.toSSD
	f.hostOut += b.toHost
}

func (f *flow) bytes() result.Traffic {
	return result.Traffic{
		SSDIn: unit.Bytes(f.ssdIn) * unit.Page, SSDOut: unit.Bytes(f.ssdOut) * unit.Page,
		HostIn: unit.Bytes(f.hostIn) * unit.Page, HostOut: unit.Bytes(f.hostOut) * unit.Page,
	}
}

// faulting reports whether a page fault is open.
func (e *run) faulting() bool { return e.busy&faultQueues != 0 }

// migrate runs the migration batches from e.batchAt on that do the same, at
// most up to the next kernel, and schedules the one after.
func (e *run) migrate() error {
	now := e.batchAt
	waiting := e.blocked && !e.pending
	if waiting {
		e.attributeStall(now)
		e.waiting = e.cause()
	}
	if e.busy == 0 {
		e.closeWindow(now)
		if !e.pending {
			return e.deadlock("no page is on its way")
		}
		e.use(0)
		e.schedule(now + unit.Cycles(e.untilKernel(now))*e.share.period)
		return nil
	}
	e.openWindow(now)
	b := batch{share: e.share}
	last := now + unit.Cycles(e.runRepeated(&b, now)-1)*e.share.period
	e.traffic.add(&b)
	if e.used&ssdBoth != 0 {
		e.mixed.add(&b)
		e.mixedTime += last - now + e.share.period
	}
	same := e.use(e.linksOf(&b))
	if waiting {
		e.gated = b.gated
		if b.idle() && same {
			return e.deadlock("neither can its pages come in nor other pages leave")
		}
		if e.moved += b.in + b.allocs; e.moved > e.moveLimit {
			return e.deadlock("its pages evict each other")
		}
		e.attributeStall(last)
		e.waiting = e.cause()
		if !e.faulting() && e.neededMoving == 0 {
			e.kernelDue(last)
		}
	} else if b.idle() && e.pending && same { // nothing can move until the next kernel
		last = now + unit.Cycles(e.untilKernel(now)-1)*e.share.period
	}
	e.schedule(last + e.share.period)
	e.c.Record.EndBatch(now, e.batchAt)
	return nil
}

// runRepeated runs the batches from now on that do the same, as one, and returns how
// many these are.
func (e *run) runRepeated(b *batch, now unit.Cycles) int64 {
	if n := e.runInterleaved(b, now); n > 0 {
		return n
	}
	n := int64(1)
	if e.interleaving != e.mix() || e.owing() {
		if n = e.repeats(); n > 1 {
			n = min(n, e.untilKernel(now))
			b.share = e.share.times(n)
		}
	}
	e.run(b)
	return n
}

// use says which links are in use from now on, which sets the shares of the next
// batch. It returns whether these are as before.
func (e *run) use(l links) (same bool) {
	l = e.shareOf[l]
	same = l == e.used
	e.used, e.share = l, e.shares[l]
	return same
}

// linksOf returns which links are in use after batch b: pages wait for what they
// carry, or went over them, or could not for want of a share.
func (e *run) linksOf(b *batch) links {
	l := waitingFor(e.busy)
	if b.toHost > 0 || b.refused && !e.full() {
		l |= hostWrites
	}
	if b.toSSD > 0 || b.refused && e.full() {
		l |= ssdWrites
	}
	if b.inSSD > 0 && b.toSSD > 0 {
		l |= ssdBoth
	}
	if b.in > 0 && b.out > 0 {
		l |= bothWays
	}
	return l
}

// waitingFor returns the links over which the pages of busy queues will go.
func waitingFor(busy queueSet) (l links) {
	if busy&(1<<faultHost|1<<preHost) != 0 {
		l |= hostReads
	}
	if busy&(1<<outHost) != 0 {
		l |= hostWrites
	}
	if busy&(1<<faultSSD|1<<preSSD) != 0 {
		l |= ssdReads
	}
	if busy&(1<<outSSD) != 0 {
		l |= ssdWrites
	}
	return l
}

// runInterleaved does, in one go, the batches from now on in which prefetches from
// SSD and host come in by turns and find free memory. It returns how many these
// are, 0 if it did nothing.
func (e *run) runInterleaved(b *batch, now unit.Cycles) int64 {
	if e.busy != preSSD.only()|preHost.only() || e.gpuFree == 0 || e.shareOf[hostReads|ssdReads] != e.used ||
		e.owing() || e.at(e.queues[preSSD].head).begins || e.at(e.queues[preHost].head).begins {
		return 0
	}
	n := e.share.quota(preSSD, resting, 0)
	m := e.share.quota(preHost, preSSD, n)
	if n <= 0 || m <= 0 {
		return 0
	}
	turns := min(e.gpuFree/(n+m), e.untilKernel(now),
		int64(e.at(e.queues[preSSD].head).pages)/n, int64(e.at(e.queues[preHost].head).pages)/m)
	if turns < 2 {
		return 0
	}
	for _, x := range [...]struct {
		q     queueID
		pages int64
	}{{preSSD, n * turns}, {preHost, m * turns}} {
		h := e.at(e.queues[x.q].head)
		e.c.Record.Move(h.tensor, h.loc, machine.GPU, engine.Planned, x.pages)
	}
	e.interleave(preSSD, preHost, int32(n), int32(m), int32(turns))
	b.inSSD, b.inHost = n*turns, m*turns
	b.in = b.inSSD + b.inHost
	b.allocs = b.in
	e.allocate(b.in)
	e.hostUsed -= b.inHost
	return turns
}

// untilKernel returns how many batches from now on come before the next kernel
// begins, at least 1.
func (e *run) untilKernel(now unit.Cycles) int64 {
	if !e.pending {
		return math.MaxInt32
	}
	return max(1, int64((e.kernelAt-now+e.share.period-1)/e.share.period))
}

// run does what a batch does: queued evictions, then faults, then prefetches.
func (e *run) run(b *batch) {
	if e.full() {
		b.forced = machine.SSD
	}
	for d := range link.Directions {
		e.pay(b, d)
	}
	for e.busy&outSSD.only() != 0 && b.toSSD < b.ssdOut && b.out < b.linkOut {
		if !e.charge(b, outSSD, link.SSDOut) {
			e.evictHead(b, outSSD, min(b.ssdOut-b.toSSD, b.linkOut-b.out))
		}
	}
	for e.busy&outHost.only() != 0 && b.out < b.linkOut {
		if e.full() && b.toSSD < b.ssdOut {
			if !e.charge(b, outHost, link.SSDOut) {
				e.evictHead(b, outHost, min(b.ssdOut-b.toSSD, b.linkOut-b.out))
			}
		} else if !e.full() && b.toHost < b.hostOut {
			if !e.charge(b, outHost, link.HostOut) {
				e.evictHead(b, outHost, min(b.hostOut-b.toHost, b.linkOut-b.out, e.hostPages-e.hostUsed))
			}
		} else {
			break
		}
	}
	if e.faulting() {
		e.fetch(b, faultSSD)
		e.fetch(b, faultHost)
		e.mapNew(b, faultNew, true)
	}
	if e.busy&aheadQueues != 0 {
		if e.fetchAhead(b, preSSD) {
			e.fetchAhead(b, preHost)
		}
		e.mapNew(b, preNew, false)
	}
	if e.rules.Rescue && e.blocked && !e.pending && (e.faulting() || e.neededMoving > 0) && b.in+b.out == 0 {
		e.fetch(b, preSSD)
		e.fetch(b, preHost)
		e.mapNew(b, preNew, true)
	}
}

// evictHead evicts up to most of the pages at the head of an out queue.
func (e *run) evictHead(b *batch, q queueID, most int64) {
	i := e.queues[q].head
	dst := machine.SSD
	if q == outHost {
		dst = machine.Host
	}
	if b.forced != machine.Nowhere {
		dst = b.forced
	}
	n := min(most, int64(e.at(i).pages))
	switch dst { // up to the page that changes the destination
	case machine.SSD:
		if b.toSSD < b.ssdOut {
			n = min(n, b.ssdOut-b.toSSD)
		}
	case machine.Host:
		if b.toHost < b.hostOut {
			n = min(n, b.hostOut-b.toHost)
		}
		if !e.full() {
			n = min(n, e.hostPages-e.hostUsed)
		}
	}
	atCursor := e.cursor == i
	e.c.Record.Move(e.at(i).tensor, machine.GPU, dst, engine.Planned, n)
	e.leave(i, int32(n), dst)
	if atCursor {
		e.cursor = e.front(e.oldest)
	}
	e.gpuFree += n
	e.count(b, dst, n)
}

// count books n evicted pages and changes the forced destination when a quota
// or the host's memory is used up.
func (e *run) count(b *batch, dst machine.Tier, n int64) {
	switch dst {
	case machine.SSD:
		b.out += n
		if b.toSSD += n; b.toSSD == b.ssdOut {
			b.forced = machine.Host
		}
	case machine.Host:
		b.out += n
		e.hostUsed += n
		if b.toHost += n; b.toHost == b.hostOut || e.full() {
			b.forced = machine.SSD
		}
	}
}

// hasRoom reports whether a page can be placed: there is a free page, or one may
// leave. A system that drops dead pages sees when it knows which.
func (e *run) hasRoom(b *batch) bool {
	return e.gpuFree > 0 || e.dropsFreely() || e.mayLeave(b)
}

// dropsFreely reports whether dropping a dead page takes nothing from a link. As
// published it waits like others.
func (e *run) dropsFreely() bool { return e.rules.DropDead && !e.overcommit }

// mayLeave reports whether a page may leave the GPU over a link.
func (e *run) mayLeave(b *batch) bool {
	if b.out >= b.linkOut {
		return false
	}
	if e.linkHasShare(b) {
		return true
	}
	b.refused = true
	return false
}

// linkHasShare reports whether a page may leave now: to the host, or if that is full to
// the SSD, as far as the link there goes. As published a host with room takes all
// (quirk link-overcommit).
func (e *run) linkHasShare(b *batch) bool {
	if e.full() {
		return b.toSSD < b.ssdOut
	}
	return b.toHost < b.hostOut || e.overcommit
}

// fetch brings in pages of a fault queue, up to the quota of its source.
func (e *run) fetch(b *batch, q queueID) {
	moved, quota := b.moved(q.from()), b.of(q.from())
	if *moved >= *quota && !e.overcommit {
		return
	}
	for e.busy&q.only() != 0 && b.in < b.linkIn && b.allocs < b.mapping {
		if !e.hasRoom(b) {
			b.gated = true
			return
		}
		if e.charge(b, q, q.from()) && *moved == *quota {
			return
		}
		most := min(b.linkIn-b.in, b.mapping-b.allocs)
		if *moved < *quota {
			most = min(most, *quota-*moved)
		}
		n := e.place(b, q, most, true)
		if n == 0 { // all of GPU memory is queued to leave
			b.gated = true
			return
		}
		b.allocs, b.in, *moved = b.allocs+n, b.in+n, *moved+n
		if *moved == *quota {
			return
		}
	}
}

// fetchAhead brings in pages of a prefetch queue. It returns false when no
// victim may be taken for it.
func (e *run) fetchAhead(b *batch, q queueID) bool {
	moved, quota := b.moved(q.from()), b.of(q.from())
	for e.busy&q.only() != 0 && *moved < *quota && b.in < b.linkIn && e.hasRoom(b) {
		if e.charge(b, q, q.from()) {
			continue
		}
		n := e.place(b, q, min(b.linkIn-b.in, *quota-*moved), false)
		if n == 0 {
			return false
		}
		b.allocs, b.in, *moved = b.allocs+n, b.in+n, *moved+n
	}
	return true
}

// mapNew allocates pages of a queue of unallocated pages.
func (e *run) mapNew(b *batch, q queueID, fault bool) {
	for e.busy&q.only() != 0 && b.allocs < b.mapping {
		if !e.hasRoom(b) {
			b.gated = b.gated || fault
			return
		}
		n := e.place(b, q, b.mapping-b.allocs, fault)
		if n == 0 {
			return
		}
		b.allocs += n
	}
}

// place brings in up to most pages from the head of q, evicting victims when
// GPU memory is full. It does as many as behave alike and returns how many; 0
// means that no page may be evicted for a prefetch.
func (e *run) place(b *batch, q queueID, most int64, fault bool) int64 {
	h := e.at(e.queues[q].head)
	n := min(most, int64(h.pages))
	fromHost := q == faultHost || q == preHost
	why := engine.Planned
	if q <= faultNew {
		why = engine.OnFault
	}
	if e.gpuFree > 0 {
		n = min(n, e.gpuFree)
		e.allocate(n)
		e.c.Record.Move(h.tensor, h.loc, machine.GPU, why, n)
		if fromHost {
			e.release(b, n)
		}
		e.land(q, int32(n))
		return n
	}
	v := e.victim(fault || e.tensors[h.tensor].needed)
	if v == 0 {
		return 0
	}
	dst := e.destination(b, v)
	if dst != machine.Nowhere && e.dropsFreely() && !e.mayLeave(b) {
		return 0
	}
	x := e.at(v)
	if n = min(n, int64(x.pages)); x.younger == 0 && x.pages > 1 {
		n = min(n, int64(x.pages)-1) // the last one is followed by the pages that come in
	}
	if dst != machine.Nowhere {
		n = min(n, b.linkOut-b.out, e.room(b, dst, fromHost))
	}
	e.c.Record.Move(h.tensor, h.loc, machine.GPU, why, n)
	e.c.Record.Move(x.tensor, machine.GPU, dst, engine.ForRoom, n)
	e.takeVictim(v, n, dst)
	e.count(b, dst, n)
	if fromHost {
		e.release(b, n)
	}
	e.land(q, int32(n))
	return n
}

// room returns how many pages can be evicted to dst, one for each page that
// comes in, before the destination changes; the last of them may change it.
func (e *run) room(b *batch, dst machine.Tier, fromHost bool) int64 {
	if !e.overcommit {
		switch {
		case dst == machine.SSD && fromHost:
			return 1 // every host page that comes in opens the host again
		case dst == machine.SSD:
			return b.ssdOut - b.toSSD
		case fromHost:
			return b.hostOut - b.toHost // a page in, a page out
		}
		return min(b.hostOut-b.toHost, e.hostPages-e.hostUsed)
	}
	switch {
	case dst == machine.SSD && fromHost:
		return 1 // every host page that comes in opens the host again
	case dst == machine.SSD:
		if b.toSSD < b.ssdOut {
			return b.ssdOut - b.toSSD
		}
		return math.MaxInt64
	case fromHost && b.forced == machine.Nowhere:
		return math.MaxInt64 // a page in, a page out
	case fromHost && e.hostUsed+1 >= e.hostPages:
		return 1
	}
	n := int64(math.MaxInt64)
	if b.toHost < b.hostOut {
		n = b.hostOut - b.toHost
	}
	switch room := e.hostPages - e.hostUsed; {
	case fromHost:
		n = min(n, room-1)
	case room > 0:
		n = min(n, room)
	}
	return n
}

// release gives up the host copies of n pages that come in.
func (e *run) release(b *batch, n int64) {
	e.hostUsed -= n
	if b.forced == machine.SSD {
		b.forced = machine.Nowhere
	}
}

// victim returns the extent whose first page leaves next, or 0.
func (e *run) victim(fault bool) xid {
	if e.window > 0 {
		if fault {
			return e.oldestFree()
		}
		e.cursor = e.skipWindow(e.cursor)
		return e.cursor
	}
	i := xid(0)
	if !e.barren {
		i = e.skipHeld(e.cursor)
	}
	if i == 0 {
		i = e.oldestFree()
	}
	e.cursor = i
	return i
}

// oldestFree returns the oldest extent that may leave, or 0.
func (e *run) oldestFree() xid {
	if e.barren {
		return 0
	}
	i := e.skipHeld(e.oldest)
	e.barren = i == 0
	return i
}

// takeVictim evicts the first n pages of extent v.
func (e *run) takeVictim(v xid, n int64, dst machine.Tier) {
	next := e.at(v).younger
	if e.leave(v, int32(n), dst) && e.cursor == v {
		e.cursor = e.front(next)
	}
}

// dead reports whether victim v is dropped: nowhere is where it goes when a
// system that drops dead pages finds one.
func (e *run) dead(v xid) bool { return e.rules.DropDead && !e.alive(e.at(v).tensor) }

// destination returns where victim v goes: nowhere, or to the host, or to the
// SSD if the host is full. As published a share that runs out changes the
// destination, whatever room there is (quirk link-overcommit).
func (e *run) destination(b *batch, v xid) machine.Tier {
	switch {
	case e.dead(v):
		return machine.Nowhere
	case e.overcommit && b.forced != machine.Nowhere:
		return b.forced
	case e.overcommit || !e.full():
		return machine.Host
	}
	return machine.SSD
}

// repeats returns how many batches from now on move the same number of pages
// between the same extents, so that one batch with n times the shares does what
// they do. 1 is always right. Streams that evict by plan may run side by side;
// of those that come in, one may move pages and the others must be held up.
func (e *run) repeats() int64 {
	s, n := e.solvent()
	used := waitingFor(e.busy)
	var leaving, toSSD int64 // by plan, in each batch
	for q := outSSD; q <= outHost; q++ {
		if e.busy&q.only() == 0 {
			continue
		}
		k := min(s.ssdOut-toSSD, s.linkOut-leaving)
		if q == outHost && !e.full() {
			if k = min(s.hostOut, s.linkOut-leaving); k > 0 {
				n = min(n, (e.hostPages-e.hostUsed-1)/k)
			}
		} else if toSSD += k; k > 0 {
			used |= ssdWrites
		}
		if k > 0 {
			h := e.at(e.queues[q].head)
			if e.tensors[h.tensor].needed || h.begins {
				return 1
			}
			n = min(n, int64(h.pages)/k)
		}
		leaving += k
	}
	if ins := e.comingIn(&s); ins != 0 && n > 1 {
		q := queueID(bits.TrailingZeros16(uint16(ins)))
		n = min(n, e.repeatsIncoming(&s, q, ins&^q.only(), leaving, toSSD, &used))
	}
	if e.shareOf[used] != e.used {
		return 1 // the next batch has other shares
	}
	return max(1, n)
}

// mix is what decides which streams move: the busy queues and what is full.
func (e *run) mix() uint32 {
	m := uint32(e.busy) << 2
	if e.gpuFree == 0 {
		m |= 1
	}
	if e.full() {
		m |= 2
	}
	return m
}

// quota returns how many pages of queue q a batch may bring in after r pages of
// queue from.
func (s *share) quota(q, from queueID, r int64) int64 {
	isSSD := func(q queueID) bool { return q == faultSSD || q == preSSD }
	isHost := func(q queueID) bool { return q == faultHost || q == preHost }
	k := s.mapping - r
	if q > faultNew && q != preNew {
		k = math.MaxInt64 // prefetches of present data map without limit
	}
	if !isSSD(q) && !isHost(q) {
		return k
	}
	link := s.linkIn
	if isSSD(from) || isHost(from) {
		link -= r
	}
	own := s.hostIn
	if isSSD(q) {
		own = s.ssdIn
	}
	if isSSD(q) && isSSD(from) || isHost(q) && isHost(from) {
		own -= r
	}
	return min(k, link, own)
}

// repeatsIncoming is repeats for incoming queue q, the first, while batches move at most s
// and each evicts leaving pages by plan, toSSD of them to the SSD, and others also wait. What
// comes in from a full host makes room there, which the next batch uses. It adds
// the links that victims use.
func (e *run) repeatsIncoming(s *share, q queueID, others queueSet, leaving, toSSD int64, used *links) int64 {
	h := e.at(e.queues[q].head)
	fromHost := q == faultHost || q == preHost
	r := s.quota(q, resting, 0)
	if r <= 0 || h.begins || others != 0 && e.window > 0 && e.gpuFree < r || fromHost && e.full() && (leaving > 0 || e.gpuFree == 0 || e.busy&outHost.only() != 0) {
		return 1
	}
	n, leaves := int64(math.MaxInt32), leaving > 0
	shut := leaving == s.linkOut || e.full() && toSSD >= s.ssdOut || e.hostShut(s, leaving-toSSD) // once free memory is used up
	switch free := e.gpuFree + leaving; {
	case free >= r:
		shut = false
		if leaving < r {
			n = (free-r)/(r-leaving) + 1
		}
	case free > 0:
		if e.gpuFree > 0 || !shut || e.dropsFreely() {
			return 1
		}
		r = leaving
	case leaving > 0 || shut:
		return 1
	default:
		v := e.victim(q <= faultNew || e.tensors[h.tensor].needed)
		if v == 0 {
			if others != 0 || e.blocked && !e.pending {
				return 1
			}
			return math.MaxInt32 // stalled until the next kernel
		}
		if e.tensors[e.at(v).tensor].needed {
			return 1
		}
		if !e.dead(v) {
			leaves = true
			r = min(r, s.linkOut)
			if e.full() {
				r = min(r, s.ssdOut)
				*used |= ssdWrites
				toSSD = r
			} else if *used |= hostWrites; !fromHost {
				if e.overcommit && r > s.hostOut {
					return 1
				}
				r = min(r, s.hostOut)
				n = (e.hostPages - e.hostUsed - 1) / r
			}
			shut = r == s.linkOut || e.full() && r == s.ssdOut || e.hostShut(s, r)
		}
		if r <= 0 {
			return 1
		}
		n = min(n, int64(e.at(v).pages)/r)
		if e.dropsFreely() { // what comes behind this victim may be dead
			n, shut = min(n, int64(e.at(v).pages-1)/r), false
		}
	}
	for !shut && others != 0 {
		o := queueID(bits.TrailingZeros16(uint16(others)))
		if s.quota(o, q, r) > 0 {
			e.interleaving = e.mix() // two streams come in and interleave
			return 1
		}
		others &^= o.only()
	}
	fromSSD := q == faultSSD || q == preSSD
	if toSSD > 0 && fromSSD {
		*used |= ssdBoth
	}
	if leaves && (fromSSD || fromHost) {
		*used |= bothWays
	}
	return min(n, int64(h.pages)/r)
}

// hostShut reports whether nothing can leave in a batch in which n pages have left
// for a host that has room.
func (e *run) hostShut(s *share, n int64) bool {
	return !e.overcommit && !e.full() && n >= s.hostOut
}

// attributeStall books the time since the last mark, as far as it is stall, under what
// the blocked kernel has been waiting for.
func (e *run) attributeStall(now unit.Cycles) {
	if from := max(e.mark, e.hiddenUntil); now > from {
		*e.iteration().Ledger.At(e.waiting) += now - from
		e.c.Record.Stall(e.waiting, from, now)
	}
	e.mark = max(e.mark, now)
}

// cause says what a blocked kernel waits for, the slowest source first.
func (e *run) cause() result.Cause {
	switch {
	case e.gated:
		return result.Eviction
	case e.busy&faultSSD.only() != 0:
		return result.SSDRead
	case e.busy&faultHost.only() != 0:
		return result.HostRead
	case e.faulting():
		if !e.c.Quirks.Has(quirk.CoarseBatch) {
			return result.Eviction // what was free is mapped already: the rest waits for room
		}
		return result.Allocation
	case e.busy&aheadQueues != 0:
		return result.LatePrefetch
	}
	return result.Eviction
}
