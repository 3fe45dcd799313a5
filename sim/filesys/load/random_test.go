package load

import (
	"math"
	"slices"
	"testing"
)

// near reports whether a value is within a share of what is expected.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*math.Abs(want) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

func TestLog2(t *testing.T) {
	for _, x := range []uint64{1, 2, 3, 7, 10, 1000, 1<<32 - 1, 1 << 40, math.MaxUint64} {
		near(t, "log2", float64(log2(x))+1, math.Log2(float64(x))*one+1, 1e-8)
	}
}

// regular is the share of gamma(1.5) below x times its mean, as the error function and the
// exponential function give it.
func regular(x float64) float64 {
	x *= 1.5
	return math.Erf(math.Sqrt(x)) - 2*math.Sqrt(x/math.Pi)*math.Exp(-x)
}

func TestGamma(t *testing.T) {
	const n, mean = 400_000, 131072
	r := seeded(1, 1)
	list := make([]float64, n)
	sum, square := 0.0, 0.0
	for i := range list {
		list[i] = float64(r.gamma(mean)) / mean
		sum += list[i]
		square += list[i] * list[i]
	}
	near(t, "the mean", sum/n, 1, 0.005)
	near(t, "the variance", square/n-1, 1/1.5, 0.015)
	slices.Sort(list)
	worst := 0.0 // Kolmogorov and Smirnov's distance
	for i, x := range list {
		worst = max(worst, math.Abs(regular(x)-float64(i)/n))
	}
	if worst > 1.95/math.Sqrt(n) { // one in a thousand would be farther
		t.Errorf("the distribution is %g away", worst)
	}
}

func TestZipf(t *testing.T) {
	const n, draws = 100_000, 2_000_000
	z := newZipf(n)
	r := seeded(1, 1)
	counts := make([]float64, n)
	for range draws {
		counts[z.rank(&r)]++
	}
	zeta := 0.0
	for i := range n {
		zeta += math.Pow(float64(i+1), -0.99)
	}
	for _, i := range []int{0, 1, 2, 10, 63} {
		near(t, "the weight of a rank", counts[i]/draws, math.Pow(float64(i+1), -0.99)/zeta, 0.08)
	}
	for low := 64; low < n; low *= 2 { // by doublings
		got, want := 0.0, 0.0
		for i := low; i < min(2*low, n); i++ {
			got += counts[i] / draws
			want += math.Pow(float64(i+1), -0.99) / zeta
		}
		near(t, "the weight of a doubling", got, want, 0.02)
	}
	// The sum is what YCSB has in its source for its scrambled generator.
	big := newZipf(scrambled)
	near(t, "zeta of 10^10 ranks", float64(big.below[len(big.below)-1])/(1<<57), 26.46902820178302, 1e-4)
	for _, n := range []int64{1, 2, 63, 64, 65, 1000} {
		z := newZipf(n)
		for range 1000 {
			if i := z.rank(&r); i < 0 || i >= n {
				t.Fatalf("rank %d of %d", i, n)
			}
		}
	}
}

func TestBitset(t *testing.T) {
	r := seeded(3, 3)
	for _, n := range []int32{1, 63, 64, 65, 4096, 5000, 70_000} {
		b := newBitset(int(n))
		in := make([]bool, n)
		for range 300 {
			i := int32(r.below(int64(n)))
			if in[i] = r.next()&1 == 0; in[i] {
				b.add(i)
			} else {
				b.drop(i)
			}
			at := int32(r.below(int64(n) + 1))
			want := int32(-1)
			for k := range n {
				if j := (at + k) % n; in[j] && at < n || at == n && in[k] {
					want = j
					if at == n {
						want = k
					}
					break
				}
			}
			if got := b.from(at); got != want {
				t.Fatalf("of %d from %d: %d, want %d", n, at, got, want)
			}
		}
	}
}

func BenchmarkZipf(b *testing.B) {
	z, r := newZipf(scrambled), seeded(1, 1)
	for b.Loop() {
		z.rank(&r)
	}
}

func BenchmarkGamma(b *testing.B) {
	r := seeded(1, 1)
	for b.Loop() {
		r.gamma(16384)
	}
}
