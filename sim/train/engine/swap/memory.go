// Package swap is an arena of tensors without page faults, to which the engine brings what
// a kernel needs, waits for it and books the wait. The system chooses what leaves, what
// comes early and what is computed again.
package swap

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// Quirks are the quirks that the memory reads.
const Quirks = quirk.SymmetricSSD

// Memory is an arena to which the engine itself brings what a kernel needs.
type Memory struct {
	Rules
	// Swapper makes what decides during the run.
	Swapper func(*Run) (Swapper, error)
}

// String says what the memory is.
func (Memory) String() string { return "an arena" }

// Executes are all operations.
func (Memory) Executes() []program.Kind {
	return []program.Kind{
		program.Prefetch, program.Evict, program.Free,
		program.Recompute, program.Barrier, program.Copy, program.Forget,
	}
}

// NoHost says that tensors that leave may go to host memory.
func (Memory) NoHost() bool { return false }

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Memory) ExactTimes(quirk.Set) bool { return false }
