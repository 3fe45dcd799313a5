// Package call is what programs ask a file system for: calls on files and directories,
// made by threads. A workload makes calls as it goes ([Source]), because what a thread
// asks next may depend on when others were answered.
package call

import "spillway/sim/unit"

// A Code is what a call asks for.
type Code uint8

// The calls.
const (
	Open Code = iota
	Create
	Read
	Write
	Fsync
	Fdatasync
	Close
	Unlink
	Mkdir
	Rmdir
	Rename
	Stat
	Truncate
	Codes
)

// Flags say how a call is made.
type Flags uint8

// The flags.
const (
	Direct Flags = 1 << iota // past the page cache (O_DIRECT)
	Sync                     // written data are durable when it returns (O_DSYNC)
	Append                   // of Write: at the end of the file, whatever Offset says
	Full                     // with Sync: the inode's times are durable too (O_SYNC)
)

// Unknown is the Changed of a call that leaves it to the setup.
const Unknown = -1

// A Call is one call of a thread.
type Call struct {
	Code  Code
	Flags Flags
	// Changed is how many percent of the lines that it writes differ from what the file
	// held, or Unknown.
	Changed int16
	// Node is the file or directory. Dir is its directory in Create, Mkdir, Unlink and
	// Rmdir, and the directory that it goes to in Rename.
	Node, Dir int32
	// Over is, of Rename, what has the new name until then and is removed by it (0: nothing):
	// after a power failure the name is the one's or the other's. Of Create in a recording it is what
	// had the name before and has another now, as a backup has (0: nothing, or nobody knows).
	Over int32
	// Offset and Length are bytes of the file, of Read and Write; Length is the new size of
	// Truncate.
	Offset, Length int64
	// Think is what the thread computes before it calls. It does not call before At
	// (0: as soon as it can). Waits is for how long before At it waits for other threads and processes.
	Think, At, Waits unit.Time
}

// A Node is a file or a directory. Node 0 is the root.
type Node struct {
	Parent int32
	Dir    bool
	Size   int64 // bytes, of a file
}

// A Workload is what runs. It is not changed by running.
type Workload struct {
	Name    string
	Scale   int64 // 1 of so many of the full workload; 1 of a recording
	Threads int
	// Nodes exist before the run, in the order of their numbers. All numbers are below
	// Most.
	Nodes []Node
	Most  int32
	// Calls is how many there will be about, for progress; 0 if nobody knows. Warm of them
	// come before counters and clocks are reset.
	Calls, Warm int64
	// Loads: its files were written just before the run, that with the highest number first.
	Loads bool
	// Blocks: it asks a device for blocks, not a file system. Files are devices, volumes or streams,
	// whose size does not change; calls are Read, Write, Fdatasync, which is a flush, and Truncate,
	// which discards Length bytes from Offset on. Any thread may ask for the next call.
	Blocks bool
	// Before returns what was asked for before, in as many passes as somebody wants; nil where it
	// was the same.
	Before func(pass uint64) Source
	// Generated: a benchmark program makes the calls, and what it costs
	// ([machine.Host].Generator and Serial) counts. A recording has that in its times.
	Generated bool
	// Start returns a source at the beginning of the workload, which gives the same calls
	// every time.
	Start func() Source
	// Sure is what it asks for in whatever order its calls are answered; nil where nobody knows
	// that well enough, and then Unsure says why.
	Sure   *Sure
	Unsure string
}

// A Sure is what a workload asks for in whatever order its calls are answered.
type Sure struct {
	Threads int          // that make these calls among them, and no others
	Calls   [Codes]int64 // that succeed, at least so many
	// Pages are those that its reads and writes touch at least, counted for each call.
	Pages int64
	Think unit.Time // of all of these calls
	// Cold are pages of files that exist before and are read before anything else is done with
	// them, and ColdReads the calls that read some of them, in sum, at least.
	Cold, ColdReads int64
	Most            int64 // calls of the whole workload, at most; 0 if that is not known
}

// A State is what a thread does.
type State uint8

// The states.
const (
	Ready  State = iota // it makes the call
	Parked              // it waits for others; [Source.Woken] says when to ask again
	Done                // it makes no more calls
)

// A Stage is a part of a run.
type Stage uint8

// The stages, one after the other. Counters of the device and of the host begin with Preparing,
// clocks and all else with Measured.
const (
	Warming Stage = iota
	Preparing
	Measured
)

// A Staged is a source that goes through stages; another is in Measured, after Workload.Warm calls.
// A stage ends when no thread has a call under way.
type Staged interface {
	Source
	// Stage returns in which stage the call is that the source gave last.
	Stage() Stage
}

// A Source gives threads their calls. It is asked in the order of simulated time.
type Source interface {
	// Next writes the next call of a thread into c. Whatever the thread called before
	// has been answered.
	Next(thread int32, now unit.Time, c *Call) State
	// Woken returns the threads that were parked and are to be asked again now, since it
	// was asked last. What it returns is valid until the next use of the source.
	Woken() []int32
}
