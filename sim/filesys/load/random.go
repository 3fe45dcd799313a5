package load

import "math/bits"

// A random is a generator of pseudo-random numbers, SplitMix64 (Steele, Lea, Flood: "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014). Its value is its state.
type random uint64

// seeded begins the numbers of one user of a run's seed.
func seeded(seed int64, user int) random {
	r := random(1000003*seed + 7919*int64(user) + 11)
	r.next()
	return r
}

// next returns 64 bits.
func (r *random) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	return spread(uint64(*r))
}

// spread spreads a number over 64 bits, one to one.
func spread(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (r *random) below(n int64) int64 {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int64(hi)
}

// one is 1 in the fixed-point numbers of this file: 32 bits behind the point.
const one = 1 << 32

// log2 is the binary logarithm of x > 0, in 1/one: its whole part is where the highest
// bit is; squaring the rest gives one more digit each time. It is the same everywhere,
// which logarithms of floating-point numbers need not be.
func log2(x uint64) uint64 {
	n := bits.Len64(x) - 1
	m := x << (63 - n) // 1 ≤ m < 2, with 63 bits behind the point
	f := uint64(0)
	for range 32 {
		hi, lo := bits.Mul64(m, m)
		f <<= 1
		if hi>>63 != 0 { // the square is 2 or more
			f |= 1
			m = hi
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return uint64(n)<<32 | f
}

// ln2 is the natural logarithm of 2, in 1/one.
const ln2 = 2977044471

// exponential draws from the exponential distribution with mean 1, in 1/one, as von Neumann
// did, by comparing: that a run of falling uniform numbers that begins with x has an odd
// length has the probability e^-x (Devroye: "Non-Uniform Random Variate Generation", IV.2).
func (r *random) exponential() uint64 {
	for whole := uint64(0); ; whole += one {
		first := r.next() >> 32
		odd := true
		for last := first; ; odd = !odd {
			x := r.next() >> 32
			if x > last {
				break
			}
			last = x
		}
		if odd {
			return whole + first
		}
	}
}

// gamma draws from the gamma distribution with shape 1.5 and this mean. That is the sum
// of an exponential number and one with shape ½; the latter is another exponential number
// times x²/(x²+y²) for a point (x, y) of the quarter of a circle (Devroye: "Non-Uniform
// Random Variate Generation", IX.3 and IX.6). So it needs integers only.
func (r *random) gamma(mean int64) int64 {
	var x, y uint64
	for {
		z := r.next()
		x, y = z>>33, z&(1<<31-1)
		if s := x*x + y*y; s > 0 && s < 1<<62 {
			break
		}
	}
	hi, lo := bits.Mul64(r.exponential(), x*x)
	half, _ := bits.Div64(hi, lo, x*x+y*y)
	hi, lo = bits.Mul64(r.exponential()+half, uint64(mean))
	// The mean of what was drawn is 1.5.
	v, _ := bits.Div64(hi, lo, 3*one/2)
	return int64(v)
}
