package serve

// A ranked is the blocks of a tier by a rule that only a block's use changes: who is used is asked again, and the first is at
// the front. Entries of blocks that went or were asked again are skipped.
type ranked struct {
	of    *blocks
	heap  []rank
	stamp []int32 // of blocks: which entry counts
	place []int64 // of blocks: when it came, which decides among equals
	clock int64
}

// A rank is what a block was worth when it was asked.
type rank struct {
	score, place int64
	block, stamp int32
}

// newRanked returns those of a tier, of so many names of blocks; nil, of which nobody asks, where there is none.
func newRanked(of *blocks, blocks int) *ranked {
	if of == nil {
		return nil
	}
	return &ranked{of: of, stamp: make([]int32, blocks), place: make([]int64, blocks)}
}

// before reports whether x is forgotten before y.
func (x rank) before(y rank) bool {
	return x.score > y.score || x.score == y.score && x.place < y.place
}

// come makes a block the last that came, score gives one that is there another score.
func (k *ranked) come(b int32, score int64) {
	k.clock++
	k.place[b] = k.clock
	k.score(b, score)
}

func (k *ranked) score(b int32, score int64) {
	if len(k.heap) > 1024 && int64(len(k.heap)) > 4*k.of.count {
		k.tidy()
	}
	k.stamp[b]++
	k.heap = append(k.heap, rank{score, k.place[b], b, k.stamp[b]})
	h := k.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// first is the block that is forgotten first, of those that the tier has, of which there is one.
func (k *ranked) first() int32 {
	for !k.counts(k.heap[0]) {
		last := len(k.heap) - 1
		k.heap[0] = k.heap[last]
		k.heap = k.heap[:last]
		k.down(0)
	}
	return k.heap[0].block
}

func (k *ranked) counts(x rank) bool { return k.stamp[x.block] == x.stamp && k.of.has(x.block) }

// tidy leaves out what no longer counts.
func (k *ranked) tidy() {
	left := k.heap[:0]
	for _, x := range k.heap {
		if k.counts(x) {
			left = append(left, x)
		}
	}
	k.heap = left
	for i := len(left)/2 - 1; i >= 0; i-- {
		k.down(i)
	}
}

func (k *ranked) down(i int) {
	h := k.heap
	for {
		best := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(h) && h[c].before(h[best]) {
				best = c
			}
		}
		if best == i {
			return
		}
		h[i], h[best] = h[best], h[i]
		i = best
	}
}
