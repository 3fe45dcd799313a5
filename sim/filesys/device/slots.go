package device

import (
	"math/bits"

	"spillway/sim/unit"
)

// slots are those of the write buffer: a heap by when each is free, and where in it each
// is.
type slots struct {
	heap []slot
	at   []int32
}

type slot struct {
	free unit.Time
	id   int32
}

func newSlots(n int32) slots {
	s := slots{make([]slot, n), make([]int32, n)}
	for i := range n {
		s.heap[i].id, s.at[i] = i, i
	}
	return s
}

// first is the slot that is free first.
func (s *slots) first() slot { return s.heap[0] }

// use takes that slot until a time.
func (s *slots) use(until unit.Time) { s.sink(0, slot{until, s.heap[0].id}) }

// take takes it until set says when it is free.
func (s *slots) take() int32 {
	id := s.heap[0].id
	s.sink(0, slot{never, id})
	return id
}

// set says until when a slot that was taken is.
func (s *slots) set(id int32, until unit.Time) {
	i, x := s.at[id], slot{until, id}
	for i > 0 {
		up := (i - 1) / 2
		if s.heap[up].before(x) {
			break
		}
		s.heap[i], s.at[s.heap[up].id] = s.heap[up], i
		i = up
	}
	s.heap[i], s.at[id] = x, i
}

// delay says that what has a slot until a time has it longer. If somebody waits for that
// slot already, it is no matter any more.
func (s *slots) delay(id int32, from, until unit.Time) {
	if i := s.at[id]; s.heap[i].free == from {
		s.sink(i, slot{until, id})
	}
}

func (x slot) before(y slot) bool { return x.free < y.free || x.free == y.free && x.id < y.id }

// sooner is 1 of a slot that is before another, and else 0: without a branch that nobody could
// foretell.
func (x slot) sooner(y slot) int32 {
	_, less := bits.Sub64(uint64(x.id), uint64(y.id), 0)
	_, less = bits.Sub64(uint64(x.free), uint64(y.free), less) // no time is negative
	return int32(less)
}

// sink puts a slot at a place of the heap, or below it.
func (s *slots) sink(i int32, x slot) {
	h := s.heap
	for {
		c := 2*i + 1
		if int(c) >= len(h) {
			break
		}
		if int(c)+1 < len(h) {
			c += h[c+1].sooner(h[c])
		}
		if x.before(h[c]) {
			break
		}
		h[i], s.at[h[c].id] = h[c], i
		i = c
	}
	h[i], s.at[x.id] = x, i
}
