package cxlssd

import (
	"errors"
	"fmt"
	"math"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// A Watch is told what happens in a run; each function may be nil. A run without one
// does not pay for it.
type Watch struct {
	// Span is told what a core did from a time to another, and for which thread (-1 of none).
	Span func(core, thread int, what Cause, from, to unit.Time)
	// Switch is told of a context switch: the page that was waited for, and why it was
	// far (what was queued).
	Switch func(core, from, to int, page uint32, at, latency unit.Time)
	// Page is told of the life of pages: "miss", "hit" of the device's cache, "host" of a
	// request that host DRAM serves, "promote", "demote", "evict", "append", "program".
	Page func(page uint32, what string, at unit.Time)
	// Compaction is told of a compaction: from when to when, how many pages and lines.
	Compaction func(from, to unit.Time, pages, lines int64)
	// Flash is told what a server of the flash (see [Setup.Servers]) does, once nothing can put
	// it off any more: what requests and evictions have it do in order of time, and of its own
	// what compaction has it do. The two may overlap, as compaction does not wait for what it
	// finds queued. Collection is not among it: it is done whenever nothing else is.
	Flash func(server int, what FlashWork, from, to unit.Time)
	// Collection is told of garbage collection when it begins: until when it lasts if nobody asks
	// for anything meanwhile, how many pages it copies and how many blocks it erases.
	Collection func(from, to unit.Time, pages, blocks int64)
	// Retired is told when a request of any thread retires, in the order in which they are
	// simulated.
	Retired func(at unit.Time)
}

// A FlashWork is what flash does.
type FlashWork uint8

// The works of flash.
const (
	ReadPage       FlashWork = iota // for a request; with RunAhead for compaction too
	ProgramPage                     // of what left the cache or host DRAM
	CompactRead                     // for compaction
	CompactProgram                  // of a page that compaction merged
	FlashWorks
)

// longest is when a run is given up, so that no time overflows.
const longest = 20 * 3600 * unit.Second

// often is after how many requests progress is told.
const often = 1 << 18

// Run runs a workload on a system. The error is about the setup. watch and p may be nil.
func Run(w *stream.Workload, s *Setup, system string, watch *Watch, p report.Progress) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return simulate(w, s, system, watch, p)
}

// simulate is Run of a setup that may be smaller than a user can choose.
func simulate(w *stream.Workload, s *Setup, system string, watch *Watch, p report.Progress) (*Result, error) {
	sys, err := Find(system)
	if err != nil {
		return nil, err
	}
	design := s.Mechanisms(sys)
	scale := s.Scale
	if w.Recorded != nil {
		scale = 1
	}
	w = w.At(scale)
	threads := s.Threads
	if threads == 0 && w.Recorded == nil {
		threads = s.Cores
		if design.Switch {
			threads = w.Recipe.Switching
		}
	}
	requests, err := w.Streams(int(threads))
	if err != nil {
		return nil, err
	}
	result := &Result{
		System: system, Workload: w.Name, Scale: scale,
		Threads: len(requests.Threads), Cores: int(s.Cores),
		Footprint: int64(requests.Pages),
	}
	d, err := newDevice(w, s, scale, design, requests, result)
	if err != nil {
		return nil, err
	}
	if c := s.Script; sys.Written && c != nil {
		d.own = newOwn(d, c, requests)
		d.counts = true
	}
	if watch != nil {
		d.watch = watch
		if d.flash != nil {
			d.flash.books = watch.Collection
		}
		if watch.Flash != nil && d.flash != nil {
			d.flash.tell, d.flash.untold = watch.Flash, make([][]piece, d.flash.width)
		}
	}
	d.plain = watch == nil && !d.host.tracked
	d.plainCache = watch == nil && d.linkBit == 0 && !d.counts
	d.begin(requests)
	if d.own != nil && d.own.Over() {
		return d.own.gaveUp(result, 0, requests.Count), nil
	}
	r := newRun(w, s, design, requests, d)
	if d.own != nil {
		d.own.queue = &r.queue
	}
	r.simple = watch == nil && r.slice == 0 && r.cycle != 0
	r.inOrder = watch == nil && r.overlap == 0
	if err := r.loop(p); errors.Is(err, errGaveUp) {
		return d.own.gaveUp(result, r.retired(), requests.Count), nil
	} else if err != nil {
		return nil, err
	}
	r.finish()
	if d.own != nil {
		account := d.own.Account()
		result.Script = &account
	}
	return result, nil
}

// Find returns the system with a name.
func Find(name string) (*System, error) {
	if name == OwnPolicy {
		return &yours, nil
	}
	for i := range Systems {
		if Systems[i].Name == name {
			return &Systems[i], nil
		}
	}
	return nil, fmt.Errorf("there is no system %q; choose one such as %s", name, Systems[1].Name)
}

// run is one run: cores that take turns by their time, threads, and the device.
type run struct {
	device  *device
	result  *Result
	watch   *Watch // nil of none
	design  Design
	threads []thread
	cores   []core
	queue   queue
	// order has, of each core, when its next request is issued and its number: the least
	// is the next one. There are places for whole groups of eight.
	order  [mostCores / 8][8]int64
	groups int // that there are

	random    stream.Random
	overlap   uint64 // of 53 bits: below it a load does not block
	most      int32  // loads under way
	onChip    unit.Time
	cycle     unit.Time // of a core, if that is a whole number, else 0
	clock     unit.Frequency
	cost      unit.Time // of a switch
	threshold unit.Time
	shootdown unit.Time
	steps     int       // since progress was told
	buffered  bool      // stores enter the store buffer
	slice     unit.Time // a thread's turn, 0 without limit
	inOrder   bool      // every load blocks, and nobody watches
	simple    bool      // threads have no turns, nobody watches, and a cycle is a whole number of picoseconds

	ledger   [Causes]unit.Time
	kinds    [Kinds]int64
	writes   [Kinds]int64 // of kinds
	sampling sampling
}

// idle is the order of a core that has nothing to do.
const idle = math.MaxInt64

// Cores' numbers are the lower bits of their order.
const (
	numberBits = 6
	mostCores  = 1 << numberBits
)

func newRun(w *stream.Workload, s *Setup, design Design, requests *stream.Stream, d *device) *run {
	recipe := &w.Recipe
	r := &run{
		device: d, result: d.result, design: design, watch: d.watch,
		threads: make([]thread, len(requests.Threads)), cores: make([]core, s.Cores),
		groups: int(s.Cores+7) / 8,
		random: stream.CoreSeed(s.Seed), overlap: uint64(unit.MulDiv(recipe.Overlap, 1<<53, 1000)), most: int32(recipe.Outstanding),
		onChip: s.Clock.Time(recipe.OnChip), clock: s.Clock,
		cost: s.Switch, threshold: s.Threshold, shootdown: s.Shootdown,
		buffered: design.Log || recipe.Stores == stream.Buffered,
		sampling: sampling{every: unit.Microsecond},
	}
	if t := s.Clock.Time(1); s.Clock.Time(1000) == 1000*t {
		r.cycle = t
	}
	for i := range requests.Threads {
		r.threads[i].requests = requests.Threads[i]
		r.threads[i].seen = -1
	}
	r.queue = newQueue(s.Scheduler, len(r.threads))
	if s.Scheduler == CFS {
		r.slice = slice
	}
	for i := range r.order {
		for k := range r.order[i] {
			r.order[i][k] = idle
		}
	}
	for t := range r.threads {
		if len(r.threads[t].requests) > 0 {
			r.queue.push(int32(t))
		}
	}
	for i := range r.cores {
		c := &r.cores[i]
		c.stores = make([]unit.Time, s.StoreSize)
		c.thread = -1
		r.set(i, r.dispatch(i, 0))
	}
	return r
}

// gap is the time of the cycles before a request, with the fixed cost of every one.
func (r *run) gap(q stream.Request) unit.Time {
	if r.cycle != 0 {
		return unit.Time(q.Gap())*r.cycle + r.onChip
	}
	return r.clock.Time(q.Gap()) + r.onChip
}

// least returns the core whose next request is the first, as an order.
func (r *run) least() int64 {
	first := leastOf(&r.order[0])
	for i := 1; i < r.groups; i++ {
		first = min(first, leastOf(&r.order[i]))
	}
	return first
}

func leastOf(o *[8]int64) int64 {
	return min(min(min(o[0], o[1]), min(o[2], o[3])), min(min(o[4], o[5]), min(o[6], o[7])))
}

// loop runs all requests in the order of time; of cores at the same time the first comes
// first.
func (r *run) loop(p report.Progress) error {
	total := int64(0)
	for i := range r.threads {
		total += int64(len(r.threads[i].requests))
	}
	for first := r.least(); first != idle; {
		number := int(first & (mostCores - 1))
		r.set(number, idle)
		second := r.least()
		last, err := r.turn(number, first, second, p, total)
		if err != nil {
			return err
		}
		if first = second; last < second { // all cores were stopped
			first = r.least()
		}
	}
	if p != nil {
		p(int(total), int(total))
	}
	return nil
}

// turn lets a core issue requests for as long as it comes before all others, of which
// second is the first.
func (r *run) turn(number int, first, second int64, p report.Progress, total int64) (int64, error) {
	c := &r.cores[number]
	for {
		if r.simple {
			first = r.quick(number, first, second)
		}
		if first >= second {
			break
		}
		now := unit.Time(first >> numberBits)
		first = r.step(number, c, now)
		if r.device.stops != 0 {
			r.set(number, first)
			r.stop()
			return 0, r.tick(now, p, total)
		}
		if r.steps++; r.steps == often || now >= r.sampling.next {
			if err := r.tick(now, p, total); err != nil {
				return 0, err
			}
		}
	}
	r.set(number, first)
	return first, nil
}

// tick is done now and then.
func (r *run) tick(now unit.Time, p report.Progress, total int64) error {
	if o := r.device.own; o != nil && o.Over() {
		return errGaveUp
	}
	if now >= r.sampling.next {
		r.sample(now)
		if now > longest {
			return fmt.Errorf("after %v of simulated time the run had not ended; choose a shorter workload or faster flash", longest)
		}
	}
	if r.steps >= often {
		r.steps = 0
		if p != nil {
			p(int(r.retired()), int(total))
		}
	}
	return nil
}

// stop stops every core for the shoot-downs of what was promoted.
func (r *run) stop() {
	time := r.shootdown * unit.Time(r.device.stops)
	r.device.stops = 0
	if time == 0 {
		return
	}
	for i := range r.cores {
		order := r.order[i/8][i%8]
		if order == idle {
			continue
		}
		r.ledger[Stopped] += time
		if r.watch != nil {
			at := unit.Time(order >> numberBits)
			r.span(i, &r.cores[i], Stopped, at, at+time)
		}
		r.set(i, order+int64(time)<<numberBits)
	}
}

func (r *run) set(number int, order int64) {
	r.order[number/8&(mostCores/8-1)][number&7] = order
}

func (r *run) retired() int64 {
	n := int64(0)
	for _, k := range r.kinds {
		n += k
	}
	return n
}

// step issues the next request of a core's thread, and returns when the core issues
// another, as an order.
func (r *run) step(number int, c *core, now unit.Time) int64 {
	t := c.running
	q := t.requests[t.at]
	d := r.device
	latency, cause := unit.Time(0), WaitsSSD
	switch {
	case q.Write() && r.buffered:
		return r.next(number, c, t, r.store(number, c, q, now))
	default:
		served := d.access(q, now)
		if served.far && r.design.Switch && r.isFar(t, served, now) {
			return r.trigger(number, c, t, now, served)
		}
		r.kinds[served.kind]++
		d.account(served, q.Write())
		if q.Write() {
			r.writes[served.kind]++
		}
		latency = served.latency
		if served.kind == HostHit {
			cause = WaitsDRAM
		}
	}
	switch {
	case r.inOrder:
		r.ledger[cause] += latency
		now += latency
	default:
		if now >= c.until {
			c.flying = 0
		}
		if done := now + latency; done > c.until {
			c.until, c.cause = done, cause
		}
		c.flying++
		if c.flying >= r.most || r.overlap == 0 || r.random.Next()>>11 >= r.overlap {
			now = r.await(number, c, now)
		}
	}
	return r.next(number, c, t, now)
}

// quick issues a core's requests, as step does, for as long as it comes before all
// others and they need neither flash nor log, are not their thread's last, and it is not
// time for a tick. It calls nothing, which matters where it runs most, in a browser.
func (r *run) quick(number int, first, second int64) int64 {
	c, d := &r.cores[number], r.device
	t := c.running
	for first < second && t.at+1 < len(t.requests) {
		now := unit.Time(first >> numberBits)
		if r.steps >= often-1 || now >= r.sampling.next {
			break
		}
		q := t.requests[t.at]
		p := &d.pages[q.Page()]
		kind, latency, cause := HostHit, d.hostHit, WaitsDRAM
		if q.Write() && r.buffered {
			break
		}
		line := uint64(1) << q.Line()
		switch {
		case p.at < 0 && d.plain:
		case p.at > 0 && d.plainCache && d.ways[p.at-1].ready <= now && d.log.next > now:
			w := &d.ways[p.at-1]
			d.clock++
			w.stamp = d.clock
			if q.Write() {
				w.written |= line
			} else {
				w.read |= line
			}
			kind, latency, cause = CacheHit, d.cacheHit, WaitsSSD
		default:
			return first
		}
		if q.Write() {
			d.result.DirtyLines++
			d.overwrite(p.dirty & line)
			p.dirty |= line
			r.writes[kind]++
		}
		r.kinds[kind]++
		r.steps++
		if r.inOrder {
			r.ledger[cause] += latency
			now += latency
		} else {
			if now >= c.until {
				c.flying = 0
			}
			if done := now + latency; done > c.until {
				c.until, c.cause = done, cause
			}
			c.flying++
			if c.flying >= r.most || r.overlap == 0 || r.random.Next()>>11 >= r.overlap {
				c.flying = 0
				if c.until > now {
					r.ledger[c.cause] += c.until - now
					now = c.until
				}
			}
		}
		t.at++
		gap := unit.Time(t.requests[t.at].Gap())*r.cycle + r.onChip
		r.ledger[Computes] += gap
		first = int64(now+gap)<<numberBits | int64(number)
	}
	return first
}

// next goes on after a request that retired.
func (r *run) next(number int, c *core, t *thread, now unit.Time) int64 {
	t.at++
	if r.watch != nil && r.watch.Retired != nil {
		r.watch.Retired(now)
	}
	if t.at == len(t.requests) {
		now = r.await(number, c, now)
		c.thread = -1
		return r.dispatch(number, now)
	}
	if r.slice != 0 && now-c.since >= r.slice && r.queue.before(r.threads, t.executed+now-c.since) {
		return r.rotate(number, c, t, now)
	}
	return r.proceed(number, c, t, now)
}

// proceed computes up to the next request of a thread.
func (r *run) proceed(number int, c *core, t *thread, now unit.Time) int64 {
	gap := r.gap(t.requests[t.at])
	r.ledger[Computes] += gap
	if r.watch != nil {
		r.span(number, c, Computes, now, now+gap)
	}
	return int64(now+gap)<<numberBits | int64(number)
}

func (r *run) span(number int, c *core, what Cause, from, to unit.Time) {
	if r.watch.Span != nil && from < to {
		r.watch.Span(number, int(c.thread), what, from, to)
	}
}
