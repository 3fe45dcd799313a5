package pool

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A channel moves whole tensors one after the other, in the order they were
// queued. Each costs what the driver takes, while nothing moves. The first one after a
// pause pays the latency besides: those behind it are asked for while others move.
type channel struct {
	rate    unit.Bandwidth
	latency unit.Cycles
	cost    unit.Cycles // of a transfer, whatever its size
	clock   unit.Frequency
	queue   []workload.TensorID // queue[head:] wait; the first of them is moving
	head    int
	begin   unit.Cycles // of the moving tensor, when latency and cost are over
	end     unit.Cycles // of the same
}

func (c *channel) idle() bool { return c.head == len(c.queue) }

// start sets the end of the tensor at the head.
func (c *channel) start(now unit.Cycles, tensors []tensorState) {
	if c.idle() {
		c.queue, c.head = c.queue[:0], 0
		return
	}
	c.begin, c.end = c.moves(now, tensors[c.queue[c.head]].pages)
}

// moves returns when so many pages begin to move, and have moved, that are next at now.
func (c *channel) moves(now unit.Cycles, pages int64) (begin, end unit.Cycles) {
	begin = now + c.cost
	return begin, begin + c.rate.Cycles(unit.Bytes(pages)*unit.Page, c.clock)
}

// enqueue queues t on channel i. As published, traffic counts at once. (The
// scripts that gather the published results count all of it as SSD traffic;
// here the host's channel counts as host traffic.)
func (r *Run) enqueue(i link.Direction, t workload.TensorID) {
	size := unit.Bytes(r.tensors[t].pages) * unit.Page
	i.Count(&r.it.Traffic, size)
	c := &r.channels[i]
	wasIdle := c.idle()
	c.queue = append(c.queue, t)
	if wasIdle {
		c.start(r.now+c.latency, r.tensors)
		r.updateRates()
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
	if r.both = 0; busy.Mixes() {
		r.both = 1
	}
	for i, rate := range r.rates[busy] {
		c := &r.channels[i]
		if rate == c.rate {
			continue
		}
		if !c.idle() {
			from := max(r.now, c.begin)
			left := unit.MulDiv(int64(c.end-from), int64(c.rate), int64(c.clock))
			c.end = from + rate.Cycles(unit.Bytes(left), c.clock)
		}
		c.rate = rate
	}
}

// delivered returns the mean rates of the SSD while it was reading and writing.
func (r *Run) delivered() *result.SSD {
	mean := func(channel link.Direction) unit.Bandwidth {
		alone, both := int64(r.ssdTime[0][channel]), int64(r.ssdTime[1][channel])
		slower := r.rates[0][channel] - r.rates[link.Set(0).And(link.SSDIn).And(link.SSDOut)][channel]
		return r.rates[0][channel] - unit.Bandwidth(unit.MulDiv(int64(slower), both, max(1, alone+both)))
	}
	return &result.SSD{Read: mean(link.SSDIn), Write: mean(link.SSDOut), Mixed: r.ssdTime[1][link.SSDIn] > 0}
}

// Evict queues a move of t to the SSD or the host, which holds it from now on.
func (r *Run) Evict(t workload.TensorID, to machine.Tier) {
	if to == machine.Host {
		r.enqueue(link.HostOut, t)
		r.keepInHost(t, true)
		return
	}
	r.enqueue(link.SSDOut, t)
}

// Fetch queues a move of t, which has memory, from the SSD or the host to the GPU.
func (r *Run) Fetch(t workload.TensorID, from machine.Tier) {
	r.tensors[t].fetching = true
	if from == machine.Host {
		r.enqueue(link.HostIn, t)
		return
	}
	r.enqueue(link.SSDIn, t)
}

// Leaving reports whether a tensor is on its way to the SSD.
func (r *Run) Leaving() bool { return !r.channels[link.SSDOut].idle() }

// Events that advance reports, besides the direction whose transfer ends.
const (
	kernelEnded link.Direction = -1 - iota
	nothing
)

// Await waits until t, if it is on its way to the GPU, has come.
func (r *Run) Await(t workload.TensorID, cause result.Cause) {
	for r.tensors[t].fetching {
		r.Wait(cause)
	}
}

// Wait lets time pass until the next transfer ends and charges it to cause. It
// returns false when no transfer is under way.
func (r *Run) Wait(cause result.Cause) bool {
	before := r.now
	event := r.advance(engine.Forever)
	*r.it.Ledger.At(cause) += r.now - before
	r.record.Stall(cause, before, r.now)
	return event != nothing
}

// advance lets time pass until the next event, the end of the running kernel or
// of a transfer, and returns which it was. At equal times transfers are first,
// in channel order.
func (r *Run) advance(kernelEnd unit.Cycles) (event link.Direction) {
	at, event, moving := kernelEnd, kernelEnded, false
	for i := range link.Directions {
		c := &r.channels[i]
		if c.idle() {
			continue
		}
		moving = true
		if c.end < at || c.end == at && event == kernelEnded {
			at, event = c.end, i
		}
	}
	if at == engine.Forever {
		return nothing
	}
	if moving {
		r.busy += at - r.now
		for i := range r.ssdTime[r.both] {
			if !r.channels[i].idle() {
				r.ssdTime[r.both][i] += at - r.now
			}
		}
	}
	r.now = at
	if event != kernelEnded {
		r.complete(event)
	}
	r.policy.Moved()
	if r.check != nil {
		r.check()
	}
	return event
}

// complete ends the transfer at the head of channel i and starts the next.
func (r *Run) complete(i link.Direction) {
	c := &r.channels[i]
	t := c.queue[c.head]
	c.head++
	r.recordMove(i, t, c.begin, c.end)
	switch i {
	case link.SSDOut, link.HostOut:
		// A tensor that came back in the meantime loses its new copy.
		r.Drop(t)
		if i == link.HostOut {
			r.keepInHost(t, true)
		}
	case link.SSDIn, link.HostIn:
		r.tensors[t].fetching = false
		if i == link.HostIn {
			r.keepInHost(t, false)
		}
	}
	c.start(r.now, r.tensors)
	r.updateRates()
}

// recordMove records a transfer on channel i.
func (r *Run) recordMove(i link.Direction, t workload.TensorID, start, end unit.Cycles) {
	if r.record == nil {
		return
	}
	from, to := i.Ends()
	r.record.Move(t, from, to, engine.Planned, r.tensors[t].pages)
	r.record.EndBatch(start, end)
}

// recordRest records what is still on its way at the end of the iteration, whose
// traffic counts in it, and no longer changes anything.
func (r *Run) recordRest() {
	if r.record == nil {
		return
	}
	for i := range link.Directions {
		c := &r.channels[i]
		start, end := c.begin, c.end
		for ; !c.idle(); c.head++ {
			t := c.queue[c.head]
			r.recordMove(i, t, start, end)
			if c.head+1 < len(c.queue) {
				start, end = c.moves(end, r.tensors[c.queue[c.head+1]].pages)
			}
		}
	}
	r.record.Finish(0)
}
