package engine

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// Unlimited is the ideal GPU that holds everything.
type Unlimited struct{}

// String says what the memory is.
func (Unlimited) String() string { return "unlimited memory" }

// Executes are no operations: nothing moves.
func (Unlimited) Executes() []program.Kind { return nil }

// NoHost says that nothing is kept from host memory: nothing goes there.
func (Unlimited) NoHost() bool { return false }

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Unlimited) ExactTimes(_ quirk.Set) bool { return false }
