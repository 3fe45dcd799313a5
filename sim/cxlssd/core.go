package cxlssd

import (
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// A core runs one thread at a time.
type core struct {
	running *thread // whose number is
	thread  int32
	flying  int32     // loads since all were done
	until   unit.Time // when they are done
	cause   Cause     // of the last of them
	since   unit.Time // when the thread began its turn

	stores      []unit.Time // the store buffer: when each entry is done, a ring
	head, count int
	ended       unit.Time
}

// A thread is where it is in its requests.
type thread struct {
	requests []stream.Request
	at       int
	seen     int       // the request that triggered a switch last
	misses   int32     // how often it missed,
	repeats  int32     // and how often it triggered another
	ahead    int       // requests before this were issued before, and squashed
	ready    unit.Time // when what it waits for is there
	executed unit.Time
	paid     bool // the cycles before the request passed already
}

// await lets a core wait for all its loads.
func (r *run) await(number int, c *core, now unit.Time) unit.Time {
	c.flying = 0
	if c.until <= now {
		return now
	}
	r.ledger[c.cause] += c.until - now
	if r.watch != nil {
		r.span(number, c, c.cause, now, c.until)
	}
	return c.until
}

// store puts a store into the store buffer, of which entries leave in order. The core
// waits only if the buffer is full.
func (r *run) store(number int, c *core, q stream.Request, now unit.Time) unit.Time {
	for c.count > 0 && c.stores[c.head] <= now {
		c.pop()
	}
	if c.count == len(c.stores) {
		r.result.Stores++
		until := c.stores[c.head]
		r.ledger[WaitsLog] += until - now
		if r.watch != nil {
			r.span(number, c, WaitsLog, now, until)
		}
		now = until
		c.pop()
	}
	served := r.device.access(q, now)
	r.kinds[served.kind]++
	r.writes[served.kind]++
	r.device.account(served, true)
	at := c.head + c.count
	if at >= len(c.stores) {
		at -= len(c.stores)
	}
	c.stores[at] = now + served.latency
	c.count++
	return now
}

func (c *core) pop() {
	if c.head++; c.head == len(c.stores) {
		c.head = 0
	}
	c.count--
}

// A load switches at most so often when its page had left the cache before it was back,
// and so often in all: then it waits. Else threads that take each other's ways, or a
// switch that costs nothing, would go on for ever. No bundled workload comes near.
const (
	mostMisses  = 16
	mostRepeats = 1 << 14
)

// isFar reports whether a load that goes to flash triggers a switch.
func (r *run) isFar(t *thread, s served, now unit.Time) bool {
	if t.seen == t.at && (t.misses >= mostMisses || t.repeats >= mostRepeats) {
		return false
	}
	if o := r.device.own; o != nil && o.far != nil {
		return o.isFar(t.requests[t.at].Page(), s, now)
	}
	if r.device.trueLatency || s.kind == Merged {
		return s.flash+s.queued >= r.threshold
	}
	return s.estimate > r.threshold
}

// trigger switches the thread of a core at a load that is far. The loads behind it that
// were issued before are squashed, but the device has begun to serve them.
func (r *run) trigger(number int, c *core, t *thread, now unit.Time, far served) int64 {
	r.result.Switches++
	if t.seen == t.at {
		r.result.Repeated++
		t.repeats++
	} else {
		t.misses, t.repeats = 0, 0
	}
	if far.kind == Missed {
		t.misses++
	}
	t.seen = t.at
	t.ready = now + far.latency
	if t.at >= t.ahead {
		t.ahead = t.at + 1
		for n := int32(1); n < r.most && t.ahead < len(t.requests) && r.overlap != 0 && r.random.Next()>>11 < r.overlap; n++ {
			q := t.requests[t.ahead]
			if !q.Write() {
				r.device.access(q, now)
			}
			t.ahead++
		}
	}
	page := t.requests[t.at].Page()
	from := c.thread
	now = r.await(number, c, now)
	t.paid = true
	t.executed += now - c.since
	r.queue.push(c.thread)
	next := r.dispatch(number, r.change(number, c, now))
	if r.watch != nil && r.watch.Switch != nil {
		r.watch.Switch(number, int(from), int(c.thread), page, now, far.latency)
	}
	return next
}

// rotate ends a thread's turn.
func (r *run) rotate(number int, c *core, t *thread, now unit.Time) int64 {
	r.result.Switches++
	now = r.await(number, c, now)
	t.executed += now - c.since
	t.ready = now
	r.queue.push(c.thread)
	return r.dispatch(number, r.change(number, c, now))
}

// change lets a core pay for a context switch.
func (r *run) change(number int, c *core, now unit.Time) unit.Time {
	r.ledger[Switches] += r.cost
	if r.watch != nil {
		r.span(number, c, Switches, now, now+r.cost)
	}
	return now + r.cost
}

// dispatch gives a core the next thread, and returns when it issues a request.
func (r *run) dispatch(number int, now unit.Time) int64 {
	c := &r.cores[number]
	c.flying, c.until = 0, now
	next := r.queue.pop(r.threads, &r.random, now)
	if next < 0 {
		c.thread, c.ended = -1, now
		return idle
	}
	t := &r.threads[next]
	c.thread, c.running, c.since = next, t, now
	if t.paid {
		t.paid = false
		return int64(now)<<numberBits | int64(number)
	}
	return r.proceed(number, c, t, now)
}

// finish closes the books of a run.
func (r *run) finish() {
	result := r.result
	for i := range r.cores {
		result.CoreTimes = append(result.CoreTimes, r.cores[i].ended)
		result.Time = max(result.Time, r.cores[i].ended)
	}
	for i := range r.cores {
		ended := r.cores[i].ended
		r.ledger[Idle] += result.Time - ended
		if r.watch != nil && r.watch.Span != nil && ended < result.Time {
			r.watch.Span(i, -1, Idle, ended, result.Time)
		}
	}
	result.Ledger = r.ledger
	result.OnChip = r.onChip * unit.Time(r.retired())
	result.Requests = r.kinds
	result.WritesOf = r.writes
	for _, n := range r.writes {
		result.Writes += n
	}
	r.sample(result.Time)
	result.Samples = r.sampling.samples
	r.device.finish()
}

// mostSamples bounds the samples of a run: when there are more, every second is dropped
// and they are taken half as often.
const mostSamples = 512

type sampling struct {
	next, every unit.Time
	samples     []Sample
}

// sample notes the state of the device.
func (r *run) sample(now unit.Time) {
	s := &r.sampling
	if len(s.samples) == mostSamples {
		for i := range mostSamples / 2 {
			s.samples[i] = s.samples[2*i]
		}
		s.samples = s.samples[:mostSamples/2]
		s.every *= 2
	}
	s.samples = append(s.samples, r.device.sample(now))
	s.next = now - now%s.every + s.every
}
