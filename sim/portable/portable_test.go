package portable

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"testing"
)

// precision is that of the numbers compared with, in bits.
const precision = 200

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// trueLog returns the natural logarithm of x > 0: of its fraction by the series of the
// inverse hyperbolic tangent, and of its power of two by that of 2.
func trueLog(x float64) *big.Float {
	series := func(x *big.Float) *big.Float {
		one := number(1)
		t := new(big.Float).Quo(new(big.Float).Sub(x, one), new(big.Float).Add(x, one))
		square, power, sum := new(big.Float).Mul(t, t), new(big.Float).Set(t), number(0)
		for i := 1.0; i < 2*precision; i += 2 {
			sum.Add(sum, new(big.Float).Quo(power, number(i)))
			power.Mul(power, square)
		}
		return sum.Mul(sum, number(2))
	}
	part, exponent := math.Frexp(x)
	return new(big.Float).Add(series(number(part)), new(big.Float).Mul(series(number(2)), number(float64(exponent))))
}

// trueExp returns e to the power of x: the square, 20 times, of that of a small part of x.
func trueExp(x float64) *big.Float {
	small := new(big.Float).SetMantExp(number(x), -20)
	sum, term := number(1), number(1)
	for i := 1.0; i < 40; i++ {
		term.Quo(term.Mul(term, small), number(i))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// units returns how far x is from want, in units of the last place of want.
func units(x float64, want *big.Float) float64 {
	near, _ := want.Float64()
	unit := math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near)
	off, _ := new(big.Float).Sub(number(x), want).Float64()
	return math.Abs(off / unit)
}

// numbers returns n numbers that no generator of the standard library makes.
func numbers(n int) []float64 {
	list, state := make([]float64, n), uint64(1)
	for i := range list {
		state = state*6364136223846793005 + 1442695040888963407
		list[i] = float64(state>>11) / (1 << 53)
	}
	return list
}

// span spreads numbers from 0 to 1 over arguments: near 1, over all powers of two.
func span(u float64) (near, wide float64) {
	return 0.5 + float64(1.5*u), math.Ldexp(1+u, int(2000*u)-1000)
}

// Every result is less than a unit in the last place from the true value.
func TestNearTheTruth(t *testing.T) {
	worst := [2]float64{}
	for _, u := range numbers(300) {
		near, wide := span(u)
		for _, x := range []float64{near, wide} {
			if x == 1 {
				continue
			}
			off := units(Log(x), trueLog(x))
			if worst[0] = max(worst[0], off); off >= 1 {
				t.Errorf("Log(%v) = %v is %.2f units off", x, Log(x), off)
			}
		}
		for _, x := range []float64{float64(2*u) - 1, float64(1400*u) - 700} {
			off := units(Exp(x), trueExp(x))
			if worst[1] = max(worst[1], off); off >= 1 {
				t.Errorf("Exp(%v) = %v is %.2f units off", x, Exp(x), off)
			}
		}
		if got, want := Log10(wide), math.Log10(wide); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("Log10(%v) = %v, want %v", wide, got, want)
		}
	}
	t.Logf("Log is at most %.2f units off, Exp %.2f", worst[0], worst[1])
}

func TestLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		of      string
		got, is float64
	}{
		{"Log(0)", Log(0), -inf},
		{"Log(-1)", Log(-1), nan},
		{"Log(Inf)", Log(inf), inf},
		{"Log(NaN)", Log(nan), nan},
		{"Log(1)", Log(1), 0},
		{"Exp(0)", Exp(0), 1},
		{"Exp(1e-9)", Exp(1e-9), 1 + 1e-9},
		{"Exp(-Inf)", Exp(-inf), 0},
		{"Exp(Inf)", Exp(inf), inf},
		{"Exp(710)", Exp(710), inf},
		{"Exp(-746)", Exp(-746), 0},
		{"Exp(NaN)", Exp(nan), nan},
		{"Log10(0)", Log10(0), -inf},
		{"Log10(1)", Log10(1), 0},
		{"Log10(100)", Log10(100), 2},
	} {
		if tt.got != tt.is && !(math.IsNaN(tt.got) && math.IsNaN(tt.is)) {
			t.Errorf("%s = %v, want %v", tt.of, tt.got, tt.is)
		}
	}
}

// The bits are these, natively, as WebAssembly and on processors that fuse products and sums.
func TestBits(t *testing.T) {
	for _, tt := range []struct {
		of   string
		got  float64
		bits uint64
	}{
		{"Log(2)", Log(2), 0x3fe62e42fefa39ef},
		{"Log(10)", Log(10), 0x40026bb1bbb55516},
		{"Log(0.1)", Log(0.1), 0xc0026bb1bbb55515},
		{"Log(1.0000001)", Log(1.0000001), 0x3e7ad7f2847b6492},
		{"Log(5e-324)", Log(5e-324), 0xc0874385446d71c3},
		{"Log(1.7e308)", Log(1.7e308), 0x40862dd08fdc6f88},
		{"Exp(1)", Exp(1), 0x4005bf0a8b145769},
		{"Exp(-1)", Exp(-1), 0x3fd78b56362cef38},
		{"Exp(0.3333333333333333)", Exp(0.3333333333333333), 0x3ff6546db1ba2d13},
		{"Exp(1.47)", Exp(1.47), 0x4011659de595e9e6},
		{"Exp(700.7)", Exp(700.7), 0x7f1dc86ff276fcf2},
		{"Exp(-744.4)", Exp(-744.4), 0x0000000000000001},
		{"Log10(7)", Log10(7), 0x3feb0b0b0b78cc3f},
		{"Log10(1000)", Log10(1000), 0x4008000000000000},
	} {
		if bits := math.Float64bits(tt.got); bits != tt.bits {
			t.Errorf("%s = %v has the bits %#016x, want %#016x", tt.of, tt.got, bits, tt.bits)
		}
	}
	sum := fnv.New64a()
	add := func(x float64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		sum.Write(b[:])
	}
	for _, u := range numbers(20_000) {
		near, wide := span(u)
		for _, x := range []float64{Log(near), Log(wide), Exp(float64(2*u) - 1), Exp(float64(1400*u) - 700), Log10(near), Log10(wide)} {
			add(x)
		}
	}
	if want := uint64(0x0fdee138ce115699); sum.Sum64() != want {
		t.Errorf("120,000 results have the hash %#016x, want %#016x", sum.Sum64(), want)
	}
}
