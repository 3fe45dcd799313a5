// Package crash cuts the power in the middle of a run, lets the file system recover, and
// says what is left.
//
// A run is recorded as events: what the device did with lines and pages, which node a
// transaction of the file system makes durable, when calls began and were answered. A
// [Media] replays those of the device up to the failure; a history of every node replays
// the others. After recovery a node has the changes of durable transactions, and a page
// of its data is what the media have where that node has it, line by line.
//
// # Source
//
// ByteFS (ASPLOS 2025, arXiv 2501.04993), its section on crash consistency.
//
// # Departures
//
//  1. Recovery applies committed lines in the order of the log. The paper says that of
//     transactions' numbers, which is right only where a transaction draws its number after
//     it has all its locks.
//  2. Lines that committed and were overwritten by a transaction that is open stay in the
//     log until that commits; the paper does not say what becomes of them.
//  3. The lines of a step, and the page of a block, are written or not: only programs are
//     torn. Contents of metadata are not modelled: a name needs that lines of directories
//     were written in its transaction, a size and a map the lines of the node's own inode,
//     Ext4 all blocks of its journal's transaction, F2FS the nodes and the checkpoint.
//  4. The TxLog is as large as it has to be.
//  5. Time of recovery is that of the device: of ByteFS the published 0.9 s to load and
//     2.7 s to scan 256 MB, both at scale; of Ext4 the reads of what the run wrote to the
//     journal, of F2FS those of the nodes since the last checkpoint. What the kernel does is
//     not in it, nor NOVA's scan of its logs.
//  6. Ext4 replays all that it has committed since the run began: what is home already
//     too.
//  7. PMFS has no journal in the artifact: what a failure cuts in two stays torn. So does
//     ByteFS without its log.
package crash

import (
	"fmt"

	"spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A Run is a recorded run of a system: every moment that a power failure can come before.
type Run struct {
	System string
	Events []plan.Event
	Nodes  []call.Node
	Most   int32 // nodes have numbers below
}

// Record runs a workload on a system until so many calls are answered, and then its timers
// until a time, and returns what happened.
func Record(w *call.Workload, s *machine.Setup, system string, calls int64, idle unit.Time) (*Run, error) {
	return record(w, s, system, calls, idle, 0)
}

// record is Record with room for so many events.
func record(w *call.Workload, s *machine.Setup, system string, calls int64, idle unit.Time, room int) (*Run, error) {
	r := &Run{System: system, Nodes: w.Nodes, Most: w.Most, Events: make([]plan.Event, 0, room)}
	_, err := filesys.Run(w, s, system, &filesys.Watch{
		Record: func(e plan.Event) { r.Events = append(r.Events, e) },
		Until:  calls,
		Idle:   idle,
	}, nil)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// RecordAfter is Record with timers that go on for so long after the last of the calls. It runs them
// twice: first to see when that is.
func RecordAfter(w *call.Workload, s *machine.Setup, system string, calls int64, rest unit.Time) (*Run, error) {
	last, events := unit.Time(0), 0
	_, err := filesys.Run(w, s, system, &filesys.Watch{
		Record: func(e plan.Event) { last, events = e.At, events+1 },
		Until:  calls,
	}, nil)
	if err != nil {
		return nil, err
	}
	return record(w, s, system, calls, last+rest, events+events/8)
}

// Time is when the last event was.
func (r *Run) Time() unit.Time {
	if len(r.Events) == 0 {
		return 0
	}
	return r.Events[len(r.Events)-1].At
}

// Before returns the first event at or after a time.
func (r *Run) Before(at unit.Time) int {
	low, high := 0, len(r.Events)
	for low < high {
		if mid := (low + high) / 2; r.Events[mid].At < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
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
	Dir             bool
	Before, After   bool  // existed when the power failed; exists after recovery
	Moved           bool  // it is in another directory
	Size, Recovered int64 // bytes of a file
	Promised        int64 // pages that an acknowledged fsync or synchronous write promised
	Pages, Missing  int64 // pages written in the run; of them, those that are older after recovery
	Broken          bool  // a promise is not kept
}

// A Report is what recovery found and did.
type Report struct {
	At       unit.Time
	Event    int // the power failed before this one
	Answered int64
	// Fates are of calls that change something, by code, as far as they had begun.
	Fates [call.Codes][Fates]int64
	// Nodes are those that are not as they were, first those with a broken promise.
	Nodes  []Lost
	Broken int64 // nodes with a broken promise
	// Promises are nodes that an acknowledged fsync or synchronous write had promised.
	Promises int64
	// Nameless are renames over a file after which neither has the name: broken, too.
	Nameless int64
	Orphans  int64 // nodes whose directory is gone
	Open     int64 // transactions that had not committed
	// Lines of the log that recovery scanned; of them, those applied and those thrown away
	// because their transaction had not committed. Wrong lines are not as committed
	// transactions and blocks left them: 0 where the firmware is correct.
	Lines, Applied, Thrown, Wrong int64
	First                         string // of the wrong lines
	// Blocks are those that the replay of a journal, or the roll-forward, reads.
	Blocks   int64
	Recovery unit.Time
}

// Crash cuts the power before event at of a run and recovers, with a device and a recovery
// that make a mistake, or [Correct] ones. Quirks of the setup make mistakes too.
func Crash(r *Run, at int, s *machine.Setup, mistake Mistake) (*Report, error) {
	h, err := newHistory(r, s, mistake)
	if err != nil {
		return nil, err
	}
	for at = max(0, min(at, len(r.Events))); h.at < at; {
		h.step()
	}
	return h.report(), nil
}

// Scan is Crash at several events, which are in order.
func Scan(r *Run, at []int, s *machine.Setup, mistake Mistake) ([]*Report, error) {
	h, err := newHistory(r, s, mistake)
	if err != nil {
		return nil, err
	}
	list := make([]*Report, len(at))
	for i, n := range at {
		for n = max(0, min(n, len(r.Events))); h.at < n; {
			h.step()
		}
		list[i] = h.report()
	}
	return list, nil
}

// newHistory returns the history of a run before its first event.
func newHistory(r *Run, s *machine.Setup, mistake Mistake) (*history, error) {
	h := &history{run: r, setup: s, nodes: make([]node, max(int(r.Most), len(r.Nodes))), calls: make([]made, 1), txs: make([]tx, 1)}
	found := false
	for i := range filesys.Systems {
		if sys := &filesys.Systems[i]; sys.Name == r.System {
			found, h.hasLog, h.recovery = true, sys.Memory == device.WriteLog, sys.Recovery
		}
	}
	if !found {
		return nil, fmt.Errorf("there is no file system %q", r.System)
	}
	if mistake == Correct && s.Quirks.Has(machine.KeepsLines) {
		mistake = KeepsLines
	}
	h.plain = h.hasLog && s.Quirks.Has(machine.NoCommit)
	h.media, h.truth = NewMedia(h.hasLog, mistake), NewTruth(h.hasLog)
	for i := range r.Nodes {
		n := &h.nodes[i]
		n.first = state{exists: true, parent: r.Nodes[i].Parent, size: r.Nodes[i].Size}
		n.dir, n.now = r.Nodes[i].Dir, n.first
	}
	return h, nil
}
