package cxlssd

import (
	"slices"
	"testing"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// naive is the device and the cores written as plainly as possible: every page is
// searched for in a list, every core is looked at for the next step, lines are kept in
// maps. It shares the types of setup, stream and result with the simulator, its random
// numbers, and the flash where that collects garbage, of which other tests are.
type naive struct {
	s   Setup
	d   Design
	c   stream.Recipe
	all *stream.Stream
	res *Result

	rnd   stream.Random // what the device draws
	draws stream.Random // what the cores draw
	flash naiveStore
	dry   bool // a pass without time

	ways  []*naivePage // of the cache, set after set; nil is empty
	sets  int
	stamp int64

	host     []*naiveHost // the least recently used first; or, with sets of eight, all their places
	hostMost int
	hostSets int
	foreign  int // pages of somebody else in host DRAM without sets; they leave first
	stops    int // shoot-downs that are due

	threshold, accesses, benefit int64
	armed, active                map[uint32]bool // pages that TPP's scans look at, and has seen
	scan                         unit.Time

	log      []naiveSlot // from the head to the tail
	slots    int
	half     int
	number   int // without OneLog: of the log that takes lines, counted up
	filled   int // and how many slots of it are taken
	compacts bool
	target   int         // the log that is compacted
	cursor   unit.Time   // when compaction goes on
	ends     []unit.Time // of the programs of compaction
	began    unit.Time

	linkRead, linkWritten unit.Time   // until when a direction of the link is taken
	misses                []unit.Time // when they were done

	cores   []*naiveCore
	threads []*naiveThread
	queue   []int // of threads
	// What somebody wrote, by hand; nil of all others.
	promotes func(*naivePage) bool
	switches func(answer) bool

	samples []Sample
	next    unit.Time
	every   unit.Time
}

// A naivePage is a way of the cache that is taken.
type naivePage struct {
	page        int64 // -1 is a page of somebody else
	count       int64 // of hits
	ready       unit.Time
	stamp       int64 // the smallest is the victim
	read, wrote map[uint8]bool
	dirty       map[uint8]bool // written lines that nobody else has
}

// A naiveHost is a page in host DRAM.
type naiveHost struct {
	page  int64
	stamp int64
	there unit.Time // when it was copied
	dirty map[uint8]bool
}

// A naiveSlot is a line in the log.
type naiveSlot struct {
	page uint32
	line uint8
	log  int // of two that take turns
	dead bool
}

// A naiveThread runs at most on one core.
type naiveThread struct {
	requests []stream.Request // that are left
	issued   int              // of them so many were issued before and squashed
	switched int              // how often the first of them has switched,
	missed   int              // and how often of that it missed
	paid     bool             // what is computed before the first of them is done
	executed unit.Time
	arrives  unit.Time // of the data that it waits for
}

// A naiveCore is at its next request.
type naiveCore struct {
	now     unit.Time
	running int // -1 is none
	since   unit.Time
	stores  []unit.Time // of those in the store buffer when they are done; they leave in order
	loads   []naiveLoad // since all were done
}

// A naiveLoad is under way.
type naiveLoad struct {
	done  unit.Time
	waits Cause
}

// TestAgainstNaive compares every field of the result.
func TestAgainstNaive(t *testing.T) {
	for seed := range many(2000) {
		d := draw(seed + 50_000)
		got, err := simulate(d.w, &d.s, d.system, nil, nil)
		if err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		if diff := differences(got, runNaive(d.w, d.s, design(t, &d.s, d.system), d.system)); diff != "" {
			t.Errorf("%v, on %+v:%s", d, d.s, diff)
		}
		if t.Failed() {
			return
		}
	}
}

// TestRecipesAgainstNaive is the same of the recipes, at a scale at which the naive
// device ends soon.
func TestRecipesAgainstNaive(t *testing.T) {
	list := stream.Recipes()
	for k := range list {
		w := recipe(t, list[k].Name)
		for i := range Systems {
			for _, s := range []Setup{Default(), Paper()} {
				if s.Scale = 512; testing.Short() {
					s.Scale = 2048
				}
				s.Dies, s.Blocks = 8, 8192
				s.Program, s.Scheduler, s.Seed = 81*unit.Microsecond, Locality, int64(i)
				got, err := simulate(w, &s, Systems[i].Name, nil, nil)
				if err != nil {
					t.Fatalf("%s on %s: %v", w.Name, Systems[i].Name, err)
				}
				if diff := differences(got, runNaive(w, s, design(t, &s, Systems[i].Name), Systems[i].Name)); diff != "" {
					t.Fatalf("%s on %s, quirks %q:%s", w.Name, Systems[i].Name, Quirks.Format(s.Quirks), diff)
				}
			}
		}
	}
}

// runNaive is Run of the naive device.
func runNaive(w *stream.Workload, s Setup, d Design, system string) *Result {
	return runNaiveWith(w, s, d, system, func(*naive) {})
}

// runNaiveWith is runNaive of a device that does something by hand.
func runNaiveWith(w *stream.Workload, s Setup, d Design, system string, with func(*naive)) *Result {
	if w.Recorded != nil {
		s.Scale = 1
	}
	w = w.At(s.Scale)
	n := &naive{s: s, d: d, c: w.Recipe, every: unit.Microsecond}
	with(n)
	threads := s.Threads
	if threads == 0 && w.Recorded == nil {
		threads = s.Cores
		if d.Switch {
			threads = w.Recipe.Switching
		}
	}
	all, err := w.Streams(int(threads))
	if err != nil {
		panic(err)
	}
	n.all = all
	n.res = &Result{System: system, Workload: w.Name, Scale: s.Scale, Threads: len(all.Threads), Cores: int(s.Cores), Footprint: int64(all.Pages)}
	n.begin()
	n.draws = stream.CoreSeed(s.Seed)
	for i, of := range all.Threads {
		n.threads = append(n.threads, &naiveThread{requests: of})
		if len(of) > 0 {
			n.queue = append(n.queue, i)
		}
	}
	for range s.Cores {
		c := &naiveCore{running: -1}
		n.cores = append(n.cores, c)
		n.dispatch(c)
	}
	for {
		var first *naiveCore
		for _, c := range n.cores {
			if c.running >= 0 && (first == nil || c.now < first.now) {
				first = c
			}
		}
		if first == nil {
			break
		}
		now := first.now
		n.step(first)
		for ; n.stops > 0; n.stops-- {
			for _, c := range n.cores {
				if c.running >= 0 {
					n.spend(c, Stopped, s.Shootdown)
				}
			}
		}
		if now >= n.next {
			n.sample(now)
		}
	}
	n.end()
	return n.res
}

// sample notes how the device is; of more than 512 samples every second is dropped and
// they are taken half as often from then on.
func (n *naive) sample(now unit.Time) {
	if len(n.samples) == 512 {
		var rest []Sample
		for i := 0; i < len(n.samples); i += 2 {
			rest = append(rest, n.samples[i])
		}
		n.samples = rest
		n.every *= 2
	}
	r := n.res
	s := Sample{At: now, Log: int64(len(n.log)), Reads: r.UserReads + r.CompactionReads, Programs: r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms}
	if n.flash != nil {
		s.Backlog = n.flash.backlog(now)
	}
	n.samples = append(n.samples, s)
	n.next = (now/n.every + 1) * n.every
}

// end completes the result.
func (n *naive) end() {
	r := n.res
	for _, c := range n.cores {
		r.Time = max(r.Time, c.now)
		r.CoreTimes = append(r.CoreTimes, c.now)
	}
	for _, c := range n.cores {
		r.Ledger[Idle] += r.Time - c.now
	}
	n.sample(r.Time)
	r.Samples = n.samples
	r.OnChip = n.s.Clock.Time(n.c.OnChip) * unit.Time(sum(r.Requests[:]))
	left := map[int64]bool{}
	for _, w := range n.ways {
		if w != nil {
			n.gone(w)
			r.LinesInDevice += int64(len(w.dirty))
			if len(w.dirty) > 0 {
				left[w.page] = true
			}
		}
	}
	for _, h := range n.host {
		if h != nil {
			r.LinesInHost += int64(len(h.dirty))
		}
	}
	for _, s := range n.log {
		if !s.dead {
			r.LinesInDevice++
			left[int64(s.page)] = true
		}
	}
	r.LeftPages = int64(len(left))
	if n.d.Promote != NoPromotion {
		r.PromoteAt = n.threshold
	}
	if n.flash != nil {
		n.flash.report(r)
	}
}

// spend lets a core's time pass.
func (n *naive) spend(c *naiveCore, what Cause, span unit.Time) {
	c.now += span
	n.res.Ledger[what] += span
}

// dispatch gives a core the next thread, which computes up to its request.
func (n *naive) dispatch(c *naiveCore) {
	c.loads = nil
	if c.running = n.schedule(c.now); c.running >= 0 {
		c.since = c.now
		n.compute(c)
	}
}

// compute spends what a thread computes before its next request, once.
func (n *naive) compute(c *naiveCore) {
	t := n.threads[c.running]
	if !t.paid {
		n.spend(c, Computes, n.gap(t.requests[0]))
	}
	t.paid = false
}

func (n *naive) gap(r stream.Request) unit.Time {
	return n.s.Clock.Time(r.Gap()) + n.s.Clock.Time(n.c.OnChip)
}

// await lets a core wait for all its loads.
func (n *naive) await(c *naiveCore) {
	last := naiveLoad{done: c.now}
	for _, l := range c.loads {
		if l.done > last.done {
			last = l
		}
	}
	n.spend(c, last.waits, last.done-c.now)
	c.loads = nil
}

// step issues the next request of a core's thread.
func (n *naive) step(c *naiveCore) {
	t := n.threads[c.running]
	r := t.requests[0]
	if r.Write() && (n.d.Log || n.c.Stores == stream.Buffered) {
		for len(c.stores) > 0 && c.stores[0] <= c.now {
			c.stores = c.stores[1:]
		}
		if len(c.stores) == int(n.s.StoreSize) {
			n.res.Stores++
			n.spend(c, WaitsLog, c.stores[0]-c.now)
			c.stores = c.stores[1:]
		}
		a := n.ask(r, c.now)
		n.retire(r, a)
		c.stores = append(c.stores, c.now+a.latency())
	} else {
		a := n.ask(r, c.now)
		if n.d.Switch && n.far(a) && t.missed < 16 && t.switched <= 16384 {
			if a.kind == Missed {
				t.missed++
			}
			n.leave(c, t, c.now+a.latency())
			return
		}
		n.retire(r, a)
		l := naiveLoad{c.now + a.latency(), WaitsSSD}
		if a.kind == HostHit {
			l.waits = WaitsDRAM
		}
		// Loads retire in order: one that is done stays until those before it are.
		if !slices.ContainsFunc(c.loads, func(o naiveLoad) bool { return o.done > c.now }) {
			c.loads = nil
		}
		c.loads = append(c.loads, l)
		if int64(len(c.loads)) >= n.c.Outstanding || n.c.Overlap == 0 || !n.draws.Chance(n.c.Overlap) {
			n.await(c)
		}
	}
	t.missed = 0
	t.requests, t.switched, t.issued = t.requests[1:], 0, max(0, t.issued-1)
	if len(t.requests) == 0 {
		n.await(c)
		n.dispatch(c)
		return
	}
	if n.s.Scheduler == CFS && c.now-c.since >= 3*unit.Millisecond {
		for _, other := range n.queue {
			if n.threads[other].executed < t.executed+c.now-c.since {
				n.await(c)
				t.arrives = c.now
				n.yield(c, t)
				return
			}
		}
	}
	n.compute(c)
}

// estimates is whether the queues of flash matter.
func (n *naive) estimates() bool { return n.d.Switch && !n.s.Quirks.Has(TrueLatency) }

// far is whether a load switches.
func (n *naive) far(a answer) bool {
	if n.switches != nil {
		return (a.kind == Missed || a.kind == Merged) && n.switches(a)
	}
	if a.kind == Missed && !n.s.Quirks.Has(TrueLatency) {
		return a.estimate > n.s.Threshold
	}
	return (a.kind == Missed || a.kind == Merged) && a.after >= n.s.Threshold
}

// retire counts a request.
func (n *naive) retire(r stream.Request, a answer) {
	n.res.Requests[a.kind]++
	took := sum(a.bill[:])
	tail := &n.res.ReadTail
	if r.Write() {
		n.res.Writes++
		n.res.WritesOf[a.kind]++
		tail = &n.res.WriteTail
	}
	tail.Latency.Add(took)
	if took > tail.Longest || took == tail.Longest && took > 0 && a.kind < tail.Of {
		tail.Longest, tail.Of, tail.Flash, tail.Queued = took, a.kind, a.bill[PartFlash], a.bill[PartQueue]
	}
	n.res.Latency.Add(took)
	if took > n.res.Longest || took == n.res.Longest && took > 0 && a.kind < n.res.LongestOf {
		n.res.Longest, n.res.LongestOf, n.res.LongestFlash, n.res.LongestQueue = took, a.kind, a.bill[PartFlash], a.bill[PartQueue]
	}
	if a.kind == Missed {
		read := a.bill[PartFlash] + a.bill[PartQueue]
		n.res.ReadLatency.Add(read)
		n.res.LongestRead = max(n.res.LongestRead, read)
	}
	for i, v := range a.bill {
		n.res.Bill[i] += v
		n.res.BillOf[a.kind][i] += v
	}
}

// leave switches: the load, and those behind it that are on their way, are issued again
// when the thread is back.
func (n *naive) leave(c *naiveCore, t *naiveThread, arrives unit.Time) {
	if t.switched > 0 {
		n.res.Repeated++
	}
	t.switched++
	t.arrives, t.paid = arrives, true
	if t.issued == 0 {
		t.issued = 1
		for int64(t.issued) < n.c.Outstanding && t.issued < len(t.requests) && n.c.Overlap > 0 && n.draws.Chance(n.c.Overlap) {
			r := t.requests[t.issued]
			if !r.Write() {
				n.ask(r, c.now)
			}
			t.issued++
		}
	}
	n.await(c)
	n.yield(c, t)
}

// yield gives the core to the next thread.
func (n *naive) yield(c *naiveCore, t *naiveThread) {
	n.res.Switches++
	t.executed += c.now - c.since
	n.queue = append(n.queue, c.running)
	n.spend(c, Switches, n.s.Switch)
	n.dispatch(c)
}

// schedule takes the next thread from the queue of all cores, -1 if there is none.
func (n *naive) schedule(now unit.Time) int {
	if len(n.queue) == 0 {
		return -1
	}
	next := 0
	switch n.s.Scheduler {
	case Random:
		var ready []int
		for i, t := range n.queue {
			if n.threads[t].arrives <= now {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			next = int(n.draws.Below(int64(len(n.queue))))
		} else {
			next = ready[n.draws.Below(int64(len(ready)))]
		}
	case Fairness, CFS:
		for i, t := range n.queue {
			if n.threads[t].executed < n.threads[n.queue[next]].executed {
				next = i
			}
		}
	case Locality: // the latest of those that are there, else the first that will be
		for i, t := range n.queue {
			a, b := n.threads[t].arrives, n.threads[n.queue[next]].arrives
			switch {
			case a <= now && b <= now:
				if a > b {
					next = i
				}
			case a <= now || b > now && a < b:
				next = i
			}
		}
	}
	thread := n.queue[next]
	n.queue = slices.Delete(n.queue, next, next+1)
	return thread
}
