package serve

import "spillway/sim/unit"

// blocks are what a tier holds, in the order in which they were used last. Names are small numbers.
type blocks struct {
	next, prev []int32 // of the ring whose first place, behind the last block, is its head; −1: not there
	ready      []unit.Time
	count      int64
	most       int64 // blocks; 0: the tier is not there
}

func newBlocks(names int, most int64) *blocks {
	b := &blocks{next: make([]int32, names+1), prev: make([]int32, names+1), ready: make([]unit.Time, names), most: most}
	for i := range b.next {
		b.next[i] = -1
	}
	b.next[names], b.prev[names] = int32(names), int32(names)
	return b
}

// has reports whether a block is there.
func (b *blocks) has(i int32) bool { return b != nil && b.next[i] >= 0 }

// put makes a block the last that was used. It must not be there.
func (b *blocks) put(i int32) {
	head := int32(len(b.next) - 1)
	last := b.prev[head]
	b.next[last], b.prev[i], b.next[i], b.prev[head] = i, last, head, i
	b.count++
}

// drop takes a block out that is there.
func (b *blocks) drop(i int32) {
	b.next[b.prev[i]], b.prev[b.next[i]] = b.next[i], b.prev[i]
	b.next[i] = -1
	b.count--
}

// oldest is the block that was not used for the longest time, −1 of none.
func (b *blocks) oldest() int32 {
	head := int32(len(b.next) - 1)
	if i := b.next[head]; i != head {
		return i
	}
	return -1
}
