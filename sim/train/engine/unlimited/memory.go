// Package unlimited is the GPU that holds everything.
package unlimited

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// Memory is the ideal GPU that holds everything.
type Memory struct{}

// String says what the memory is.
func (Memory) String() string { return "unlimited memory" }

// Executes are no operations: nothing moves.
func (Memory) Executes() []program.Kind { return nil }

// NoHost says that nothing is kept from host memory: nothing goes there.
func (Memory) NoHost() bool { return false }

// Reads are the settings of a run in which nothing moves.
func (Memory) Reads() string { return "gpu_clock iterations" }

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Memory) ExactTimes(quirk.Set) bool { return false }
