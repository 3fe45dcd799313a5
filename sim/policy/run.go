package policy

import (
	"math"

	"spillway/sim/unit"
)

// Width is how many candidates a column has.
const Width = 256

// Order maps a score to an integer, so that the greater score has the greater one: engines
// compare integers. 0 and -0 are the same, and what is no number is least.
func Order(x float64) int64 {
	if x != x {
		return math.MinInt64
	}
	if b := int64(math.Float64bits(x)); b >= 0 {
		return b
	} else {
		return math.MinInt64 - b
	}
}

// Doubts counts what is allowed and perhaps not meant.
type Doubts struct {
	Divided  int64 // by zero, which gives 0
	Rooted   int64 // of a negative number, which gives 0
	NoNumber int64 // scores that are no number, which are least
}

// frame returns registers with the constants in them.
func (c *Code) frame() []float64 {
	f := make([]float64, c.registers)
	copy(f[len(c.Inputs):], c.constants)
	return f
}

// columns returns columns of a width with the constants in them, all in one piece of memory.
func (c *Code) columns(width int) [][]float64 {
	f := make([][]float64, c.registers)
	all := make([]float64, c.registers*width)
	for i := range f {
		f[i] = all[i*width : (i+1)*width : (i+1)*width]
	}
	for i, v := range c.constants {
		for k := range f[len(c.Inputs)+i] {
			f[len(c.Inputs)+i][k] = v
		}
	}
	return f
}

// Truth is a condition as policies have it, 1 or 0.
func Truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Seconds is a time as policies have it, rounded once.
func Seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// run computes one candidate, whose inputs are in f. Every product and quotient is rounded
// by itself, whatever the processor could do at once.
func (c *Code) run(f []float64, d *Doubts) {
	for i := range c.steps {
		s := &c.steps[i]
		x := f[s.a]
		var v float64
		switch s.op {
		case opNeg:
			v = -x
		case opNot:
			v = Truth(x == 0)
		case opAbs:
			v = math.Abs(x)
		case opFloor:
			v = math.Floor(x)
		case opSqrt:
			v = root(x, s.quiet, d)
		case opAdd:
			v = float64(x + f[s.b])
		case opSub:
			v = float64(x - f[s.b])
		case opMul:
			v = float64(x * f[s.b])
		case opDiv:
			v = divide(x, f[s.b], s.quiet, d)
		case opMin:
			if v = x; f[s.b] < x {
				v = f[s.b]
			}
		case opMax:
			if v = x; f[s.b] > x {
				v = f[s.b]
			}
		case opLess:
			v = Truth(x < f[s.b])
		case opLessEqual:
			v = Truth(x <= f[s.b])
		case opGreater:
			v = Truth(x > f[s.b])
		case opGreaterEqual:
			v = Truth(x >= f[s.b])
		case opEqual:
			v = Truth(x == f[s.b])
		case opUnequal:
			v = Truth(x != f[s.b])
		case opAnd:
			v = Truth(x != 0 && f[s.b] != 0)
		case opOr:
			v = Truth(x != 0 || f[s.b] != 0)
		case opIf:
			if v = f[s.c]; x != 0 {
				v = f[s.b]
			}
		}
		f[s.to] = v
	}
}

// root is the square root, and 0 of what has none.
func root(x float64, quiet bool, d *Doubts) float64 {
	if x < 0 {
		if !quiet {
			d.Rooted++
		}
		return 0
	}
	return math.Sqrt(x)
}

// divide is the quotient, and 0 where there is none.
func divide(x, y float64, quiet bool, d *Doubts) float64 {
	if y == 0 {
		if !quiet {
			d.Divided++
		}
		return 0
	}
	return float64(x / y)
}

// runColumns computes n candidates, whose inputs are in f: one loop an operation.
func (c *Code) runColumns(f [][]float64, n int, d *Doubts) {
	for i := range c.steps {
		s := &c.steps[i]
		to, x, y := f[s.to][:n], f[s.a][:n], f[s.b][:n]
		switch s.op {
		case opNeg:
			for k := range to {
				to[k] = -x[k]
			}
		case opNot:
			for k := range to {
				to[k] = Truth(x[k] == 0)
			}
		case opAbs:
			for k := range to {
				to[k] = math.Abs(x[k])
			}
		case opFloor:
			for k := range to {
				to[k] = math.Floor(x[k])
			}
		case opSqrt:
			for k := range to {
				to[k] = root(x[k], s.quiet, d)
			}
		case opAdd:
			for k := range to {
				to[k] = float64(x[k] + y[k])
			}
		case opSub:
			for k := range to {
				to[k] = float64(x[k] - y[k])
			}
		case opMul:
			for k := range to {
				to[k] = float64(x[k] * y[k])
			}
		case opDiv:
			for k := range to {
				to[k] = divide(x[k], y[k], s.quiet, d)
			}
		case opMin:
			for k, v := range x {
				if y[k] < v {
					v = y[k]
				}
				to[k] = v
			}
		case opMax:
			for k, v := range x {
				if y[k] > v {
					v = y[k]
				}
				to[k] = v
			}
		case opLess:
			for k := range to {
				to[k] = Truth(x[k] < y[k])
			}
		case opLessEqual:
			for k := range to {
				to[k] = Truth(x[k] <= y[k])
			}
		case opGreater:
			for k := range to {
				to[k] = Truth(x[k] > y[k])
			}
		case opGreaterEqual:
			for k := range to {
				to[k] = Truth(x[k] >= y[k])
			}
		case opEqual:
			for k := range to {
				to[k] = Truth(x[k] == y[k])
			}
		case opUnequal:
			for k := range to {
				to[k] = Truth(x[k] != y[k])
			}
		case opAnd:
			for k := range to {
				to[k] = Truth(x[k] != 0 && y[k] != 0)
			}
		case opOr:
			for k := range to {
				to[k] = Truth(x[k] != 0 || y[k] != 0)
			}
		case opIf:
			z := f[s.c][:n]
			for k := range to {
				v := z[k]
				if x[k] != 0 {
					v = y[k]
				}
				to[k] = v
			}
		}
	}
}
