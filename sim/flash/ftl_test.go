package flash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowLayer is the same translation layer without any cleverness: it looks at
// every page whenever it wants to know something.
type slowLayer struct {
	units, blocks, pages int
	planes               []slowPlane
	clock                int // counts changes, for ties
	moved, erases        int64
}

type slowPlane struct {
	content [][]int32 // by block: what each written page holds, none if outdated
	closed  []bool    // by block
	since   []int     // by block: when its number of valid pages last changed, or it was closed
	wear    []int32   // by block
	free    []int     // block numbers, oldest first
	open    int
}

func newSlowLayer(units, blocks, pages int) *slowLayer {
	s := &slowLayer{units: units, blocks: blocks, pages: pages, planes: make([]slowPlane, units)}
	for u := range s.planes {
		p := &s.planes[u]
		p.content, p.closed = make([][]int32, blocks), make([]bool, blocks)
		p.since, p.wear = make([]int, blocks), make([]int32, blocks)
		for b := 1; b < blocks; b++ {
			p.free = append(p.free, b)
		}
	}
	return s
}

func (s *slowLayer) forget(l int32) {
	p := &s.planes[int(l)%s.units]
	for b := range p.content {
		if i := slices.Index(p.content[b], l); i >= 0 {
			p.content[b][i] = none
			s.clock++
			p.since[b] = s.clock
		}
	}
}

func live(pages []int32) (n int) {
	for _, l := range pages {
		if l != none {
			n++
		}
	}
	return n
}

func (s *slowLayer) write(l int32) (copied int32, erased bool) {
	s.forget(l)
	p := &s.planes[int(l)%s.units]
	if len(p.content[p.open]) == s.pages {
		s.clock++
		p.closed[p.open], p.since[p.open] = true, s.clock
		p.open, p.free = p.free[0], p.free[1:]
		if len(p.free) == 0 {
			copied, erased = s.collect(p), true
		}
	}
	p.content[p.open] = append(p.content[p.open], l)
	return copied, erased
}

func (s *slowLayer) collect(p *slowPlane) (copied int32) {
	victim := -1
	for b := range p.content {
		if !p.closed[b] {
			continue
		}
		if victim < 0 || live(p.content[b]) < live(p.content[victim]) ||
			live(p.content[b]) == live(p.content[victim]) && p.since[b] < p.since[victim] {
			victim = b
		}
	}
	for _, l := range p.content[victim] {
		if l != none {
			p.content[p.open] = append(p.content[p.open], l)
			copied++
		}
	}
	p.content[victim], p.closed[victim] = nil, false
	p.wear[victim]++
	p.free = append(p.free, victim)
	s.moved += int64(copied)
	s.erases++
	return copied
}

// same reports the first difference between the two layers, or "".
func (s *slowLayer) same(f *layer) string {
	if f.moved != s.moved || f.erases != s.erases {
		return fmt.Sprintf("copied %d, erased %d; want %d, %d", f.moved, f.erases, s.moved, s.erases)
	}
	for u := range s.planes {
		p := &s.planes[u]
		for b := range p.content {
			block := u*s.blocks + b
			if f.wear[block] != p.wear[b] {
				return fmt.Sprintf("plane %d block %d: erased %d times; want %d", u, b, f.wear[block], p.wear[b])
			}
			for i := range s.pages {
				want := int32(none)
				if i < len(p.content[b]) {
					want = p.content[b][i]
				}
				if got := f.owner[block*s.pages+i]; got != want {
					return fmt.Sprintf("plane %d block %d page %d: holds %d; want %d", u, b, i, got, want)
				}
			}
		}
	}
	return ""
}

// broken reports the first violated invariant of a layer, or "".
func broken(f *layer) string {
	mapped := 0
	for l, p := range f.home {
		if p == none {
			continue
		}
		mapped++
		if f.owner[p] != int32(l) {
			return fmt.Sprintf("logical page %d is at %d, which holds %d", l, p, f.owner[p])
		}
		if u := p / (f.pages * f.blocks); u != int32(l)%f.units {
			return fmt.Sprintf("logical page %d is on plane %d", l, u)
		}
	}
	holders := 0
	for b := range f.valid {
		n := live(f.owner[b*int(f.pages) : (b+1)*int(f.pages)])
		holders += n
		if int(f.valid[b]) != n {
			return fmt.Sprintf("block %d: counts %d valid pages; has %d", b, f.valid[b], n)
		}
	}
	if holders != mapped {
		return fmt.Sprintf("%d pages are valid for %d mapped", holders, mapped)
	}
	for u := range f.planes {
		if q := &f.planes[u]; q.free < 1 || q.fill > f.pages {
			return fmt.Sprintf("plane %d: %d free blocks, %d of %d pages written in the open one", u, q.free, q.fill, f.pages)
		}
	}
	return ""
}

func TestLayerAgainstPageByPage(t *testing.T) {
	const seeds = 400
	t.Logf("seeds 0 to %d", seeds-1)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 0))
		units, blocks, pages := 1+r.IntN(4), 3+r.IntN(8), 2+r.IntN(8)
		logical := units * (1 + r.IntN((blocks-1)*pages))
		hot, hotWrites, trims := 1+r.IntN(logical), r.IntN(100), r.IntN(30)
		f, s := newLayer(int32(units), int32(blocks), int32(pages), int32(logical)), newSlowLayer(units, blocks, pages)
		for i := range 600 {
			l := int32(r.IntN(logical))
			if r.IntN(100) < hotWrites {
				l = int32(r.IntN(hot))
			}
			if r.IntN(100) < trims {
				f.trim(l)
				s.forget(l)
				continue
			}
			copied, erased := f.write(l)
			wantCopied, wantErased := s.write(l)
			if copied != wantCopied || erased != wantErased {
				t.Fatalf("seed %d, step %d: write(%d) copied %d, erased %v; want %d, %v", seed, i, l, copied, erased, wantCopied, wantErased)
			}
			if i%20 != 0 {
				continue
			}
			if d := s.same(f); d != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, d)
			}
			if d := broken(f); d != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, d)
			}
		}
		if d := s.same(f); d != "" {
			t.Fatalf("seed %d, at the end: %s", seed, d)
		}
	}
}

// amplification writes a layer's whole logical space, then warm and then count
// pages chosen by next, and returns programs per host write of the latter.
func amplification(f *layer, warm, count int, next func() int32) float64 {
	for l := range f.home {
		f.write(int32(l))
	}
	for range warm {
		f.write(next())
	}
	moved := f.moved
	for range count {
		f.write(next())
	}
	return 1 + float64(f.moved-moved)/float64(count)
}

func TestSequentialOverwriteCopiesNothing(t *testing.T) {
	tests := []struct {
		spare int32 // blocks beyond collection's own
		want  float64
	}{{0, 16}, {1, 1}, {8, 1}} // without any spare, each erase frees one page of 16
	for _, tt := range tests {
		f := newLayer(3, 21+tt.spare, 16, 3*20*16)
		l := int32(-1)
		got := amplification(f, 0, 3*20*16*20, func() int32 { l = (l + 1) % int32(len(f.home)); return l })
		if got != tt.want {
			t.Errorf("%d spare blocks: amplification %v; want %v", tt.spare, got, tt.want)
		}
	}
}

// lambert is the principal branch of Lambert's W between -1/e and 0.
func lambert(x float64) float64 {
	w := x
	for range 200 {
		w -= (w*math.Exp(w) - x) / (math.Exp(w) * (w + 1))
	}
	return w
}

// TestRandomWritesAgainstClosedForm compares uniform random writes with the
// expression of Xiang and Kurkoski, "An Improved Analytic Expression for Write
// Amplification in NAND Flash" (ICNC 2012, arXiv 1110.4245): with a flash of
// α times the logical space, α/(α + W(-α·exp(-α))). Their abstract gives 2.36,
// simulated 2.35, for α = 1.3.
func TestRandomWritesAgainstClosedForm(t *testing.T) {
	closed := func(alpha float64) float64 { return alpha / (alpha + lambert(-alpha*math.Exp(-alpha))) }
	if got := closed(1.3); math.Abs(got-2.36) > 0.005 {
		t.Errorf("closed form at 1.3 = %.3f; the paper says 2.36", got)
	}
	const (
		blocks, pages = 300, 512 // with 64 pages greedy stays 10 % below at 7 % over-provisioning
		tolerance     = 0.02     // the expression is for endless drives with endless blocks
	)
	before := math.Inf(1)
	for _, spare := range []float64{0.07, 0.15, 0.3, 0.5, 1} {
		logical := int32(float64(blocks*pages) / (1 + spare))
		rnd := random(1)
		f := newLayer(1, blocks+1, pages, logical)
		got := amplification(f, 4*blocks*pages, 4*blocks*pages, func() int32 { return rnd.below(logical) })
		want := closed(1 + spare)
		t.Logf("over-provisioning %3.0f %%: amplification %.3f, closed form %.3f", 100*spare, got, want)
		if math.Abs(got-want) > tolerance*want {
			t.Errorf("over-provisioning %.2f: amplification %.3f; want %.3f ± %.0f %%", spare, got, want, 100*tolerance)
		}
		// A tendency, not a theorem: see TestMoreSpareTendency.
		if got > before {
			t.Errorf("over-provisioning %.2f: amplification %.3f is more than with less (%.3f)", spare, got, before)
		}
		before = got
	}
}

// TestMoreSpareTendency counts how often one more spare block makes random
// writes amplify more. That more spare helps is a tendency of greedy
// collection, not a theorem; the test records it and fails only if it is gone.
func TestMoreSpareTendency(t *testing.T) {
	const seeds = 200
	worse, worst := 0, 0.0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 1))
		blocks, pages := int32(8+r.IntN(12)), int32(4+r.IntN(12))
		logical := (blocks - 2) * pages
		var wa [2]float64
		for i := range wa {
			rnd := random(seed)
			f := newLayer(1, blocks+int32(i), pages, logical)
			wa[i] = amplification(f, 2000, 8000, func() int32 { return rnd.below(logical) })
		}
		if d := wa[1]/wa[0] - 1; d > 0 {
			worse++
			worst = max(worst, d)
		}
	}
	t.Logf("seeds 0 to %d: one more spare block was worse in %d of %d cases, by at most %.1f %%", seeds-1, worse, seeds, 100*worst)
	if worse > seeds/20 || worst > 0.02 {
		t.Errorf("one more spare block was worse in %d of %d cases, by up to %.1f %%; want a rare exception below 2 %%", worse, seeds, 100*worst)
	}
}
