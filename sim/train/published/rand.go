package published

// A Twister is the 32-bit Mersenne Twister MT19937 (Matsumoto, Nishimura 1998),
// the generator behind the original's profile-error noise.
type Twister struct {
	state [624]uint32
	next  int
}

// DefaultSeed is the seed of a default-constructed generator in C++.
const DefaultSeed = 5489

// NewTwister returns a seeded generator.
func NewTwister(seed uint32) *Twister {
	t := &Twister{next: 624}
	t.state[0] = seed
	for i := uint32(1); i < 624; i++ {
		p := t.state[i-1]
		t.state[i] = 1812433253*(p^p>>30) + i
	}
	return t
}

// Uint32 returns the next output.
func (t *Twister) Uint32() uint32 {
	if t.next == 624 {
		for i := range 624 {
			y := t.state[i]&0x80000000 | t.state[(i+1)%624]&0x7fffffff
			v := t.state[(i+397)%624] ^ y>>1
			if y&1 != 0 {
				v ^= 0x9908b0df
			}
			t.state[i] = v
		}
		t.next = 0
	}
	y := t.state[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Uniform returns a double in [lo, hi) from two outputs, as the C++ library's
// uniform distribution does.
func (t *Twister) Uniform(lo, hi float64) float64 {
	a, b := t.Uint32(), t.Uint32()
	const two32 = 1 << 32
	u := (float64(a) + float64(float64(b)*two32)) / (two32 * two32)
	if u >= 1 {
		u = 1 - 1.0/(1<<53)
	}
	return float64(u*(hi-lo)) + lo
}
