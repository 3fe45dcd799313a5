package g10

import (
	"spillway/sim/published"
	"spillway/sim/quirk"
)

// relief knows which kernels are over capacity, so that benefits add up over
// those only. Memory never grows while moves are planned: a kernel is relieved
// once.
type relief struct {
	// before counts the kernels over capacity before each kernel.
	before []int32
	// span lists how long those kernels take, in order. slip lists what the
	// published scheduler takes instead in the next iteration.
	span, slip []float64
	// lo to hi-1 are the kernels relieved since clean.
	lo, hi int
}

func newRelief(s *planner) relief {
	return relief{
		before: make([]int32, s.n+1), span: make([]float64, 0, s.n), slip: make([]float64, 0, s.n),
		lo: 0, hi: s.n,
	}
}

// relieved notes that kernel j is no longer over capacity.
func (r *relief) relieved(j int) { r.lo, r.hi = min(r.lo, j), max(r.hi, j+1) }

// changed reports whether a kernel from start to end-1 was relieved; both may
// run on into the next iteration.
func (r *relief) changed(start, end int32, n int) bool {
	lo, hi, n32 := int32(r.lo), int32(r.hi), int32(n)
	return start < hi && lo < end || start < hi+n32 && lo+n32 < end
}

// update lists the kernels over capacity anew.
func (r *relief) update(s *planner) {
	r.span, r.slip = r.span[:0], r.slip[:0]
	for j, m := range s.memory {
		r.before[j] = int32(len(r.span))
		if m <= s.capacity {
			continue
		}
		r.span = append(r.span, s.clock[j+1]-s.clock[j])
		// The original takes kernel numbers modulo one too many: the first
		// kernel counts minus the whole iteration, others as their predecessor.
		if j == 0 {
			r.slip = append(r.slip, -s.clock[s.n])
		} else {
			r.slip = append(r.slip, s.clock[j]-s.clock[j-1])
		}
	}
	r.before[s.n] = int32(len(r.span))
}

// refresh brings the benefits of all open periods up to date. Only those are
// computed whose transfers would now take other kernels, or that cover a kernel
// that was relieved.
func (s *planner) refresh() {
	flipped := s.relief.lo < s.relief.hi
	if flipped {
		s.relief.update(s)
	}
	for i := range s.periods {
		c := &s.periods[i]
		if c.done {
			continue
		}
		if s.refit(c) || flipped && s.relief.changed(c.gone, c.back, s.n) {
			c.benefit = s.benefit(c)
		}
	}
	s.relief.lo, s.relief.hi = s.n, 0
	s.out.clean()
	s.in.clean()
}

// refit finds out when the tensor would be away if half of it moved at once
// over the SSD's lanes, and reports whether that changed.
func (s *planner) refit(c *period) bool {
	first, last := s.reach(c)
	gone, back := c.gone, c.back
	switch {
	case c.wraps && (s.quirks.Has(quirk.WrapSlip) || s.quirks.Has(quirk.WeightsIgnoreLanes)):
		gone, back = c.start, c.end
	default:
		if gone < 0 || s.out.changed(c.start, gone) {
			gone = int32(s.out.ssd.forward(c.size/2, int(c.start), last))
		}
		if back < 0 || s.in.changed(back, c.end-1) {
			back = int32(s.in.ssd.backward(c.size/2, int(c.end), first))
		}
	}
	if gone == c.gone && back == c.back {
		return false
	}
	c.gone, c.back = gone, back
	return true
}

// reach returns the first and last kernel over which transfers of c may spread.
func (s *planner) reach(c *period) (first, last int) {
	if c.wraps {
		return int(c.start), int(c.end) - 1
	}
	return 0, s.n - 1
}

// benefit returns size times the time over capacity that the move relieves.
func (s *planner) benefit(c *period) float64 {
	if c.back <= c.gone {
		return 0
	}
	r, n := &s.relief, int32(s.n)
	size, sum := float64(c.size), 0.0
	if c.gone < n {
		sum = add(sum, size, r.span[r.before[c.gone]:r.before[min(c.back, n)]])
	}
	if c.back <= n {
		return sum
	}
	next := r.span
	if s.quirks.Has(quirk.WrapSlip) {
		next = r.slip
	}
	return add(sum, size, next[r.before[max(c.gone, n)-n]:r.before[c.back-n]])
}

// add adds size times each span to sum, in order.
func add(sum, size float64, spans []float64) float64 {
	for _, t := range spans {
		sum += float64(size * t)
	}
	return sum
}

// A key is what orders a period among the candidates.
type key struct {
	benefit float64
	weight  float64 // length times size
	period  int32
}

// before reports whether x is the better candidate. Benefits that differ by
// less than a millionth count as equal, unless one is 0.
func before(x, y key) bool {
	d := x.benefit - y.benefit
	if d < 1e-6 && d > -1e-6 && x.benefit != 0 && y.benefit != 0 {
		return x.weight > y.weight
	}
	return d > 0
}

// best returns the best candidate.
func (s *planner) best() *period {
	s.refresh()
	for i := range s.order {
		s.order[i].benefit = s.periods[s.order[i].period].benefit
	}
	if s.quirks.Has(quirk.UnstableSort) {
		published.Sort(s.order, before)
		return &s.periods[s.order[0].period]
	}
	first := s.order[0]
	for _, k := range s.order[1:] {
		if before(k, first) {
			first = k
		}
	}
	return &s.periods[first.period]
}
