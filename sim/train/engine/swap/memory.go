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
	// HostOnly says that plans leave nothing for the SSD: what host memory has no room for is
	// refused before.
	HostOnly bool
	// Keeps says that nothing leaves the GPU but what is computed again.
	Keeps bool
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

// Reads are the settings of memory, links and SSD; of mapping memory where an allocator does so.
func (m Memory) Reads() string {
	keys := "gpu_clock iterations gpu_memory host_memory gpu_link transfer_cost host_link"
	if !m.HostOnly {
		keys += " ssd_read ssd_latency"
	}
	if !m.HostOnly && !m.Keeps {
		keys += " ssd_write"
	}
	if !m.Keeps {
		keys += " duplex_loss"
	}
	if m.Allocator == PyTorch {
		keys += " alloc_rate"
	}
	return keys
}

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Memory) ExactTimes(quirk.Set) bool { return false }
