package deepum

import (
	"iter"
	"math"
	"slices"

	"spillway/sim/train/engine/blocks"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A run is what a Pager asks of a blocks.Run.
type run interface {
	Resident(blocks.ID) bool
	Active(blocks.ID) bool
	Oldest() iter.Seq[blocks.ID]
}

// settings are a Pager's parameters.
type settings struct {
	geometry
	degree     int  // kernels that are predicted
	prefetch   bool // blocks that are expected come before they are needed
	ready      int  // chunks of memory that pre-eviction holds free; 0: off
	invalidate bool
}

// A Pager is DeepUM's driver in one run.
type Pager struct {
	settings
	run        run
	spare      Spare // of somebody's own; nil: what is expected is spared
	executions executionTable
	tables     []*blockTable       // by execution ID; nil: nothing has faulted there yet
	kernels    []workload.KernelID // that was launched last, by execution ID
	count      int                 // of tables

	history history // real launches
	last    entry   // that of the block which faulted last in the running kernel

	// The chain is the kernels that are predicted to come after the running one. Launches
	// are numbered; the running one is launch, the first of the chain launch+1. Numbers
	// are left out when a chain breaks.
	launch int64
	chain  []blocks.ExecID
	tail   history // real launches and then the chain

	blocks []block
	front  []item // wait to be brought; the last is first
	back   []item // wait behind those, from head on in order
	head   int
	waits  int       // blocks in the queue; other items of it do not count
	ticket uint32    // of the last that was queued
	flying blocks.ID // what Next returned last
	walked []entry   // and found are working memory of walk
	found  []blocks.ID
}

// A block is what a Pager knows of one.
type block struct {
	expected int64  // the last launch that is expected to need it
	seen     int64  // the last launch in which it was met after a fault
	ticket   uint32 // its place in the queue is the item with the same; 0: it does not wait
}

// An item is a place in the queue, which counts while its block has the same ticket.
type item struct {
	b      blocks.ID
	ticket uint32
}

func newPager(r run, s settings) *Pager {
	p := &Pager{settings: s, run: r, history: history{noExec, noExec, noExec, noExec}, flying: blocks.None}
	p.tail = p.history
	return p
}

// on reports whether anything needs tables.
func (p *Pager) on() bool { return p.prefetch || p.ready > 0 }

// Launch learns which kernel follows, drops the predictions if that is another than
// predicted, and predicts up to the look-ahead degree.
func (p *Pager) Launch(k workload.KernelID, id blocks.ExecID) {
	if !p.on() {
		return
	}
	for int(id) >= len(p.tables) {
		p.tables = append(p.tables, nil)
		p.kernels = append(p.kernels, k)
	}
	p.kernels[id] = k
	p.executions.learn(&p.history, id)
	p.history.push(id)
	p.last = start
	p.sweep()
	if len(p.chain) > 0 && p.chain[0] == id {
		p.chain = p.chain[:copy(p.chain, p.chain[1:])]
		p.launch++
	} else {
		p.flush()
		p.chain = p.chain[:0]
		p.tail = p.history
		p.launch += int64(p.degree) + 1 // what was expected of the old chain is not any more
		p.extend(id, p.launch)
	}
	for len(p.chain) < p.degree {
		id := p.executions.predict(&p.tail)
		if id == noExec {
			return
		}
		p.tail.push(id)
		p.chain = append(p.chain, id)
		p.extend(id, p.launch+int64(len(p.chain)))
	}
}

// extend expects what the table of a kernel names at a launch, and queues what is not
// on the GPU.
func (p *Pager) extend(id blocks.ExecID, launch int64) {
	t := p.tables[id]
	if t == nil {
		return
	}
	p.found = p.found[:0]
	p.walk(t, start, func(b *block) bool {
		if b.expected == launch {
			return false
		}
		b.expected = launch
		return true
	})
	for _, b := range p.found {
		if item, ok := p.queue(b); ok {
			p.back = append(p.back, item)
		}
	}
}

// walk finds the successors of e, their successors and so on, each once: those for
// which unseen is true.
func (p *Pager) walk(t *blockTable, e entry, unseen func(*block) bool) {
	p.walked = append(p.walked[:0], e)
	for i := 0; i < len(p.walked); i++ {
		for _, s := range t.after(p.walked[i]) {
			b := blocks.ID(s)
			if !unseen(p.block(b)) {
				continue
			}
			p.found = append(p.found, b)
			if e := t.find(b); e != none {
				p.walked = append(p.walked, e)
			}
		}
	}
}

// queue gives b a place, unless it has one or needs none.
func (p *Pager) queue(b blocks.ID) (item, bool) {
	if !p.prefetch || p.blocks[b].ticket != 0 || p.run.Resident(b) {
		return item{}, false
	}
	if p.ticket++; p.ticket == 0 {
		p.ticket = 1
	}
	p.blocks[b].ticket = p.ticket
	p.waits++
	return item{b, p.ticket}, true
}

// leave takes b out of the queue.
func (p *Pager) leave(b *block) {
	if b.ticket != 0 {
		b.ticket = 0
		p.waits--
	}
}

// flush empties the queue.
func (p *Pager) flush() {
	for _, list := range [2][]item{p.front, p.back[p.head:]} {
		for _, x := range list {
			if b := &p.blocks[x.b]; b.ticket == x.ticket {
				p.leave(b)
			}
		}
	}
	p.front, p.back, p.head = p.front[:0], p.back[:0], 0
}

// sweep removes items that do not count when they are the most.
func (p *Pager) sweep() {
	if len(p.front)+len(p.back)-p.head < 2*p.waits+1024 {
		return
	}
	gone := func(x item) bool { return p.blocks[x.b].ticket != x.ticket }
	p.front = slices.DeleteFunc(p.front, gone)
	p.back = slices.DeleteFunc(p.back[:copy(p.back, p.back[p.head:])], gone)
	p.head = 0
}

// Fault learns that b follows the block that faulted before it. If it was not queued
// or on its way, what is known to follow it in the running kernel is brought first.
func (p *Pager) Fault(b blocks.ID, queued bool) {
	if !p.on() || len(p.tables) == 0 {
		return
	}
	id := p.history[3]
	t := p.tables[id]
	if t == nil {
		t = newBlockTable(p.geometry)
		p.tables[id] = t
		p.count++
	}
	t.learn(p.last, b)
	p.last = t.touch(b)
	t.end = b

	x := p.block(b)
	p.leave(x) // it is served now
	x.expected = max(x.expected, p.launch)
	x.seen = p.launch
	if queued {
		return
	}
	p.found = p.found[:0]
	p.walk(t, p.last, func(b *block) bool {
		if b.seen == p.launch {
			return false
		}
		b.seen = p.launch
		b.expected = max(b.expected, p.launch)
		return true
	})
	for _, b := range slices.Backward(p.found) {
		if item, ok := p.queue(b); ok {
			p.front = append(p.front, item)
		}
	}
}

// Next returns the first block of the queue that is still wanted.
func (p *Pager) Next() (blocks.ID, bool) {
	p.flying = blocks.None
	for {
		x, ok := p.pop()
		if !ok {
			return blocks.None, false
		}
		b := &p.blocks[x.b]
		if b.ticket != x.ticket {
			continue
		}
		p.leave(b)
		if b.expected >= p.launch && !p.run.Resident(x.b) {
			p.flying = x.b
			return x.b, true
		}
	}
}

func (p *Pager) pop() (x item, ok bool) {
	if n := len(p.front); n > 0 {
		x, p.front = p.front[n-1], p.front[:n-1]
		return x, true
	}
	if p.head == len(p.back) {
		return item{}, false
	}
	x = p.back[p.head]
	if p.head++; 2*p.head > len(p.back) {
		p.back = p.back[:copy(p.back, p.back[p.head:])]
		p.head = 0
	}
	return x, true
}

// Queued reports whether b waits in the queue.
func (p *Pager) Queued(b blocks.ID) bool {
	return int(b) < len(p.blocks) && p.blocks[b].ticket != 0
}

// Spare reports whether the running kernel or one of the chain is expected to need b.
func (p *Pager) Spare(b blocks.ID) bool {
	if p.spare != nil {
		return p.spare(b, p.expectedIn(b))
	}
	return int(b) < len(p.blocks) && p.blocks[b].expected >= p.launch
}

// Unexpected is in how many launches a block is expected that no kernel is known to need.
const Unexpected = math.MinInt64

// expectedIn is in how many launches the last is that is expected to need b, 0 for the running
// one; negative if it is over.
func (p *Pager) expectedIn(b blocks.ID) int64 {
	if int(b) >= len(p.blocks) || p.blocks[b].expected == 0 {
		return Unexpected
	}
	return p.blocks[b].expected - p.launch
}

// Ready is how many chunks pre-eviction holds free.
func (p *Pager) Ready() int { return p.ready }

// Drop reports whether no memory in use is in b.
func (p *Pager) Drop(b blocks.ID) bool { return p.invalidate && !p.run.Active(b) }

// Tables returns what the block tables take when every place of every row is there.
func (p *Pager) Tables() unit.Bytes { return unit.Bytes(p.count) * p.size() }

// block returns what is known of b.
func (p *Pager) block(b blocks.ID) *block {
	if int(b) >= len(p.blocks) {
		p.blocks = append(p.blocks, make([]block, int(b)+1-len(p.blocks))...)
	}
	return &p.blocks[b]
}
