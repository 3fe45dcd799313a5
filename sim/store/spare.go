package store

import "spillway/sim/unit"

// spares is what prefetch brought back and yields ([Setup.Yields]), in the order in which it came.
// What was got or given up since is stale.
type spares struct {
	list   []entry // without key
	live   int
	coming int32 // the one that is under way, which is the last, or -1
}

// last returns the last that is not stale, or -1.
func (s *spares) last(ts []tensor) int32 {
	for n := len(s.list) - 1; n >= 0; n-- {
		if e := &s.list[n]; ts[e.tensor].stamp == e.stamp {
			return e.tensor
		}
		s.list = s.list[:n]
	}
	return -1
}

// compact removes the stale ones where they are most.
func (s *spares) compact(ts []tensor) {
	if len(s.list) > 2*s.live+64 {
		s.list = fresh(s.list, ts)
	}
}

// bring starts, at a time, to bring back a tensor that yields, if none is under way and it is
// worth it.
func (r *run) bring(at unit.Time) {
	r.land()
	if r.setup.Prefetch == 0 || r.setup.Yields == 0 || r.spares.coming >= 0 {
		return
	}
	t := r.wanted(r.room - r.setup.Headroom)
	if t < 0 {
		return
	}
	x := &r.tensors[t]
	if v := r.victim(x.bytes); v >= 0 && !r.sooner(t, v) {
		return
	}
	r.takeOut(x, t)
	x.state, x.start, x.done, x.ahead, x.spare = coming, at, at+r.setup.fetch(x.bytes), true, true
	x.stamp++
	r.spares.list = append(r.spares.list, entry{tensor: t, stamp: x.stamp})
	r.spares.live++
	r.spares.coming = t
	r.hold(t, Nowhere, InGPU, at)
	r.place(t, InGPU, at)
}

// sooner reports whether the policy needs tensor t before v.
func (r *run) sooner(t, v int32) bool {
	if r.own != nil {
		return r.own.sooner(t, v)
	}
	by, x, y := r.policy.by, &r.tensors[t], &r.tensors[v]
	return r.distance(by, int32(x.client), x.key) < r.distance(by, int32(y.client), y.key)
}

// land ends the way back of what has come by now.
func (r *run) land() {
	t := r.spares.coming
	if t < 0 || r.tensors[t].done > r.now {
		return
	}
	r.spares.coming = -1
	x := &r.tensors[t]
	x.state = ravenGPU
	r.brought(t, x, x.bytes)
}

// goOn lets one tensor after the other come back up to now, since the last call.
func (r *run) goOn() {
	for {
		t := r.spares.coming
		if r.land(); t < 0 || r.spares.coming >= 0 {
			return
		}
		r.bring(r.tensors[t].done)
	}
}

// keep makes a tensor that is got one of GPU memory alone: the host's copy goes.
func (r *run) keep(t int32, x *tensor) {
	x.spare = false
	x.stamp++
	r.spares.live--
	r.spares.compact(r.tensors)
	r.hold(t, InHost, Nowhere, r.now)
}

// giveUp gives up what came last, or breaks off its way back; it reports whether there was any.
func (r *run) giveUp() bool {
	r.land()
	t := r.spares.last(r.tensors)
	if t < 0 {
		return false
	}
	x := &r.tensors[t]
	if r.spares.coming == t {
		r.spares.coming = -1
		bytes := unit.Bytes(unit.MulDiv(int64(x.bytes), int64(r.now-x.start), int64(x.done-x.start)))
		x.done = r.now
		r.brought(t, x, bytes)
	}
	r.spares.live--
	r.result.Wasted++
	x.state, x.ahead, x.spare = ravenHost, false, false
	x.stamp++
	r.hold(t, InGPU, Nowhere, r.now)
	r.place(t, InHost, r.now)
	r.putAway(x, t)
	return true
}

// brought counts a prefetch that yields when it ends, with the bytes that came.
func (r *run) brought(t int32, x *tensor, bytes unit.Bytes) {
	r.watch.move(t, &tensor{client: x.client, bytes: bytes}, true, x.start, x.done)
	r.result.Prefetched += bytes
	r.result.Prefetches.add(Prefetch{x.start, x.done, t, bytes, int32(x.client)})
	r.inFree = max(r.inFree, x.done)
}
