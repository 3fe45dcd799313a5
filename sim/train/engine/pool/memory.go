// Package pool is an arena of contiguous tensors without page faults, to which the system
// brings what kernels need: it places tensors, and says what leaves and what comes when.
package pool

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// Quirks are the quirks that the memory reads.
const Quirks = quirk.SymmetricSSD | quirk.PointerOrder | quirk.BinaryGigabytes | quirk.ExactArena | quirk.InstantSSD

// Memory is an arena to which the system brings what kernels need.
type Memory struct {
	// Scale is the arena's size in sizes of the GPU's memory; 1 is that.
	Scale int64
	// SSDOnly says that Policy moves nothing to host memory.
	SSDOnly bool
	// OneWay says that Policy moves nothing in while anything leaves.
	OneWay bool
	// Policy makes what decides during the run, and puts on the GPU what is
	// there at the start. The error is a *DoesNotFit when that is too much. It is what
	// reads the program.
	Policy func(*Run) (Policy, error)
}

// String says what the memory is.
func (Memory) String() string { return "an arena" }

// Executes are the operations that a policy reads.
func (Memory) Executes() []program.Kind {
	return []program.Kind{program.Prefetch, program.Evict, program.Free}
}

// NoHost reports whether tensors that leave go to the SSD alone.
func (m Memory) NoHost() bool { return m.SSDOnly }

// Reads are the settings of memory, links and SSD. One iteration is run, and there are no faults.
func (m Memory) Reads() string {
	keys := "gpu_clock gpu_memory gpu_link transfer_cost ssd_read ssd_write ssd_latency"
	if !m.SSDOnly {
		keys += " host_link"
	}
	if !m.OneWay {
		keys += " duplex_loss"
	}
	return keys
}

// ExactTimes reports whether the error of kernel times does not reach it, as published (quirk exact-arena).
func (Memory) ExactTimes(q quirk.Set) bool { return q.Has(quirk.ExactArena) }
