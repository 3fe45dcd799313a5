package filesys

import "spillway/sim/unit"

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

// client returns whose entry it is.
func (e *entry) client() int32 { return int32(e.order & (mostClients - 1)) }

func (e *entry) before(f *entry) bool {
	return e.at < f.at || e.at == f.at && e.order < f.order
}

// A heap has what is scheduled, the first at 0; four children each, so that it is flat.
type heap struct {
	entries []entry
	count   uint64
}

// entry makes one that comes after all others of its time.
func (h *heap) entry(at unit.Time, client int32) entry {
	h.count++
	return entry{at, h.count<<clientBits | uint64(client)}
}

func (h *heap) push(at unit.Time, client int32) {
	h.entries = append(h.entries, entry{})
	h.up(len(h.entries)-1, h.entry(at, client))
}

// pop removes the first.
func (h *heap) pop() {
	n := len(h.entries) - 1
	last := h.entries[n]
	h.entries = h.entries[:n]
	if n > 0 {
		h.down(last)
	}
}

// again schedules the first once more.
func (h *heap) again(at unit.Time) { h.down(h.entry(at, h.entries[0].client())) }

// sooner schedules a client that is scheduled for later, or does nothing.
func (h *heap) sooner(at unit.Time, client int32) {
	for i := range h.entries {
		if h.entries[i].client() == client {
			if at < h.entries[i].at {
				h.up(i, h.entry(at, client))
			}
			return
		}
	}
}

func (h *heap) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h.entries[parent]) {
			break
		}
		h.entries[i] = h.entries[parent]
		i = parent
	}
	h.entries[i] = e
}

// down puts an entry in the place of the first.
func (h *heap) down(e entry) {
	es, i := h.entries, 0
	for {
		child := 4*i + 1
		if child >= len(es) {
			break
		}
		least := child
		for j := child + 1; j < min(child+4, len(es)); j++ {
			if es[j].before(&es[least]) {
				least = j
			}
		}
		if !es[least].before(&e) {
			break
		}
		es[i] = es[least]
		i = least
	}
	es[i] = e
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
