package recording

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Unknown says what becomes of kernels whose tensors are not known, because a
// workload has none.
type Unknown string

// What can become of them.
const (
	Merge  Unknown = "merge"  // their time goes to the kernel before
	Follow Unknown = "follow" // they use what the kernel before used
	Drop   Unknown = "drop"   // they are left out, with their time
)

// Choices are what can be chosen when a workload is made of a recording.
type Choices struct {
	Step    string  // name of the step, "" for the recording's Chosen
	Unknown Unknown // "" is Merge
	// Roles are patterns with the role of the tensors whose names they match,
	// "*embed*=weight,ids=input"; the first that matches counts.
	Roles string
}

// A Report accounts for everything between a recording and a workload.
type Report struct {
	Label Label
	Step  string
	Steps int // that could have been chosen
	// Launches = Kernels + Merged + Dropped. Summed is the time of all launches,
	// Busy that of their union, Span from the first to the end of the last, so that
	// Span - Busy is idle and Summed - Busy ran beside something else.
	Launches, Kernels, Merged, Dropped, Followed int
	Summed, Busy, Span                           unit.Time
	Rounded                                      int        // launches that took less than the file can say
	Covered                                      unit.Time  // of Summed, in launches whose tensors are known
	Sources                                      [3]Tally   // by Source
	Roles                                        [6]Tally   // by workload.Kind
	Rebuilt, Counter                             unit.Bytes // peak of the workload's tensors; that of the recording's counter, 0 if it has none
	Resident                                     unit.Bytes // that no tensor accounts for
	Communication                                unit.Time
	// Warnings decide whether the result can be trusted; Notes are everything else.
	Warnings, Notes, Advice []string
}

// A Tally counts tensors.
type Tally struct {
	Tensors int
	Bytes   unit.Bytes
}

// Fold makes a workload of one step of r. The workload's name is the recording's.
// The error says which choice is not possible, or why nothing can be simulated.
func (r *Recording) Fold(c Choices) (*workload.Workload, *Report, error) {
	panic("not yet") // being written
}
