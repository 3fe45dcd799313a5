// Package engine runs a program on a machine. It is the only place where
// simulated time passes.
//
// There are three memory models. The paged model is unified memory as the G10
// artifact has it: tensors are runs of 4 KiB pages that fault, migrate in batches
// and are evicted one by one. The block model is unified memory as the driver has
// it: blocks of 2 MiB at addresses from a caching allocator, which a kernel needs
// when it comes to them. The arena model is a tensor-granular memory pool without
// faults; there either the system brings what kernels need ([Pool]), or the engine
// does and the system chooses what leaves and what comes early ([Swap]). All share
// kernel times, the stall ledger and the result. Which one a system uses is its [Runtime].
package engine

import (
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/workload"
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

// A Runtime is how memory behaves under a system: [Unlimited], [Paged], [Pool], [Swap] or
// [Blocks], each with what it knows to do.
type Runtime interface {
	// String says what the memory is.
	String() string
	// Executes are the kinds of operation of a program that it executes.
	Executes() []program.Kind
	// NoHost reports whether nothing may go to host memory.
	NoHost() bool

	run(w *workload.Workload, p *program.Program, c Config) (*result.Result, error)
}

// Is reports whether r is of a kind.
func Is[M Runtime](r Runtime) bool {
	_, ok := r.(M)
	return ok
}

// Unlimited is the ideal GPU that holds everything.
type Unlimited struct{}

// Paged is unified memory in pages. It executes the program alone.
type Paged struct {
	// Window, if positive, spares the tensors of the next Window kernels when it evicts
	// for a prefetch (DeepUM+).
	Window int
	// DropDead drops pages of dead tensors that are evicted; without it they are
	// written back.
	DropDead bool
	// Rescue lets the prefetches of a blocked kernel take victims like faults when
	// else nothing would move, as when a look-ahead window covers all of memory.
	Rescue bool
	// SSDOnly keeps it out of host memory.
	SSDOnly bool
	// SplitTables says that flash pages are not in the unified page table: a
	// fault on SSD data is handled by the unified-memory driver and again by the
	// storage stack (G10 paper §4.5; what the UVM extension saves). It counts in
	// corrected mode.
	SplitTables bool
}

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

// Swap is an arena to which the engine itself brings what a kernel needs.
type Swap struct {
	SwapRules
	// Swapper makes what decides during the run.
	Swapper func(*SwapRun) (Swapper, error)
}

// Blocks is unified memory in the driver's blocks of 2 MiB.
type Blocks struct {
	BlockRules
	// Pager makes what decides during the run; nil decides nothing, which is plain
	// unified memory.
	Pager func(*BlockRun) Pager
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
// ([Runtime]'s Executes).
func Run(w *workload.Workload, p *program.Program, c Config) (*result.Result, error) {
	if err := refused(c.Runtime, w, p); err != nil {
		return nil, err
	}
	if c.Record != nil {
		c.Record.begin(p)
	}
	return c.Runtime.run(w, p, c)
}

// Unfit returns the result of a system that cannot run w. Its ideal time is that
// of a run with c.
func Unfit(w *workload.Workload, c Config, why *DoesNotFit) *result.Result {
	r := newResult(c, kernelTimes(w, c).exec)
	r.Fits, r.Reason = false, why.Reason
	return r
}
