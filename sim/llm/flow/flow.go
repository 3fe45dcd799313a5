// Package flow moves bytes over links in simulated time: tasks in queues, links that are
// shared fairly. It knows no tensor, GPU or drive.
//
// A task waits until all tasks of After have ended, until it is its turn in its queue, and
// until its Gate is open. It then takes Time, and after that moves Bytes over all links of
// its Path at once. What a link carries at the same time is shared max-min: the rates of no
// two flows can be made more equal without making a smaller one smaller.
//
// Times are whole picoseconds and completions are rounded up, so time always goes on. Bytes
// and rates are counted in 65536ths inside, shares rounded down: a link is never given more
// than it has, and loses less than a 65536th of a byte a second for each flow.
//
// What happens at one moment happens in this order, again and again until nothing is left:
// all tasks that end, in the order of their submission; then queues in the order of their
// numbers, in each what can begin. Rates change after that, once for the moment.
package flow

import (
	"math"
	"math/bits"

	"spillway/sim/unit"
)

// A LinkID, a QueueID and a TaskID are numbers that Sim gives out, the first two from 0. No
// TaskID is given twice, so that one that is kept too long is that of an ended task.
type (
	LinkID  int32
	QueueID int32
	TaskID  int64
)

// None is no task.
const None TaskID = -1

// A Task is something that takes time.
type Task struct {
	Queue QueueID
	Time  unit.Time  // before bytes begin to move: a kernel's time, a latency
	Bytes unit.Bytes // 0: it only takes Time; at most 64 TiB
	// Path is kept, not changed. A link that is in it twice carries the bytes twice; with no
	// link the bytes take no time.
	Path  []LinkID
	After []TaskID // not kept; tasks that ended already and None count as ended
	// Urgent tasks whose After have ended go before all others of their queue that have not
	// begun. One that still waits for After holds nobody up.
	Urgent bool
	// Tag is the owner's: what the task means to it.
	Tag int64
}

// Hooks is the owner of tasks. All calls come while time stands still; they may submit,
// promote and cancel tasks and wake queues.
type Hooks interface {
	// Gate reports whether a task that could begin may; if it may, it begins at once. A refused
	// task holds its ordered queue, only urgent ones overtake it; a refused urgent one lets only
	// other urgent ones pass. It is asked again after Wake, and after Promote made it urgent, but
	// not because of a Wake out of its own Gate.
	Gate(id TaskID, tag int64) bool
	// Start is told that a task begins, End that it has ended: its queue is free then, and tasks
	// that waited for it no longer do.
	Start(id TaskID, tag int64)
	End(id TaskID, tag int64)
}

// fine is how many parts of a byte are counted.
const fine = 16

// never is when a flow ends that gets no rate. Times from here on cannot be told.
const never = math.MaxInt64

// most is how much of bytes and rates can be counted.
const most = math.MaxInt64 >> (fine + 1)

// refusals is how often gates may refuse in one moment in which nothing begins or ends: an
// owner whose gates wake each other for ever is stopped.
const refusals = 1 << 20

// Where a task is.
const (
	free uint8 = iota
	waits
	begun  // its Time passes
	moving // its Bytes move
)

// The lanes of a queue.
const (
	urgent  int8 = iota // asked first
	regular             // ordered: all others in order; else those that wait for nothing more
	refused             // that wait for Wake; of an ordered queue only urgent ones
	lanes
	outside int8 = -1
)

type task struct {
	tag        int64
	seq        uint64
	path       []LinkID
	time       unit.Time
	bytes      unit.Bytes
	rest       int64      // of bytes, in fine parts, at since
	rate       int64      // fine parts of a byte a second
	since      unit.Time  // when rest was right
	told       unit.Bytes // that are in the sums of its links
	toldAt     unit.Time
	gen        int32
	queue      QueueID
	after      int32 // tasks that it waits for
	first      int32 // edges to those that wait for it
	last       int32
	prev, next int32 // in its lane
	pos        int32 // in the heap, -1 if not there
	place      int32 // in flows, -1 if not there
	stamp      int32
	state      uint8
	lane       int8
	urgent     bool
	refused    bool // at the head of the regular lane of an ordered queue
}

type edge struct {
	to   TaskID
	next int32
}

type list struct{ head, tail int32 }

type queue struct {
	lanes   [lanes]list
	ordered bool
	running bool
}

type link struct {
	rate  int64
	flows []int32 // one that has it twice in its path is here twice
	bytes unit.Bytes
	busy  unit.Time
	from  unit.Time // when it became busy
	dirty bool
	stamp int32
	left  int64 // while rates are found
	count int64
}

type event struct {
	at   unit.Time
	seq  uint64
	task int32
}

// A Sim is one simulation.
type Sim struct {
	// Watch is told of spans of time in which a link carried bytes; nil: nobody is told. A call
	// is about one flow: spans of a link overlap where it carries several. It comes when the
	// flow's rate changes, when it ends, and in Settle.
	Watch func(link LinkID, from, to unit.Time, bytes unit.Bytes)

	owner Hooks
	now   unit.Time
	left  int
	seq   uint64
	stamp int32

	tasks  []task
	free   []int32
	edges  []edge
	unused int32 // edges, by next
	queues []queue
	look   []uint64 // queues to be looked at, a bit each
	links  []link
	dirty  []LinkID
	heap   []event
	flows  []int32 // tasks that move bytes

	refused  int
	stopped  bool
	reached  []LinkID // of a component
	affected []int32
}

// New returns a simulation with links of these rates and an owner. A link without a rate
// carries nothing, and a rate counts up to 70 TB/s.
func New(rates []unit.Bandwidth, owner Hooks) *Sim {
	s := &Sim{owner: owner, links: make([]link, len(rates)), unused: -1}
	for i, r := range rates {
		s.links[i].rate = int64(min(max(r, 0), most)) << fine
	}
	return s
}

// Queue makes a queue. In an ordered one a task begins when the one before has ended, in the
// order of submission, urgent ones first, in the order in which they became urgent and waited
// for nothing more; in another, tasks do not wait for each other.
func (s *Sim) Queue(ordered bool) QueueID {
	q := queue{ordered: ordered}
	for i := range q.lanes {
		q.lanes[i] = list{-1, -1}
	}
	s.queues = append(s.queues, q)
	if len(s.queues) > 64*len(s.look) {
		s.look = append(s.look, 0)
	}
	return QueueID(len(s.queues) - 1)
}

// Submit adds a task.
func (s *Sim) Submit(t Task) TaskID {
	var i int32
	if n := len(s.free); n > 0 {
		i = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		i = int32(len(s.tasks))
		s.tasks = append(s.tasks, task{})
	}
	w := &s.tasks[i]
	*w = task{
		tag: t.Tag, seq: s.seq, path: t.Path, time: max(t.Time, 0), bytes: min(max(t.Bytes, 0), most),
		gen: w.gen, queue: t.Queue, first: -1, last: -1, prev: -1, next: -1, pos: -1, place: -1,
		state: waits, lane: outside, urgent: t.Urgent,
	}
	s.seq++
	s.left++
	id := TaskID(w.gen)<<32 | TaskID(i)
	for _, a := range t.After {
		if k := s.find(a); k >= 0 {
			s.wait(k, id)
			w.after++
		}
	}
	if s.queues[t.Queue].ordered && !t.Urgent {
		s.push(i, regular)
		if s.queues[t.Queue].lanes[regular].head == i {
			s.mark(t.Queue)
		}
	} else if w.after == 0 {
		s.ready(i)
	}
	return id
}

// find returns a task's place, -1 if it has ended.
func (s *Sim) find(id TaskID) int32 {
	if id < 0 || id&math.MaxUint32 >= TaskID(len(s.tasks)) {
		return -1
	}
	i := int32(id & math.MaxUint32)
	if t := &s.tasks[i]; t.state == free || TaskID(t.gen) != id>>32 {
		return -1
	}
	return i
}

// wait lets a task wait for that at k.
func (s *Sim) wait(k int32, id TaskID) {
	e := s.unused
	if e >= 0 {
		s.unused = s.edges[e].next
	} else {
		e = int32(len(s.edges))
		s.edges = append(s.edges, edge{})
	}
	s.edges[e] = edge{id, -1}
	t := &s.tasks[k]
	if t.last < 0 {
		t.first = e
	} else {
		s.edges[t.last].next = e
	}
	t.last = e
}

// push puts a task at the end of a lane.
func (s *Sim) push(i int32, lane int8) {
	t := &s.tasks[i]
	l := &s.queues[t.queue].lanes[lane]
	t.lane, t.prev, t.next = lane, l.tail, -1
	if l.tail < 0 {
		l.head = i
	} else {
		s.tasks[l.tail].next = i
	}
	l.tail = i
}

// pull takes a task out of its lane.
func (s *Sim) pull(i int32) {
	t := &s.tasks[i]
	if t.lane == outside {
		return
	}
	l := &s.queues[t.queue].lanes[t.lane]
	if t.prev < 0 {
		l.head = t.next
	} else {
		s.tasks[t.prev].next = t.next
	}
	if t.next < 0 {
		l.tail = t.prev
	} else {
		s.tasks[t.next].prev = t.prev
	}
	t.lane, t.prev, t.next = outside, -1, -1
}

func (s *Sim) mark(q QueueID) { s.look[q>>6] |= 1 << (q & 63) }

// ready notes that a task waits for no other any more.
func (s *Sim) ready(i int32) {
	t := &s.tasks[i]
	switch {
	case t.urgent:
		s.push(i, urgent)
	case !s.queues[t.queue].ordered:
		s.push(i, regular)
	case s.queues[t.queue].lanes[regular].head != i:
		return
	}
	s.mark(t.queue)
}

// Promote makes a task urgent; nothing happens if it has begun or ended.
func (s *Sim) Promote(id TaskID) {
	i := s.find(id)
	if i < 0 || s.tasks[i].state != waits || s.tasks[i].urgent {
		return
	}
	s.pull(i)
	t := &s.tasks[i]
	t.urgent, t.refused = true, false
	if t.after == 0 {
		s.push(i, urgent)
	}
	s.mark(t.queue) // for the next of the queue, too
}

// Cancel takes back a task that has not begun; it reports whether it could. Those that wait
// for it then wait no longer; End is not called.
func (s *Sim) Cancel(id TaskID) bool {
	i := s.find(id)
	if i < 0 || s.tasks[i].state != waits {
		return false
	}
	s.pull(i)
	s.mark(s.tasks[i].queue)
	s.remove(i)
	return true
}

// remove frees a task, and those that wait for it.
func (s *Sim) remove(i int32) {
	t := &s.tasks[i]
	e, last := t.first, t.last
	t.state, t.path = free, nil
	if t.gen < math.MaxInt32-1 {
		t.gen++
		s.free = append(s.free, i)
	}
	s.left--
	if e < 0 {
		return
	}
	for k := e; k >= 0; k = s.edges[k].next {
		if w := s.find(s.edges[k].to); w >= 0 {
			if s.tasks[w].after--; s.tasks[w].after == 0 {
				s.ready(w)
			}
		}
	}
	s.edges[last].next, s.unused = s.unused, e
}

// Begun reports whether a task that has not ended has begun.
func (s *Sim) Begun(id TaskID) bool {
	i := s.find(id)
	return i >= 0 && s.tasks[i].state != waits
}

// Wake asks the gates of a queue's refused tasks again when it is their turn.
func (s *Sim) Wake(q QueueID) {
	w := &s.queues[q]
	if h := w.lanes[regular].head; w.ordered && h >= 0 && s.tasks[h].refused {
		s.tasks[h].refused = false
		s.mark(q)
	}
	if w.lanes[refused].head < 0 {
		return
	}
	// Those that were refused go before those that came after.
	for i := w.lanes[refused].tail; i >= 0; {
		t := &s.tasks[i]
		before := t.prev
		lane := regular
		if t.urgent {
			lane = urgent
		}
		l := &w.lanes[lane]
		t.lane, t.prev, t.next = lane, -1, l.head
		if l.head < 0 {
			l.tail = i
		} else {
			s.tasks[l.head].prev = i
		}
		l.head = i
		i = before
	}
	w.lanes[refused] = list{-1, -1}
	s.mark(q)
}

// Now is the simulated time.
func (s *Sim) Now() unit.Time { return s.now }

// Step goes to the next moment at which a task begins or ends and does all that happens then.
// It reports false when nothing is left that can happen; tasks that are then Left wait for
// something that never comes: a gate that nobody wakes, a link without a rate, a time beyond
// what unit.Time can say.
func (s *Sim) Step() bool {
	if s.stopped {
		return false
	}
	// What was submitted or woken since the last step begins now.
	if s.moment() {
		return true
	}
	if s.stopped || len(s.heap) == 0 || s.heap[0].at == never {
		return false
	}
	s.now = s.heap[0].at
	s.moment()
	return true
}

// moment does all that can happen now and reports whether anything did.
func (s *Sim) moment() (did bool) {
	s.refused = 0
	for {
		more := false
		for len(s.heap) > 0 && s.heap[0].at == s.now {
			s.finish(s.heap[0].task)
			more = true
		}
		for q := s.marked(); q >= 0 && !s.stopped; q = s.marked() {
			more = s.begin(q) || more
		}
		if !more {
			s.share()
			return did
		}
		did = true
	}
}

// marked takes the first queue that is to be looked at, -1 if there is none.
func (s *Sim) marked() QueueID {
	for i, w := range s.look {
		if w != 0 {
			b := bits.TrailingZeros64(w)
			s.look[i] &^= 1 << b
			return QueueID(i<<6 + b)
		}
	}
	return -1
}

// begin begins what can in a queue and reports whether anything did.
func (s *Sim) begin(q QueueID) (did bool) {
	for {
		w := &s.queues[q]
		if w.ordered && w.running || s.stopped {
			return did
		}
		i := w.lanes[urgent].head
		if i < 0 {
			i = w.lanes[regular].head
			if i < 0 || w.ordered && (w.lanes[refused].head >= 0 || s.tasks[i].after > 0 || s.tasks[i].refused) {
				return did
			}
		}
		t := &s.tasks[i]
		id := TaskID(t.gen)<<32 | TaskID(i)
		stays := w.ordered && t.lane == regular
		if !stays {
			s.pull(i)
		}
		open := s.owner.Gate(id, t.tag)
		if s.find(id) < 0 {
			continue // its own gate took it back
		}
		t = &s.tasks[i]
		if open {
			s.pull(i)
			s.start(i, id)
			did, s.refused = true, 0
			continue
		}
		if s.refused++; s.refused > refusals {
			s.stopped = true
		}
		if stays && !t.urgent {
			t.refused = true
			continue
		}
		s.pull(i)
		s.push(i, refused)
	}
}

// start begins a task.
func (s *Sim) start(i int32, id TaskID) {
	t := &s.tasks[i]
	t.state = begun
	s.queues[t.queue].running = true
	if t.time > 0 || !t.moves() {
		at := unit.Time(never)
		if t.time < never-s.now {
			at = s.now + t.time
		}
		s.insert(event{at, t.seq, i})
	} else {
		s.join(i)
	}
	s.owner.Start(id, t.tag)
}

func (t *task) moves() bool { return t.bytes > 0 && len(t.path) > 0 }

// finish does what comes when a task's Time is over, or its last byte is there.
func (s *Sim) finish(i int32) {
	t := &s.tasks[i]
	s.take(t.pos)
	if t.state == begun && t.moves() {
		s.join(i)
		return
	}
	if t.state == moving {
		s.leave(i)
	}
	id, tag, q := TaskID(t.gen)<<32|TaskID(i), t.tag, t.queue
	s.queues[q].running = false
	s.mark(q)
	s.remove(i)
	s.owner.End(id, tag)
}

// join lets a task's bytes begin to move.
func (s *Sim) join(i int32) {
	t := &s.tasks[i]
	t.state, t.rest, t.rate, t.since, t.toldAt = moving, int64(t.bytes)<<fine, 0, s.now, s.now
	t.place = int32(len(s.flows))
	s.flows = append(s.flows, i)
	for _, l := range t.path {
		k := &s.links[l]
		if len(k.flows) == 0 {
			k.from = s.now
		}
		k.flows = append(k.flows, i)
		s.changed(l)
	}
	s.insert(event{never, t.seq, i})
}

// leave takes a flow whose last byte is there from its links.
func (s *Sim) leave(i int32) {
	t := &s.tasks[i]
	s.tell(t, t.bytes)
	end := s.flows[len(s.flows)-1]
	s.flows[t.place], s.tasks[end].place = end, t.place
	s.flows = s.flows[:len(s.flows)-1]
	for _, l := range t.path {
		k := &s.links[l]
		n := len(k.flows) - 1
		for j, f := range k.flows {
			if f == i {
				k.flows[j] = k.flows[n]
				k.flows = k.flows[:n]
				break
			}
		}
		if n == 0 {
			k.busy += s.now - k.from
		}
		s.changed(l)
	}
}

func (s *Sim) changed(l LinkID) {
	if !s.links[l].dirty {
		s.links[l].dirty = true
		s.dirty = append(s.dirty, l)
	}
}

// tell adds what a flow carried up to now to the sums of its links.
func (s *Sim) tell(t *task, carried unit.Bytes) {
	n := carried - t.told
	if n == 0 {
		return
	}
	for _, l := range t.path {
		s.links[l].bytes += n
		if s.Watch != nil {
			s.Watch(l, t.toldAt, s.now, n)
		}
	}
	t.told, t.toldAt = carried, s.now
}

// moved is how much of a flow went over since its rate changed, in fine parts of a byte. It is
// less than the rest as long as the flow has not ended: that comes first.
func (s *Sim) moved(t *task) int64 {
	return unit.MulDiv(t.rate, int64(s.now-t.since), int64(unit.Second))
}

// carried is how many whole bytes of a flow have gone over.
func (s *Sim) carried(t *task) unit.Bytes {
	return unit.Bytes((int64(t.bytes)<<fine - t.rest + s.moved(t)) >> fine)
}

// Tell tells Watch of all that was carried until now.
func (s *Sim) Tell() {
	for _, i := range s.flows {
		s.tell(&s.tasks[i], s.carried(&s.tasks[i]))
	}
}

// Use is what a link carried, and for how long it carried anything, up to now, in whole bytes.
func (s *Sim) Use(l LinkID) (bytes unit.Bytes, busy unit.Time) {
	k := &s.links[l]
	bytes, busy = k.bytes, k.busy
	for _, i := range k.flows {
		t := &s.tasks[i]
		bytes += s.carried(t) - t.told
	}
	if len(k.flows) > 0 {
		busy += s.now - k.from
	}
	return bytes, busy
}

// share finds the rates of all flows that a change can reach over the links they share: it
// raises all alike until a link is full, whose flows are then done, and goes on with the rest.
func (s *Sim) share() {
	if len(s.dirty) == 0 {
		return
	}
	s.stamp++
	reached, flows := s.reached[:0], s.affected[:0]
	for _, l := range s.dirty {
		s.links[l].dirty = false
		s.links[l].stamp = s.stamp
		reached = append(reached, l)
	}
	s.dirty = s.dirty[:0]
	for n := 0; n < len(reached); n++ {
		k := &s.links[reached[n]]
		k.left, k.count = k.rate, int64(len(k.flows))
		for _, i := range k.flows {
			t := &s.tasks[i]
			if t.stamp == s.stamp {
				continue
			}
			t.stamp = s.stamp
			flows = append(flows, i)
			for _, l := range t.path {
				if s.links[l].stamp != s.stamp {
					s.links[l].stamp = s.stamp
					reached = append(reached, l)
				}
			}
		}
	}
	s.reached, s.affected = reached, flows
	for done := 0; done < len(flows); {
		least, full := int64(math.MaxInt64), LinkID(0)
		for _, l := range reached {
			if k := &s.links[l]; k.count > 0 && k.left/k.count < least {
				least, full = k.left/k.count, l
			}
		}
		for _, i := range s.links[full].flows {
			t := &s.tasks[i]
			if t.stamp != s.stamp {
				continue // has its rate
			}
			t.stamp = 0
			done++
			for _, l := range t.path {
				s.links[l].left -= least
				s.links[l].count--
			}
			s.rate(t, least)
		}
	}
}

// rate gives a flow a rate from now on.
func (s *Sim) rate(t *task, rate int64) {
	if t.rate == rate {
		return // what was rounded stays as it was
	}
	if s.Watch != nil {
		s.tell(t, s.carried(t))
	}
	t.rest -= s.moved(t)
	t.rate, t.since = rate, s.now
	at := unit.Time(never)
	if rate > 0 {
		if d := unit.Bandwidth(rate).Time(unit.Bytes(t.rest)); d < never-s.now {
			at = s.now + d
		}
	}
	s.heap[t.pos].at = at
	s.up(t.pos)
	s.down(t.pos)
}

// before is the order of events: by time, then by submission.
func before(a, b *event) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

func (s *Sim) insert(e event) {
	n := int32(len(s.heap))
	s.heap = append(s.heap, e)
	s.tasks[e.task].pos = n
	s.up(n)
}

// take removes an event.
func (s *Sim) take(i int32) {
	n := int32(len(s.heap)) - 1
	s.tasks[s.heap[i].task].pos = -1
	e := s.heap[n]
	s.heap = s.heap[:n]
	if i == n {
		return
	}
	s.heap[i] = e
	s.tasks[e.task].pos = i
	s.up(i)
	s.down(s.tasks[e.task].pos)
}

func (s *Sim) up(i int32) {
	for e := s.heap[i]; i > 0; {
		p := (i - 1) / 2
		if !before(&e, &s.heap[p]) {
			break
		}
		s.heap[i], s.heap[p] = s.heap[p], e
		s.tasks[s.heap[i].task].pos, s.tasks[e.task].pos = i, p
		i = p
	}
}

func (s *Sim) down(i int32) {
	for e := s.heap[i]; ; {
		c := 2*i + 1
		if c >= int32(len(s.heap)) {
			return
		}
		if c+1 < int32(len(s.heap)) && before(&s.heap[c+1], &s.heap[c]) {
			c++
		}
		if !before(&s.heap[c], &e) {
			return
		}
		s.heap[i], s.heap[c] = s.heap[c], e
		s.tasks[s.heap[i].task].pos, s.tasks[e.task].pos = i, c
		i = c
	}
}

// Left is how many tasks have not ended.
func (s *Sim) Left() int { return s.left }
