package serve

import (
	"math"

	"spillway/sim/latency"
	"spillway/sim/unit"
)

const never = unit.Time(math.MaxInt64)

// A sequence is a request under way.
type sequence struct {
	phase   Phase     // what it waits for
	since   unit.Time // from when on
	private int64     // tokens of memory that no other sequence shares
	left    int64     // tokens of its prompt that are still to compute, and of its answer where that was lost
	done    int64     // tokens that are there of both
	made    int32     // tokens of its answer
	joined  int64     // decode steps that were done when it began to decode
	stop    int64     // decode step after which it has ended
	ready   unit.Time // when its keys and values are loaded
	place   int       // in the heap of those that decode, −1 elsewhere
	state   state
	hits    bool // its tiers are counted
	swapped bool // its keys and values are in host memory, from ready on
	began   bool
	fresh   bool      // admitted, and nothing of its prompt is computed since
	first   bool      // for the first time, which is when its tiers are counted
	front   unit.Time // when the front end is done with it
}

// A state is where a sequence is.
type state uint8

const (
	away state = iota
	waiting
	loading
	filling  // its prompt is computed
	decoding // its answer
	ended
)

// A chunk is tokens of a prompt that a step computes.
type chunk struct {
	id    int32
	n     int64
	alone unit.Time
}

// replica is one engine with its tiers.
type replica struct {
	*engine
	number int32

	now  unit.Time // the end of the last step that is accounted for
	next unit.Time // when something happens: the end of the steps under way, or an event of one that waits
	busy bool      // steps are under way

	doing Doing
	mark  unit.Time // until when that is counted
	spent [Doings]unit.Time
	work  Moved

	inbox   queue // requests on their way through the front end
	front   unit.Time
	wait    queue // in the order of their turn
	again   []int32
	load    []int32 // admitted, not ready
	fill    []int32 // ready, in the order of their turn
	decode  []int32 // a heap by the step of their end
	order   []int32 // all admitted, the youngest last; some have ended
	present int64   // requests here

	steps   int64 // decode steps done
	context int64 // of those that decode
	chunks  []chunk
	steady  steady // the steps under way, if no prompt is in them
	planned int64

	swapped int64   // tokens of sequences in host memory, which gave back their GPU memory
	private int64   // tokens of keys and values of sequences
	pinned  int64   // of blocks that sequences share
	refs    []int32 // of blocks, how many sequences have them
	cached  *blocks // in GPU memory, used by nobody
	host    *blocks
	drive   *blocks
	uses    []uint8 // of blocks, up to 2
	held    []bool  // blocks of the drive's list that are written
	written int64   // how many these are
	tiers   []Tier  // scratch: where the blocks of a prompt are
	lost    []bool  // of blocks: GPU memory forgot it once
	missed  bool    // the prompt that was looked up last ends at a block that was lost, and that no tier has

	linkIn, linkOut    unit.Time // until when they are busy
	readFree, writeEnd unit.Time

	short      bool // the first that waits waits for memory
	shortSince unit.Time
	shortSum   unit.Time
}

// queue is first in, first out.
type queue struct {
	list []int32
	head int
}

func (q *queue) len() int     { return len(q.list) - q.head }
func (q *queue) push(i int32) { q.list = append(q.list, i) }
func (q *queue) first() int32 { return q.list[q.head] }
func (q *queue) pop() int32 {
	i := q.list[q.head]
	if q.head++; q.head == len(q.list) {
		q.list, q.head = q.list[:0], 0
	}
	return i
}

// waitsFor is how many wait for their turn.
func (r *replica) waitsFor() int { return len(r.again) + r.wait.len() }

// headOf is the first of them.
func (r *replica) headOf() int32 {
	if n := len(r.again); n > 0 {
		return r.again[n-1]
	}
	return r.wait.first()
}

func (r *replica) popHead() {
	if n := len(r.again); n > 0 {
		r.again = r.again[:n-1]
		return
	}
	r.wait.pop()
}

// shortUntil is how long memory was short until a moment that is not before the last boundary.
func (r *replica) shortUntil(t unit.Time) unit.Time {
	if r.short {
		return r.shortSum + t - r.shortSince
	}
	return r.shortSum
}

// turn sets whether memory is what the first that waits waits for.
func (r *replica) turn(short bool) {
	r.shortSum = r.shortUntil(r.now)
	r.short, r.shortSince = short, r.now
}

// pass ends what a sequence waits for; it waits for the next from a moment on.
func (r *replica) pass(id int32, next Phase, t unit.Time) {
	s := &r.all[id]
	r.spend(id, s.phase, s.since, t)
	s.phase, s.since = next, t
}

// spend counts what a sequence waits for from one moment to another, until its first token.
func (r *replica) spend(id int32, p Phase, from, to unit.Time) {
	if to <= from {
		return
	}
	if r.all[id].made == 0 {
		r.result.Requests[id].Phases[p] += to - from
	}
	if r.watch != nil {
		r.watch.phase(id, p, from, to)
	}
}

// did counts what the engine did until a moment; it does something else then.
func (r *replica) did(t unit.Time, next Doing) {
	if r.mark < t {
		r.spent[r.doing] += t - r.mark
		if r.watch != nil {
			r.watch.step(r.number, r.doing, r.mark, t)
		}
		r.mark = t
	}
	r.doing = next
}

// arrive takes a request in.
func (r *replica) arrive(id int32, t unit.Time) {
	s := &r.all[id]
	r.present++
	r.result.Requests[id].Replica = r.number
	r.result.Requests[id].Arrive = t
	s.phase, s.since, s.state = Front, t, waiting
	r.front = after(max(r.front, t), r.setting.Front)
	s.front = r.front
	r.inbox.push(id)
	r.hurry(r.front)
	if r.watch != nil {
		r.watch.come(id)
	}
}

// hurry makes steps under way end no later than the first end that is not before a moment, if something then happens
// that changes what follows them.
func (r *replica) hurry(t unit.Time) {
	switch {
	case !r.busy:
		r.next = min(r.next, t)
	case len(r.chunks) > 0 || r.waitsFor() > 0 && !r.jumps() || r.system.Batch:
		// One step, which ends anyway; or those before it wait for what no arrival changes.
	case after(r.now, r.steady.sum(r.planned)) > t:
		r.planned = r.steady.until(t-r.now, r.planned)
		r.next = after(r.now, r.steady.sum(r.planned))
	}
}

// jumps reports whether a request that comes may begin before one that waits.
func (r *replica) jumps() bool { return r.asks != nil && r.asks.admit != nil }

// settle accounts for the steps under way that end before a moment, so that memory is what it is then.
func (r *replica) settle(t unit.Time) {
	if !r.busy || len(r.chunks) > 0 || t <= r.now {
		return
	}
	if k := r.steady.within(t-r.now, r.planned); k > 0 {
		r.take(k)
	}
}

// take accounts for k of the steps that decode.
func (r *replica) take(k int64) {
	b := r.steady.b
	span := r.steady.sum(k)
	r.account(k, 0, 0)
	r.gaps(&r.steady, 0, k)
	r.gapSum.add(span, b)
	r.now += span
	r.steps += k
	r.planned -= k
	r.context += k * b
	r.steady.ctx = r.context
	if !r.whole {
		r.private += k * b
		r.room(b * min(1, r.planned)) // of the step under way, too
	}
	r.result.PeakKV = max(r.result.PeakKV, r.private+r.pinned)
}

// gaps counts the times between tokens of steps from i up to k.
func (r *replica) gaps(s *steady, i, k int64) {
	first, last := s.at(i), s.at(k-1)
	if a, b := latency.Step(first), latency.Step(last); a == b || k-i == 1 {
		r.gap.AddAll(first, s.b*(k-i))
		r.gapMost = max(r.gapMost, last)
		return
	}
	mid := (i + k) / 2
	r.gaps(s, i, mid)
	r.gaps(s, mid, k)
}

// account counts the work of k steps of those that decode, and of so many tokens of prompts.
func (r *replica) account(k, p, pairs int64) {
	b := int64(len(r.decode))
	if b+p == 0 {
		return
	}
	w := r.cost.products(b + p)
	r.result.Steps += k
	r.work.Compute.Busy = after(r.work.Compute.Busy, after(times(w.compute, k, mostRun), works(pairs, r.cost.pairs, r.cost.peak2)))
	r.work.HBM.Busy = after(r.work.HBM.Busy, after(times(w.read, k, mostRun), times(r.cost.keysIdeal, k*r.context+b*(k*(k-1)/2), mostRun)))
	r.streamed(k, k*r.context+b*(k*(k-1)/2), r.cost.many(b+p))
	r.gapTokens += b * k
}

// streamed counts what came to the GPUs in k steps because it is not there, with so many tokens of context in all of them; many says
// that each of them had many tokens.
func (r *replica) streamed(k, context int64, many bool) {
	count := func(w *Work, rate unit.Bandwidth, each, key unit.Bytes) {
		for _, x := range [...]struct {
			bytes unit.Bytes
			n     int64
		}{{each, k}, {key, context}} {
			if x.bytes > 0 && x.n > 0 {
				w.Busy = after(w.Busy, times(lasts(max(1, rate), x.bytes), x.n, mostRun))
				w.Bytes += min(unit.Bytes(unit.MulDiv(int64(x.bytes), x.n, 1)), mostBytes-w.Bytes)
			}
		}
	}
	c := r.cost
	count(&r.work.StreamIn, r.rates.link, c.in, c.inKey)
	if many {
		count(&r.work.StreamIn, r.rates.link, c.brought, 0)
	}
	count(&r.work.StreamRead, r.rates.read, c.read, c.readKey)
}

// step handles what happens at r.next.
func (r *replica) step() {
	t := r.next
	r.did(t, Idle)
	if r.busy {
		r.finish(t)
	}
	r.now, r.busy, r.chunks = t, false, r.chunks[:0]
	for len(r.decode) > 0 && r.all[r.decode[0]].stop <= r.steps {
		r.end(r.decode[0])
	}
	for r.inbox.len() > 0 && r.all[r.inbox.first()].front <= t {
		id := r.inbox.pop()
		at := r.all[id].front
		r.pass(id, Queue, at)
		r.since[id] = r.shortUntil(at)
		r.wait.push(id)
	}
	r.ready(t)
	r.admit()
	r.plan()
	r.sample(t)
}

// finish accounts for the steps that end at a moment.
func (r *replica) finish(t unit.Time) {
	if len(r.chunks) == 0 {
		r.take(r.planned)
		return
	}
	b := int64(len(r.decode))
	span := t - r.now
	var p, pairs int64
	for _, c := range r.chunks {
		p += c.n
		pairs += pairsOf(r.all[c.id].done, c.n)
	}
	r.account(1, p, pairs)
	if b > 0 {
		r.gap.AddAll(span, b)
		r.gapMost = max(r.gapMost, span)
		r.gapSum.add(span, b)
	}
	r.now = t
	r.steps++
	r.context += b
	if !r.whole {
		r.private += b
	}
	fill := r.fill[:0]
	for _, c := range r.chunks {
		s := &r.all[c.id]
		own := min(span, c.alone)
		r.spend(c.id, Prefill, t-span, t-span+own)
		r.spend(c.id, Interference, t-span+own, t)
		s.since = t
		s.done, s.left = s.done+c.n, s.left-c.n
	}
	for _, id := range r.fill {
		if r.all[id].left > 0 {
			fill = append(fill, id)
			continue
		}
		r.filled(id, t)
	}
	r.fill = fill
	r.room(0)
	r.result.PeakKV = max(r.result.PeakKV, r.private+r.pinned)
}

// filled ends the computing of a sequence's prompt, which gives a token.
func (r *replica) filled(id int32, t unit.Time) {
	s, q := &r.all[id], &r.requests[id]
	r.keep(id, 0, int64(q.Prompt))
	if s.made == 0 {
		r.result.Requests[id].First = t
	}
	s.made++
	if s.made == q.Output {
		r.end(id)
		return
	}
	r.decodes(id)
}

// decodes lets a sequence decode, whose token count is that of what is stored and of the one to compute.
func (r *replica) decodes(id int32) {
	s := &r.all[id]
	s.state, s.joined, s.since = decoding, r.steps, r.now
	s.stop = r.steps + int64(r.requests[id].Output-s.made)
	r.context += s.done + 1
	r.push(id)
}

// end is that of an answer.
func (r *replica) end(id int32) {
	s, q := &r.all[id], &r.requests[id]
	if s.place >= 0 {
		r.context -= int64(q.Prompt) + int64(q.Output) // stored, and the next
		r.remove(s.place)
	}
	t := r.now
	r.result.Requests[id].Done = t
	s.made = q.Output
	r.answered(id)
	r.keep(id, int64(q.Prompt), int64(q.Prompt)+int64(q.Output)-1)
	r.release(id)
	s.state = ended
	r.present--
	if r.watch != nil {
		r.watch.leave(id)
	}
	r.finished(id, t)
}

// answered tells of the time in which a sequence decoded.
func (r *replica) answered(id int32) {
	if s := &r.all[id]; r.watch != nil && s.state == decoding {
		r.watch.phase(id, Decoding, s.since, r.now)
	}
}

// ready lets those go on whose keys and values are loaded.
func (r *replica) ready(t unit.Time) {
	load := r.load[:0]
	for _, id := range r.load {
		s := &r.all[id]
		if s.ready > t {
			load = append(load, id)
			continue
		}
		r.loaded(id)
	}
	r.load = load
}

// loaded is when a sequence has what tiers held of it.
func (r *replica) loaded(id int32) {
	s := &r.all[id]
	r.came(id, s.ready)
	if s.left == 0 { // swapped while it decoded
		r.decodes(id)
		return
	}
	s.state = filling
	r.fill = append(r.fill, id)
}

// admit lets those begin that have their turn and room.
func (r *replica) admit() {
	if r.system.Batch && (len(r.decode) > 0 || len(r.fill) > 0 || len(r.load) > 0) {
		r.turn(false)
		return
	}
	for r.waitsFor() > 0 {
		if int64(len(r.decode)+len(r.fill)+len(r.load)) >= r.setting.Sequences {
			r.turn(false)
			return
		}
		if r.asks != nil {
			r.asks.next(r)
		}
		if !r.begin(r.headOf()) {
			r.turn(true)
			return
		}
		r.popHead()
	}
	r.turn(false)
}

// plan decides about the next step, or steps.
func (r *replica) plan() {
	gave := r.grow()
	b := int64(len(r.decode))
	p, pairs := r.cut(r.setting.Tokens - b)
	if b+p == 0 {
		r.next = r.event()
		if len(r.load) > 0 {
			r.doing = Fetching
		}
		return
	}
	r.busy = true
	switch {
	case p == 0:
		r.doing = Answering
	case b == 0:
		r.doing = Reading
	default:
		r.doing = Both
	}
	if p > 0 {
		r.next = r.ends(r.cost.mixed(b, r.context, p, pairs))
		return
	}
	k := r.all[r.decode[0]].stop - r.steps
	if !r.whole {
		k = min(k, (r.capacity-r.private-r.pinned)/b)
	}
	if r.single || gave {
		k = 1 // who gave back may begin again at once, with what others keep of its prompt
	}
	gpu, stream := r.cost.decode(b)
	r.steady = steady{gpu, stream, b, r.context}
	r.planned = max(k, 1)
	if t := r.event(); t < never && (r.waitsFor() == 0 || len(r.load) > 0 || r.jumps()) {
		if r.waitsFor() > 0 && !r.jumps() {
			t = r.loads()
		}
		if after(r.now, r.steady.sum(r.planned)) > t {
			r.planned = r.steady.until(t-r.now, r.planned)
		}
	}
	if r.steady.at(r.planned-1) >= mostStep { // of many steps the last takes longest
		r.next = mostRun
		return
	}
	r.next = after(r.now, r.steady.sum(r.planned))
}

// ends is when a step ends that begins now; one that is too long does not before the run has to.
func (r *replica) ends(step unit.Time) unit.Time {
	if step >= mostStep {
		return mostRun
	}
	return after(r.now, step)
}

// loads is when the next keys and values are loaded.
func (r *replica) loads() unit.Time {
	t := never
	for _, id := range r.load {
		t = min(t, r.all[id].ready)
	}
	return t
}

// event is when the next request is through the front end or loaded.
func (r *replica) event() unit.Time {
	t := r.loads()
	if r.inbox.len() > 0 {
		t = min(t, r.all[r.inbox.first()].front)
	}
	return t
}

// cut divides a budget of tokens among prompts that are to be computed.
func (r *replica) cut(budget int64) (p, pairs int64) {
	for _, id := range r.fill {
		if budget <= 0 {
			break
		}
		s := &r.all[id]
		r.lookAgain(id)
		n := min(s.left, budget)
		x := pairsOf(s.done, n)
		r.chunks = append(r.chunks, chunk{id, n, r.cost.mixed(0, 0, n, x)})
		if !s.began {
			s.began = true
			r.result.Requests[id].Start = r.now
		}
		r.pause(id)
		s.phase = Prefill
		p, pairs, budget = p+n, pairs+x, budget-n
	}
	return p, pairs
}

// grow makes room for a token of each that decodes: the youngest gives back all, until there is. It reports whether
// anybody did.
func (r *replica) grow() (gave bool) {
	if r.whole {
		return false
	}
	for r.private+r.pinned+int64(len(r.decode)) > r.capacity {
		r.preempt()
		r.turn(true)
		gave = true
	}
	r.room(int64(len(r.decode)))
	return gave
}

// preempt takes everything from the youngest.
func (r *replica) preempt() {
	var id int32
	for {
		id = r.order[len(r.order)-1]
		r.order = r.order[:len(r.order)-1]
		if s := r.all[id].state; s != ended && s != waiting {
			break
		}
	}
	s, q := &r.all[id], &r.requests[id]
	was := s.state
	switch was {
	case loading:
		r.load = without(r.load, id)
		r.came(id, r.now)
	case filling:
		r.fill = without(r.fill, id)
		r.pause(id)
	case decoding:
		s.made = q.Output - int32(s.stop-r.steps)
		s.done = int64(q.Prompt+s.made) - 1 // the last has none yet
		r.context -= s.done + 1
		r.answered(id)
		r.remove(s.place)
	}
	r.release(id)
	s.swapped = was != loading && r.system.Host && s.done > 0 && r.swapped+s.done <= r.result.Memory.Host
	if s.swapped {
		r.swapped += s.done
		r.trim(id)
		s.ready = r.out(id, s.done)
	} else {
		s.left, s.done = int64(q.Prompt+s.made), 0
	}
	s.state, s.phase, s.since = waiting, Queue, r.now
	r.since[id] = r.shortUntil(r.now)
	r.again = append(r.again, id)
	r.result.Requests[id].Preempted++
	r.result.Preempted++
}

// pause ends a time in which a sequence has its turn and no tokens of it are computed.
func (r *replica) pause(id int32) {
	if s := &r.all[id]; s.phase == Prefill {
		s.phase = Interference
	}
	r.pass(id, Queue, r.now)
}

// came counts what a sequence waited for its keys and values until a moment: what the host's blocks took comes first, then
// what those of drives took longer.
func (r *replica) came(id int32, t unit.Time) {
	s := &r.all[id]
	host := min(max(s.since, r.hostDone[id]), t)
	r.spend(id, LoadHost, s.since, host)
	r.spend(id, LoadDrive, host, t)
	s.phase, s.since = Queue, t
}

func without(list []int32, id int32) []int32 {
	for i, x := range list {
		if x == id {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// push and remove keep those that decode in a heap by their end, then by number.
func (r *replica) push(id int32) {
	r.decode = append(r.decode, id)
	r.up(len(r.decode) - 1)
}

func (r *replica) earlier(a, b int32) bool {
	x, y := r.all[a].stop, r.all[b].stop
	return x < y || x == y && a < b
}

func (r *replica) up(i int) {
	h := r.decode
	for i > 0 && r.earlier(h[i], h[(i-1)/2]) {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		r.all[h[i]].place = i
		i = (i - 1) / 2
	}
	r.all[h[i]].place = i
}

func (r *replica) down(i int) {
	h := r.decode
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && r.earlier(h[c+1], h[c]) {
			c++
		}
		if !r.earlier(h[c], h[i]) {
			break
		}
		h[i], h[c] = h[c], h[i]
		r.all[h[i]].place = i
		i = c
	}
	r.all[h[i]].place = i
}

func (r *replica) remove(i int) {
	h := r.decode
	last := len(h) - 1
	r.all[h[i]].place = -1
	if i != last {
		h[i] = h[last]
		r.all[h[i]].place = i
	}
	r.decode = h[:last]
	if i < last {
		r.down(i)
		r.up(i)
	}
}
