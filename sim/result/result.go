// Package result holds what a run measured. It is the only thing charts see.
package result

import (
	"fmt"

	"spillway/sim/unit"
)

// A Cause names why a kernel took longer than its ideal time.
type Cause uint8

// The causes of stall. Every cycle of a kernel beyond its ideal time has
// exactly one.
const (
	FaultHandling Cause = iota // the host handles page faults
	HostRead                   // faulted data comes from host memory
	SSDRead                    // faulted data comes from the SSD
	LatePrefetch               // a prefetch was issued but has not arrived
	Allocation                 // fresh memory is being mapped
	Eviction                   // waiting for space: something must leave the GPU first
	NumCauses
)

// String returns the cause in words.
func (c Cause) String() string {
	if c < NumCauses {
		return [...]string{"fault handling", "host read", "SSD read", "late prefetch", "allocation", "eviction"}[c]
	}
	return fmt.Sprintf("cause(%d)", uint8(c))
}

// A Ledger attributes stall cycles to causes.
type Ledger [NumCauses]unit.Cycles

// Total returns the sum over all causes.
func (l *Ledger) Total() (n unit.Cycles) {
	for _, c := range l {
		n += c
	}
	return n
}

// Traffic counts bytes moved, seen from the GPU.
type Traffic struct {
	SSDIn, SSDOut, HostIn, HostOut unit.Bytes
}

// Faults counts pages that were not ready when a kernel wanted to start.
type Faults struct {
	Moving      int64 `json:"moving"`      // already on their way
	Host        int64 `json:"host"`        // in host memory
	SSD         int64 `json:"ssd"`         // on the SSD
	Unallocated int64 `json:"unallocated"` // nowhere yet
}

// An Iteration is what one pass over the kernels measured.
type Iteration struct {
	// Time is from the end of the previous iteration to the end of this one.
	Time unit.Cycles
	// Stall, Overlap and Compute split Time as the G10 paper's Figure 12 does:
	// waiting, kernels running while data moves, kernels running alone.
	Stall, Overlap, Compute unit.Cycles
	// Ledger splits Time minus ideal time by cause. Its total is exact.
	Ledger  Ledger
	Traffic Traffic
	Faults  Faults
}

// A Kernel is one kernel of the reported iteration.
type Kernel struct {
	Start, End unit.Cycles // since the start of the iteration; Start is when it could have begun
	Ideal      unit.Cycles // execution time with all data resident
	GPU, Host  unit.Bytes  // memory in use when it ended
}

// A Result is what a run measured.
type Result struct {
	System string // stable name of the system
	Mode   string // quirk set: "published", "corrected" or a list

	// Fits is false when the system cannot run the workload; Reason says why
	// and what would help, and everything below is empty.
	Fits   bool
	Reason string

	Clock      unit.Frequency // the tick of all cycles here
	Ideal      unit.Cycles    // sum of all kernels' execution times
	Iterations []Iteration
	Reported   int // index of the iteration that figures show
	Kernels    []Kernel
	// PlannedOps is how many migration instructions the planner issued.
	PlannedOps int
	Notes      []string // what the reader should know
}

// Time returns the reported iteration's time, or 0 when the run does not fit.
func (r *Result) Time() unit.Cycles {
	if !r.Fits {
		return 0
	}
	return r.Iterations[r.Reported].Time
}

// Main returns the reported iteration. The result must fit.
func (r *Result) Main() *Iteration { return &r.Iterations[r.Reported] }
