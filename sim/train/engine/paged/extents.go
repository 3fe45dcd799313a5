package paged

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/workload"
)

// An extent is a run of pages of one tensor that share location and queue.
// The extents of a tensor partition its pages and form a list in page order.
// Extents in GPU memory are also in the recency list. Queued (moving) extents
// are also in one queue. All links are pool indices; 0 is none.
//
// Queues, victims and arrivals always work on an extent's first pages, so every
// operation touches a constant number of extents.
type extent struct {
	tensor       workload.TensorID
	start, pages int32
	loc          machine.Tier
	queue        queueID // 0: at rest
	begins       bool    // its first page, queued, begins a transfer that is not paid for

	prev, next         xid // in the tensor
	older, younger     xid // in the recency list; GPU only
	prevQueue, inQueue xid // neighbors in the queue: before, after
}

type xid = int32

// block is how many extents are allocated at once.
const block = 1 << 12

// extents holds all extents. It grows by blocks, so that none ever moves.
type extents struct {
	blocks []*[block]extent
	made   xid // extents that have ever been in use
	unused xid // list, through next, of those that no longer are
}

// at returns extent i.
func (p *extents) at(i xid) *extent { return &p.blocks[uint32(i)/block][uint32(i)%block] }

// alloc makes an extent.
func (p *extents) alloc(e extent) xid {
	i := p.unused
	if i != 0 {
		p.unused = p.at(i).next
	} else {
		i = p.made
		p.made++
		if int(i)/block == len(p.blocks) {
			p.blocks = append(p.blocks, new([block]extent))
		}
	}
	*p.at(i) = e
	return i
}

// recycle takes extent i back.
func (p *extents) recycle(i xid) {
	p.at(i).next = p.unused
	p.unused = i
}

// queueID names a queue of moving pages. Fault and prefetch queues hold pages
// that come to the GPU from where they are; out queues hold GPU pages that leave.
type queueID uint8

const (
	resting queueID = iota
	faultSSD
	faultHost
	faultNew
	preSSD
	preHost
	preNew
	outSSD
	outHost
	numQueues
)

// faultQueue and prefetchQueue give the queue of a page by its location.
var (
	faultQueue    = [...]queueID{machine.Nowhere: faultNew, machine.SSD: faultSSD, machine.Host: faultHost, machine.GPU: resting}
	prefetchQueue = [...]queueID{machine.Nowhere: preNew, machine.SSD: preSSD, machine.Host: preHost, machine.GPU: resting}
)

type queue struct{ head, tail xid }

// A queueSet is a set of queues, one bit each.
type queueSet uint16

func (q queueID) only() queueSet { return 1 << q }

const (
	faultQueues queueSet = 1<<faultSSD | 1<<faultHost | 1<<faultNew
	aheadQueues queueSet = 1<<preSSD | 1<<preHost | 1<<preNew
	inQueues             = faultQueues | aheadQueues
	outQueues   queueSet = 1<<outSSD | 1<<outHost
)

// tensorState counts a tensor's pages. moving counts queued pages, gpu resident ones.
type tensorState struct {
	first       xid
	pages       int32
	gpu, moving int32
	needed      bool // in the current kernel's working set
	window      int32
}

// A residency knows where every page is: the extents, the queues, and the
// recency list with its victim cursor.
type residency struct {
	extents
	tensors []tensorState
	queues  [numQueues]queue
	busy    queueSet // queues that hold pages

	oldest, youngest xid
	cursor           xid // next victim, never an interleaved pair; 0 is the end of the list
	interleaved      map[xid]interleaved

	record *engine.Record // told which tensors have more or less; may be nil

	// spare says that pages of the current kernel are no victims.
	spare bool
	// barren says that all of the recency list is held, as a search for a victim has found.
	// Who makes a member of the list leave what holds it, or adds one, takes that back.
	barren bool

	gpuFree int64
	// mapped is how many of the free pages a framework gave back: it keeps them mapped for
	// what it allocates next. What was evicted, or never taken, is not.
	mapped              int64
	hostUsed, hostPages int64
	// neededMoving counts moving pages of needed tensors.
	neededMoving int64
}

// newResidency puts globals on the SSD and leaves all other tensors unallocated.
// What is held takes none of gpuPages and is nowhere else: it never moves.
func newResidency(w *workload.Workload, gpuPages, hostPages int64) *residency {
	r := &residency{
		extents:     extents{made: 1}, // extent 0 is none
		interleaved: map[xid]interleaved{},
		tensors:     make([]tensorState, len(w.Tensors)),
		gpuFree:     gpuPages,
		hostPages:   hostPages,
	}
	held := w.Held()
	for t := range w.Tensors {
		pages := int32(w.Tensors[t].Pages())
		loc := machine.Nowhere
		if w.Tensors[t].Global && !held[t] {
			loc = machine.SSD
		}
		first := r.alloc(extent{tensor: workload.TensorID(t), pages: pages, loc: loc})
		r.tensors[t] = tensorState{first: first, pages: pages}
	}
	return r
}

// drop takes extent i, which is in no queue and not in the recency list, out of
// its tensor's list.
func (r *residency) drop(i xid) {
	e := r.at(i)
	if e.prev != 0 {
		r.at(e.prev).next = e.next
	} else {
		r.tensors[e.tensor].first = e.next
	}
	if e.next != 0 {
		r.at(e.next).prev = e.prev
	}
	r.recycle(i)
}

// split cuts the first n pages off extent i into a new extent before it in the
// tensor, in no queue and not in the recency list. 0 < n < pages.
func (r *residency) split(i xid, n int32) xid {
	e := r.at(i)
	f := r.alloc(extent{tensor: e.tensor, start: e.start, pages: n, loc: e.loc, begins: e.begins, prev: e.prev, next: i})
	e.begins = false
	if e.prev != 0 {
		r.at(e.prev).next = f
	} else {
		r.tensors[e.tensor].first = f
	}
	e.prev = f
	e.start += n
	e.pages -= n
	return f
}

// coalesce merges resting extent i, outside GPU memory, with equal neighbors
// and returns the extent that is left.
func (r *residency) coalesce(i xid) xid {
	e := r.at(i)
	if n := e.next; n != 0 && e.alike(r.at(n)) {
		e.pages += r.at(n).pages
		r.drop(n)
	}
	if p := e.prev; p != 0 && e.alike(r.at(p)) {
		r.at(p).pages += e.pages
		r.drop(i)
		return p
	}
	return i
}

func (e *extent) alike(o *extent) bool {
	return e.queue == resting && o.queue == resting && e.loc == o.loc && e.loc != machine.GPU
}

// push appends resting extent i to queue q.
func (r *residency) push(q queueID, i xid) {
	e := r.at(i)
	r.setMoving(e.tensor, e.pages)
	qu := &r.queues[q]
	if t := qu.tail; t != 0 && e.loc != machine.GPU && t == e.prev && !e.begins {
		r.at(t).pages += e.pages
		r.drop(i)
		return
	}
	e.queue, e.prevQueue, e.inQueue = q, qu.tail, 0
	if qu.tail != 0 {
		r.at(qu.tail).inQueue = i
	} else {
		qu.head = i
		r.busy |= q.only()
	}
	qu.tail = i
}

// unqueue takes extent i out of its queue; its pages are at rest again.
func (r *residency) unqueue(i xid) {
	e := r.at(i)
	qu := &r.queues[e.queue]
	if e.prevQueue != 0 {
		r.at(e.prevQueue).inQueue = e.inQueue
	} else {
		qu.head = e.inQueue
	}
	if e.inQueue != 0 {
		r.at(e.inQueue).prevQueue = e.prevQueue
	} else {
		qu.tail = e.prevQueue
	}
	if qu.head == 0 {
		r.busy &^= e.queue.only()
	}
	r.setMoving(e.tensor, -e.pages)
	e.queue, e.begins, e.prevQueue, e.inQueue = resting, false, 0, 0
	r.barren = false
}

func (r *residency) setMoving(t workload.TensorID, n int32) {
	s := &r.tensors[t]
	s.moving += n
	if s.needed {
		r.neededMoving += int64(n)
	}
}

// appendRecent appends GPU extent i to the young end of the recency list.
func (r *residency) appendRecent(i xid) {
	e := r.at(i)
	r.barren = false
	e.older, e.younger = r.youngest, 0
	if r.youngest != 0 {
		r.at(r.youngest).younger = i
	} else {
		r.oldest = i
	}
	r.youngest = i
}

// removeRecent takes extent i out of the recency list.
func (r *residency) removeRecent(i xid) {
	e := r.at(i)
	if e.older < 0 {
		r.separate(-e.older, i)
		return
	}
	if e.older != 0 {
		r.at(e.older).younger = e.younger
	} else {
		r.oldest = e.younger
	}
	if e.younger != 0 {
		r.at(e.younger).older = e.older
	} else {
		r.youngest = e.older
	}
	e.older, e.younger = 0, 0
}

// land makes the first n pages of incoming queue q's head resident. The caller
// has made room.
func (r *residency) land(q queueID, n int32) {
	i := r.queues[q].head
	if e := r.at(i); e.prev != 0 && e.prev == r.youngest && r.at(e.prev).queue == resting {
		r.at(e.prev).pages += n
		r.tensors[e.tensor].gpu += n
		r.record.Touch(e.tensor)
		r.shrinkHead(q, i, n)
		return
	}
	r.appendRecent(r.cut(q, n))
}

// shrinkHead takes n pages off the front of queue head i after another extent
// has taken them over.
func (r *residency) shrinkHead(q queueID, i xid, n int32) {
	e := r.at(i)
	if e.pages == n {
		r.unqueue(i)
		r.drop(i)
		return
	}
	e.start += n
	e.pages -= n
	r.setMoving(e.tensor, -n)
}

// leave moves the first n pages of GPU extent i to dst. Pages of a needed
// tensor queue up as faults at once. The caller counts GPU and host pages and
// mends the cursor. It returns whether extent i is gone from the recency list.
func (r *residency) leave(i xid, n int32, dst machine.Tier) (gone bool) {
	e := r.at(i)
	t := &r.tensors[e.tensor]
	t.gpu -= n
	r.record.Touch(e.tensor)
	q := resting
	if t.needed {
		q = faultQueue[dst]
	}
	gone = e.pages == n
	// The common case: the pages join the extent before them.
	if e.prev != 0 && (q == resting || r.queues[q].tail == e.prev) {
		if p := r.at(e.prev); p.loc == dst && p.queue == q {
			p.pages += n
			if q != resting {
				r.setMoving(e.tensor, n)
			}
			before := e.prev
			r.shrinkResident(i, n)
			if gone && q == resting {
				r.coalesce(before)
			}
			return gone
		}
	}
	f := i
	if gone {
		if e.queue != resting {
			r.unqueue(i)
		}
		r.removeRecent(i)
	} else {
		f = r.split(i, n)
		if e.queue != resting {
			r.setMoving(e.tensor, -n)
		}
	}
	r.at(f).loc = dst
	if q != resting {
		r.push(q, f)
	} else {
		r.coalesce(f)
	}
	return gone
}

// shrinkResident takes n pages off the front of GPU extent i after the extent
// before it has taken them over.
func (r *residency) shrinkResident(i xid, n int32) {
	e := r.at(i)
	if e.pages == n {
		if e.queue != resting {
			r.unqueue(i)
		}
		r.removeRecent(i)
		r.drop(i)
		return
	}
	e.start += n
	e.pages -= n
	if e.queue != resting {
		r.setMoving(e.tensor, -n)
	}
}

// free gives up resting extent i wherever it is.
func (r *residency) free(i xid) {
	e := r.at(i)
	switch e.loc {
	case machine.GPU:
		r.removeRecent(i)
		if r.cursor == i {
			r.cursor = r.front(r.oldest)
		}
		r.gpuFree += int64(e.pages)
		r.mapped += int64(e.pages)
		r.tensors[e.tensor].gpu -= e.pages
		r.record.Touch(e.tensor)
	case machine.Host:
		r.hostUsed -= int64(e.pages)
	}
	e.loc = machine.Nowhere
}

// allocate takes n free pages for what comes in over a link, or is mapped anew.
func (r *residency) allocate(n int64) {
	r.gpuFree -= n
	r.mapped = min(r.mapped, r.gpuFree)
}

// freeTensor gives up all pages of t that are at rest; with moving, the others too.
func (r *residency) freeTensor(t workload.TensorID, moving bool) {
	for i := r.tensors[t].first; i != 0; {
		if r.at(i).queue != resting && moving {
			r.unqueue(i)
		}
		if r.at(i).queue == resting {
			r.free(i)
			i = r.coalesce(i)
		}
		i = r.at(i).next
	}
}

// full reports whether host memory is full.
func (r *residency) full() bool { return r.hostUsed >= r.hostPages }
