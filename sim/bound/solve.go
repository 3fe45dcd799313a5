package bound

import "slices"

// Most is how many moments a bound has at most.
const Most = 40

// coarsest is how many pieces the search begins with; they are doubled.
const coarsest = 5

// How often the dual is computed at most: for the pieces asked for, and at each level before.
const (
	evaluations       = 2000
	coarseEvaluations = 400
)

// A Solution is prices and what they say of movements.
type Solution struct {
	cut    *cut
	prices []float64
	value  float64 // of the dual, in seconds beyond the kernels
	ascent *ascent
	last   []float64 // where the search ended, with smoothing t
	t      float64
}

// solve looks for good prices at pieces moments, the result of halving up to Most. Coarse
// moments are among the fine, so the prices found at each level begin the next, and the
// bound never falls.
func (p *Problem) solve(pieces int) *Solution {
	var s *Solution
	levels := []int{}
	for n := pieces; n >= coarsest; n /= 2 {
		levels = append(levels, n)
	}
	slices.Reverse(levels)
	t := 0.25
	if p.short() {
		t *= max(1, float64(p.Machine.GPULink)/float64(p.Machine.SSDWrite)/2)
	}
	for _, n := range levels {
		c := p.cut(p.moments(n))
		a := newAscent(c)
		prices := make([]float64, (2+Channels)*a.n)
		if s != nil {
			inherit(prices, c, s.prices, s.cut)
		}
		if p.Machine.HostMemory == 0 {
			dear(prices, a.n)
		}
		evals := evaluations
		if n < pieces {
			evals = coarseEvaluations
		}
		ended := a.climb(prices, t, evals)
		s = &Solution{cut: c, prices: a.best, value: a.value, ascent: a, last: prices, t: ended}
		t = min(t, max(0.06, 30*ended))
	}
	return s
}

// short reports whether the host is smaller than what must be away.
func (p *Problem) short() bool {
	return p.Machine.HostMemory < slices.Max(p.Need)-p.memory()
}

// dear makes a host of no bytes too dear for any.
func dear(prices []float64, n int) {
	for x := range n {
		prices[n+x] = 1e3
	}
}

// inherit gives the moments of c that are among those of the coarser one their prices, and
// segments those of the one that they are part of.
func inherit(prices []float64, c *cut, from []float64, coarse *cut) {
	n, m := len(c.moments), len(coarse.moments)
	for x, k := range c.moments {
		i, found := slices.BinarySearch(coarse.moments, k)
		if found {
			prices[x], prices[n+x] = from[i], from[m+i]
		} else {
			i--
		}
		if i < 0 {
			i = m - 1
		}
		for c := range Channels {
			prices[(2+c)*n+x] = from[(2+c)*m+i]
		}
	}
}

// Solve returns a certificate at up to so many moments, which are halvings of [Most]. The
// error is that of a checker which finds the search mistaken, and never comes.
func (p *Problem) Solve(moments int) (*Certificate, error) {
	c, _, err := p.Best(moments)
	return c, err
}

// Best is Solve with where a schedule near the bound waits.
func (p *Problem) Best(moments int) (*Certificate, Waits, error) {
	if p.fits() {
		return p.Nothing()
	}
	s := p.solve(moments)
	c := s.certificate(p)
	var err error
	c.Cycles, err = c.proves(p.Workload, p.Exec, &p.Machine)
	return c, s.waits(), err
}

// Nothing is Best without a search: no price is above 0, and the time of all kernels is proved.
func (p *Problem) Nothing() (*Certificate, Waits, error) {
	c := &Certificate{Moments: p.moments(1), Memory: []int64{0}, Host: []int64{0}, Recompute: p.Recompute}
	for i := range c.Links {
		c.Links[i] = []int64{0}
	}
	var err error
	c.Cycles, err = c.proves(p.Workload, p.Exec, &p.Machine)
	return c, Waits{0}, err
}

// certificate rounds prices down to whole numbers, and those of links to one less, so that
// what rounding errors do to a sum of six is undone.
func (s *Solution) certificate(p *Problem) *Certificate {
	n := len(s.cut.moments)
	c := &Certificate{Moments: s.cut.moments, Recompute: p.Recompute}
	scale := PriceUnit * float64(p.Machine.Clock) / float64(p.Machine.GPULink)
	whole := func(at int) []int64 {
		out := make([]int64, n)
		for i, v := range s.prices[at*n : (at+1)*n] {
			out[i] = max(0, int64(min(v*scale, mostPrice))-1)
		}
		return out
	}
	c.Memory, c.Host = whole(0), whole(1)
	for i := range c.Links {
		c.Links[i] = whole(2 + i)
	}
	return c
}
