package swap

import (
	"spillway/sim/train/caching"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A swapMove is a transfer of a whole tensor.
type move struct {
	tensor  workload.TensorID
	serial  int32 // other than the tensor's: nobody wants it any more
	why     engine.Reason
	moving  bool
	owner   bool // of the memory it reads or writes: the tensor has given that up
	block   caching.ID
	size    unit.Bytes
	left    unit.Bytes  // to move, as of the channel's begin
	counted unit.Bytes  // in the traffic
	noted   unit.Bytes  // in the record
	started unit.Cycles // or, in a later iteration, when that began
}

// A swapChannel moves tensors one after the other, in the order they were asked for. Each
// costs what the driver takes, while nothing moves. The SSD's first one after a pause pays
// the latency besides.
type channel struct {
	queue []move // queue[head:] wait; the first of them is moving
	head  int
	rate  unit.Bandwidth
	begin unit.Cycles // of what is left of the first one
	end   unit.Cycles // of it, or never at rate 0
}

func (c *channel) idle() bool { return c.head == len(c.queue) }

// deriveRates derives the channels' rates, by which of them are busy. The SSD's leave the
// host's what remains of the GPU's link in their direction.
func (r *Run) deriveRates(c *engine.Config) {
	for i := range r.rates {
		busy := link.Set(i)
		read, write := c.SSDRates(busy.Mixes())
		r.rates[i] = busy.Rates(&c.Machine, [link.Directions]unit.Bandwidth{
			link.SSDIn: read, link.SSDOut: write, link.HostIn: c.Machine.HostLink, link.HostOut: c.Machine.HostLink,
		})
	}
	for i := range link.Directions {
		r.channels[i].rate = r.rates[0][i]
	}
}

// enqueue queues a transfer of t.
func (r *Run) enqueue(i link.Direction, t workload.TensorID, why engine.Reason) {
	x := &r.tensors[t]
	x.serial++
	c := &r.channels[i]
	idle := c.idle()
	if idle {
		r.countTraffic() // what has moved until now
	}
	c.queue = append(c.queue, move{tensor: t, serial: x.serial, why: why, size: x.size, left: x.size, block: caching.None})
	if idle {
		at := r.now
		if i == link.SSDIn || i == link.SSDOut {
			at += r.latency
		}
		r.start(i, at)
		r.updateRates()
	}
}

// start begins the transfer at the head of channel i, after those that nobody wants. Its
// bytes move from at on, once its cost is paid.
func (r *Run) start(i link.Direction, at unit.Cycles) {
	c := &r.channels[i]
	for !c.idle() && c.queue[c.head].serial != r.tensors[c.queue[c.head].tensor].serial {
		c.head++
	}
	if c.idle() {
		c.queue, c.head = c.queue[:0], 0
		return
	}
	if c.head > 64 && c.head > len(c.queue)/2 {
		c.queue, c.head = append(c.queue[:0], c.queue[c.head:]...), 0
	}
	m := &c.queue[c.head]
	c.begin = at + r.cost
	m.moving, m.started = true, c.begin
	r.tensors[m.tensor].moving = i
	r.setEnd(c)
}

// setEnd sets when the first transfer of c ends.
func (r *Run) setEnd(c *channel) {
	switch left := c.queue[c.head].left; {
	case left == 0: // its end is at this very moment
		c.end = c.begin
	case c.rate <= 0:
		c.end = engine.Forever
	default:
		c.end = c.begin + c.rate.Cycles(left, r.clock)
	}
}

// countTraffic counts what has moved until now. It is called before what is under way
// changes.
func (r *Run) countTraffic() {
	both := !r.channels[link.SSDIn].idle() && !r.channels[link.SSDOut].idle()
	for i := range link.Directions {
		c := &r.channels[i]
		if c.idle() {
			continue
		}
		m := &c.queue[c.head]
		if n := m.size - m.left + r.progress(c) - m.counted; n > 0 {
			m.counted += n
			i.Count(&r.it.Traffic, n)
			if both {
				i.Count(&r.mixed, n)
			}
		}
	}
}

// progress is what c has moved of its first transfer since the channel's begin.
func (r *Run) progress(c *channel) unit.Bytes {
	switch {
	case r.now <= c.begin:
		return 0
	case r.now >= c.end:
		return c.queue[c.head].left
	}
	return unit.Bytes(unit.MulDiv(int64(c.rate), int64(r.now-c.begin), int64(r.clock)))
}

// setRate makes what is left of channel i's first transfer begin now, after its latency,
// at the given rate.
func (r *Run) setRate(i link.Direction, rate unit.Bandwidth) {
	c := &r.channels[i]
	if !c.idle() {
		c.queue[c.head].left -= r.progress(c)
		c.begin = max(c.begin, r.now)
	}
	if c.rate = rate; !c.idle() {
		r.setEnd(c)
	}
}

// updateRates gives the channels the rates of what is under way. What is left of a moving
// tensor goes on at the new rate.
func (r *Run) updateRates() {
	var busy link.Set
	for i := range link.Directions {
		if !r.channels[i].idle() {
			busy = busy.And(i)
		}
	}
	for i := range link.Directions {
		if rate := r.rates[busy][i]; rate != r.channels[i].rate {
			r.setRate(i, rate)
		}
	}
}

// wait lets time pass until the next transfer ends and charges it to cause. It returns
// false when no transfer is under way.
func (r *Run) wait(cause result.Cause) bool {
	before := r.now
	moving := r.step(engine.Forever)
	r.charge(cause, before)
	return moving
}

// stall lets d pass while no kernel of the iteration runs, and charges it to cause.
func (r *Run) stall(d unit.Cycles, cause result.Cause) {
	before := r.now
	r.pass(d)
	r.charge(cause, before)
}

func (r *Run) charge(cause result.Cause, since unit.Cycles) {
	*r.it.Ledger.At(cause) += r.now - since
	r.record.Stall(cause, since, r.now)
}

// pass lets d pass.
func (r *Run) pass(d unit.Cycles) {
	for until := r.now + d; r.step(until) && r.now <= until; {
	}
}

// step lets time pass until the next transfer ends, but not beyond until, and reports
// whether one has. At equal times transfers end in channel order.
func (r *Run) step(until unit.Cycles) bool {
	at, first, moving := until, link.Direction(-1), false
	for i := range link.Directions {
		c := &r.channels[i]
		if c.idle() {
			continue
		}
		moving = true
		if c.end <= at && (first < 0 || c.end < at) {
			at, first = c.end, i
		}
	}
	if at == engine.Forever {
		return false
	}
	if moving && r.running {
		r.it.Overlap += at - r.now
	}
	r.now = at
	if first >= 0 {
		r.complete(first)
	}
	return first >= 0
}

// complete ends the transfer at the head of channel i and starts the next.
func (r *Run) complete(i link.Direction) {
	r.countTraffic()
	r.recordPart(i)
	c := &r.channels[i]
	m := c.queue[c.head]
	c.head++
	r.start(i, r.now)
	r.updateRates()
	x := &r.tensors[m.tensor]
	wanted := m.serial == x.serial && !m.owner
	if !m.owner {
		x.moving = -1
	}
	switch out := i.Out(); {
	case m.owner:
		r.freeing--
		r.mem.free(m.block, m.size)
	case !wanted:
	case out:
		x.copy, x.dest = x.dest, machine.Nowhere
		if x.state == leaving {
			r.freeing--
			r.release(m.tensor)
			x.state = offloaded
		} else if r.rules.Copies {
			r.forget(m.tensor)
		}
	default:
		x.state = resident
		r.coming--
		r.use(m.tensor)
		if r.rules.Copies {
			r.forget(m.tensor)
		}
	}
	r.fetchPending()
	if r.mover != nil && wanted {
		was := r.moved
		r.moved = true
		r.mover.Moved(m.tensor)
		r.moved = was
	}
}

// recordPart records what channel i has moved of its first transfer since it was
// recorded last.
func (r *Run) recordPart(i link.Direction) {
	c := &r.channels[i]
	if r.record == nil || c.idle() {
		return
	}
	m := &c.queue[c.head]
	if m.counted == m.noted {
		return
	}
	from, to := i.Ends()
	r.record.Transfer(engine.Transfer{
		Tensor: m.tensor, From: from, To: to, Reason: m.why,
		Start: m.started, End: r.now, Bytes: m.counted - m.noted,
	})
	m.noted, m.started = m.counted, r.now
}

// fetch brings t, which has memory, from where its copy is.
func (r *Run) fetch(t workload.TensorID, why engine.Reason) {
	x := &r.tensors[t]
	x.state = fetching
	r.coming++
	r.enqueue(link.Between(x.copy, false), t, why)
}

// fetchPending starts the next wanted transfers of which the channel is idle and which
// have room.
func (r *Run) fetchPending() {
	for !r.needing && r.first < len(r.pending) {
		t := r.pending[r.first]
		x := &r.tensors[t]
		wanted := x.wanted && x.state == offloaded
		if wanted && (!r.channels[link.Between(x.copy, false)].idle() || !r.tryPlace(t)) {
			return
		}
		x.wanted = false
		if r.first++; r.first == len(r.pending) {
			r.pending, r.first = r.pending[:0], 0
		}
		if wanted {
			x.early = true
			r.swapping.Early++
			r.fetch(t, engine.Planned)
		}
	}
}

// leave makes t leave. It reports whether it does.
func (r *Run) leave(t workload.TensorID, to machine.Tier, why engine.Reason) bool {
	x := &r.tensors[t]
	if !r.Movable(t) {
		return false
	}
	x.early, x.lent = false, false
	if x.copy != machine.Nowhere {
		r.release(t)
		x.state = offloaded
		r.fetchPending()
		return true
	}
	r.freeing++
	x.state = leaving
	if x.dest == machine.Nowhere { // else its copy is being made
		x.dest = r.place(x.size, to)
		r.enqueue(link.Between(x.dest, true), t, why)
	}
	return true
}

// callBack makes t, which is leaving, stay. A copy under way is finished.
func (r *Run) callBack(t workload.TensorID) {
	x := &r.tensors[t]
	x.state = resident
	r.freeing--
	if x.moving < 0 {
		r.forget(t)
	}
}

// place chooses where a copy of so many bytes goes, and takes the room.
func (r *Run) place(size unit.Bytes, to machine.Tier) machine.Tier {
	if to == machine.SSD || r.host+size > r.hostSize {
		r.onSSD += size
		return machine.SSD
	}
	r.host += size
	return machine.Host
}

// forget gives up t's copy, made or in the making. One under way goes on for nothing.
func (r *Run) forget(t workload.TensorID) {
	x := &r.tensors[t]
	for _, tier := range [...]machine.Tier{x.copy, x.dest} {
		switch tier {
		case machine.Host:
			r.host -= x.size
		case machine.SSD:
			r.onSSD -= x.size
		}
	}
	if x.dest != machine.Nowhere {
		x.serial++
	}
	x.copy, x.dest = machine.Nowhere, machine.Nowhere
}

// written says that a kernel has changed t.
func (r *Run) written(t workload.TensorID) { r.forget(t) }

// drop gives up t's memory and copies; its state is then as given.
func (r *Run) drop(t workload.TensorID, state state) {
	x := &r.tensors[t]
	switch x.state {
	case leaving:
		r.freeing--
	case fetching:
		r.coming--
	}
	if x.state == resident || x.state == leaving || x.state == fetching {
		r.release(t)
	}
	r.forget(t)
	x.serial++
	x.state, x.wanted, x.early, x.lent = state, false, false, false
}

// release gives up t's memory. A transfer under way keeps it until it ends.
func (r *Run) release(t workload.TensorID) {
	x := &r.tensors[t]
	if x.moving >= 0 {
		c := &r.channels[x.moving]
		m := &c.queue[c.head]
		m.owner, m.block = true, x.block
		r.freeing++
		x.moving = -1
	} else {
		r.mem.free(x.block, x.size)
	}
	x.block = caching.None
	r.record.Touch(t)
	r.unlink(t)
}
