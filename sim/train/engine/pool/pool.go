package pool

import (
	"cmp"
	"slices"
)

// A hole is a run of free pages.
type hole struct{ at, pages int64 }

// A pool is GPU memory that is handed out in contiguous ranges, first fit from
// either end. Every operation is linear in the number of holes.
type pool struct {
	holes []hole // ascending, never touching
	pages int64  // capacity
	used  int64
}

func newPool(pages int64) *pool {
	return &pool{holes: []hole{{0, pages}}, pages: pages}
}

// low takes n pages from the lowest hole that is large enough.
func (p *pool) low(n int64) (at int64, ok bool) {
	for i := range p.holes {
		if h := p.holes[i]; h.pages >= n {
			p.take(i, hole{h.at + n, h.pages - n})
			return h.at, true
		}
	}
	return -1, false
}

// high takes n pages from the top of the highest hole that is large enough.
func (p *pool) high(n int64) (at int64, ok bool) {
	for i := len(p.holes) - 1; i >= 0; i-- {
		if h := p.holes[i]; h.pages >= n {
			p.take(i, hole{h.at, h.pages - n})
			return h.at + h.pages - n, true
		}
	}
	return -1, false
}

// take replaces hole i by what is left of it.
func (p *pool) take(i int, rest hole) {
	p.used += p.holes[i].pages - rest.pages
	if rest.pages == 0 {
		p.holes = slices.Delete(p.holes, i, i+1)
		return
	}
	p.holes[i] = rest
}

// release gives n pages back and joins them with the holes beside them.
func (p *pool) release(at, n int64) {
	p.used -= n
	i, _ := slices.BinarySearchFunc(p.holes, at, func(h hole, at int64) int { return cmp.Compare(h.at, at) })
	joinsLeft := i > 0 && p.holes[i-1].at+p.holes[i-1].pages == at
	joinsRight := i < len(p.holes) && at+n == p.holes[i].at
	switch {
	case joinsLeft && joinsRight:
		p.holes[i-1].pages += n + p.holes[i].pages
		p.holes = slices.Delete(p.holes, i, i+1)
	case joinsLeft:
		p.holes[i-1].pages += n
	case joinsRight:
		p.holes[i] = hole{at, n + p.holes[i].pages}
	default:
		p.holes = slices.Insert(p.holes, i, hole{at, n})
	}
}

// largest returns the pages of the largest hole. (The published simulator
// overlooks a hole of one page at the very end, which can matter only in a pool
// that is full but for that page.)
func (p *pool) largest() (n int64) {
	for _, h := range p.holes {
		n = max(n, h.pages)
	}
	return n
}
