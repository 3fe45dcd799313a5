package serve

import (
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// A line is a time that grows evenly with the tokens whose keys and values a step reads.
type line struct{ base, slope unit.Time }

// cost says how long steps of one replica take.
//
// A step computes n = b + p tokens: b of sequences that decode, whose contexts sum to C, and p of prompts, which see X pairs
// of a token and a key. It takes
//
//	products(n) + C·keys + attention(X) + collectives(n) + step + each·b
//
// where products is a rounded roofline (G^q + R^q)^(1/q) of operations and of weights that are read. So of sequences
// that decode alone it grows evenly with C, and many steps in a row have a closed sum. Where weights stream
// through the GPU, a step is at least as long as that takes.
type cost struct {
	model *model.Arch
	chip  Chip
	gpus  int64
	hbm   unit.Bandwidth // of all GPUs of a replica, by their data sheet
	peak  int64          // operations a second of products, and of attention, by the data sheet
	peak2 int64

	used          int64 // parameters a token is multiplied with
	dense, expert unit.Bytes
	active        float64 // share of experts that a token touches
	layers        int64

	keys       unit.Time // of one token of context
	keysIdeal  unit.Time // the same at the data sheet's rate
	pairs      int64     // operations of a pair
	pairRate   int64     // operations a second
	step, each unit.Time
	hop        unit.Time      // of collectives, in all layers
	ring       unit.Bandwidth // of collectives; 0 with one GPU
	hopBytes   unit.Bytes     // of a token

	stream unit.Time // weights that pass by in every step
	// in and read are what of weights crosses the link and comes from drives in every step, inKey and readKey the same of
	// keys and values of one token of context.
	in, read, inKey, readKey unit.Bytes

	streamKey unit.Time  // keys and values of one token of context that pass by with them
	gpuShare  float64    // of the layers on the GPU, of system split; else 1
	cpu       unit.Time  // what a pass over the layers of the processors takes
	cpuMany   unit.Time  // the same of many tokens, whose layers the GPU computes
	brought   unit.Bytes // what then crosses the link in every step

	memo []products
}

// products are what a number of tokens takes, 0 where nobody asked.
type products struct{ time, compute, read unit.Time }

const (
	// rounding is q of the roofline: 1 would be the sum, infinity the larger of both.
	rounding = 1.22
	// hop is what a collective takes besides its bytes, two in every layer.
	hop = 8 * unit.Microsecond
	// scaled4 is bits of a weight of four with its scales: one of 16 bits for 64 weights and more (AWQ and Q4_K_M have
	// 4.25 to 4.85; NVFP4 has 4.5).
	scaled4 = 4.5
)

// bits is how many bits a number takes.
func (p Precision) bits() float64 { return [...]float64{16, 8, scaled4, scaled4}[p] }

// bytes is what so many numbers take.
func (p Precision) bytes(n int64) unit.Bytes { return unit.Bytes(float64(p.bits()*float64(n)) / 8) }

// String is the precision's key.
func (p Precision) String() string { return [...]string{"bf16", "fp8", "fp4", "w4"}[p] }

// peakOf is how many operations a second products of a precision have on a GPU by its data sheet, and whether the GPU
// computes with the precision itself.
func peakOf(g *machine.GPU, p Precision) (int64, bool) {
	switch {
	case p == FP8 && g.FP8 > 0:
		return g.FP8, true
	case p == FP4 && g.FP4 > 0:
		return g.FP4, true
	}
	return g.BF16, p == BF16
}

// Stored is what the weights of a model take: the matrices of its layers in a precision, all else in bf16.
func Stored(a *model.Arch, p Precision) unit.Bytes {
	layers := a.Linear()
	return p.bytes(layers) + BF16.bytes(max(0, a.Parameters()-layers))
}

// Keys is what a token leaves behind in all layers.
func Keys(a *model.Arch, p Precision) unit.Bytes { return p.bytes(a.Kept()) }

// experts is what the weights of all experts take that tokens choose among.
func experts(a *model.Arch, p Precision) (bytes unit.Bytes, active float64) {
	for _, f := range a.Feeds() {
		if f.Experts > 0 {
			bytes += p.bytes(f.Layers * f.Experts * a.Block(f.Width))
			active = float64(f.Active) / float64(f.Experts)
		}
	}
	return bytes, active
}

// share is a whole number's part in thousandths.
func share[T ~int64](n T, thousandths int64) T {
	return T(unit.MulDiv(int64(n), thousandths, thousand))
}

// newCost is the cost of a setting whose numbers are checked; on is how much of the weights is on the GPUs.
func newCost(s *Setting, e *Engine, chip Chip, sys *System) *cost {
	a, g := s.Model, &s.Node.GPU
	c := &cost{model: a, chip: chip, gpus: s.Tensor, layers: a.Layers, gpuShare: 1}
	n := s.Tensor
	c.hbm = g.HBM * unit.Bandwidth(n)
	peak, _ := peakOf(g, s.Weights)
	c.peak, c.peak2 = n*peak, n*g.BF16
	c.used = a.Used()
	read := Stored(a, s.Weights)
	if !a.Tied {
		read -= BF16.bytes(a.Vocab * a.Width()) // of the embedding a few rows
	}
	c.expert, c.active = experts(a, s.Weights)
	c.dense = max(read-c.expert, 1)
	kv := Keys(a, s.KV)
	c.keys = lasts(share(c.hbm, chip.Keys), kv)
	c.keysIdeal = lasts(c.hbm, kv)
	c.pairs = 4 * a.Queries() * a.Layers
	c.pairRate = share(c.peak2, chip.Attention)
	c.step, c.each = e.Step, e.Each
	if n > 1 {
		c.hop = unit.Time(2*a.Layers) * hop
		c.ring = s.Node.Peers()
		c.hopBytes = unit.Bytes(2 * a.Layers * 2 * a.Hidden * 2 * (n - 1) / n)
	}
	c.places(s, sys)
	return c
}

// products is what n tokens take of matrix products: n ≥ 0.
func (c *cost) products(n int64) products {
	if n < int64(len(c.memo)) {
		if p := c.memo[n]; p.time > 0 || n == 0 {
			return p
		}
		p := c.compute(n)
		c.memo[n] = p
		return p
	}
	if n < 1<<15 {
		c.memo = append(c.memo, make([]products, max(n+1, int64(2*len(c.memo)))-int64(len(c.memo)))...)
		return c.products(n)
	}
	return c.compute(n)
}

func (c *cost) compute(n int64) products {
	ops := float64(2*float64(c.used)) * float64(n)
	bytes := c.touched(n)
	const ps = 1e12
	ideal, read := float64(ops/float64(c.peak))*ps, float64(bytes/float64(c.hbm))*ps
	g, r := float64(ideal*thousand)/float64(c.chip.Products), float64(read*thousand)/float64(c.chip.Weights)
	t := rounded(g, r)
	return products{
		span(float64(t*c.gpuShare)) + 1, span(float64(ideal * c.gpuShare)), span(float64(read * c.gpuShare)),
	}
}

// collectives is what GPUs of a replica tell each other of n tokens.
func (c *cost) collectives(n int64) unit.Time {
	if c.ring == 0 {
		return 0
	}
	return c.hop + lasts(c.ring, unit.Bytes(unit.MulDiv(int64(c.hopBytes), n, 1)))
}

// decode is what a step of b sequences alone takes, by the tokens of their contexts: the longer of two lines.
func (c *cost) decode(b int64) (gpu, stream line) {
	base := c.products(b).time + c.collectives(b) + c.step + c.each*unit.Time(b) + c.processors(b)
	return line{base, c.keys}, line{c.stream, c.streamKey}
}

// mixed is what a step takes that decodes b sequences, whose contexts sum to ctx, and computes p tokens of prompts, which see so
// many pairs.
func (c *cost) mixed(b, ctx, p, pairs int64) unit.Time {
	n := b + p
	t := c.products(n).time + c.collectives(n) + c.step + c.each*unit.Time(b) + times(c.keys, ctx, mostStep) + c.attention(pairs)
	t += c.processors(n)
	return max(t, c.stream+times(c.streamKey, ctx, mostStep))
}

// manyTokens is from how many on llama.cpp brings weights to the GPU instead of computing on processors.
const manyTokens = 32

// many reports whether the GPU computes all layers of a step of n tokens: their weights cross the link where that takes less.
func (c *cost) many(n int64) bool { return n >= manyTokens && c.cpuMany < c.cpu }

// processors is what layers take that are not on the GPU, of n tokens.
func (c *cost) processors(n int64) unit.Time {
	if c.many(n) {
		return c.cpuMany
	}
	return c.cpu
}

// attention is what pairs of tokens of prompts and keys take.
func (c *cost) attention(pairs int64) unit.Time {
	return works(pairs, c.pairs, c.pairRate)
}

// pairsOf is how many pairs n tokens see that come behind so many.
func pairsOf(before, n int64) int64 { return n*before + n*(n+1)/2 }

// alone is what computing n tokens of a prompt takes that come behind so many, with nothing else under way.
func (c *cost) alone(before, n, budget int64) (t unit.Time) {
	for n > 0 {
		p := min(n, budget)
		t = after(t, c.mixed(0, 0, p, pairsOf(before, p)))
		before, n = before+p, n-p
	}
	return t
}

// A run of steps is k of them of b sequences whose contexts sum to ctx at first; each step adds b.
type steady struct {
	gpu, stream line
	b, ctx      int64
}

// at is how long the i-th step takes, from 0.
func (r *steady) at(i int64) unit.Time {
	return max(r.gpu.at(r.ctx+i*r.b), r.stream.at(r.ctx+i*r.b))
}

// sum is how long the first k steps take.
func (r *steady) sum(k int64) unit.Time {
	if r.stream == (line{}) {
		return r.gpu.over(r.ctx, r.b, 0, k)
	}
	// Where the lines cross: before it one is longer, from it on the other.
	first, then := &r.gpu, &r.stream
	if first.at(r.ctx) < then.at(r.ctx) {
		first, then = then, first
	}
	cross := k
	if then.slope > first.slope {
		// the first i with then.at(i) > first.at(i)
		gap := (first.base - then.base) - times(then.slope-first.slope, r.ctx, mostStep)
		cross = min(k, max(0, int64(gap/times(then.slope-first.slope, max(r.b, 1), mostStep))+1))
	}
	return after(first.over(r.ctx, r.b, 0, cross), then.over(r.ctx, r.b, cross, k))
}

// at is how long a step takes that reads so many tokens.
func (l *line) at(ctx int64) unit.Time { return l.base + times(l.slope, ctx, mostStep) }

// over is the sum of the steps from i up to k.
func (l *line) over(ctx, b, i, k int64) unit.Time {
	n := k - i
	return after(times(l.base, n, mostRun), times(l.slope, n*ctx+b*(k*(k-1)/2-i*(i-1)/2), mostRun))
}

// until is the least number of steps, at most k, whose end is not before a span.
func (r *steady) until(span unit.Time, k int64) int64 {
	low, high := int64(1), k
	for low < high {
		if mid := (low + high) / 2; r.sum(mid) >= span {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// within is how many of k steps end before a span.
func (r *steady) within(span unit.Time, k int64) int64 {
	low, high := int64(0), k
	for low < high {
		if mid := (low + high + 1) / 2; r.sum(mid) < span {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
