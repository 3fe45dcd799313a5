package filesys

import (
	"math"
	"math/bits"

	"spillway/sim/unit"
)

// An entry is a client that goes on at a time. Those of the same time go on in the order
// in which they were scheduled.
type entry struct {
	at    unit.Time
	order uint64 // when it was scheduled, above the client's number
}

// Clients' numbers are the lower bits of an entry's order.
const (
	clientBits  = 12
	mostClients = 1 << clientBits
)

// never is when a client goes on that is not scheduled.
const never = unit.Time(math.MaxInt64)

// A schedule says which client goes on next: a tournament of all clients, whose winner is
// at 1, and whose pairs below i are at 2i and 2i+1. To schedule one is to play its games
// once more, without a branch that nobody could foretell.
type schedule struct {
	entries []entry
	count   uint64
}

// newSchedule returns a schedule of so many clients, of which none goes on.
func newSchedule(clients int) schedule {
	s := schedule{entries: make([]entry, 2*clients)} // however many: below 1 are all
	for i := range s.entries {
		s.entries[i].at = never
	}
	return s
}

// set has a client go on at a time, after all others of that time, and no more at the one
// that it was scheduled for.
func (s *schedule) set(client int32, at unit.Time) {
	s.count++
	at, order := at, s.count<<clientBits|uint64(client)
	es := s.entries
	i := len(es)/2 + int(client)
	es[i] = entry{at, order}
	for i > 1 {
		o := &es[i^1]
		_, less := bits.Sub64(o.order, order, 0)
		_, less = bits.Sub64(uint64(o.at), uint64(at), less) // no time is negative
		at ^= (at ^ o.at) & -unit.Time(less)
		order ^= (order ^ o.order) & -less
		i /= 2
		es[i] = entry{at, order}
	}
}

// first returns who goes on next, and when: never if nobody does.
func (s *schedule) first() (client int32, at unit.Time) {
	e := &s.entries[1]
	return int32(e.order & (mostClients - 1)), e.at
}

// Cores are servers that take work in the order in which it comes. They are a heap of
// the times from which each is free.
type cores []unit.Time

// take gives the core that is free first work, and returns when that begins.
func (c cores) take(now, work unit.Time) unit.Time {
	start := max(now, c[0])
	free, i := start+work, 0
	for {
		child := 2*i + 1
		if child >= len(c) {
			break
		}
		if child+1 < len(c) && c[child+1] < c[child] {
			child++
		}
		if c[child] >= free {
			break
		}
		c[i] = c[child]
		i = child
	}
	c[i] = free
	return start
}
