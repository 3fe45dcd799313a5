package cxlssd

import (
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// slice is how long a thread runs before CFS looks for one that ran less: Linux's
// default of the least turn with eight processors.
const slice = 3 * unit.Millisecond

// A queue is the threads that wait for a core, all cores', in the order in which they came.
type queue struct {
	scheduler   Scheduler
	waiting     []int32 // a ring
	head, count int
}

func newQueue(s Scheduler, threads int) queue {
	return queue{scheduler: s, waiting: make([]int32, threads)}
}

func (q *queue) at(i int) *int32 {
	if i += q.head; i >= len(q.waiting) {
		i -= len(q.waiting)
	}
	return &q.waiting[i]
}

func (q *queue) push(thread int32) {
	*q.at(q.count) = thread
	q.count++
}

// pop takes the next thread, or -1.
func (q *queue) pop(threads []thread, random *stream.Random, now unit.Time) int32 {
	if q.count == 0 {
		return -1
	}
	i := q.choose(threads, random, now)
	thread := *q.at(i)
	for ; i > 0; i-- {
		*q.at(i) = *q.at(i - 1)
	}
	if q.head++; q.head == len(q.waiting) {
		q.head = 0
	}
	q.count--
	return thread
}

// choose returns the place of the next thread.
func (q *queue) choose(threads []thread, random *stream.Random, now unit.Time) int {
	best := 0
	switch q.scheduler {
	case Random:
		ready := int64(0)
		for i := range q.count {
			if threads[*q.at(i)].ready <= now {
				ready++
			}
		}
		if ready == 0 {
			return int(random.Below(int64(q.count)))
		}
		for n := random.Below(ready); ; best++ {
			if threads[*q.at(best)].ready <= now {
				if n == 0 {
					return best
				}
				n--
			}
		}
	case Fairness, CFS:
		for i := 1; i < q.count; i++ {
			if threads[*q.at(i)].executed < threads[*q.at(best)].executed {
				best = i
			}
		}
	case Locality:
		for i := 1; i < q.count; i++ {
			a, b := threads[*q.at(i)].ready, threads[*q.at(best)].ready
			if a <= now && (b > now || a > b) || a > now && a < b {
				best = i
			}
		}
	}
	return best
}

// before reports whether a thread waits that executed less than so long.
func (q *queue) before(threads []thread, executed unit.Time) bool {
	for i := range q.count {
		if threads[*q.at(i)].executed < executed {
			return true
		}
	}
	return false
}
