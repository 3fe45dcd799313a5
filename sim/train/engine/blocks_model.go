package engine

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
)

// Blocks is unified memory in the driver's blocks of 2 MiB.
type Blocks struct {
	BlockRules
	// Pager makes what decides during the run; nil decides nothing, which is plain
	// unified memory.
	Pager func(*BlockRun) Pager
	// Inspect, if not nil, is shown the pager after it was told of the launch of kernel k.
	// It must change nothing.
	Inspect func(r *BlockRun, p Pager, k workload.KernelID)
}

// String says what the memory is.
func (Blocks) String() string { return "unified memory in blocks" }

// Executes are no operations: a pager decides while the program runs.
func (Blocks) Executes() []program.Kind { return nil }

// NoHost says that blocks that leave go to host memory.
func (Blocks) NoHost() bool { return false }

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Blocks) ExactTimes(_ quirk.Set) bool { return false }
