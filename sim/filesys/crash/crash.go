// Package crash cuts the power in the middle of a run, lets the file system recover, and
// says what is left.
package crash

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A Run is a recorded run of a system: every moment that a power failure can come before.
type Run struct {
	System string
	Events []plan.Event
	Nodes  []call.Node
}

// Record runs a workload on a system until so many calls are answered, and returns what
// happened.
func Record(w *call.Workload, s *machine.Setup, system string, calls int64) (*Run, error) {
	panic("stub")
}

// A Fate is what became of a call.
type Fate uint8

// The fates.
const (
	Kept      Fate = iota // it was durable
	Replayed              // recovery brought it back from a log or a journal
	Discarded             // it was under way or not durable, and is gone
	Torn                  // part of it is there: the file system has nothing that makes it whole
	Fates
)

// A Lost is what is left of a file or directory after a crash.
type Lost struct {
	Node            int32
	Before, After   bool  // existed when the power failed; exists after recovery
	Size, Recovered int64 // bytes of a file
	Promised        int64 // bytes that an acknowledged fsync or synchronous write promised
	Pages, Missing  int64 // dirty or written pages when the power failed; of them, those that are older after recovery
	Broken          bool  // a promise is not kept
}

// A Report is what recovery found and did.
type Report struct {
	At       unit.Time
	Event    int // the power failed before this one
	Fates    [call.Codes][Fates]int64
	Nodes    []Lost // those that are not as they were, first those with a broken promise
	Open     int64  // transactions that had not committed
	Lines    int64  // lines that recovery scanned; Applied of them
	Applied  int64
	Recovery unit.Time
}

// Crash cuts the power before event at of a run and recovers.
func Crash(r *Run, at int, s *machine.Setup) *Report { panic("stub") }
