package engine

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// SwapQuirks are the quirks that an arena run with a [Swapper] reads.
const SwapQuirks = quirk.SymmetricSSD

// Swap is an arena to which the engine itself brings what a kernel needs.
type Swap struct {
	SwapRules
	// Swapper makes what decides during the run.
	Swapper func(*SwapRun) (Swapper, error)
}

// String says what the memory is.
func (Swap) String() string { return "an arena" }

// Executes are all operations.
func (Swap) Executes() []program.Kind {
	return []program.Kind{
		program.Prefetch, program.Evict, program.Free,
		program.Recompute, program.Barrier, program.Copy, program.Forget,
	}
}

// NoHost says that tensors that leave may go to host memory.
func (Swap) NoHost() bool { return false }

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Swap) ExactTimes(_ quirk.Set) bool { return false }
