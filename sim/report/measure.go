package report

import "math"

// A Measure is a quantity and the function that takes it from a run of type R.
type Measure[R any] struct {
	Quantity
	// Of returns the value, in the units of the values; None where the run has none.
	Of func(R) float64
	// Signed is true of a value that may be below zero. Most, if not 0, is the most that
	// it can be; what is in percent can be 100, unless its law says that it is a ratio.
	Signed bool
	Most   float64
	Law    Law
}

// A Law is what values of a measure keep, whatever runs: tests hold runs to it.
type Law struct {
	// Parts is the ID of a chart, of stacks say, whose quantities add up to the value; empty
	// if none do.
	Parts string
	// Knob is the key of a number: raising it raises the value or leaves it where it is, or
	// lowers it where Lowers is set. Empty if nothing is sure.
	Knob   string
	Lowers bool
	// Ratio is true of a value in percent that may be more than 100: it is no share.
	Ratio bool
	// Bounded: no system has a better value than the laboratory's bound.
	Bounded bool
}

// Keep declares laws of measures in a list, by their keys. It panics where there is no such
// measure.
func Keep[R any](list []Measure[R], laws map[string]Law) []Measure[R] {
	kept := 0
	for i := range list {
		if law, ok := laws[list[i].Key]; ok {
			list[i].Law = law
			kept++
		}
	}
	if kept != len(laws) {
		panic("report: a law of a measure that is not there")
	}
	return list
}

// Number makes a measure of a number that is not below zero.
func Number[R any](q Quantity, of func(R) float64) Measure[R] {
	return Measure[R]{Quantity: q, Of: of}
}

// Within reports whether the measure may have a value: it is none, or a number in bounds.
func (m *Measure[R]) Within(v float64) bool {
	if math.IsNaN(v) {
		return true
	}
	const rounding = 1e-9
	most := m.Most
	if most == 0 && m.Unit == "%" && !m.Law.Ratio {
		if most = 100; m.Scale != 0 {
			most *= m.Scale
		}
	}
	return !math.IsInf(v, 0) && (v >= 0 || m.Signed) && (most == 0 || v <= most*(1+rounding))
}

// Lift makes measures of a part of a run ones of the run.
func Lift[A, B any](list []Measure[B], part func(A) B) []Measure[A] {
	out := make([]Measure[A], len(list))
	for i, m := range list {
		out[i] = Measure[A]{m.Quantity, func(r A) float64 { return m.Of(part(r)) }, m.Signed, m.Most, m.Law}
	}
	return out
}

// Quantities are those of the measures.
func Quantities[R any](list []Measure[R]) []Quantity {
	out := make([]Quantity, len(list))
	for i := range list {
		out[i] = list[i].Quantity
	}
	return out
}

// Measured are the values of a run, in the order of the measures.
func Measured[R any](list []Measure[R], r R) []float64 {
	out := make([]float64, len(list))
	for i := range list {
		out[i] = list[i].Of(r)
	}
	return out
}
