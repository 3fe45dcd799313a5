// Package policytest writes random policies, for tests of those who run them.
package policytest

import "math/rand/v2"

// A Writer writes expressions at random.
type Writer struct{ *rand.Rand }

// New returns a writer; the same seeds write the same.
func New(r *rand.Rand) Writer { return Writer{r} }

// Pick is one of a list.
func (w Writer) Pick(list ...string) string { return list[w.IntN(len(list))] }

// Number is an expression that is a number, over names, so deep.
func (w Writer) Number(depth int, names ...string) string {
	if depth == 0 {
		return w.Pick(names...)
	}
	a, b := w.Number(depth-1, names...), w.Number(depth-1, names...)
	switch w.IntN(7) {
	case 0:
		return "-(" + a + ")"
	case 1:
		return "min(" + a + ", " + b + ")"
	case 2:
		return "(" + a + " if " + b + " > " + w.Pick(names...) + " else " + b + ")"
	}
	return "(" + a + w.Pick(" + ", " - ", " * ", " / ") + b + ")"
}

// Condition compares two numbers, each at most so deep.
func (w Writer) Condition(depth int, names ...string) string {
	return w.Number(w.IntN(depth+1), names...) + w.Pick(" < ", " >= ", " > ", " <= ", " == ") + w.Number(w.IntN(depth+1), names...)
}
