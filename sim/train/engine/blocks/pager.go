package blocks

import (
	"iter"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Size is the size of a UM block, the driver's unit of migration (DeepUM paper, §2.3).
const Size = 2 * unit.MiB

// An ID is a block's address divided by Size.
type ID int32

// None is no block.
const None ID = -1

// An ExecID identifies a launch as DeepUM's runtime does, by kernel name and
// arguments: launches have the same one exactly when kernel and addresses of all
// tensors are the same. IDs count from 0 in order of first appearance.
type ExecID int32

// Rules are how the memory works. Integers throughout: they are compared
// with ==.
type Rules struct {
	Usable   int64     // of GPU memory, in millionths; the rest is the driver's, the framework's and lost
	PerFault int64     // missing pages a counted fault stands for, in thousandths
	Counted  unit.Time // what the driver needs for each counted fault
	PerBlock unit.Time // what it needs for each block moved, in either direction
	PerSpare unit.Time // what it needs to find out of a block whether its pager spares it, before one leaves
	Window   int64     // a victim is drawn from so many blocks that migrated longest ago; 1: the oldest
	Whole    bool      // a fault brings the whole block, not only the pages that a kernel needs
	Density  bool      // the driver's density prefetch: above one half of a subtree all of it comes
	Warm     int64     // iterations before those of the options
	Seed     int64     // of the window, and of the rows that kernels touch
}

// A Pager decides while time passes which blocks come before they are needed and
// which leave. One is made for each run. The engine calls it; it may ask the run, and
// changes nothing there.
type Pager interface {
	// Launch is called just before kernel k starts.
	Launch(k workload.KernelID, id ExecID)
	// Fault is called for a block that the running kernel needs and the GPU has not, in
	// order of arrival. queued: the migration thread had it already, from Next, or the
	// pager holds it in its queue (see Queued).
	Fault(b ID, queued bool)
	// Next is called when the migration thread is idle: the block to bring next. It is
	// asked again after a fault, a launch, and whenever something has arrived or left;
	// and at once if the block is all there, or is none that the allocator ever had. A
	// block that finds no memory is kept and not asked for again. It comes whole,
	// whatever of it has a value.
	Next() (b ID, ok bool)
	// Queued reports whether b waits to be brought.
	Queued(b ID) bool
	// Spare reports whether b must not leave to make room for a prefetch. A block for
	// which it said yes is not asked about again before the next launch.
	Spare(b ID) bool
	// Ready is how many blocks of memory are to be free or on their way out; 0 evicts on
	// demand only.
	Ready() int
	// Drop reports whether b, which is to leave, needs no copy. It is asked only about
	// blocks without a live tensor; their values are lost.
	Drop(b ID) bool
	// Tables is how much memory of the host the pager's tables take.
	Tables() unit.Bytes
}

// Now returns the time since the run began.
func (r *Run) Now() unit.Cycles { return r.now }

// Resident reports whether b holds GPU memory and is not about to leave. A block on
// its way to the GPU holds memory already.
func (r *Run) Resident(b ID) bool {
	if !r.mem.known(b) {
		return false
	}
	s := r.mem.blocks[b].state
	return s == here || s == coming
}

// Active reports whether b overlaps a live tensor's memory: a PT block in use.
func (r *Run) Active(b ID) bool { return r.mem.known(b) && r.mem.blocks[b].tensors > 0 }

// Oldest returns the blocks on the GPU, that which migrated longest ago first.
func (r *Run) Oldest() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for b := r.mem.oldest; b != None; b = r.mem.blocks[b].next {
			if !yield(b) {
				return
			}
		}
	}
}

// Iteration returns which iteration runs, from 0, warm-up included.
func (r *Run) Iteration() int { return r.iteration }
