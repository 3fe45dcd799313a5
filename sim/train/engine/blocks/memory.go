// Package blocks is unified memory as NVIDIA's driver has it: blocks of 2 MiB at addresses
// from a caching allocator, which a kernel needs when it comes to them.
package blocks

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
)

// Memory is unified memory in the driver's blocks of 2 MiB.
type Memory struct {
	Rules
	// Pager makes what decides during the run; nil decides nothing, which is plain
	// unified memory.
	Pager func(*Run) Pager
	// Inspect, if not nil, is shown the pager after it was told of the launch of kernel k.
	// It must change nothing.
	Inspect func(r *Run, p Pager, k workload.KernelID)
}

// String says what the memory is.
func (Memory) String() string { return "unified memory in blocks" }

// Executes are no operations: a pager decides while the program runs.
func (Memory) Executes() []program.Kind { return nil }

// NoHost says that blocks that leave go to host memory.
func (Memory) NoHost() bool { return false }

// Reads are the settings of GPU, host and the link between them, over which only a pager moves both ways at once; rows
// that a kernel touches, and which thread is next, are drawn by the seed.
func (m Memory) Reads() string {
	const all = "gpu_clock iterations gpu_memory host_memory gpu_link host_link seed"
	if m.Pager == nil {
		return all
	}
	return all + " duplex_loss"
}

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Memory) ExactTimes(quirk.Set) bool { return false }
