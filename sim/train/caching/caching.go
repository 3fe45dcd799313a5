// Package caching models PyTorch's caching allocator: which addresses tensors get,
// and how much of GPU memory it reserves.
//
// Source: PyTorch 1.8, c10/cuda/CUDACachingAllocator.cpp, by its documented
// constants; the DeepUM paper (ASPLOS 2023) §5.2 calls its blocks PT blocks.
//
// Model: sizes are rounded up to 512 bytes. Up to 1 MiB they come from segments of
// 2 MiB, above from segments of 20 MiB, or from 10 MiB on from one of their own size
// in whole 2 MiB. The smallest free block that is large enough is taken, at equal
// size the lowest; what is left of it is split off when it has at least 512 bytes in
// small segments, more than 1 MiB in large ones. A freed block joins its free
// neighbours and stays cached. Where the limit leaves no room for a segment, whole
// free segments are given back first.
//
// Departures: (1) one stream and no events; (2) a new segment gets the lowest
// address at which it fits, where the driver's choice is its own; (3) nothing is
// rounded to powers of two and no threshold splits are configured.
package caching

import (
	"cmp"
	"slices"

	"spillway/sim/unit"
)

// The allocator's constants.
const (
	Round        unit.Bytes = 512      // every size is a multiple
	Small                   = unit.MiB // up to this size the small pool serves
	SmallSegment            = 2 * unit.MiB
	LargeSegment            = 20 * unit.MiB
	OwnSegment              = 10 * unit.MiB // from this size on
	SegmentRound            = 2 * unit.MiB
)

// An ID names a block that Alloc gave out. Those of freed blocks are used again.
type ID int32

// None is no block.
const None ID = -1

// A block is a range of a segment, free or given out.
type block struct {
	at, size    unit.Bytes
	prev, next  ID // neighbours in the segment, or None
	small, free bool
}

// An Allocator hands out ranges of an address space. An operation searches the free
// blocks in logarithmic time, and moves up to all of their indices, 4 bytes each, in
// the ordered list; a new segment costs a step for each segment before it.
type Allocator struct {
	blocks   []block
	spare    []ID     // indices that no block uses
	cached   [2][]ID  // free blocks by pool (large, small), ordered by size and address
	segments []extent // ordered by address
	limit    unit.Bytes
	reserved unit.Bytes
	used     unit.Bytes
}

// An extent is a segment's range.
type extent struct{ at, size unit.Bytes }

// New returns an allocator that reserves at most limit, 0 for no limit.
func New(limit unit.Bytes) *Allocator { return &Allocator{limit: limit} }

// Reserved is what segments take, Used what of it is given out.
func (a *Allocator) Reserved() unit.Bytes { return a.reserved }

// Used is what is given out, rounded.
func (a *Allocator) Used() unit.Bytes { return a.used }

// Top is where the highest segment ends.
func (a *Allocator) Top() unit.Bytes {
	if len(a.segments) == 0 {
		return 0
	}
	last := a.segments[len(a.segments)-1]
	return last.at + last.size
}

// Largest is the largest free block: what can be given out without a new segment.
func (a *Allocator) Largest() (n unit.Bytes) {
	for _, list := range a.cached {
		if len(list) > 0 {
			n = max(n, a.blocks[list[len(list)-1]].size)
		}
	}
	return n
}

// Range returns where a block is and its rounded size.
func (a *Allocator) Range(id ID) (at, size unit.Bytes) { return a.blocks[id].at, a.blocks[id].size }

// Beside returns the blocks before and after one in its segment, or None.
func (a *Allocator) Beside(id ID) (before, after ID) { return a.blocks[id].prev, a.blocks[id].next }

// Given reports whether a block is given out.
func (a *Allocator) Given(id ID) bool { return !a.blocks[id].free }

// Rounded is how large the block is that a request of size needs.
func Rounded(size unit.Bytes) unit.Bytes { return max(Round, (size+Round-1)/Round*Round) }

// Segment is how large a segment is that serves a rounded size.
func Segment(size unit.Bytes) unit.Bytes {
	switch {
	case size <= Small:
		return SmallSegment
	case size < OwnSegment:
		return LargeSegment
	}
	return (size + SegmentRound - 1) / SegmentRound * SegmentRound
}

// Alloc gives out size bytes. ok is false when neither a free block nor, with whole
// free segments given back, a new segment has room.
func (a *Allocator) Alloc(size unit.Bytes) (id ID, ok bool) {
	size = Rounded(size)
	if id, ok = a.Cached(size); ok {
		return id, true
	}
	need := Segment(size)
	if a.limit > 0 && a.reserved+need > a.limit {
		a.Trim()
		if a.reserved+need > a.limit {
			return None, false
		}
	}
	id = a.segment(need, size <= Small)
	a.take(id, size)
	return id, true
}

// Cached gives out size bytes of what is reserved already.
func (a *Allocator) Cached(size unit.Bytes) (id ID, ok bool) {
	size = Rounded(size)
	list := a.cached[pool(size <= Small)]
	i, _ := slices.BinarySearchFunc(list, size, func(id ID, size unit.Bytes) int {
		if a.blocks[id].size >= size {
			return 1
		}
		return -1
	})
	if i == len(list) {
		return None, false
	}
	id = list[i]
	a.uncache(id)
	a.take(id, size)
	return id, true
}

// Room reports whether a segment for size bytes is within the limit, without giving
// anything back.
func (a *Allocator) Room(size unit.Bytes) bool {
	return a.limit == 0 || a.reserved+Segment(Rounded(size)) <= a.limit
}

// take gives out the first size bytes of a free block that is not cached, and caches
// the rest if it is worth it.
func (a *Allocator) take(id ID, size unit.Bytes) {
	b := &a.blocks[id]
	rest := b.size - size
	if b.small && rest >= Round || !b.small && rest > Small {
		r := a.add(block{at: b.at + size, size: rest, prev: id, next: b.next, small: b.small, free: true})
		b = &a.blocks[id]
		if b.next != None {
			a.blocks[b.next].prev = r
		}
		b.next, b.size = r, size
		a.cache(r)
	}
	b.free = false
	a.used += b.size
}

// Free takes a block back.
func (a *Allocator) Free(id ID) {
	b := &a.blocks[id]
	if b.free {
		panic("caching: a block is freed twice")
	}
	a.used -= b.size
	b.free = true
	if n := b.next; n != None && a.blocks[n].free {
		a.uncache(n)
		a.join(id, n)
	}
	if p := a.blocks[id].prev; p != None && a.blocks[p].free {
		a.uncache(p)
		a.join(p, id)
		id = p
	}
	a.cache(id)
}

// join makes b, which follows a free block, part of it.
func (a *Allocator) join(id, b ID) {
	x, y := &a.blocks[id], &a.blocks[b]
	x.size += y.size
	if x.next = y.next; x.next != None {
		a.blocks[x.next].prev = id
	}
	a.spare = append(a.spare, b)
}

// Trim gives all segments back that are wholly free, and returns how much that was.
func (a *Allocator) Trim() (n unit.Bytes) {
	for which := range a.cached {
		a.cached[which] = slices.DeleteFunc(a.cached[which], func(id ID) bool {
			b := &a.blocks[id]
			if b.prev != None || b.next != None {
				return false
			}
			i, _ := slices.BinarySearchFunc(a.segments, b.at, func(e extent, at unit.Bytes) int { return cmp.Compare(e.at, at) })
			a.segments = slices.Delete(a.segments, i, i+1)
			a.spare = append(a.spare, id)
			n += b.size
			return true
		})
	}
	a.reserved -= n
	return n
}

// segment adds a segment, at the lowest address where it fits, as one free block
// that is not cached.
func (a *Allocator) segment(size unit.Bytes, small bool) ID {
	at, i := unit.Bytes(0), 0
	for ; i < len(a.segments) && a.segments[i].at-at < size; i++ {
		at = a.segments[i].at + a.segments[i].size
	}
	a.segments = slices.Insert(a.segments, i, extent{at, size})
	a.reserved += size
	return a.add(block{at: at, size: size, prev: None, next: None, small: small, free: true})
}

func (a *Allocator) add(b block) ID {
	if n := len(a.spare); n > 0 {
		id := a.spare[n-1]
		a.spare, a.blocks[id] = a.spare[:n-1], b
		return id
	}
	a.blocks = append(a.blocks, b)
	return ID(len(a.blocks) - 1)
}

// pool is the index of a pool's free blocks.
func pool(small bool) int {
	if small {
		return 1
	}
	return 0
}

func (a *Allocator) order(x, y ID) int {
	return cmp.Or(cmp.Compare(a.blocks[x].size, a.blocks[y].size), cmp.Compare(a.blocks[x].at, a.blocks[y].at))
}

func (a *Allocator) cache(id ID) {
	list := &a.cached[pool(a.blocks[id].small)]
	i, _ := slices.BinarySearchFunc(*list, id, a.order)
	*list = slices.Insert(*list, i, id)
}

func (a *Allocator) uncache(id ID) {
	list := &a.cached[pool(a.blocks[id].small)]
	i, ok := slices.BinarySearchFunc(*list, id, a.order)
	if !ok {
		panic("caching: a free block is not cached")
	}
	*list = slices.Delete(*list, i, i+1)
}
