package filesys

import (
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// execute executes a client's steps until it has to wait: until a time, or until others
// let it go on (never). Now says that there are no more steps.
func (r *run) execute(c *client) unit.Time {
	d, t := r.device, &c.thread
	for c.next < len(t.Steps) {
		s := &t.Steps[c.next]
		end, cause := r.now, ReadsBlocks
		switch s.Kind {
		case plan.CPU:
			c.next++
			if s.For > 0 {
				return r.compute(c, s.For, Computes)
			}
			continue
		case plan.Hold:
			c.next++
			l := r.locks.At(s.Page)
			if l.holder == nobody {
				l.holder, l.since = t.ID+1, r.now
				continue
			}
			c.waiter = nobody
			if l.first == nobody {
				l.first = t.ID + 1
			} else {
				r.clients[l.last-1].waiter = t.ID + 1
			}
			l.last = t.ID + 1
			c.phase, c.cause = locked, WaitsLock
			return never
		case plan.Release:
			c.next++
			r.release(s.Page)
			continue
		case plan.Wait:
			c.next++
			if s.With && !alters(t.Steps[c.next:]) {
				r.written(c)
			}
			if r.fs.Wait(t, s, r.now) {
				continue
			}
			c.phase, c.cause = parked, WaitsJournal
			return never
		case plan.Mark:
			c.next++
			r.fs.Marked(t, s.Note(), r.now)
			continue
		case plan.BlockRead:
			end = d.BlockRead(r.now, s.Structure, s.Page, s.N)
			r.tally(c, s, device.Block, device.Reads, int64(s.N)*int64(unit.Page))
		case plan.BlockWrite:
			switch {
			case r.load.Blocks:
				end = d.Write(r.now, s.Page, s.N, s.Writing())
			case s.GoesThrough():
				end = d.WriteThrough(r.now, s.Structure, s.Page, s.N, s.Tx)
			default:
				end = d.BlockWrite(r.now, s.Structure, s.Page, s.N, s.Tx)
			}
			cause = WritesBlocks
			r.tally(c, s, device.Block, device.Writes, int64(s.N)*int64(unit.Page))
		case plan.ByteRead:
			d.Asked = s.N
			end, cause = d.ByteRead(r.now, s.Structure, s.Page, s.Lines), ReadsBytes
			r.tally(c, s, device.Byte, device.Reads, s.Bytes())
		case plan.ByteWrite:
			d.Asked = s.N
			var done bool
			if end, done = d.ByteWrite(r.now, s.Structure, s.Page, s.Lines, s.Tx); !done {
				if !c.full {
					c.full = true
					d.Counts.Full++
				}
				c.cause = WaitsLog
				return max(end, r.now+1)
			}
			c.full = false
			cause = WritesBytes
			r.tally(c, s, device.Byte, device.Writes, s.Bytes())
		case plan.Commit:
			end, cause = d.Commit(r.now, s.Tx), WritesBytes
		case plan.Flush:
			end, cause = d.Flush(r.now), WritesBlocks
		case plan.Trim:
			for page := s.Page; page < s.Page+s.N; page++ {
				d.Trim(r.now, page)
			}
		}
		c.next++
		if end > c.end {
			c.end, c.endCause, c.behind = end, cause, 0
			if c.collecting = 0; r.alone != nil {
				c.collecting = d.Collecting()
			}
			if s.Kind == plan.BlockRead || s.Kind == plan.ByteRead {
				c.behind = max(d.Behind(), c.collecting)
			}
		}
		if s.With && c.next < len(t.Steps) {
			continue
		}
		if c.end > r.now {
			c.cause, end = c.endCause, c.end
			c.end = 0
			return end
		}
		c.end = 0
	}
	return r.now
}

// tally counts bytes that a thread's own step moves.
func (r *run) tally(c *client, s *plan.Step, i device.Interface, d device.Direction, bytes int64) {
	if !c.actor {
		r.result.Tallies[c.call.Code].Bytes[s.Structure][i][d] += bytes
	}
}

// release gives a lock to who waits for it longest.
func (r *run) release(number int32) {
	l := r.locks.At(number)
	if r.watch.Held != nil && !r.warm {
		r.watch.Held(number, r.told(l.holder-1), l.since-r.origin, r.now-r.origin, l.first != nobody)
	}
	l.since = r.now
	if l.holder = l.first; l.holder == nobody {
		return
	}
	c := &r.clients[l.holder-1]
	l.first, c.phase = c.waiter, steps
	r.queue.set(l.holder-1, r.now)
}
