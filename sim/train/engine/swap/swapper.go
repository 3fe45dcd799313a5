package swap

import (
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An Allocation says which model of an allocator hands out an arena's memory.
type Allocation uint8

// The allocators.
const (
	IdealBytes Allocation = iota // bytes only: nothing is ever fragmented
	PyTorch                      // package caching
)

// Rules are how a run works in which the engine brings what kernels need. They
// are compared with ==.
type Rules struct {
	Allocator Allocation
	// Reserve is how much of GPU memory the allocator may take, in millionths; 0 is all.
	Reserve int64
	// Warm is how many iterations run before those of the options.
	Warm int64
	// Trim gives cached segments back after every so many kernels; 0 never.
	Trim int64
	// Reclaim asks the swapper for room before a new segment is taken (PyTorch only),
	// once segments would take more than Limit, in millionths of the reserve, and asks
	// again when none fits. Requests below Least take new segments first all the same.
	// Without it all requests do.
	Reclaim bool
	Limit   int64
	Least   unit.Bytes
	// Copies makes every tensor that leaves be copied. Without it one that nobody has
	// written since it came leaves at once: what it was copied from is still there.
	Copies bool
}

// A Swapper decides while time passes which tensors leave the arena and which come
// back before they are needed. One is made for each run. The engine itself brings the
// tensors that a kernel needs, makes room for them and waits.
type Swapper interface {
	// Launch is called when kernel k is about to run, before its tensors are brought.
	// It alone may call what makes time pass: Barrier and Recompute.
	Launch(k workload.KernelID)
	// NoRoom is called when need bytes do not fit and nothing is leaving. It returns
	// tensors to page out, in order; nothing: the workload does not fit.
	NoRoom(need unit.Bytes) []workload.TensorID
	// Used is called for every tensor of a kernel that has ended and will be used again,
	// in argument order: it is inactive now and may leave.
	Used(t workload.TensorID)
	// Late is called when a kernel has waited so long for a tensor that was on its way.
	Late(t workload.TensorID, by unit.Cycles)
}

// A Mover is a Swapper that wants to know when a transfer has ended.
type Mover interface {
	// Moved is called when tensor t has come or left.
	Moved(t workload.TensorID)
}

// A Placer is a Swapper that chooses where what leaves for room goes.
type Placer interface {
	// To returns the tier that t goes to: Host, or the SSD, where it goes as well if there is
	// no room in host memory.
	To(t workload.TensorID) machine.Tier
}

// A Noter is a Swapper that has something to say about the run when it has ended.
type Noter interface {
	// Notes returns sentences for the result.
	Notes() []string
}
