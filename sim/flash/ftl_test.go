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
	begin, end           int
	stepped              bool
	streams, kept        int // of the host; free blocks that only collection opens
	own                  bool
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
	fronts  []int     // blocks that are open, none before the first
	stream  []int     // by block: who wrote it
	due     bool
}

func newSlowLayer(h *Shape) *slowLayer {
	units, blocks := int(h.Units), int(h.Blocks)
	s := &slowLayer{
		units: units, blocks: blocks, pages: int(h.Pages), planes: make([]slowPlane, units),
		begin: int(h.Begin), end: max(int(h.End), int(h.Begin)+1), stepped: h.Stepped, streams: max(1, int(h.Streams)), own: h.Own,
	}
	if h.Frontiers() > 1 {
		s.kept, s.begin, s.end = 1, max(s.begin, 1), max(s.end, 2)
	}
	for u := range s.planes {
		p := &s.planes[u]
		p.content, p.closed = make([][]int32, blocks), make([]bool, blocks)
		p.since, p.wear, p.stream = make([]int, blocks), make([]int32, blocks), make([]int, blocks)
		p.fronts = make([]int, h.Frontiers())
		for i := range p.fronts[1:] {
			p.fronts[1+i] = none
		}
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

func (s *slowLayer) write(l int32, stream int) (copied, erased int32) {
	s.forget(l)
	u := int(l) % s.units
	p := &s.planes[u]
	for s.full(p, stream) {
		s.advance(p, stream)
		p.due = p.due || len(p.free) <= s.begin
		for p.due && (!s.stepped || len(p.free) <= s.kept) {
			c, ok := s.collect(u)
			if !ok {
				break
			}
			copied += c
			erased++
		}
	}
	s.put(p, stream, l)
	return copied, erased
}

// full reports whether a frontier has no room.
func (s *slowLayer) full(p *slowPlane, front int) bool {
	return p.fronts[front] == none || len(p.content[p.fronts[front]]) == s.pages
}

func (s *slowLayer) put(p *slowPlane, front int, l int32) {
	p.content[p.fronts[front]] = append(p.content[p.fronts[front]], l)
}

// advance closes a frontier's open block and opens a free one.
func (s *slowLayer) advance(p *slowPlane, front int) {
	s.clock++
	if b := p.fronts[front]; b != none {
		p.closed[b], p.since[b] = true, s.clock
	}
	p.fronts[front], p.free = p.free[0], p.free[1:]
	p.stream[p.fronts[front]] = front
}

// age is [Layer.Age].
func (s *slowLayer) age(u, valid int) {
	p := &s.planes[u]
	b := p.free[0]
	p.free = p.free[1:]
	for i := range s.pages {
		l := int32(none)
		if i < valid {
			l = cold
		}
		p.content[b] = append(p.content[b], l)
	}
	s.clock++
	p.closed[b], p.since[b] = true, s.clock
}

func (s *slowLayer) collect(u int) (copied int32, ok bool) {
	p := &s.planes[u]
	victim := -1
	for b := range p.content {
		if !p.closed[b] || live(p.content[b]) == s.pages {
			continue
		}
		if victim < 0 || live(p.content[b]) < live(p.content[victim]) ||
			live(p.content[b]) == live(p.content[victim]) && p.since[b] < p.since[victim] {
			victim = b
		}
	}
	if victim < 0 {
		p.due = false
		return 0, false
	}
	moving := p.content[victim]
	p.content[victim], p.closed[victim] = nil, false
	to := p.stream[victim]
	if s.own {
		to = s.streams
	}
	for _, l := range moving {
		if l == none {
			continue
		}
		if s.full(p, to) {
			s.advance(p, to)
		}
		s.put(p, to, l)
		copied++
	}
	p.wear[victim]++
	p.free = append(p.free, victim)
	p.due = len(p.free) < s.end
	s.moved += int64(copied)
	s.erases++
	return copied, true
}

// same reports the first difference between the two layers, or "".
func (s *slowLayer) same(f *Layer) string {
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
			if n := live(p.content[b]); int(f.valid[block]) != n {
				return fmt.Sprintf("plane %d block %d: %d valid pages; want %d", u, b, f.valid[block], n)
			}
			if f.owner[block] == nil {
				if slices.ContainsFunc(p.content[b], func(l int32) bool { return l >= 0 }) {
					return fmt.Sprintf("plane %d block %d: no table; want one for %v", u, b, p.content[b])
				}
				continue
			}
			for i := range s.pages {
				want := int32(none)
				if i < len(p.content[b]) {
					want = p.content[b][i]
				}
				if got := f.owner[block][i]; got != want {
					return fmt.Sprintf("plane %d block %d page %d: holds %d; want %d", u, b, i, got, want)
				}
			}
		}
		if q := &f.planes[u]; int(q.free) != len(p.free) || f.Due(int32(u)) != p.due {
			return fmt.Sprintf("plane %d: %d blocks free, collection due %v; want %d, %v", u, q.free, q.due, len(p.free), p.due)
		}
	}
	return ""
}

// broken reports the first violated invariant of a layer, or "".
func broken(f *Layer) string {
	mapped := 0
	for l, p := range f.home {
		if p == none {
			continue
		}
		mapped++
		if got := f.owner[p/f.pages][p%f.pages]; got != int32(l) || f.Home(int32(l)) != p {
			return fmt.Sprintf("logical page %d is at %d, which holds %d", l, p, got)
		}
		if u := p / (f.pages * f.blocks); u != int32(l)%f.units {
			return fmt.Sprintf("logical page %d is on plane %d", l, u)
		}
	}
	holders := 0
	for b, t := range f.owner {
		if t == nil {
			continue
		}
		n := live(t)
		for _, l := range t {
			if l >= 0 {
				holders++
			}
		}
		if int(f.valid[b]) != n {
			return fmt.Sprintf("block %d: counts %d valid pages; has %d", b, f.valid[b], n)
		}
	}
	if holders != mapped {
		return fmt.Sprintf("%d pages are valid for %d mapped", holders, mapped)
	}
	for u := range f.planes {
		if q := &f.planes[u]; q.free < 1 || q.fill > f.pages { // what only collection opens is given back at once
			return fmt.Sprintf("plane %d: %d free blocks, %d of %d pages written in the open one", u, q.free, q.fill, f.pages)
		}
	}
	return ""
}

func TestLayerAgainstPageByPage(t *testing.T) {
	const seeds = 600
	t.Logf("seeds 0 to %d", seeds-1)
	var collected, stepped, ended, full, several int
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 0))
		units, blocks, pages := 1+r.IntN(4), 3+r.IntN(8), 2+r.IntN(8)
		h := Shape{Units: int32(units), Blocks: int32(blocks), Pages: int32(pages)}
		aged, spare := 0, 1
		if seed%3 > 0 { // thresholds, blocks of old pages, collection by the caller
			h.Begin = int32(r.IntN(blocks - 1))
			h.End = h.Begin + int32(r.IntN(3))
			h.Stepped = r.IntN(2) == 0
			aged = r.IntN(blocks - 2)
			spare = 1 + r.IntN(2)
		}
		old := make([]int, aged) // valid pages of aged blocks
		room := max(1, (blocks-spare)*pages)
		for i := range old {
			old[i] = r.IntN(pages + 1)
			room -= old[i]
		}
		if seed%4 == 3 && blocks > 6 { // several frontiers
			h.Streams, h.Own = 1+r.Int32N(3), r.IntN(2) == 0
			h.Begin = min(h.Begin, 2)
			h.End = min(h.End, 3)
			room -= (int(h.Frontiers()) + max(int(h.End), int(h.Begin)+1, 2)) * pages
			if room < 1 {
				h.Streams, h.Own = 0, false
				room = 1
			}
		}
		logical := units * (1 + r.IntN(max(1, room)))
		h.Logical = int32(logical)
		hot, hotWrites, trims := 1+r.IntN(logical), r.IntN(100), r.IntN(30)
		f, s := NewLayer(&h), newSlowLayer(&h)
		if filled := (logical/units + pages - 1) / pages; seed%3 == 2 && filled+aged < blocks-1 {
			f.Fill(h.Logical)
			for l := range int32(logical) {
				p := &s.planes[int(l)%units]
				if s.full(p, 0) {
					s.advance(p, 0)
				}
				s.put(p, 0, l)
			}
		}
		for u := range units {
			for _, v := range old {
				if len(s.planes[u].free) > 1 {
					f.Age(int32(u), int32(v))
					s.age(u, v)
				}
			}
			f.Begin(int32(u))
			s.planes[u].due = len(s.planes[u].free) <= s.begin
		}
		for i := range 600 {
			l := int32(r.IntN(logical))
			if r.IntN(100) < hotWrites {
				l = int32(r.IntN(hot))
			}
			if r.IntN(100) < trims {
				f.Trim(l)
				s.forget(l)
				continue
			}
			if u := l % h.Units; f.Due(u) && r.IntN(4) == 0 {
				copied, ok := f.Collect(u)
				wantCopied, wantOK := s.collect(int(u))
				if copied != wantCopied || ok != wantOK {
					t.Fatalf("seed %d, step %d: Collect copied %d, %v; want %d, %v", seed, i, copied, ok, wantCopied, wantOK)
				}
				stepped++
				if !ok {
					full++
				}
				if !f.Due(u) {
					ended++
				}
			}
			stream := r.Int32N(max(1, h.Streams))
			copied, erased := f.WriteStream(l%h.Units, l, stream)
			wantCopied, wantErased := s.write(l, int(stream))
			if copied != wantCopied || erased != wantErased {
				t.Fatalf("seed %d, step %d: Write(%d) copied %d, erased %d; want %d, %d", seed, i, l, copied, erased, wantCopied, wantErased)
			}
			if collected += int(erased); h.Frontiers() > 1 {
				several += int(erased)
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
	t.Logf("%d blocks collected by writes, %d of them with several frontiers, %d calls of Collect, of which %d ended a collection and %d found nothing", collected, several, stepped, ended, full)
	if min(collected, several, stepped, ended, full) == 0 {
		t.Error("a kind of collection never happened")
	}
}

// amplification writes a layer's whole logical space, then warm and then count
// pages chosen by next, and returns programs per host write of the latter.
func amplification(f *Layer, warm, count int, next func() int32) float64 {
	for l := range f.home {
		f.Write(int32(l))
	}
	for range warm {
		f.Write(next())
	}
	moved := f.moved
	for range count {
		f.Write(next())
	}
	return 1 + float64(f.moved-moved)/float64(count)
}

func TestSequentialOverwriteCopiesNothing(t *testing.T) {
	tests := []struct {
		spare int32 // blocks beyond collection's own
		want  float64
	}{{0, 16}, {1, 1}, {8, 1}} // without any spare, each erase frees one page of 16
	for _, tt := range tests {
		f := NewLayer(&Shape{Units: 3, Blocks: 21 + tt.spare, Pages: 16, Logical: 3 * 20 * 16})
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
		f := NewLayer(&Shape{Units: 1, Blocks: blocks + 1, Pages: pages, Logical: logical})
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
			f := NewLayer(&Shape{Units: 1, Blocks: blocks + int32(i), Pages: pages, Logical: logical})
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
