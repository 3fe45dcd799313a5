package paged

import "spillway/sim/train/machine"

// An interleaved is two residents whose pages came in by turns: when prefetches from
// SSD and host share the link, every batch brings some pages of each. A record
// of the pool, whose tensor is [interleavedPair], holds their place in the recency list,
// and they point back at it with a negative older. So any number of batches
// makes two extents. As every extent only ever loses its first pages, what is
// left of both still says whose turn comes first.
type interleaved [2]stream

// A stream is one of the two: its extent, the page its first turn began with,
// and how many pages it got a turn.
type stream struct {
	x          xid
	base, turn int32
}

// turns returns how many whole turns of s have left.
func (s *stream) turns(r *residency) int32 { return (r.at(s.x).start - s.base) / s.turn }

// interleavedPair is the tensor of a record that stands for such a pair.
const interleavedPair = -1

// interleave makes turns batches of n and m pages from the heads of incoming queues
// q and p resident. The caller has made room. Both heads have that many pages.
func (r *residency) interleave(q, p queueID, n, m, turns int32) {
	node := r.alloc(extent{tensor: interleavedPair})
	r.appendRecent(node)
	var b interleaved
	for s, in := range [...]struct {
		q    queueID
		turn int32
	}{{q, n}, {p, m}} {
		i := r.cut(in.q, in.turn*turns)
		e := r.at(i)
		e.older = -node
		b[s] = stream{i, e.start, in.turn}
	}
	r.interleaved[node] = b
}

// front returns recency list member i, or if it is an interleaved pair, its first turn,
// which it makes an extent of its own.
func (r *residency) front(i xid) xid {
	if i == 0 || r.at(i).tensor != interleavedPair {
		return i
	}
	b := r.interleaved[i]
	s, turn := b[0], b[1].turns(r)+1
	if turn <= b[0].turns(r) {
		s, turn = b[1], b[0].turns(r)
	}
	x, e := s.x, r.at(s.x)
	n := s.base + turn*s.turn - e.start
	f := x
	if n < e.pages {
		f = r.split(x, n)
		if e.queue != resting {
			r.queueBefore(f, x)
		}
	} else {
		i = r.separate(i, x)
	}
	r.insertBefore(f, i)
	return f
}

// separate takes extent i out of the pair at node and gives the node's place in
// the recency list to the other extent, which it returns.
func (r *residency) separate(node, i xid) xid {
	b := r.interleaved[node]
	delete(r.interleaved, node)
	o := b[0].x
	if o == i {
		o = b[1].x
	}
	n, x := r.at(node), r.at(o)
	x.older, x.younger = n.older, n.younger
	r.relink(o)
	r.at(i).older = 0
	r.recycle(node)
	return o
}

// insertBefore puts extent f into the recency list, before member i.
func (r *residency) insertBefore(f, i xid) {
	e := r.at(f)
	e.older, e.younger = r.at(i).older, i
	r.relink(f)
}

// relink makes the neighbors of recency list member i point at it.
func (r *residency) relink(i xid) {
	e := r.at(i)
	if e.older != 0 {
		r.at(e.older).younger = i
	} else {
		r.oldest = i
	}
	if e.younger != 0 {
		r.at(e.younger).older = i
	} else {
		r.youngest = i
	}
}

// queueBefore puts extent f into the queue that i is in, before it.
func (r *residency) queueBefore(f, i xid) {
	e, next := r.at(f), r.at(i)
	e.queue, e.prevQueue, e.inQueue = next.queue, next.prevQueue, i
	if e.prevQueue != 0 {
		r.at(e.prevQueue).inQueue = f
	} else {
		r.queues[e.queue].head = f
	}
	next.prevQueue = f
}

// streams returns the extents of the pair at node.
func (r *residency) streams(node xid) (a, b *extent) {
	s := r.interleaved[node]
	return r.at(s[0].x), r.at(s[1].x)
}

// held reports whether the pages of e stay: they are queued, or the current kernel
// uses them and they are spared.
func (r *residency) held(e *extent) bool {
	return e.queue != resting || r.spare && r.tensors[e.tensor].needed
}

// skipHeld returns the first extent from i towards the young end that may leave.
// It is written out, like skipWindow, because one loop for both is 12 % slower.
func (r *residency) skipHeld(i xid) xid {
	for i != 0 {
		e := r.at(i)
		if e.tensor != interleavedPair {
			if !r.held(e) {
				return i
			}
			i = e.younger
		} else if a, b := r.streams(i); r.held(a) && r.held(b) {
			i = e.younger
		} else {
			i = r.front(i)
		}
	}
	return 0
}

// skipWindow returns the first extent from i that no kernel of the look-ahead
// window uses.
func (r *residency) skipWindow(i xid) xid {
	for i != 0 {
		e := r.at(i)
		if e.tensor != interleavedPair {
			if r.tensors[e.tensor].window == 0 {
				return i
			}
			i = e.younger
		} else if a, b := r.streams(i); r.tensors[a.tensor].window > 0 && r.tensors[b.tensor].window > 0 {
			i = e.younger
		} else {
			i = r.front(i)
		}
	}
	return 0
}

// cut takes the first n pages of the head of incoming queue q out of it, makes
// them resident and returns their extent, which has no place in the recency
// list yet.
func (r *residency) cut(q queueID, n int32) xid {
	i := r.queues[q].head
	e := r.at(i)
	if e.pages == n {
		r.unqueue(i)
	} else {
		r.setMoving(e.tensor, -n)
		i = r.split(i, n)
		e = r.at(i)
	}
	e.loc = machine.GPU
	r.tensors[e.tensor].gpu += n
	r.record.Touch(e.tensor)
	return i
}
