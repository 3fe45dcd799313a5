package published

import "testing"

// TestTwister checks the outputs that the C++ standard prescribes for the
// default seed (ISO C++ [rand.predef]: the 10000th is 4123659995).
func TestTwister(t *testing.T) {
	r := NewTwister(DefaultSeed)
	if got, want := r.Uint32(), uint32(3499211612); got != want {
		t.Errorf("1st output is %d, want %d", got, want)
	}
	var last uint32
	for range 9999 {
		last = r.Uint32()
	}
	if want := uint32(4123659995); last != want {
		t.Errorf("10000th output is %d, want %d", last, want)
	}
}

func TestUniform(t *testing.T) {
	const lo, hi = 0.9, 1.1
	a, b := NewTwister(1), NewTwister(1)
	for i := range 1000 {
		x, y := b.Uint32(), b.Uint32()
		want := lo + (float64(x)/(1<<32)+float64(y))/(1<<32)*(hi-lo)
		got := a.Uniform(lo, hi)
		if got < lo || got >= hi {
			t.Fatalf("draw %d is %v, outside [%v, %v)", i, got, lo, hi)
		}
		if d := got - want; d > 1e-12 || d < -1e-12 {
			t.Fatalf("draw %d is %v, want %v: the second output is the high half", i, got, want)
		}
	}
}
