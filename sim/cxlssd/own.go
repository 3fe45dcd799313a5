package cxlssd

import (
	"errors"
	"fmt"
	"math/bits"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// OwnPolicy is the name of the system that does as somebody wrote (Setup.Script).
const OwnPolicy = "own"

// yours is the system that does as somebody wrote.
var yours = System{Name: OwnPolicy, Title: policy.Yours, About: "What somebody wrote.", Design: Design{Own: true, Written: true}, Off: true}

// Mechanisms are those that a system has with a setup. What somebody wrote has the mechanism of
// every rule in it, and else those of the setup.
func (s *Setup) Mechanisms(x *System) Design {
	if !x.Own {
		return x.Design
	}
	d := s.Own
	if c := s.Script; x.Written && c != nil {
		if c.Given("promote") {
			d.Promote = Written
		}
		d.Switch = d.Switch || c.Given("switch")
		d.Log = d.Log || c.Given("compact")
	}
	return d
}

// own is the policy of a run, as it runs.
type own struct {
	*policy.Asker
	dials                               [policy.Dials]float64
	d                                   *device
	queue                               *queue // of threads
	promote, far, compact               *policy.Code
	access, hit, miss, arrived, evicted *policy.Code
	total                               []int32 // requests for pages; nil if nobody asks

	// What is asked about: the time, a page whose way is no longer as it was (or nothing), and the
	// load of switch.
	now      unit.Time
	held     int32
	way      way
	promoted bool
	load     served
}

// newOwn gives the device the policy.
func newOwn(d *device, c *policy.Chosen, requests *stream.Stream) *own {
	o := &own{
		d: d, dials: c.Dials, held: nothing,
		promote: c.Rule("promote"), far: c.Rule("switch"), compact: c.Rule("compact"),
		access: c.Event("access"), hit: c.Event("hit"), miss: c.Event("miss"), arrived: c.Event("promoted"), evicted: c.Event("evicted"),
	}
	o.Asker = policy.NewAsker(c, o, int(requests.Pages))
	if c.Reads("total") {
		o.total = make([]int32, requests.Pages)
		for _, t := range requests.Threads {
			for _, q := range t {
				o.total[q.Page()]++
			}
		}
	}
	return o
}

// happens changes what is kept, as the text says of an event of a page.
func (o *own) happens(event *policy.Code, number uint32, now unit.Time) {
	if event != nil {
		o.now = now
		o.Happens(event, int32(number))
		o.watch()
	}
}

// watch ends the run where cores are stopped for shoot-downs, once the policy asked for too much.
func (o *own) watch() {
	if o.Over() {
		o.d.stops++
	}
}

// ownHit is what follows a ready hit.
func (d *device) ownHit(p *page, w *way, now unit.Time) {
	o := d.own
	number := w.page
	o.now, o.held, o.way = now, number, *w
	moves := false
	if o.promote != nil {
		moves = o.Yes(o.promote, number) && d.host.capacity > 0
	} else if d.design.Promote != NoPromotion {
		before := d.result.Promotions
		d.decide(p, w, now)
		o.promoted = d.result.Promotions > before
	}
	if moves {
		o.promoted = true
	}
	o.Happens(o.hit, number)
	o.promoted = false
	if moves {
		d.promote(p, w, now)
	}
	o.held = nothing
	o.watch()
}

// left says that a page left the cache, whose way another has by now.
func (o *own) left(w *way, now unit.Time) {
	if o.evicted != nil {
		o.held, o.way = w.page, *w
		o.happens(o.evicted, uint32(w.page), now)
		o.held = nothing
	}
}

// isFar asks whether a load of a page switches.
func (o *own) isFar(number uint32, s served, now unit.Time) bool {
	o.now, o.load = now, s
	yes := o.Yes(o.far, int32(number))
	o.load = served{}
	o.watch()
	return yes
}

// ownCompact starts a compaction of the log, which is not active, if the policy says so or the log is full.
func (d *device) ownCompact(now unit.Time) {
	l, o := &d.log, d.own
	if !l.oneLog && l.used() < l.half {
		return
	}
	if l.used() < int64(len(l.ring)) {
		o.now = now
		yes := o.Yes(o.compact, 0)
		o.watch()
		if !yes {
			return
		}
	}
	d.startCompaction(now)
}

// Read implements policy.Reader.
func (o *own) Read(feature int, things []int32, out []float64) {
	for i, t := range things {
		out[i] = o.ReadOne(feature, t)
	}
}

// ReadOne implements policy.One: a feature, of a page if it is one of pages.
func (o *own) ReadOne(feature int, t int32) float64 {
	d := o.d
	switch feature {
	case featHits, featRead, featWritten, featAge:
		w := &o.way
		if t != o.held {
			at := d.pages[t].at
			if at <= 0 {
				return 0
			}
			w = &d.ways[at-1]
		}
		switch feature {
		case featHits:
			return float64(w.count)
		case featRead:
			return float64(bits.OnesCount64(w.read))
		case featWritten:
			return float64(bits.OnesCount64(w.written))
		}
		return policy.Seconds(max(0, o.now-w.ready))
	case featDirty:
		return float64(bits.OnesCount64(d.pages[t].dirty))
	case featLogged:
		return float64(bits.OnesCount64(d.pages[t].logged))
	case featTotal:
		return float64(o.total[t])
	case featMost:
		return float64(d.setup.PromoteAt)
	case featReset:
		return float64(d.setup.PromoteReset)
	case featRoom:
		return float64(max(0, d.host.capacity-d.host.pages-d.host.foreign))
	case featCapacity:
		return float64(d.host.capacity)
	case featPromoted:
		return policy.Truth(o.promoted)
	case featLogUsed:
		return float64(d.log.used())
	case featLogSlots:
		return float64(len(d.log.ring))
	case featLogHalf:
		return float64(d.log.half)
	case featBacklog:
		o.Work += int64(len(d.flash.servers)) // all of them are looked at
		return policy.Seconds(max(0, d.flash.backlog(o.now)))
	case featWait:
		switch {
		case o.load.kind == Merged || d.trueLatency:
			return policy.Seconds(o.load.flash + o.load.queued)
		case o.load.estimate == forever:
			return policy.Never
		}
		return policy.Seconds(o.load.estimate)
	case featThreshold:
		return policy.Seconds(d.setup.Threshold)
	case featMerged:
		return policy.Truth(o.load.kind == Merged)
	case featLatencyKnown:
		return policy.Truth(d.trueLatency)
	case featWaiting:
		if o.queue == nil {
			return 0
		}
		return float64(o.queue.count)
	case featCores:
		return float64(d.setup.Cores)
	case featNow:
		return policy.Seconds(o.now)
	}
	return o.dials[feature-featDials]
}

// errGaveUp ends a run whose policy asked for too much.
var errGaveUp = errors.New("gave up")

// gaveUp is the result of such a run.
func (o *own) gaveUp(r *Result, retired, total int64) *Result {
	account := o.Account()
	return &Result{
		System: r.System, Workload: r.Workload, Scale: r.Scale, Threads: r.Threads, Cores: r.Cores, Footprint: r.Footprint,
		Script: &account, GaveUp: fmt.Sprintf("gave up at request %d of %d: %s", retired, total, o.Says()),
	}
}
