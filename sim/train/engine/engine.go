// Package engine runs a program on a machine. It is the only place where
// simulated time passes.
//
// There are three memory models. The paged model is unified memory as the G10
// artifact has it: tensors are runs of 4 KiB pages that fault, migrate in batches
// and are evicted one by one. The block model is unified memory as the driver has
// it: blocks of 2 MiB at addresses from a caching allocator, which a kernel needs
// when it comes to them. The arena model is a tensor-granular memory pool without
// faults; there either the system brings what kernels need ([ArenaRun]), or the engine
// does and the system chooses what leaves and what comes early ([SwapRun]). All share
// kernel times, the stall ledger and the result. Which one a system uses is a declared
// fact in its [Runtime].
package engine

import (
	"fmt"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/workload"
)

// Memory selects a memory model.
type Memory uint8

// The memory models. Unlimited is the ideal GPU that holds everything.
const (
	Unlimited Memory = iota
	Paged
	Arena
	InBlocks
)

// PagedQuirks are the quirks that the paged model reads for any program. For one
// that prefetches it also reads quirk.NoPromotion, for one that frees
// quirk.FreeSkipsMoving.
const PagedQuirks = quirk.ProfilePenalty | quirk.ArrivalOrder | quirk.OverlapFaults | quirk.DeadWriteback |
	quirk.SymmetricSSD | quirk.FasterIteration | quirk.PointerOrder | quirk.CoarseBatch |
	quirk.LinkOvercommit | quirk.OwnVictims | quirk.EarlyBatch

// ArenaQuirks are the quirks that the arena model reads; with a Swapper it reads none.
const ArenaQuirks = quirk.SymmetricSSD | quirk.PointerOrder | quirk.BinaryGigabytes | quirk.ExactArena | quirk.InstantSSD

// SwapQuirks are the quirks that an arena run with a [Swapper] reads.
const SwapQuirks = quirk.SymmetricSSD

// A Runtime is the run-time behaviour of a system.
type Runtime struct {
	Memory Memory
	// Window, if positive, makes a paged system spare the tensors of the next
	// Window kernels when it evicts for a prefetch (DeepUM+).
	Window int
	// DropDead makes a paged system drop pages of dead tensors that are evicted;
	// without it they are written back.
	DropDead bool
	// Rescue lets the prefetches of a blocked kernel take victims like faults when
	// else nothing would move, as when a look-ahead window covers all of memory.
	Rescue bool
	// NoHost keeps a paged system out of host memory.
	NoHost bool
	// SplitTables says that flash pages are not in the unified page table: a
	// fault on SSD data is handled by the unified-memory driver and again by the
	// storage stack (G10 paper §4.5; what the UVM extension saves). It counts in
	// corrected mode.
	SplitTables bool
	// Pool scales the arena; 1 is the GPU's memory.
	Pool int64
	// Policy makes what decides during an arena run, and puts on the GPU what is
	// there at the start. The error is a *DoesNotFit when that is too much. A paged
	// run has none: it executes the program alone.
	Policy func(*ArenaRun) (Policy, error)
	// Swapper makes what decides during an arena run in which the engine itself brings
	// what a kernel needs; it stands in for Policy.
	Swapper func(*SwapRun) (Swapper, error)
	// Swap is how such a run works.
	Swap Swap
	// Blocks is how the block model works, and Pager makes what decides in it; nil
	// decides nothing, which is plain unified memory.
	Blocks Blocks
	Pager  func(*BlockRun) Pager
}

// A Config is everything a run depends on besides workload and program.
type Config struct {
	Machine machine.Machine
	// Drive, if not nil, is how the SSD reads and writes, whatever rates the
	// machine has: those are what the planner reckoned with. The result's SSD then
	// has the mean rates of the reported iteration.
	Drive *Drive
	// Mixed, if not nil, is told by a run on a Drive how much of its mixed rates it
	// took while it read and wrote at the same time, in thousandths; 1000 is all.
	// What is less than that leaves time to do one thing alone.
	Mixed      func(reads, writes int64)
	Runtime    Runtime
	Quirks     quirk.Set
	Iterations int
	Noise      int64 // see system.Options
	Seed       int64
	// Progress, if not nil, is told now and then how much of the run is done.
	Progress func(done, total int)
	// Record, if not nil, is told what happens in the run, which stays the same.
	Record *Record

	check func(*pagedRun) // called after every event, by tests
}

// DoesNotFit says why a system cannot run a workload.
type DoesNotFit struct{ Reason string }

// Error returns the reason.
func (e *DoesNotFit) Error() string { return e.Reason }

// Run executes p, the program a system planned for w. The workload and the
// machine must be valid. The error is a *DoesNotFit when the system cannot run
// the workload, another when p has what the memory model does not execute
// ([Runtime.Executes]).
func Run(w *workload.Workload, p *program.Program, c Config) (*result.Result, error) {
	if c.Runtime.Memory > InBlocks {
		panic(fmt.Sprintf("engine: unknown memory model %d", c.Runtime.Memory))
	}
	if err := c.Runtime.refused(w, p); err != nil {
		return nil, err
	}
	if c.Record != nil {
		c.Record.begin(p)
	}
	switch c.Runtime.Memory {
	case Unlimited:
		return runUnlimited(w, c), nil
	case Paged:
		return runPaged(w, p, c)
	case Arena:
		if c.Runtime.Swapper != nil {
			return runSwap(w, p, c)
		}
		return runArena(w, p, c)
	}
	return runBlocks(w, c)
}

// Unfit returns the result of a system that cannot run w. Its ideal time is that
// of a run with c.
func Unfit(w *workload.Workload, c Config, why *DoesNotFit) *result.Result {
	r := newResult(c, kernelTimes(w, c).exec)
	r.Fits, r.Reason = false, why.Reason
	return r
}
