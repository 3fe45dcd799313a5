package stream

// A walk goes through the requests of all threads in the order of time: each thread's
// clock is the sum of its gaps, and of threads at the same time the one with fewer
// requests behind it is first, then the lower one. So threads without gaps take turns.
// What waiting for memory adds is not in it.
type walk struct {
	s    *Stream
	heap []turn
}

// A turn is a thread and the time of its next request.
type turn struct {
	clock  uint64
	done   int
	thread int32
}

func (a *turn) before(b *turn) bool {
	if a.clock != b.clock {
		return a.clock < b.clock
	}
	if a.done != b.done {
		return a.done < b.done
	}
	return a.thread < b.thread
}

func (s *Stream) walk() walk {
	w := walk{s: s, heap: make([]turn, 0, len(s.Threads))}
	for t, list := range s.Threads {
		if len(list) > 0 {
			w.heap = append(w.heap, turn{clock: uint64(list[0].Gap()), thread: int32(t)})
		}
	}
	for i := len(w.heap)/2 - 1; i >= 0; i-- {
		w.sink(i)
	}
	return w
}

// next returns the next request and its thread, -1 behind the last.
func (w *walk) next() (Request, int) {
	if len(w.heap) == 0 {
		return 0, -1
	}
	top := &w.heap[0]
	thread := int(top.thread)
	list := w.s.Threads[thread]
	q := list[top.done]
	top.done++
	if top.done < len(list) {
		top.clock += uint64(list[top.done].Gap())
	} else {
		last := len(w.heap) - 1
		w.heap[0] = w.heap[last]
		w.heap = w.heap[:last]
	}
	w.sink(0)
	return q, thread
}

func (w *walk) sink(i int) {
	h := w.heap
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].before(&h[c]) {
			c++
		}
		if !h[c].before(&h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
