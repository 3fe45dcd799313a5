// Package portable has logarithms and powers of e with the same bits on every platform.
// Those of package math need not have them: some platforms compute them in assembly, by
// other series (amd64 even by two, for processors with and without fused multiply-add),
// and where a product and a sum may become one instruction the compiler makes it one.
//
// Here is what math does where it has no assembly, which is what WebAssembly has always
// had: the methods of FreeBSD's msun (Sun Microsystems, 1993 and 2004). Every product that
// is added to something is converted explicitly, so that it is rounded first. Results are
// less than one unit in the last place from the true value.
//
// Of package math the simulator uses only what is exact, like Sqrt, Floor, Ldexp.
package portable

import "math"

// The natural logarithm of 2 in two parts, of which the first has zeros at its end.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// Log returns the natural logarithm of x: of 0 it is −Inf, of less it is NaN.
func Log(x float64) float64 {
	// The series of msun's e_log.c.
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	part, exponent := math.Frexp(x)
	if part < math.Sqrt2/2 {
		part, exponent = 2*part, exponent-1
	}
	f, k := part-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	even := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2High) - ((half - (float64(s*(half+(odd+even))) + float64(k*ln2Low))) - f)
}

// Exp returns e to the power of x.
func Exp(x float64) float64 {
	// The series of msun's e_exp.c.
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08

		most     = 7.09782712893383973096e+02  // of more the power is too large
		least    = -7.45133219101941108420e+02 // of less it is too small
		nearZero = 1.0 / (1 << 28)
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > most:
		return math.Inf(1)
	case x < least:
		return 0
	case -nearZero < x && x < nearZero:
		return 1 + x
	}
	half := math.Copysign(0.5, x)
	k := int(float64(math.Log2E*x) + half)
	high := x - float64(float64(k)*ln2High)
	low := float64(float64(k) * ln2Low)
	r := high - low
	t := float64(r * r)
	c := r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	return math.Ldexp(y, k)
}

// Log10 returns the decimal logarithm of x, which is off by up to two units in the last
// place: of a power of ten it need not be whole.
func Log10(x float64) float64 { return float64(Log(x) * (1 / math.Ln10)) }
