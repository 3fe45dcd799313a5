package bound

// A Guide is what prices and movements near the bound say of every gap of a problem's
// values, for who plans whole tensors.
type Guide struct {
	// Gaps are those of all values, in their order.
	Gaps []Hint
}

// A Hint is about one gap. Numbers are per byte; prices are in times of the GPU's link.
type Hint struct {
	Value, Gap int
	// Margin is the most that being away in the gap earns less what it costs, by tier: in the
	// host and on the SSD; Paid is the same where a copy is there already.
	Margin, Paid [2]float64
	// Share is the largest share of values like this one that is away at a moment of the gap
	// in movements near the bound, and InHost how much of that is in the host. Position is
	// where this value stands among those like it, from 0 to 1, by bytes.
	Share, InHost, Position float64
}

// Guide solves the problem at so many moments, and says what the solution is about.
func (p *Problem) Guide(moments int) *Guide {
	s := p.solve(moments)
	c, a := s.cut, s.ascent
	a.dual(s.last, s.t, a.gradient) // fills what is away
	a.ways(s.prices)
	g := &Guide{}
	before := make([]float64, len(c.classes))
	for i := range p.Values {
		v := &p.Values[i]
		position := 0.0
		if at := c.of[i]; at >= 0 {
			size := float64(v.Size) / float64(p.Machine.GPULink)
			position = (before[at] + float64(size/2)) / c.classes[at].size
			before[at] += size
		}
		for j := range v.Gaps {
			h := Hint{Value: i, Gap: j, Position: position}
			s.price(&h, v, p.Kernels)
			s.primal(&h, v, c.of[i], p.Kernels)
			g.Gaps = append(g.Gaps, h)
		}
	}
	return g
}

// price sets a hint's margins.
func (s *Solution) price(h *Hint, v *Value, kernels int) {
	c, a, n := s.cut, s.ascent, len(s.cut.moments)
	gap := v.Gaps[h.Gap]
	from, to := c.segment(gap.From, kernels)+1, c.segment(gap.To-1, kernels)
	wrap := func(x int) int { return (x + n) % n }
	if from > to { // away at no moment: out and in within a segment
		x := wrap(to)
		h.Margin = [2]float64{-a.outH[x] - a.inH[x], -a.outS[x] - a.inS[x]}
		h.Paid = [2]float64{-a.inH[x], -a.inS[x]}
		return
	}
	const far = -1e30
	out := [2]float64{-far, -far}
	if v.Born < 0 {
		out = [2]float64{}
	} else {
		for x := c.segment(v.Born, kernels); x < from; x++ {
			out[0], out[1] = min(out[0], a.outH[wrap(x)]), min(out[1], a.outS[wrap(x)])
		}
	}
	best, paid := [2]float64{far, far}, [2]float64{far, far} // away now
	h.Margin, h.Paid = best, paid
	for x := from; x <= to; x++ {
		y := wrap(x)
		earn := [2]float64{s.prices[y] - s.prices[n+y], s.prices[y]}
		in := [2]float64{a.inH[y], a.inS[y]}
		for q := range 2 {
			best[q] = max(best[q], -out[q]) + earn[q]
			paid[q] = max(paid[q], 0) + earn[q]
			h.Margin[q], h.Paid[q] = max(h.Margin[q], best[q]-in[q]), max(h.Paid[q], paid[q]-in[q])
		}
		if v.Born >= 0 {
			out[0], out[1] = min(out[0], a.outH[y]), min(out[1], a.outS[y])
		}
	}
}

// primal sets what movements near the bound say of a gap.
func (s *Solution) primal(h *Hint, v *Value, class int32, kernels int) {
	if class < 0 {
		return
	}
	c := s.cut
	k := &c.classes[class]
	gap := v.Gaps[h.Gap]
	from, to := c.segment(gap.From, kernels)+1, c.segment(gap.To-1, kernels)
	if from > to {
		return
	}
	// The class's steps go on from its first moment; find those of the gap by counting.
	i := k.from
	for skip := s.before(v, h.Gap, kernels); skip > 0; i++ {
		if c.steps[i].flags&last != 0 {
			skip--
		}
	}
	host, most := 0.0, 0.0
	for ; i < k.to; i++ {
		if c.steps[i].flags&idle != 0 {
			if away := s.ascent.away[2*i] + s.ascent.away[2*i+1]; away > most {
				most, host = away, s.ascent.away[2*i]/away
			}
			if c.steps[i].flags&last != 0 {
				break
			}
		}
	}
	h.Share, h.InHost = most, host
}

// before counts the gaps of v before one that have moments in them.
func (s *Solution) before(v *Value, gap, kernels int) (count int) {
	for _, g := range v.Gaps[:gap] {
		if s.cut.segment(g.From, kernels)+1 <= s.cut.segment(g.To-1, kernels) {
			count++
		}
	}
	return count
}
