package stream

import (
	"math"
	"math/bits"
)

// Random is a generator of pseudo-random numbers, SplitMix64 (Steele, Lea, Flood: "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014). Its value is its state.
type Random uint64

// DeviceSeed begins the numbers that a device draws, in a run of this seed.
func DeviceSeed(seed int64) Random { return Random(7919*seed + 17) }

// CoreSeed begins the numbers that the cores draw, in a run of this seed.
func CoreSeed(seed int64) Random { return Random(104729*seed + 29) }

// threadSeed begins the numbers of a thread.
func threadSeed(seed int64, thread int) Random {
	return Random(1000003*seed + 7777*int64(thread) + 5)
}

// Next returns 64 bits.
func (r *Random) Next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below returns a number from 0 to n-1; n is below 1<<32.
func (r *Random) Below(n int64) int64 { return int64(r.Next() >> 32 * uint64(n) >> 32) }

// Chance reports whether something happens whose probability is of 1000.
func (r *Random) Chance(thousandths int64) bool { return r.Next()>>11 < share(thousandths, 1000) }

// share is part/of of the numbers of 53 bits.
func share(part, of int64) uint64 {
	hi, lo := bits.Mul64(uint64(part), 1<<53)
	q, _ := bits.Div64(hi, lo, uint64(of))
	return q
}

// steps is into how many pieces a Popularity cuts its curve: between them it is
// straight. With 4096 a page is wrong by less than a hundredth at a skew of 0.45, and
// by the width of a few at 0.99.
const steps = 1 << 12

// A Popularity draws pages of a class: page pages·f^(1/(1-theta)), for f uniform in 0 to
// 1. So page 0 is the most popular, and with theta 0 all are alike.
type Popularity struct {
	pages uint64
	curve []uint32 // f^(1/(1-theta)) in parts of 1<<32, at f = i/steps; nil is a straight line
}

// Popularity returns how the pages of a class are drawn.
func (c *Class) Popularity() Popularity {
	p := Popularity{pages: uint64(c.Pages)}
	if c.Theta == 0 {
		return p
	}
	p.curve = make([]uint32, steps+1)
	for i := range int64(steps) {
		// Roots and products of 53 bits are the same on every machine.
		p.curve[i] = uint32(power(float64(i)/steps, 1000, 1000-c.Theta) * (1 << 32))
	}
	p.curve[steps] = 1<<32 - 1
	return p
}

// Page draws a page, counted from the class's first.
func (p *Popularity) Page(r *Random) uint32 {
	f := r.Next() >> 32
	if p.curve != nil {
		at := f >> 20
		low := uint64(p.curve[at])
		f = low + (uint64(p.curve[at+1])-low)*(f&(1<<20-1))>>20
	}
	return uint32(f * p.pages >> 32)
}

// power is x^(a/b) for x from 0 to 1 and a ≥ b > 0: whole powers by squaring, the rest
// by square roots.
func power(x float64, a, b int64) float64 {
	y, base := 1.0, x
	for n := a / b; n > 0; n >>= 1 {
		if n&1 != 0 {
			y = float64(y * base)
		}
		base = float64(base * base)
	}
	rest := a % b
	for range 40 {
		x = math.Sqrt(x)
		if rest *= 2; rest >= b {
			rest -= b
			y = float64(y * x)
		}
	}
	return y
}
