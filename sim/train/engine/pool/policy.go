package pool

import "spillway/sim/workload"

// A Policy decides what moves while time passes. One is made for each run; it
// acts on the memory model it was made with.
type Policy interface {
	// Launch starts the moves that are due when kernel k is about to run, and
	// makes k's tensors ready, waiting if it must. Its error is a *DoesNotFit when
	// that can never be.
	Launch(k workload.KernelID) error
	// Ended gives up what kernel k was the last to use and may start moves.
	Ended(k workload.KernelID)
	// Moved is called whenever a transfer has ended, and when a kernel has: it may
	// start moves that had to wait.
	Moved()
}
