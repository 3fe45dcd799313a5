package filesys

import (
	"fmt"

	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// Wake lets a parked thread go on.
func (r *run) Wake(thread int32, at unit.Time) {
	c := &r.clients[thread]
	if c.phase != parked {
		r.fail(fmt.Errorf("%s wakes client %d, which does not wait", r.result.System, thread))
		return
	}
	c.phase = steps
	r.queue.set(thread, max(at, r.now))
}

// Start lets an actor act.
func (r *run) Start(actor int, at unit.Time) {
	at = max(at, r.now)
	if r.clients == nil {
		for len(r.early) <= actor {
			r.early = append(r.early, never)
		}
		r.early[actor] = min(r.early[actor], at)
		return
	}
	c := &r.clients[int(r.threads)+actor]
	if at >= c.start {
		return
	}
	if c.start = at; c.phase == sleeps { // else it is scheduled when it has nothing more to do
		r.queue.set(c.thread.ID, at)
	}
}

// Recording reports whether somebody wants to know what crashes need.
func (r *run) Recording() bool { return r.watch.Record != nil }

// Record tells of an event of the file system.
func (r *run) Record(e plan.Event) {
	if r.watch.Record != nil {
		e.At = r.now
		r.record(e)
	}
}

// record tells of an event of the device or the file system, and of whose it is.
func (r *run) record(e plan.Event) {
	e.Thread = r.current
	if r.current != none {
		e.Call = r.clients[r.current].thread.Call
	}
	r.watch.Record(e)
}
