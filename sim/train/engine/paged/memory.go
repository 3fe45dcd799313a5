// Package paged is unified memory as the G10 artifact has it: tensors are runs of 4 KiB
// pages that fault, migrate in batches and are evicted one by one.
package paged

import (
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// Quirks are the quirks that the memory reads for any program. For one
// that prefetches it also reads quirk.NoPromotion, for one that frees
// quirk.FreeSkipsMoving.
const Quirks = quirk.ProfilePenalty | quirk.ArrivalOrder | quirk.OverlapFaults | quirk.DeadWriteback |
	quirk.SymmetricSSD | quirk.FasterIteration | quirk.PointerOrder | quirk.CoarseBatch |
	quirk.LinkOvercommit | quirk.OwnVictims | quirk.EarlyBatch

// Memory is unified memory in pages. It executes the program alone.
type Memory struct {
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

	check func(*run) // called after every event, by tests
}

// String says what the memory is.
func (Memory) String() string { return "unified memory in pages" }

// Executes are the operations that move pages.
func (Memory) Executes() []program.Kind {
	return []program.Kind{program.Prefetch, program.Evict, program.Free}
}

// NoHost reports whether pages that leave go to the SSD alone.
func (m Memory) NoHost() bool { return m.SSDOnly }

// Reads are all settings but what host memory is where it is kept out of that, and the cost of a transfer, which only what
// a program asks for has.
func (m Memory) Reads() string {
	const all = "gpu_clock iterations gpu_memory alloc_rate gpu_link duplex_loss ssd_read ssd_write ssd_latency fault_latency fault_batch batch_pages"
	if m.SSDOnly {
		return all
	}
	return all + " host_memory host_link"
}

// ExactTimes says that the error of kernel times reaches it in every mode.
func (Memory) ExactTimes(quirk.Set) bool { return false }
