package bound

import "math"

// Prices of a cut with n moments lie one after the other: of memory, of the host, and of
// each channel, n each. They are per byte in time of the GPU's link.

// never is the profit of what cannot be.
const never = -1e30

// How the ascent goes on: it smooths finer when so many steps in a row have brought less
// than that share of what smoothing hides, and ends when smoothing hides little of the bound.
// With fewer steps it gives up where the host is short beside a slow SSD: with 4, bounds of 39
// settings were 1.7 % below the best known in the mean and 17 % at most, with 30 and twice the
// evaluations 0.3 and 2.3 %.
const (
	finer    = 0.45
	patience = 30
	slow     = 0.01
	enough   = 5e-4
)

// An ascent looks for prices with a large dual. Nothing is allocated while it does.
type ascent struct {
	*cut
	n     int
	outH  []float64 // what a byte pays in a segment, by way
	outS  []float64
	inH   []float64
	inS   []float64
	idle  []float64 // how much of a cycle of a rerun in a segment links do not earn back
	rerun []float64 // by segment: how long kernels run again, for the gradient
	tape  []float64 // by step: weights of the first of two choices
	away  []float64 // by step, of a byte: in the host and on the SSD
	best  []float64 // prices
	value float64   // of best, without smoothing
	evals int
	total float64 // seconds of all kernels
	// scale stretches steps. A byte that stays away earns at many moments, so prices of
	// moments move less than those of links.
	scale    []float64
	weights  int // of a step, on the tape
	scratch  [4][]float64
	gradient []float64
}

const (
	stayH = iota // away in the host already, or leaving now
	stayS        //
	keepH        // here with a copy already, or coming now
	keepS        //
	hasH         // copied already, or now
	hasS         //
	fromS        // for the copy in the host: from no copy, or from one on the SSD
	fromH        //
	moved        // weights of a step of what cannot be computed again
)

// Of what can be computed again, besides:
const (
	stayR    = moved + iota // given up already, or leaving now
	hereR                   // of that: without a copy, or with one
	copyH                   // of that: the copy is in the host, or on the SSD
	keepR                   // here without a copy, or computed again now
	linkH                   // 1 if what is in the host comes back by links, 0 if it is computed again
	linkS                   // the same of the SSD
	computed                // weights of a step
)

func newAscent(c *cut) *ascent {
	n := len(c.moments)
	a := &ascent{cut: c, n: n, away: make([]float64, 2*len(c.steps)), weights: moved}
	for i := range c.classes {
		if c.classes[i].again >= 0 {
			a.weights = computed
		}
	}
	a.tape = make([]float64, a.weights*len(c.steps))
	for _, x := range []*[]float64{&a.outH, &a.outS, &a.inH, &a.inS, &a.idle, &a.rerun} {
		*x = make([]float64, n)
	}
	a.scale = make([]float64, (2+Channels)*n)
	for i := range a.scratch {
		a.scratch[i] = make([]float64, (2+Channels)*n)
	}
	a.best, a.gradient = make([]float64, (2+Channels)*n), make([]float64, (2+Channels)*n)
	a.value = math.Inf(-1)
	for _, d := range c.time {
		a.total += d
	}
	for i := range a.scale {
		if a.scale[i] = 1; i < 2*n {
			a.scale[i] = 4 / float64(n)
		}
	}
	return a
}

// smooth returns about the larger of a and b, and how much of it is a. It is never less.
func smooth(a, b, t float64) (v, w float64) {
	switch d := a - b; {
	case d >= t:
		return a, 1
	case d <= -t:
		return b, 0
	default:
		w = (d + t) / (2 * t)
		return b + float64(float64(w*w)*t), w
	}
}

// ways adds the prices of the channels of each way.
func (a *ascent) ways(p []float64) {
	n := a.n
	at := func(c, x int) float64 { return p[(2+c)*n+x] }
	for x := range n {
		in, out := at(LinkIn, x), at(LinkOut, x)
		a.inH[x], a.outH[x] = in+at(HostIn, x), out+at(HostOut, x)
		a.inS[x], a.outS[x] = in+at(SSDRead, x), out+at(SSDWrite, x)
		a.idle[x] = 1
		for c := range Channels {
			a.idle[x] -= float64(at(c, x) * a.rate[c])
		}
	}
}

// dual returns the value of prices p, smoothed by t, and with a gradient that too.
func (a *ascent) dual(p []float64, t float64, g []float64) float64 {
	a.evals++
	a.ways(p)
	n := a.n
	mu, eta := p[:n], p[n:2*n]
	sum := 0.0
	for x := range n {
		sum += float64(mu[x] * a.deficit[x])
		sum -= float64(eta[x] * a.host)
		for c := range Channels {
			sum -= float64(float64(p[(2+c)*n+x]*a.rate[c]) * a.time[x])
		}
	}
	if g != nil {
		clear(a.rerun)
		for x := range n {
			g[x], g[n+x] = a.deficit[x], -a.host
			for c := range Channels {
				g[(2+c)*n+x] = -float64(a.rate[c] * a.time[x])
			}
		}
	}
	for i := range a.classes {
		c := &a.classes[i]
		if g == nil && t == 0 {
			sum -= float64(c.size * a.most(c, mu, eta))
			continue
		}
		profit, has, inHost := a.forward(c, mu, eta, t)
		sum -= float64(c.size * profit)
		if g != nil {
			a.backward(c, has, inHost, g)
		}
	}
	if g != nil && a.weights == computed { // while kernels run again, links carry more
		for x := range n {
			for c := range Channels {
				g[(2+c)*n+x] -= float64(a.rate[c] * a.rerun[x])
			}
		}
	}
	return sum
}

// forward returns what a byte of c earns at most, smoothed, and keeps the weights: at the
// end how much of it has left at all, and of that how much came from the host.
func (a *ascent) forward(c *class, mu, eta []float64, t float64) (profit, has, inHost float64) {
	here, hereH, hereS, away, awayH, awayS := 0.0, never, never, never, never, never
	if c.clean {
		hereH, hereS = 0, 0
	}
	for i := int(c.from); i < int(c.to); i++ {
		s := a.steps[i]
		x := s.at
		w := a.tape[a.weights*i : a.weights*(i+1) : a.weights*(i+1)]
		if s.flags&idle != 0 {
			inH, inS := a.inH[x], a.inS[x]
			cost := 0.0
			if c.again >= 0 {
				var from float64
				from, w[copyH] = smooth(hereH, hereS, t)
				from, w[hereR] = smooth(here, from, t)
				if s.flags&first != 0 {
					away = from
				} else {
					away, w[stayR] = smooth(away, from, t)
				}
				cost = float64(c.again * a.idle[x])
				inH, w[linkH] = cheaper(inH, cost)
				inS, w[linkS] = cheaper(inS, cost)
			}
			if s.flags&first != 0 {
				awayH, awayS = hereH, hereS
			} else {
				awayH, w[stayH] = smooth(awayH, hereH, t)
				awayS, w[stayS] = smooth(awayS, hereS, t)
			}
			awayH += mu[x] - eta[x]
			awayS += mu[x]
			hereH, w[keepH] = smooth(hereH, awayH-inH, t)
			hereS, w[keepS] = smooth(hereS, awayS-inS, t)
			if c.again >= 0 {
				away += mu[x]
				here, w[keepR] = smooth(here, away-cost, t)
			}
		}
		if s.flags&copying != 0 {
			fromThere, fromHere := here, here
			if s.flags&again != 0 {
				fromThere, w[fromS] = smooth(here, hereS, t)
				fromHere, w[fromH] = smooth(here, hereH, t)
			}
			hereH, w[hasH] = smooth(hereH, fromThere-a.outH[x], t)
			hereS, w[hasS] = smooth(hereS, fromHere-a.outS[x], t)
		}
	}
	profit, inHost = smooth(hereH, hereS, t)
	profit, has = smooth(profit, here, t)
	return profit, has, inHost
}

// cheaper returns the smaller of two costs, and 1 if that is a.
func cheaper(a, b float64) (cost, first float64) {
	if a <= b {
		return a, 1
	}
	return b, 0
}

// backward adds to g what c moves, as forward's weights say.
func (a *ascent) backward(c *class, has, inHost float64, g []float64) {
	n := a.n
	size := c.size
	link := [4]int{(2 + LinkIn) * n, (2 + LinkOut) * n, (2 + HostIn) * n, (2 + HostOut) * n}
	ssd := [2]int{(2 + SSDRead) * n, (2 + SSDWrite) * n}
	hereH, hereS, awayH, awayS := float64(has*inHost), float64(has*(1-inHost)), 0.0, 0.0
	here, away := 1-has, 0.0
	for i := int(c.to) - 1; i >= int(c.from); i-- {
		s := a.steps[i]
		x := int(s.at)
		w := a.tape[a.weights*i : a.weights*(i+1) : a.weights*(i+1)]
		if s.flags&copying != 0 {
			h, d := float64(hereH*(1-w[hasH])), float64(hereS*(1-w[hasS]))
			hereH, hereS = float64(hereH*w[hasH]), float64(hereS*w[hasS])
			g[link[1]+x] += float64(size * (h + d))
			g[link[3]+x] += float64(size * h)
			g[ssd[1]+x] += float64(size * d)
			if s.flags&again != 0 {
				hereS += float64(h * (1 - w[fromS]))
				hereH += float64(d * (1 - w[fromH]))
				here += float64(h*w[fromS]) + float64(d*w[fromH])
			} else {
				here += h + d
			}
		}
		if s.flags&idle == 0 {
			continue
		}
		if s.flags&last != 0 {
			awayH, awayS, away = 0, 0, 0
		}
		h, d := float64(hereH*(1-w[keepH])), float64(hereS*(1-w[keepS]))
		hereH, hereS = float64(hereH*w[keepH]), float64(hereS*w[keepS])
		awayH, awayS = awayH+h, awayS+d
		if c.again >= 0 {
			r := float64(here * (1 - w[keepR]))
			here = float64(here * w[keepR])
			away += r
			r += float64(h*(1-w[linkH])) + float64(d*(1-w[linkS]))
			h, d = float64(h*w[linkH]), float64(d*w[linkS])
			a.rerun[x] += float64(float64(size*c.again) * r)
			g[x] -= float64(size * away)
			from := away
			if s.flags&first == 0 {
				from = float64(away * (1 - w[stayR]))
			}
			away -= from
			here += float64(from * w[hereR])
			from = float64(from * (1 - w[hereR]))
			hereH, hereS = hereH+float64(from*w[copyH]), hereS+float64(from*(1-w[copyH]))
		}
		g[link[0]+x] += float64(size * (h + d))
		g[link[2]+x] += float64(size * h)
		g[ssd[0]+x] += float64(size * d)
		g[x] -= float64(size * (awayH + awayS))
		g[n+x] += float64(size * awayH)
		a.away[2*i], a.away[2*i+1] = awayH, awayS
		if s.flags&first != 0 {
			hereH, hereS = hereH+awayH, hereS+awayS
			awayH, awayS = 0, 0
			continue
		}
		hereH += float64(awayH * (1 - w[stayH]))
		hereS += float64(awayS * (1 - w[stayS]))
		awayH, awayS = float64(awayH*w[stayH]), float64(awayS*w[stayS])
	}
}

// most is forward without smoothing.
func (a *ascent) most(c *class, mu, eta []float64) float64 {
	here, hereH, hereS, away, awayH, awayS := 0.0, never, never, never, never, never
	if c.clean {
		hereH, hereS = 0, 0
	}
	for _, s := range a.steps[c.from:c.to] {
		x := s.at
		if s.flags&idle != 0 {
			if s.flags&first != 0 {
				awayH, awayS, away = never, never, never
			}
			inH, inS := a.inH[x], a.inS[x]
			if c.again >= 0 {
				cost := float64(c.again * a.idle[x])
				inH, inS = min(inH, cost), min(inS, cost)
				away = max(away, here, hereH, hereS) + mu[x]
				here = max(here, away-cost)
			}
			awayH = max(awayH, hereH) + (mu[x] - eta[x])
			awayS = max(awayS, hereS) + mu[x]
			hereH, hereS = max(hereH, awayH-inH), max(hereS, awayS-inS)
		}
		if s.flags&copying != 0 {
			fromThere, fromHere := here, here
			if s.flags&again != 0 {
				fromThere, fromHere = max(here, hereS), max(here, hereH)
			}
			hereH, hereS = max(hereH, fromThere-a.outH[x]), max(hereS, fromHere-a.outS[x])
		}
	}
	return max(here, hereH, hereS)
}

// feasible moves p to the nearest prices that are allowed: none is below 0, and what a
// second of waiting earns in a segment is at most a second.
func (a *ascent) feasible(p []float64) {
	n := a.n
	for x := range 2 * n {
		p[x] = max(0, p[x])
	}
	for x := range n {
		a.channels(p, x)
	}
}

// channels is feasible for the links of a segment: the largest of price − share × rate
// and 0, with the least share that is enough, found by cutting in half.
func (a *ascent) channels(p []float64, x int) {
	n := a.n
	earns, most := 0.0, 0.0
	for c := range Channels {
		v := max(0, p[(2+c)*n+x])
		p[(2+c)*n+x] = v
		earns += float64(a.rate[c] * v)
		most = max(most, v/a.rate[c])
	}
	if earns <= 1 {
		return
	}
	low, high := 0.0, most
	for range 45 {
		mid := (low + high) / 2
		earns = 0
		for c := range Channels {
			earns += float64(a.rate[c] * max(0, p[(2+c)*n+x]-float64(mid*a.rate[c])))
		}
		if earns > 1 {
			low = mid
		} else {
			high = mid
		}
	}
	for c := range Channels {
		p[(2+c)*n+x] = max(0, p[(2+c)*n+x]-float64(high*a.rate[c]))
	}
}

// climb improves prices p by at most so many evaluations, smoothing less and less from t
// on, and keeps the best. It returns the last t.
func (a *ascent) climb(p []float64, t float64, evals int) float64 {
	a.keep(p)
	limit := a.evals + evals
	step := 0.0
	for a.evals < limit {
		var gain float64
		step, gain = a.stage(p, t, step, limit)
		a.keep(p)
		if gain < enough*(a.total+math.Abs(a.value)) {
			break
		}
		t *= finer
		step *= finer
	}
	return t
}

// keep notes p if nothing was better.
func (a *ascent) keep(p []float64) {
	if v := a.dual(p, 0, nil); v > a.value {
		a.value = v
		copy(a.best, p)
	}
}

// stage climbs with one t (FISTA with backtracking and restarts). It returns the length of
// its last step, and how far smoothing may be below the best still.
func (a *ascent) stage(p []float64, t, step float64, limit int) (float64, float64) {
	at, next, last, g := a.scratch[0], a.scratch[1], a.scratch[2], a.gradient
	copy(at, p)
	copy(last, p)
	was := a.dual(p, t, nil)
	gap := a.dual(p, 0, nil) - was
	momentum, still := 1.0, 0
	for a.evals < limit {
		v := a.dual(at, t, g)
		if step == 0 {
			norm := 0.0
			for _, d := range g {
				norm = max(norm, math.Abs(d))
			}
			step = t / max(norm, 1e-12)
		}
		var value float64
		for {
			for i, d := range g {
				next[i] = at[i] + float64(float64(step*d)*a.scale[i])
			}
			a.feasible(next)
			model, square := v, 0.0
			for i, d := range g {
				move := next[i] - at[i]
				model += float64(d * move)
				square += float64(float64(move*move) / a.scale[i])
			}
			value = a.dual(next, t, nil)
			if value >= model-float64(square/(2*step))-float64(1e-12*math.Abs(v)) || step < 1e-18 || a.evals >= limit {
				break
			}
			step /= 2
		}
		step *= 1.1
		if value < was && momentum > 1 { // momentum has led astray
			momentum = 1
			copy(at, last)
			continue
		}
		m := (1 + math.Sqrt(1+float64(4*float64(momentum*momentum)))) / 2
		beta := (momentum - 1) / m
		for i := range at {
			at[i] = next[i] + float64(beta*(next[i]-last[i]))
		}
		copy(last, next)
		momentum = m
		if value-was < slow*gap {
			if still++; still >= patience {
				was = max(was, value)
				break
			}
		} else {
			still = 0
		}
		was = max(was, value)
	}
	copy(p, last)
	return step, a.dual(p, 0, nil) - was
}
