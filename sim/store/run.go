package store

import (
	"fmt"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// longest is when a run is given up, so that no time overflows: the longest
// single step adds less than as much again.
const longest = 50 * 24 * 3600 * unit.Second

// tensor is the store's record of one.
type tensor struct {
	bytes  unit.Bytes
	key    int64     // by the policy's order, of the last put
	truth  int64     // by the oracle's
	start  unit.Time // of the prefetch
	done   unit.Time // its end
	access int32     // number of the last create or get among all operations
	next   int32     // the next get, after a put
	stamp  int32     // changes when it joins or leaves the victims
	client uint8
	state  state
	ahead  bool // prefetched, and not got since
	spare  bool // of them what yields: the host has it too, and it is no victim
}

// state of a tensor. Foreign memory is user memory that the store never gets.
type state uint8

const (
	unborn state = iota
	user
	foreign
	ravenGPU
	coming // a prefetch is under way; counts as GPU memory
	ravenHost
	freed
)

// run is one run of a trace.
type run struct {
	plan    *plan
	setup   Setup
	policy  *Policy
	own     *own // what somebody wrote; nil for the policies here
	tensors []tensor
	victims victims
	truth   victims // the same tensors as the oracle sees them
	shelf   shelf   // what is evicted, if there is prefetch
	flight  []due   // prefetches under way that hold their room, in order; due.client is the tensor
	spares  spares  // what prefetch brought back and yields

	handled int32 // operations so far
	number  [ops.MaxClients]int32
	arrival unit.Time // of the call that is being handled
	now     unit.Time
	inFree  unit.Time // when the way in is free
	inUse   unit.Time // until when somebody computes, if computing is not shared
	room    unit.Bytes
	host    unit.Bytes
	client  *Client // whose call is handled

	stream stream
	ready  []due // calls that arrived or will, heap
	result *Result
	record *recorder
	caller int32 // whose call is handled
	watch  *Watch
}

// Run plays a trace on a setup with a policy. The trace must be valid. What
// clients do wrong, and memory that runs out, is in the result; the error says
// what is wrong with the setup. It takes time O(n log n), and for each eviction
// and prefetch as many steps as there are clients.
func Run(t *ops.Trace, s Setup, p Policy) (*Result, error) { return Watched(t, s, p, nil) }

// Watched is Run, and tells a watch, if it is not nil, what happens.
func Watched(t *ops.Trace, s Setup, p Policy, w *Watch) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	return newPlan(t).watched(s, &p, w), nil
}

func (p *plan) watched(s Setup, policy *Policy, w *Watch) *Result {
	t := p.trace
	clients := len(t.Clients)
	oracle := Oracle()
	r := &run{
		plan: p, setup: s, policy: policy, tensors: make([]tensor, len(t.Tensors)),
		victims: newVictims(policy, clients), truth: newVictims(&oracle, clients),
		shelf: newShelf(policy.by, clients, len(t.Tensors)),
		room:  s.capacity(clients), host: s.Host, record: newRecorder(clients), watch: w,
		spares: spares{coming: -1},
	}
	r.result = &Result{Policy: policy.Name, Capacity: max(0, r.room), Clients: make([]Client, clients)}
	if policy.script != nil {
		r.own = newOwn(r, policy.script)
	}
	for i := range t.Tensors {
		r.tensors[i].client = t.Tensors[i].Client
	}
	for c, name := range t.Clients {
		r.result.Clients[c].Name = name
		r.number[c] = 1
	}
	if r.room < 0 {
		r.result.Failure = &Failure{Reason: NoCapacity, Op: -1, Needed: unit.Bytes(clients) * s.Client, Free: s.GPU}
	} else {
		r.play()
	}
	for c := range r.result.Clients {
		r.result.Time = max(r.result.Time, r.result.Clients[c].End)
	}
	if r.own != nil {
		r.result.Script = r.own.says()
	}
	r.result.Timeline = r.record.timeline(max(r.result.Time, r.now))
	return r.result
}

// play lets calls be handled one after the other, in the order of arrival.
func (r *run) play() {
	for c := range r.result.Clients {
		if own := r.plan.of(int32(c)); len(own) > 0 {
			away := r.plan.clock[own[0]]
			r.watch.slice(int32(c), Away, 0, away)
			r.result.Clients[c].Parts[Away] = away
			r.result.Clients[c].End = away
			r.ready = pushDue(r.ready, due{away, int32(c)})
		}
	}
	for {
		at, busy := r.stream.next()
		if busy && (len(r.ready) == 0 || at <= r.ready[0].at) {
			r.thought()
			continue
		}
		if len(r.ready) == 0 {
			return
		}
		call := r.ready[0]
		r.ready = popDue(r.ready)
		if !r.handle(call) {
			return
		}
	}
}

// thought ends the thinking of the first client that shares the GPU.
func (r *run) thought() {
	from := r.stream.now
	d := r.stream.finish()
	r.result.InUse += d.at - from
	c := &r.result.Clients[d.client]
	think := r.upcoming(d.client).Think
	c.Parts[Thinking] += think
	c.Parts[WaitCompute] += d.at - c.End - think
	r.watch.slice(d.client, Thinking, c.End, c.End+think)
	r.watch.slice(d.client, WaitCompute, c.End+think, d.at)
	c.End = d.at
	r.ready = pushDue(r.ready, d)
}

// upcoming is the client's next operation.
func (r *run) upcoming(c int32) *ops.Op {
	return &r.plan.trace.Ops[r.plan.of(c)[r.number[c]-1]]
}

// handle does a call and lets its client go on; it reports whether the run does.
func (r *run) handle(call due) bool {
	c := call.client
	i := r.plan.of(c)[r.number[c]-1]
	r.client, r.arrival, r.now = &r.result.Clients[c], call.at, max(r.now, call.at)
	r.caller = c
	r.spent(WaitServer, r.now-r.arrival)
	r.watch.slice(c, WaitServer, r.arrival, r.now)
	r.handled++
	r.settle()
	r.goOn()
	reason := r.do(i)
	if reason == "" {
		r.bring(r.now)
	}
	if reason == "" && r.now > longest {
		reason = TooLong
	}
	if reason == "" && r.own != nil && r.own.Over() {
		reason = GaveUp
	}
	r.client.End = r.now
	if reason != "" {
		r.fail(i, reason)
		return false
	}
	r.client.Ops++
	if r.watch != nil && r.watch.Done != nil {
		r.watch.Done(r.now)
	}
	r.number[c]++
	r.truth.stale |= 1 << c
	if r.policy.by.perClient() {
		r.victims.stale |= 1 << c
	}
	if r.number[c] > int32(len(r.plan.of(c))) {
		return true
	}
	think := r.upcoming(c).Think
	switch {
	case think == 0:
		r.ready = pushDue(r.ready, due{r.now, c})
	case r.setup.Shared == 0:
		r.client.Parts[Thinking] += think
		r.watch.slice(c, Thinking, r.client.End, r.client.End+think)
		r.client.End += think
		r.result.InUse += max(0, r.client.End-max(r.now, r.inUse))
		r.inUse = max(r.inUse, r.client.End)
		r.ready = pushDue(r.ready, due{r.now + think, c})
	default:
		r.compute(c, think)
	}
	return true
}

// compute lets a client share the GPU from now on.
func (r *run) compute(c int32, think unit.Time) {
	for {
		at, busy := r.stream.next()
		if !busy || at > r.now {
			if busy {
				r.result.InUse += r.now - r.stream.now
			}
			r.stream.advance(r.now)
			r.stream.join(c, think)
			return
		}
		r.thought()
	}
}

func (r *run) spent(p Part, t unit.Time) { r.client.Parts[p] += t }

// pass lets time go by for the client whose call is handled.
func (r *run) pass(p Part, t unit.Time) {
	r.watch.slice(r.caller, p, r.now, r.now+t)
	r.now += t
	r.spent(p, t)
}

func (r *run) fail(i int32, reason Reason) {
	o := &r.plan.trace.Ops[i]
	f := &Failure{
		Reason: reason, Op: i, Number: r.plan.number[i], Kind: o.Kind,
		Client: r.client.Name, Tensor: r.plan.trace.Tensors[o.Tensor].Name,
	}
	switch reason {
	case OutOfMemory:
		f.Needed, f.Free = o.Bytes, r.room
		if o.Kind == ops.Get {
			f.Needed = r.tensors[o.Tensor].bytes
		}
	case OutOfHost:
		v := r.victim(r.missing(i))
		f.Needed, f.Free = r.tensors[v].bytes, r.host
	case GaveUp:
		f.Says = fmt.Sprintf("%s at operation %d of %d: %s", GaveUp, r.handled, len(r.plan.trace.Ops), r.own.Says())
	}
	r.result.Failure = f
}

// do handles operation i and returns what is wrong with it, or "".
func (r *run) do(i int32) Reason {
	o := &r.plan.trace.Ops[i]
	x := &r.tensors[o.Tensor]
	if reason := illegal(o.Kind, x.state); reason != "" {
		return reason
	}
	if r.plan.number[i] == 1 {
		r.pass(Starting, r.setup.Start)
	}
	switch o.Kind {
	case ops.Create, ops.Malloc:
		if reason := r.makeRoom(i, o.Bytes); reason != "" {
			return reason
		}
		x.bytes, x.state, x.access = o.Bytes, user, r.handled
		if o.Kind == ops.Malloc {
			x.state = foreign
		}
		if r.own != nil {
			r.own.born(o.Tensor)
		}
		r.move(o.Tensor, Nowhere, User)
		r.pass(Allocating, r.setup.alloc(o.Bytes))
	case ops.Get:
		return r.get(i, o.Tensor, x)
	case ops.Put:
		r.pass(Calling, r.setup.IPC)
		x.state, x.next = ravenGPU, r.plan.next[i]
		x.key, x.truth = r.key(r.policy.by, x, i), r.key(byTruth, x, i)
		if r.own != nil {
			r.own.puts(i, o.Tensor)
		}
		r.move(o.Tensor, User, InGPU)
		r.offer(o.Tensor, x)
		if r.own != nil && r.own.admit != nil && x.bytes <= r.host && !r.own.Yes(r.own.admit, o.Tensor) {
			r.evict(i, o.Tensor)
		}
	case ops.Free, ops.MFree:
		r.pass(Freeing, r.setup.Free)
		x.state = freed
		r.move(o.Tensor, User, Nowhere)
		if r.setup.Prefetch != 0 && r.setup.Yields == 0 {
			r.settle()
			r.prefetch()
		}
	}
	return ""
}

// illegal says why a tensor in a state cannot be asked for something, or "".
func illegal(k ops.Kind, s state) Reason {
	inRaven := s == ravenGPU || s == coming || s == ravenHost
	switch k {
	case ops.Create, ops.Malloc:
		if s != unborn && s != freed {
			return Exists
		}
		return ""
	}
	gone := s == unborn || s == freed
	switch {
	case s == freed && (k == ops.Free || k == ops.MFree):
		return DoubleFree
	case gone:
		return UnknownTensor
	case (k == ops.MFree) != (s == foreign):
		return Foreign
	case inRaven && k != ops.Get:
		return InRavenspace
	}
	return ""
}

// get hands a tensor to its client.
func (r *run) get(i, t int32, x *tensor) Reason {
	r.pass(Calling, r.setup.IPC)
	x.access = r.handled
	if r.own != nil {
		r.own.gets(t)
	}
	switch x.state {
	case user:
		r.client.Hits++
		return ""
	case ravenGPU:
		r.client.Hits++
		if x.spare {
			r.keep(t, x)
		} else {
			r.withdraw(t, x)
		}
		r.move(t, InGPU, User)
	case coming:
		if wait := x.done - r.now; wait > 0 {
			r.client.Late++
			r.pass(WaitLate, wait)
		} else {
			r.client.Hits++ // it came during the call
		}
		if x.spare {
			r.land()
			r.keep(t, x)
		}
		x.stamp++
		r.move(t, InGPU, User)
	case ravenHost:
		r.client.Misses++
		if r.land(); r.spares.coming >= 0 {
			r.giveUp()
		}
		if r.setup.Prefetch != 0 {
			r.takeOut(x, t)
		}
		if reason := r.makeRoom(i, x.bytes); reason != "" {
			return reason
		}
		r.move(t, InHost, User)
		r.result.Fetched += x.bytes
		r.inFree = max(r.inFree, r.now) + r.setup.fetch(x.bytes)
		r.watch.move(t, x, true, r.inFree-r.setup.fetch(x.bytes), r.inFree)
		r.pass(WaitMiss, r.inFree-r.now)
	}
	x.state, x.ahead = user, false
	return ""
}

// offer makes a tensor in GPU memory one that may be evicted.
func (r *run) offer(t int32, x *tensor) {
	x.stamp++
	switch {
	case r.own == nil:
		r.victims.add(r.tensors, t, x.key)
	case r.own.heap:
		r.victims.add(r.tensors, t, r.own.Score(r.own.evict, t))
	default:
		r.own.inGPU.add(t)
	}
	r.truth.add(r.tensors, t, x.truth)
}

func (r *run) withdraw(t int32, x *tensor) {
	x.stamp++
	if r.own == nil || r.own.heap {
		r.victims.drop(x)
	} else {
		r.own.inGPU.remove(t)
	}
	r.truth.drop(x)
}

// move changes where the bytes of tensor t are, now.
func (r *run) move(t int32, from, to Place) {
	r.hold(t, from, to, r.now)
	r.place(t, to, r.now)
}

// hold changes what the two memories hold: bytes of tensor t are in one place less and in another
// more.
func (r *run) hold(t int32, from, to Place, at unit.Time) {
	x := &r.tensors[t]
	if r.own != nil {
		r.own.hold(x.client, from, to, x.bytes)
	}
	if from < InHost {
		r.room += x.bytes
	}
	if from == InHost {
		r.host += x.bytes
	}
	if to < InHost {
		r.room -= x.bytes
	}
	if to == InHost {
		r.host -= x.bytes
	}
	r.result.PeakGPU = max(r.result.PeakGPU, r.result.Capacity-r.room)
	r.result.PeakHost = max(r.result.PeakHost, r.setup.Host-r.host)
	r.record.move(at, int(x.client), from, to, x.bytes)
}

// place tells where a tensor is.
func (r *run) place(t int32, to Place, at unit.Time) {
	if r.watch != nil && r.watch.Place != nil {
		x := &r.tensors[t]
		r.watch.Place(t, int32(x.client), to, at, x.bytes)
	}
}

// missing is how many bytes operation i still lacks.
func (r *run) missing(i int32) unit.Bytes {
	o := &r.plan.trace.Ops[i]
	if o.Kind == ops.Get {
		return r.tensors[o.Tensor].bytes - r.room
	}
	return o.Bytes - r.room
}

// makeRoom evicts until need bytes are free, for operation i.
func (r *run) makeRoom(i int32, need unit.Bytes) Reason {
	for need > r.room && r.giveUp() {
	}
	if need <= r.room {
		return ""
	}
	for need > r.room {
		v := r.victim(need - r.room)
		switch {
		case r.own != nil && r.own.Over():
			return GaveUp
		case v < 0 && len(r.flight) == 0:
			return OutOfMemory
		case v < 0:
			r.pass(WaitEvict, max(0, r.flight[0].at-r.now))
			r.settle()
			continue
		case r.tensors[v].bytes > r.host:
			return OutOfHost
		}
		r.evict(i, v)
		if r.now > longest {
			return TooLong
		}
		r.settle()
	}
	r.pass(WaitPause, r.setup.Pause)
	return ""
}

// evict moves victim v to the host, for operation i.
func (r *run) evict(i, v int32) {
	x := &r.tensors[v]
	best := r.first(&r.truth, 0)
	right := r.distance(byTruth, int32(x.client), x.truth) >= best.value
	r.withdraw(v, x)
	r.pass(WaitEvict, r.setup.evict(x.bytes))
	r.watch.move(v, x, false, r.now-r.setup.evict(x.bytes), r.now)
	x.state = ravenHost
	r.move(v, InGPU, InHost)
	if r.own != nil {
		r.own.Happens(r.own.evicted, v)
	}
	if r.setup.Prefetch != 0 {
		r.putAway(x, v)
	}
	if x.ahead {
		r.result.Wasted++
		x.ahead = false
	}
	if right {
		r.result.Right++
	}
	owner := &r.result.Clients[x.client]
	owner.Evictions++
	owner.Evicted += x.bytes
	r.result.Evicted += x.bytes
	e := Eviction{
		Time: r.now, Tensor: v, Bytes: x.bytes, Owner: int32(x.client), By: int32(r.plan.trace.Ops[i].Client),
		Op: i, Next: x.next, Best: best.tensor, Right: right,
	}
	r.result.Evictions.add(e)
	if r.watch != nil && r.watch.Evict != nil {
		r.watch.Evict(e)
	}
}

// prefetch starts to bring back evicted tensors as long as one fits.
func (r *run) prefetch() {
	for {
		t := r.wanted(r.room - r.setup.Headroom)
		if t < 0 {
			return
		}
		x := &r.tensors[t]
		r.takeOut(x, t)
		r.move(t, InHost, InGPU)
		start := max(r.inFree, r.now)
		r.inFree = start + r.setup.fetch(x.bytes)
		r.watch.move(t, x, true, start, r.inFree)
		x.state, x.done, x.ahead = coming, r.inFree, true
		x.stamp++
		r.flight = append(r.flight, due{x.done, t})
		r.result.Prefetched += x.bytes
		r.result.Prefetches.add(Prefetch{start, x.done, t, x.bytes, int32(x.client)})
	}
}

// settle offers the tensors that have come back.
func (r *run) settle() {
	n := 0
	for _, d := range r.flight {
		if d.at > r.now {
			break
		}
		n++
		if x := &r.tensors[d.client]; x.state == coming && x.done == d.at {
			x.state = ravenGPU
			r.offer(d.client, x)
		}
	}
	r.flight = r.flight[n:]
}
