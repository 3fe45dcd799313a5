package paged

import (
	"math"

	"spillway/sim/train/engine/link"
	"spillway/sim/unit"
)

// What a program moves costs the driver something for each transfer of a tensor, however
// large it is. The direction it goes in pays: of its share of a batch as many pages are lost
// as it would have moved in that time, faults and victims included. What a share has no room
// for any more the next batch pays. Faults have their own cost, and what is fresh is mapped.

// from returns over which direction pages of incoming queue q come.
func (q queueID) from() link.Direction {
	if q == faultSSD || q == preSSD {
		return link.SSDIn
	}
	return link.HostIn
}

// of returns how many pages a batch may move in a direction.
func (s *share) of(d link.Direction) *int64 {
	return [...]*int64{link.SSDOut: &s.ssdOut, link.SSDIn: &s.ssdIn, link.HostOut: &s.hostOut, link.HostIn: &s.hostIn}[d]
}

// moved returns how many pages the batch has moved in a direction.
func (b *batch) moved(d link.Direction) *int64 {
	return [...]*int64{link.SSDOut: &b.toSSD, link.SSDIn: &b.inSSD, link.HostOut: &b.toHost, link.HostIn: &b.inHost}[d]
}

// charge makes direction d pay for the transfer that begins at the head of q, and reports
// whether one does.
func (e *run) charge(b *batch, q queueID, d link.Direction) bool {
	h := e.at(e.queues[q].head)
	if !h.begins {
		return false
	}
	h.begins = false
	e.owed[d] += e.cost
	e.pay(b, d)
	return true
}

// pay takes what d owes off its share of the batch, as far as there is something left.
func (e *run) pay(b *batch, d link.Direction) {
	if e.owed[d] == 0 {
		return
	}
	lost := min(e.owes(d), *b.of(d)-*b.moved(d))
	if lost <= 0 {
		return
	}
	*b.of(d) -= lost
	e.owed[d] -= unit.Cycles(unit.MulDiv(lost, int64(e.share.period), *e.share.of(d)))
	b.paid = true
}

// owes returns the whole pages that d would move in the time that it owes.
func (e *run) owes(d link.Direction) int64 {
	return unit.MulDiv(int64(e.owed[d]), *e.share.of(d), int64(e.share.period))
}

// owing reports whether some direction owes a page.
func (e *run) owing() bool {
	for d := range link.Directions {
		if e.owed[d] > 0 && e.owes(d) > 0 {
			return true
		}
	}
	return false
}

// solvent returns what each of the next n batches may move while directions pay with all of
// their shares. n is 1 where one pays with a part of the next.
func (e *run) solvent() (s share, n int64) {
	s, n = e.share, math.MaxInt32
	for d := range link.Directions {
		if e.owed[d] == 0 || e.owes(d) == 0 {
			continue
		}
		n = min(n, int64(e.owed[d]/s.period))
		*s.of(d) = 0
	}
	return s, max(1, n)
}

// comingIn returns the incoming queues that hold pages, without those of directions that
// only pay.
func (e *run) comingIn(s *share) queueSet {
	ins := e.busy & inQueues
	if s.ssdIn == 0 && e.share.ssdIn > 0 {
		ins &^= 1<<faultSSD | 1<<preSSD
	}
	if s.hostIn == 0 && e.share.hostIn > 0 {
		ins &^= 1<<faultHost | 1<<preHost
	}
	return ins
}
