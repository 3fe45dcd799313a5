package g10

import (
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
)

// relief knows which kernels are over capacity, so that benefits add up over
// those only. Memory never grows while moves are planned: a kernel is relieved
// once.
type relief struct {
	// span lists how long the kernels over capacity take, over two iterations.
	span []float64
	// before counts the entries of span before each kernel of two iterations.
	before []int32
	// lo to hi-1 are the kernels relieved since the last update.
	lo, hi int
}

func newRelief(s *planner) relief {
	return relief{span: make([]float64, 0, 2*s.n), before: make([]int32, 2*s.n+1), lo: 0, hi: s.n}
}

// relieved notes that kernel j is no longer over capacity.
func (r *relief) relieved(j int) { r.lo, r.hi = min(r.lo, j), max(r.hi, j+1) }

// changed reports whether a kernel from start to end-1 was relieved; both may
// run on into the next iteration.
func (r *relief) changed(start, end int32, n int) bool {
	lo, hi, n32 := int32(r.lo), int32(r.hi), int32(n)
	return start < hi && lo < end || start < hi+n32 && lo+n32 < end
}

// clean forgets which kernels were relieved.
func (r *relief) clean(n int) { r.lo, r.hi = n, 0 }

// update lists the kernels over capacity anew.
func (r *relief) update(s *planner) {
	slip := s.quirks.Has(quirk.WrapSlip)
	r.span = r.span[:0]
	for j := range 2 * s.n {
		r.before[j] = int32(len(r.span))
		k := j
		if j >= s.n {
			k -= s.n
		}
		switch {
		case s.memory[k] <= s.capacity:
		case j < s.n || !slip:
			r.span = append(r.span, s.clock[k+1]-s.clock[k])
		// The original takes kernel numbers of the next iteration modulo one
		// too many: the first kernel counts minus the whole iteration, others
		// as their predecessor.
		case k == 0:
			r.span = append(r.span, -s.clock[s.n])
		default:
			r.span = append(r.span, s.clock[k]-s.clock[k-1])
		}
	}
	r.before[2*s.n] = int32(len(r.span))
}

// during returns how long the kernels over capacity take, from start to end-1.
func (r *relief) during(start, end int32) []float64 {
	if end <= start {
		return nil
	}
	return r.span[r.before[start]:r.before[end]]
}

// refresh brings the benefits of all open periods up to date. What relieves no
// kernel never will again, as kernels only leave the list of those over capacity
// and links only get busier. Of the others, only those are computed whose
// transfers would now take other kernels, or that cover a kernel that was
// relieved.
func (s *planner) refresh() {
	if s.relief.lo < s.relief.hi {
		s.relief.update(s)
	}
	stale, left := s.stale[:0], s.open[:0]
	for _, i := range s.open {
		c := &s.periods[i]
		if c.state != open {
			continue
		}
		left = append(left, i)
		if s.refit(c) || s.relief.changed(c.gone, c.back, s.n) {
			stale = append(stale, c)
		}
	}
	s.open = left
	s.relief.clean(s.n)
	s.out.clean()
	s.in.clean()
	s.stale = stale
	// Many have the same sum; most of these are next to each other.
	first := s.first[:0]
	for _, c := range stale {
		if n := len(first); n == 0 || !s.sameSum(c, first[n-1]) {
			first = append(first, c)
		}
	}
	s.first = first
	s.addUp(first)
	for _, c := range stale {
		if !s.sameSum(c, first[0]) {
			first = first[1:]
		}
		c.sum = first[0].sum
		c.benefit = c.sum
		if s.score != nil {
			c.benefit = s.scored(c)
		}
		if len(s.relief.during(c.gone, c.back)) == 0 {
			c.state = spent
		}
	}
}

// sameSum reports whether the benefits of two periods are sums of the same numbers.
func (s *planner) sameSum(c, d *period) bool {
	before := s.relief.before
	return c == d || c.size == d.size && before[c.gone] == before[d.gone] && before[c.back] == before[d.back]
}

// A sum is a benefit that is being added up: size times the time over capacity
// that the move relieves. The order of additions matters to the last bit.
type sum struct {
	period      *period
	total, size float64
	rest        []float64 // times still to add
}

// addUp computes the benefits of periods. It adds up four at a time, each in
// its order, because one addition must wait for the one before.
func (s *planner) addUp(periods []*period) {
	var sums [4]sum
	for {
		for i := range sums {
			a := &sums[i]
			for len(a.rest) == 0 {
				if a.period != nil {
					a.period.sum = a.total
				}
				if len(periods) == 0 {
					finish(&sums)
					return
				}
				c := periods[0]
				periods = periods[1:]
				*a = sum{c, 0, float64(c.size), s.relief.during(c.gone, c.back)}
			}
		}
		advance(&sums)
	}
}

// advance adds to all sums until one of them is complete.
func advance(s *[4]sum) {
	n := min(len(s[0].rest), len(s[1].rest), len(s[2].rest), len(s[3].rest))
	r0, r1, r2, r3 := s[0].rest[:n], s[1].rest[:n], s[2].rest[:n], s[3].rest[:n]
	z0, z1, z2, z3 := s[0].size, s[1].size, s[2].size, s[3].size
	t0, t1, t2, t3 := s[0].total, s[1].total, s[2].total, s[3].total
	for i := range n {
		t0 += float64(z0 * r0[i])
		t1 += float64(z1 * r1[i])
		t2 += float64(z2 * r2[i])
		t3 += float64(z3 * r3[i])
	}
	for i, t := range [4]float64{t0, t1, t2, t3} {
		s[i].total, s[i].rest = t, s[i].rest[n:]
	}
}

// finish completes the sums one by one.
func finish(sums *[4]sum) {
	for i := range sums {
		a := &sums[i]
		for _, t := range a.rest {
			a.total += float64(a.size * t)
		}
		if a.period != nil {
			a.period.sum = a.total
		}
	}
}

// refit finds out when the tensor would be away if half of it moved at once, with
// [quirk.SSDBenefit] over the SSD's lanes, and reports whether that changed.
func (s *planner) refit(c *period) bool {
	if s.both && !s.untracked(c) {
		return s.refitWays(c)
	}
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

// refitWays finds out when the tensor would be away by either destination,
// chooses one, and reports whether that changed.
func (s *planner) refitWays(c *period) bool {
	first, last := s.reach(c)
	for to := machine.SSD; to <= machine.Host; to++ {
		x := &c.ways[to]
		if x.shut {
			continue
		}
		out, in := s.lanes(to)
		if x.gone < 0 || s.out.changed(c.start, x.gone) {
			x.gone = int32(out.forward(c.size/2, int(c.start), last))
		}
		if x.back < 0 || s.in.changed(x.back, c.end-1) {
			x.back = int32(in.backward(c.size/2, int(c.end), first))
		}
	}
	c.to = s.destinationOf(c)
	x := c.ways[c.to]
	if x.shut {
		x.gone, x.back = c.start, c.start
	}
	if c.gone == x.gone && c.back == x.back {
		return false
	}
	c.gone, c.back = x.gone, x.back
	return true
}

// destinationOf chooses the SSD, unless it is busy while the tensor would leave
// or would relieve no kernel.
func (s *planner) destinationOf(c *period) machine.Tier {
	ssd, host := &c.ways[machine.SSD], &c.ways[machine.Host]
	if !host.shut && (ssd.shut || !s.ssdFree(c) || len(s.relief.during(ssd.gone, ssd.back)) == 0) {
		return machine.Host
	}
	return machine.SSD
}

// reach returns the first and last kernel over which transfers of c may spread.
func (s *planner) reach(c *period) (first, last int) {
	if c.wraps {
		return int(c.start), int(c.end) - 1
	}
	return 0, s.n - 1
}

// scored is what somebody's own score makes of the benefit of c.
func (s *planner) scored(c *period) float64 {
	return s.score(&Candidate{
		Tensor: c.tensor, Benefit: c.sum, Size: c.size, Idle: c.length,
		Start: c.start, End: c.end, Gone: c.gone, Back: c.back, Wraps: c.wraps,
	})
}
