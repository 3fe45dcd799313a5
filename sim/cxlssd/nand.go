package cxlssd

import (
	"errors"
	"fmt"
	"math"

	"spillway/sim/flash"
	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A nand is the flash of a device: clocks of its channels or dies, the translation
// layer with garbage collection, and what they did. Pages are those of the footprint;
// foreign stands for any other, which is written but never read.
//
// # Servers
//
// With OneLUN each channel is a server, else each plane of each die. A server works on
// one page at a time and has two clocks: what requests and evictions have it do, and
// what compaction has it do. The former go first: they wait only for the program slot
// of compaction that is under way, and push its clock back. With RunAhead the reads of
// compaction are on the first clock, though they begin later than what comes behind them.
//
// # Placement
//
// Page p of the footprint is where it would be had all been written in order. A program
// goes to the next place of the open superblock: the same block of every server, the
// channel first, then the die. The page is read from there afterwards.
//
// # Collection
//
// It begins when a superblock is opened and free ones are at most CollectAt, and ends at
// CollectUntil, or with one more than it began with if they are the same. One superblock
// is collected after another, whenever a server has nothing to do for requests: they
// wait for the page or the erase that is under way. Old pages (Preconditioned) are
// counts.
//
// # Departures
//
//  1. The artifact books a whole collection on the clocks of requests at once; then one
//     request waits for the seconds that thousands of superblocks take. None of its
//     published runs collected anything.
//  2. A page is collected by the server that it is copied to, and does not pass the bus.
//  3. Transfers over the bus of a channel take their turns in the order of the requests.
//  4. Compaction waits for the superblock being collected, not for the whole collection.
//  5. As many foreign pages are valid at most as the footprint has.
//  6. The estimate has work done when that was expected as it was booked. What went
//     before it since, requests before compaction or collection, is not added.
type nand struct {
	ftl                  *flash.Layer
	servers              []server
	width, channels      uint32
	read1, prog1, erase1 unit.Time // what one takes
	ahead                bool      // RunAhead

	transfer unit.Time   // of a page over the bus of its channel; 0 is without limit
	bus      []unit.Time // by channel: when its bus is free

	counting bool          // queues are counted, for the estimate
	queues   [][]unit.Time // of a channel and a kind: when each piece of work will be done, a heap
	asked    unit.Time     // when an estimate was asked for last

	due       bool      // collection goes on
	collected unit.Time // when the superblock that is being collected will be done
	turn      uint32    // the server that the next odd page of a collection goes to

	pages   int32 // of the footprint
	foreign int32 // which of the foreign pages is written next

	collectionReads, collectionPrograms, erases int64 // erases are of blocks, not of superblocks

	reads, programs, compactReads, compactPrograms Work

	tell   func(server int, what FlashWork, from, to unit.Time) // nil of nobody
	untold [][]piece                                            // by server, with tell
	books  func(from, to unit.Time, pages, blocks int64)        // told of collection; nil of nobody
}

// A server is a channel, or a plane of a die.
type server struct {
	user, flush unit.Time // the clocks: when it is free
	busy        unit.Time // how long it has worked
	debt        unit.Time // collection that it has to do
}

// A piece is work of compaction that requests may still put off.
type piece struct {
	what       FlashWork
	begin, end unit.Time
}

// asks tells what somebody has a server do, before that the work of compaction up to then, and
// puts off the rest.
func (n *nand) asks(w uint32, what FlashWork, start, end unit.Time) {
	list, took := n.untold[w], end-start
	told := 0
	for i := range list {
		p := &list[i]
		switch {
		case p.end <= start:
			n.tell(int(w), p.what, p.begin, p.end)
			told++
			continue
		case p.begin < start:
			n.tell(int(w), p.what, p.begin, start)
			p.begin = start
		}
		p.begin += took
		p.end += took
	}
	n.untold[w] = append(list[:0], list[told:]...)
	n.tell(int(w), what, start, end)
}

// The kinds of work that a queue counts.
const (
	queuedReads uint32 = iota
	queuedPrograms
	queuedKinds
)

// forever is the estimate of a read that collection blocks: it always switches.
const forever = unit.Time(math.MaxInt64)

// Servers returns how many pieces of work the flash does at the same time: one of each channel
// with OneLUN, else one of each plane of each die. The channel of server n is n modulo their
// number.
func (s *Setup) Servers() int64 {
	if s.Quirks.Has(OneLUN) {
		return s.Channels
	}
	return s.Channels * s.Dies * s.Planes
}

// blocks returns how many blocks the flash has.
func (s *Setup) blocks() int64 { return s.Channels * s.Dies * s.Planes * s.Blocks }

// superblocks returns how many superblocks the flash has, at how few free ones
// collection begins, and at how many it ends.
func (s *Setup) superblocks() (all, begin, end int64) {
	all = s.blocks() / s.Servers()
	begin = all * s.CollectAt / 1000
	return all, begin, max(begin+1, (all*s.CollectUntil+999)/1000)
}

// Capacity returns the size of the flash.
func (s *Setup) Capacity() unit.Bytes { return unit.Bytes(s.blocks()*s.Pages) * unit.Page }

// What a run has memory and time for: servers, superblocks, and pages of one.
const (
	mostServers     = 1 << 16
	mostSuperblocks = 1 << 19
	mostPages       = 1 << 21
)

// checkFlash reports why a footprint cannot run on the setup's flash.
func (s *Setup) checkFlash(pages int32) error {
	total := int64(1)
	for _, n := range []int64{s.Channels, s.Dies, s.Planes, s.Blocks, s.Pages} {
		if n < 1 {
			return errors.New("channels, dies, planes, blocks and pages must each be 1 or more")
		}
		if total *= n; total > math.MaxInt32 {
			return fmt.Errorf("the flash has more than %d pages; lower channels, dies, planes, blocks or pages", math.MaxInt32)
		}
	}
	all, _, end := s.superblocks()
	block := s.Servers() * s.Pages
	switch {
	case all < 4:
		return fmt.Errorf("the flash has %d superblocks; collection needs 4 or more: raise the blocks of a plane", all)
	case s.Servers() > mostServers:
		return fmt.Errorf("the flash has %d planes of dies that work at the same time; a run has room for %d: lower channels, dies or planes", s.Servers(), mostServers)
	case all > mostSuperblocks:
		return fmt.Errorf("the flash has %d superblocks; a run has room for %d: lower dies, planes or blocks, or raise the pages of a block", all, mostSuperblocks)
	case block > mostPages:
		return fmt.Errorf("a superblock, of a block of every die, has %d pages; a run has room for %d: lower channels, dies, planes or the pages of a block", block, mostPages)
	}
	used := (2*int64(pages)+block-1)/block + (all*s.Preconditioned+999)/1000
	if used+end+1 > all {
		most := max(0, (all-end-1-(2*int64(pages)+block-1)/block)*1000/all)
		return fmt.Errorf("footprint, foreign and old pages fill %d of %d superblocks, and collection goes on until %d are free: it would never end; lower precondition (to %s %% or less) or collect_until (%s %%), or enlarge the flash",
			used, all, end, knob.Decimal(most, 10), knob.Decimal(s.CollectUntil, 10))
	}
	return nil
}

// newNAND returns flash that holds the footprint, as the setup says, and that estimates
// reads or not. The setup is one that checkFlash accepts.
func newNAND(s *Setup, pages int32, estimates bool) *nand {
	all, begin, end := s.superblocks()
	n := &nand{
		servers: make([]server, s.Servers()), width: uint32(s.Servers()), channels: uint32(s.Channels),
		read1: s.Read, prog1: s.Program, erase1: s.Erase,
		ahead: s.Quirks.Has(RunAhead), counting: estimates, pages: pages,
	}
	shape := flash.Shape{
		Units: 1, Blocks: int32(all), Pages: int32(s.Servers() * s.Pages), Logical: 2 * pages,
		Begin: int32(begin), End: int32(end), Stepped: true,
	}
	n.ftl = flash.NewLayer(&shape)
	n.ftl.Fill(pages)
	if s.Preconditioned > 0 {
		n.age(s, &shape)
	}
	if s.ChannelRate > 0 {
		n.transfer = s.ChannelRate.Time(unit.Page)
		n.bus = make([]unit.Time, s.Channels)
	}
	if n.counting {
		n.queues = make([][]unit.Time, n.channels*queuedKinds)
	}
	return n
}

// age fills superblocks with old pages, of which Preconditioned are valid: all but those
// of the footprint and as many as leave collection about to begin.
func (n *nand) age(s *Setup, h *flash.Shape) {
	filled := max(1, (n.pages+h.Pages-1)/h.Pages)
	valid := oldBlocks(h.Blocks-filled-max(1, h.Begin), h.Pages, int64(h.Blocks)*int64(h.Pages)*s.Preconditioned/1000)
	for i := len(valid) - 1; i >= 0; i-- { // the oldest first
		n.ftl.Age(0, valid[i])
	}
	n.ftl.Begin(0)
	n.due = n.ftl.Due(0)
}

// oldBlocks returns how many pages are valid in each of so many blocks of so many pages,
// the youngest first, of total in all, rounded down in each.
//
// Under uniform random overwriting, with blocks collected in the order in which they
// were written, the share of valid pages falls from block to block by the same factor;
// it is found so that the sum is right.
func oldBlocks(blocks, pages int32, total int64) []int32 {
	const one = 1 << 24
	valid := make([]int32, blocks)
	fill := func(factor int64) (sum int64) {
		v := int64(pages) << 20
		for i := range valid {
			v = unit.MulDiv(v, factor, one)
			valid[i] = int32(v >> 20)
			sum += v >> 20
		}
		return sum
	}
	low, high := int64(0), int64(one)
	for high-low > 1 {
		if f := (low + high) / 2; fill(f) > total {
			high = f
		} else {
			low = f
		}
	}
	fill(low)
	return valid
}

// where returns the server of a page.
func (n *nand) where(page uint32) uint32 { return uint32(n.ftl.Home(int32(page))) % n.width }

// read is a read that a request waits for. It returns when the page is there, and how
// long the flash itself took of that; the rest was queue.
func (n *nand) read(page uint32, now unit.Time) (done, took unit.Time) {
	if n.due {
		n.collect(now)
	}
	w := n.where(page)
	done = n.work(&n.servers[w], now, n.read1)
	if n.tell != nil {
		n.asks(w, ReadPage, done-n.read1, done)
	}
	took = n.read1
	if n.transfer > 0 {
		done = max(done+n.transfer, n.pass(w, now))
		took += n.transfer
	}
	n.reads.add(done - now)
	if n.counting {
		n.enqueue(w, queuedReads, done)
	}
	return done, took
}

// program writes a page that left the cache or host DRAM: nobody waits for it, but it
// takes its server's time.
func (n *nand) program(page uint32, now unit.Time) {
	w := n.write(page, now)
	at := now
	if n.transfer > 0 {
		at = n.pass(w, now)
	}
	done := n.work(&n.servers[w], at, n.prog1)
	n.programs.add(done - now)
	if n.tell != nil {
		n.asks(w, ProgramPage, done-n.prog1, done)
	}
	if n.counting {
		n.enqueue(w, queuedPrograms, done)
	}
}

// work has a server do what somebody asks it at a time, and returns when that is done.
func (n *nand) work(s *server, at, took unit.Time) unit.Time {
	start := max(at, s.user)
	if s.debt > 0 {
		start = n.yield(s, at)
	}
	if ahead := s.flush - start; ahead > 0 {
		start += ahead % n.prog1
		s.flush += took
	}
	s.user = start + took
	s.busy += took
	return s.user
}

// compactRead and compactProgram are those of a compaction. They return when they are done.
func (n *nand) compactRead(page uint32, now unit.Time) unit.Time {
	if n.due {
		n.collect(now)
	}
	w := n.where(page)
	var done unit.Time
	if n.ahead { // requests queue behind reads that begin later
		done = n.work(&n.servers[w], now, n.read1)
		if n.tell != nil {
			n.asks(w, ReadPage, done-n.read1, done)
		}
	} else {
		done = n.flush(&n.servers[w], now, n.read1)
		if n.tell != nil {
			n.untold[w] = append(n.untold[w], piece{CompactRead, done - n.read1, done})
		}
	}
	if n.transfer > 0 {
		done = max(done+n.transfer, n.pass(w, now))
	}
	n.compactReads.add(done - now)
	if n.counting {
		n.enqueue(w, queuedReads, done)
	}
	return done
}

// compactProgram returns when the page is programmed.
func (n *nand) compactProgram(page uint32, now unit.Time) unit.Time {
	w := n.write(page, now)
	at := now
	if n.transfer > 0 {
		at = n.pass(w, now)
	}
	done := n.flush(&n.servers[w], at, n.prog1)
	n.compactPrograms.add(done - now)
	if n.tell != nil {
		n.untold[w] = append(n.untold[w], piece{CompactProgram, done - n.prog1, done})
	}
	if n.counting {
		n.enqueue(w, queuedPrograms, done)
	}
	return done
}

// flush is work of compaction, which waits for collection.
func (n *nand) flush(s *server, at, took unit.Time) unit.Time {
	at = max(at, s.flush)
	if s.debt > 0 {
		at = max(at, s.user+s.debt)
	}
	s.flush = at + took
	s.busy += took
	return s.flush
}

// pass has the bus of a server's channel carry a page, and returns when it has.
func (n *nand) pass(w uint32, now unit.Time) unit.Time {
	b := &n.bus[w%n.channels]
	*b = max(*b, now) + n.transfer
	return *b
}

// write gives a page, or a foreign one, its next place and returns the server there.
func (n *nand) write(page uint32, now unit.Time) uint32 {
	if n.due {
		n.collect(now)
	}
	if page == foreign {
		page = uint32(n.pages + n.foreign)
		if n.foreign++; n.foreign == n.pages {
			n.foreign = 0
		}
	}
	copied, erased := n.ftl.Write(int32(page))
	if erased > 0 {
		n.book(copied, erased, now)
	}
	if !n.due && n.ftl.Due(0) {
		n.due, n.collected = true, max(n.collected, now)
	}
	return n.where(page)
}

// collect has superblocks collected that it is time for.
func (n *nand) collect(now unit.Time) {
	for n.due && n.collected <= now {
		copied, ok := n.ftl.Collect(0)
		n.due = n.ftl.Due(0)
		if ok {
			n.book(copied, 1, n.collected)
		}
	}
}

// book has the servers do the work of a collection from a time on.
func (n *nand) book(copied, erased int32, at unit.Time) {
	n.collectionReads += int64(copied)
	n.collectionPrograms += int64(copied)
	n.erases += int64(erased) * int64(n.width)
	each, more := uint32(copied)/n.width, uint32(copied)%n.width
	for i := range n.servers {
		s := &n.servers[i]
		c := unit.Time(each)
		if (uint32(i)+n.width-n.turn)%n.width < more {
			c++
		}
		took := c*(n.read1+n.prog1) + unit.Time(erased)*n.erase1
		if idle := at - s.user; idle > 0 {
			s.debt -= min(s.debt, idle)
			s.user = at
		}
		s.busy += took
		s.debt += took
		n.collected = max(n.collected, s.user+s.debt)
	}
	n.turn = (n.turn + more) % n.width
	if n.books != nil {
		n.books(at, n.collected, int64(copied), int64(erased)*int64(n.width))
	}
}

// yield returns when a server that has collection to do is free for a request at a
// time: it has collected since it was free, and ends the copy or erase under way.
func (n *nand) yield(s *server, at unit.Time) unit.Time {
	idle := at - s.user
	if idle <= 0 {
		return s.user
	}
	if idle < s.debt-n.erase1 {
		copies := n.read1 + n.prog1
		done := min(s.debt, (idle+copies-1)/copies*copies)
		s.debt -= done
		return s.user + done
	}
	done := s.debt
	s.debt = 0
	return max(at, s.user+done)
}

// estimate is the paper's: how long a read of page will take, by what is queued at its
// channel. Erases are part of collection, and a read that this blocks always switches.
// Times rise from call to call.
func (n *nand) estimate(page uint32, now unit.Time) unit.Time {
	if n.due {
		n.collect(now)
	}
	w := n.where(page)
	if s := &n.servers[w]; s.debt > 0 && s.user+s.debt > now {
		return forever
	}
	n.asked = now
	c := w % n.channels * queuedKinds
	return n.read1*unit.Time(n.settle(c+queuedReads)+1) + n.prog1*unit.Time(n.settle(c+queuedPrograms))
}

// enqueue counts work at a server's channel that will be done at a time.
func (n *nand) enqueue(w uint32, kind uint32, done unit.Time) {
	c := w%n.channels*queuedKinds + kind
	n.settle(c)
	q := append(n.queues[c], done)
	n.queues[c] = q
	for i := len(q) - 1; i > 0 && q[(i-1)/2] > done; i = (i - 1) / 2 {
		q[i], q[(i-1)/2] = q[(i-1)/2], q[i]
	}
}

// settle forgets what of a queue was done when an estimate was asked for last, which no
// later one counts, and returns how much is left. Bookings may be of times to come.
func (n *nand) settle(c uint32) int {
	q := n.queues[c]
	for len(q) > 0 && q[0] <= n.asked {
		last := len(q) - 1
		q[0] = q[last]
		q = q[:last]
		for i := 0; ; {
			least := i
			for k := 2*i + 1; k < min(2*i+3, last); k++ {
				if q[k] < q[least] {
					least = k
				}
			}
			if least == i {
				break
			}
			q[i], q[least] = q[least], q[i]
			i = least
		}
	}
	n.queues[c] = q
	return len(q)
}

// backlog returns how much work is queued on the busiest server.
func (n *nand) backlog(now unit.Time) unit.Time {
	most := now
	for i := range n.servers {
		s := &n.servers[i]
		most = max(most, s.user+s.debt, s.flush)
	}
	return most - now
}

// report says what the flash did.
func (n *nand) report(r *Result) {
	for w, list := range n.untold {
		for _, p := range list {
			n.tell(w, p.what, p.begin, p.end)
		}
	}
	r.ChannelBusy = make([]unit.Time, n.channels) // the dies of a channel together
	for i := range n.servers {
		r.ChannelBusy[uint32(i)%n.channels] += n.servers[i].busy
	}
	r.ReadWork, r.ProgramWork, r.CompactReadWork, r.CompactProgramWork = n.reads, n.programs, n.compactReads, n.compactPrograms
	r.CollectionReads, r.CollectionPrograms, r.Erases = n.collectionReads, n.collectionPrograms, n.erases
}
