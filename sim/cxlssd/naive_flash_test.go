package cxlssd

import (
	"slices"

	"spillway/sim/unit"
)

// naiveStore is flash as the device uses it.
type naiveStore interface {
	read(page uint32, now unit.Time) (done, flash unit.Time)
	estimate(page uint32, now unit.Time) unit.Time
	program(page uint32, now unit.Time)
	compactRead(page uint32, now unit.Time) unit.Time
	compactProgram(page uint32, now unit.Time) unit.Time
	backlog(now unit.Time) unit.Time
	report(r *Result)
}

// newNaiveStore returns a plain flash where nothing is collected.
func newNaiveStore(s *Setup, pages int32, estimates bool) naiveStore {
	if s.Preconditioned > 0 || s.Blocks*s.Pages < enough {
		return newNAND(s, pages, estimates)
	}
	return newNaiveFlash(s, pages)
}

// enough pages on a die are never used up in tests.
const enough = 1_000_000

// naiveFlash is flash without collection, straight from its description.
type naiveFlash struct {
	reads, programs, compactReads, compactPrograms Work

	s           *Setup
	user, flush []unit.Time // of each server: when it is free for requests, and for compaction
	busy        []unit.Time // of each channel, all its servers
	bus         []unit.Time // of each channel: when it is free
	place       map[uint32]int
	written     int
	work        [][]naiveWork // of each channel
}

// naiveWork is something that a channel has to do.
type naiveWork struct {
	done, took unit.Time
}

func newNaiveFlash(s *Setup, pages int32) *naiveFlash {
	n := &naiveFlash{
		s: s, user: make([]unit.Time, s.Servers()), flush: make([]unit.Time, s.Servers()), busy: make([]unit.Time, s.Channels),
		bus: make([]unit.Time, s.Channels), place: map[uint32]int{}, work: make([][]naiveWork, s.Channels),
	}
	for p := range pages {
		n.put(uint32(p))
	}
	return n
}

// put gives a page the next place.
func (n *naiveFlash) put(page uint32) {
	n.place[page] = n.written
	n.written++
}

// server is where a page is; servers of the same channel are Channels apart.
func (n *naiveFlash) server(page uint32) int { return n.place[page] % len(n.user) }

func (n *naiveFlash) channel(page uint32) int { return n.server(page) % int(n.s.Channels) }

// transfer is how long the bus takes for a page, 0 of one without limit.
func (n *naiveFlash) transfer() unit.Time {
	if n.s.ChannelRate == 0 {
		return 0
	}
	return n.s.ChannelRate.Time(unit.Page)
}

// book is work of a page that a request or an eviction asks for, or compaction. The
// former goes before what compaction has queued, but for the program under way.
func (n *naiveFlash) book(page uint32, now unit.Time, program, compacts bool) (done unit.Time) {
	server, channel, bus := n.server(page), n.channel(page), n.transfer()
	n.bus[channel] = max(n.bus[channel], now) + bus
	took, at := n.s.Read, now
	if program {
		took = n.s.Program
		if bus > 0 {
			at = n.bus[channel] // the page has to be there first
		}
	}
	if compacts {
		n.flush[server] = max(n.flush[server], at) + took
		done = n.flush[server]
	} else {
		begin := max(at, n.user[server])
		if n.flush[server] > begin {
			begin += (n.flush[server] - begin) % n.s.Program
			n.flush[server] += took
		}
		n.user[server] = begin + took
		done = n.user[server]
	}
	n.busy[channel] += took
	if bus > 0 && !program {
		done = max(done+bus, n.bus[channel])
	}
	n.work[channel] = append(n.work[channel], naiveWork{done, took})
	return done
}

func (n *naiveFlash) read(page uint32, now unit.Time) (done, flash unit.Time) {
	done = n.book(page, now, false, false)
	n.note(&n.reads, done-now)
	return done, n.s.Read + n.transfer()
}

// estimate is a read and whatever the channel has not done.
func (n *naiveFlash) estimate(page uint32, now unit.Time) unit.Time {
	c := n.channel(page)
	n.work[c] = slices.DeleteFunc(n.work[c], func(w naiveWork) bool { return w.done <= now })
	total := n.s.Read
	for _, w := range n.work[c] {
		total += w.took
	}
	return total
}

func (n *naiveFlash) program(page uint32, now unit.Time) {
	n.put(page)
	n.note(&n.programs, n.book(page, now, true, false)-now)
}

// note counts how long a piece of work took, and returns that.
func (n *naiveFlash) note(w *Work, took unit.Time) unit.Time {
	w.Latency.Add(took)
	if took > w.Longest {
		w.Longest = took
	}
	return took
}

func (n *naiveFlash) compactRead(page uint32, now unit.Time) unit.Time {
	return now + n.note(&n.compactReads, n.book(page, now, false, !n.s.Quirks.Has(RunAhead))-now)
}

func (n *naiveFlash) compactProgram(page uint32, now unit.Time) unit.Time {
	n.put(page)
	return now + n.note(&n.compactPrograms, n.book(page, now, true, true)-now)
}

func (n *naiveFlash) backlog(now unit.Time) unit.Time {
	return max(slices.Max(n.user), slices.Max(n.flush), now) - now
}

func (n *naiveFlash) report(r *Result) {
	r.ChannelBusy = n.busy
	r.ReadWork, r.ProgramWork, r.CompactReadWork, r.CompactProgramWork = n.reads, n.programs, n.compactReads, n.compactPrograms
}
