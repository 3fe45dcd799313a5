package engine

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// ArenaQuirks are the quirks that the arena model reads; with a Swapper it reads none.
const ArenaQuirks = quirk.SymmetricSSD | quirk.PointerOrder | quirk.BinaryGigabytes | quirk.ExactArena | quirk.InstantSSD

// Pool is an arena to which the system brings what kernels need.
type Pool struct {
	// Scale is the arena's size in sizes of the GPU's memory; 1 is that.
	Scale int64
	// SSDOnly says that Policy moves nothing to host memory.
	SSDOnly bool
	// Policy makes what decides during the run, and puts on the GPU what is
	// there at the start. The error is a *DoesNotFit when that is too much. It is what
	// reads the program.
	Policy func(*ArenaRun) (Policy, error)
}

// String says what the memory is.
func (Pool) String() string { return "an arena" }

// Executes are the operations that a policy reads.
func (Pool) Executes() []program.Kind {
	return []program.Kind{program.Prefetch, program.Evict, program.Free}
}

// NoHost reports whether tensors that leave go to the SSD alone.
func (m Pool) NoHost() bool { return m.SSDOnly }

// ExactTimes reports whether the error of kernel times does not reach it, as published (quirk exact-arena).
func (Pool) ExactTimes(q quirk.Set) bool { return q.Has(quirk.ExactArena) }
