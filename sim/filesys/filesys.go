// Package filesys is a file system on an SSD that can be reached by blocks and by bytes:
// ByteFS with what it was compared with.
//
//	call.Workload ── Run(workload, setup, system) ── Result
//
// # Source
//
// ByteFS: System Support for (CXL-based) Memory-Semantic Solid-State Drives (ASPLOS 2025,
// arXiv 2501.04993) and its artifact. Numbers of the setup say where each comes from.
//
// # Model
//
// Threads of the workload, the file system's own threads (a journal's, a checkpoint's)
// and the flusher are clients of one schedule. Each goes on at a time; at the same time
// who was scheduled first goes first, and the device before all. A client does one thing
// at a time:
//
//   - A thread asks the workload for its next call; thinks, and spends on a core what the
//     benchmark program computes around a call; then passes a section of the benchmark
//     program that one thread at a time is in. Then it calls.
//   - The file system plans the call: a list of steps. It changes names and caches at
//     once. A writer that finds too many dirty pages writes 32 of them back itself.
//   - The steps are executed one after the other, each when the one before has ended;
//     those marked With begin together. Cores, locks, sections and the device serve in
//     the order of arrival, since steps are executed in the order of simulated time.
//   - After the last step the call is answered.
//
// The flusher writes 32 pages at a time, oldest first: while more are dirty than the
// background limit any, else those that expired. It and the file system's threads need
// cores, but no time of theirs is accounted.
//
// Scale divides sizes and timers of the machine ([machine.Setup.Scaled]); the workload is
// generated at the same scale. The measured part begins after Workload.Warm calls: all
// counters are then set to 0, and calls that are under way count as a whole.
//
// # Departures
//
//  1. Steps of a plan that change the device do so when they are executed, but names and
//     caches change when the call is planned: another thread sees a file a little earlier
//     than it could. Calls that change names which another is changing wait until that is
//     answered, as they do for Linux' locks of directories: a directory is removed when it has
//     been made, or what was in it is gone.
//  2. What a program computes takes a core (Think); the paper's machine has 28.
//  3. A call on a file that is not there (or is there already) fails and costs a look-up.
//     Recordings have them, when threads run ahead of those that made the file.
//  4. When the workload ends what its background has begun, and what a file system still
//     has to write (a checkpoint), is counted, in Left too, but takes no time. Dirty pages
//     of data stay dirty, those in the device's DRAM too ([Result].LeftInDRAM).
//
// # Cost
//
// Time is linear in steps, with a factor of the logarithm of the clients. Nothing is
// allocated for a call, but for lists that grow to what they need once.
package filesys

import (
	"slices"
	"strings"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system/bytefs"
	"spillway/sim/filesys/system/ext4"
	"spillway/sim/filesys/system/f2fs"
	"spillway/sim/filesys/system/nova"
	"spillway/sim/filesys/system/pmfs"
	"spillway/sim/latency"
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// A System is a file system and what it needs of the device.
type System struct {
	Name, Title, About string
	// Memory is what it uses the device's DRAM for. Waits: its block writes are answered
	// when they are programmed under machine.AsArtifact.
	Memory device.Memory
	Waits  bool
	New    func(h *host.Host) plan.FS
	// Recovery is how it comes back after a power failure, and Loses what that may lack, in a
	// sentence; {commit} stands in it for the time between commits.
	Recovery plan.Recovery
	Loses    string
	Look     int
	Main     bool // the subject of the paper
	Part     bool // it is the subject without some of its parts
	Usual    bool // what the subject is compared with where nobody says another
	Direct   bool // its data go past the page cache
	Off      bool // not compared until somebody chooses it
	// Reads are keys of settings, with blanks between, that no system reads but those that list them.
	Reads string
}

// What the subject of the paper may lose, with its log and without.
const (
	losesOpen = "ByteFS loses what has not committed: names are durable when the call returns, data and sizes when they are written back or by fsync."
	losesAny  = "ByteFS without its log has nothing that makes a transaction whole: one that is cut in two stays torn."
)

// Settings that ByteFS reads: in all its forms, where changed lines go by bytes, and of its own page cache.
const (
	ofByteFS = "ns_bytefs direct_limit keeps_freed "
	ofLines  = "payload changed fresh fresh_share duplicate compare byte_limit "
	ofCache  = "own_cache blind_writes "
)

// Systems are what is compared.
var Systems = []System{
	{
		Name: "bytefs", Title: "ByteFS",
		About:  "Metadata by bytes into a log of the device, data by bytes or blocks, whichever is less.",
		Memory: device.WriteLog, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Log: true, Select: true}) }, Look: 1, Main: true,
		Reads:    ofByteFS + ofLines + ofCache,
		Recovery: bytefs.Options{Log: true, Select: true}.Recovery(), Loses: losesOpen,
	},
	{
		Name: "ext4", Title: "Ext4",
		About: "Blocks, with an ordered journal.",
		Waits: true, New: ext4.New, Look: 2, Usual: true,
		Reads:    "ns_ext4 handle wake journal_copy commit_interval journal",
		Recovery: ext4.Recovery, Loses: "Ext4 loses what no commit of its journal covers: with an fsync nothing that was before it, without one up to {commit} (commit_interval, at this scale).",
	},
	{
		Name: "f2fs", Title: "F2FS",
		About: "Blocks, log-structured, with checkpoints.",
		Waits: true, New: f2fs.New, Look: 3,
		Reads:    "ns_f2fs f2fs_keeps inline checkpoint_interval keeps_freed",
		Recovery: f2fs.Recovery, Loses: "F2FS loses what neither a checkpoint covers nor the roll-forward of nodes that an fsync wrote.",
	},
	{
		Name: "nova", Title: "NOVA",
		About:  "Bytes: a log for every inode, data copied on write.",
		Memory: device.PageBuffer, New: nova.New, Direct: true, Look: 4,
		Reads:    "ns_nova in_place first_fit as_issued fresh keeps_freed",
		Recovery: nova.Recovery, Loses: "NOVA loses the operation whose log entry has no tail yet; its old pages are still there.",
	},
	{
		Name: "pmfs", Title: "PMFS",
		About:  "Bytes: everything in place, no journal.",
		Memory: device.PageBuffer, New: pmfs.New, Direct: true, Look: 5,
		Reads:    "ns_pmfs entry_loads first_fit as_issued fresh keeps_freed",
		Recovery: pmfs.Recovery, Loses: "PMFS has no journal in the artifact: an operation that is cut in two stays torn, whatever was promised before it is there.",
	},
	{
		Name: "bytefs-dual", Title: "ByteFS-Dual",
		About:  "ByteFS with the two interfaces only: a page buffer for a log, data always in blocks.",
		Memory: device.PageBuffer, Part: true, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{}) }, Look: 6, Off: true,
		Reads:    ofByteFS + ofCache,
		Recovery: bytefs.Options{}.Recovery(), Loses: losesAny,
	},
	{
		Name: "bytefs-log", Title: "ByteFS-Log",
		About:  "ByteFS with its log, data always in blocks.",
		Memory: device.WriteLog, Part: true, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Log: true}) }, Look: 7, Off: true,
		Reads:    ofByteFS + ofCache,
		Recovery: bytefs.Options{Log: true}.Recovery(), Loses: losesOpen,
	},
	{
		Name: "bytefs-select", Title: "ByteFS-Select",
		About:  "ByteFS without its log, data by bytes or blocks.",
		Memory: device.PageBuffer, Part: true, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Select: true}) }, Look: 8, Off: true,
		Reads:    ofByteFS + ofLines + ofCache,
		Recovery: bytefs.Options{Select: true}.Recovery(), Loses: losesAny,
	},
	{
		Name: Own, Title: policy.Yours,
		About:  "ByteFS that moves by bytes or by blocks what your table says.",
		Memory: device.WriteLog, New: func(h *host.Host) plan.FS { return bytefs.New(h, yours) }, Look: 11, Off: true,
		Reads:    ofByteFS + ofLines + ofCache + "by_block",
		Recovery: yours.Recovery(),
		Loses:    "Yours loses what has not committed. What of a call's names and inodes goes by blocks is not in its transaction: a call that is cut in two stays torn there.",
	},
}

// reads reports whether the system reads a setting that only those read that list it.
func (s *System) reads(key string) bool { return slices.Contains(strings.Fields(s.Reads), key) }

// Own is the name of the system that does what the setup's Table says.
const Own = policy.System

var yours = bytefs.Options{Log: true, Select: true, Own: true}

// A Cause is what a thread spends time on. Every picosecond of every thread until its end
// has one.
type Cause uint8

// The causes.
const (
	Thinks       Cause = iota // what the program computes, and waits for its own threads
	Computes                  // the file system's work on a core
	WaitsCore                 // for a core
	WaitsLock                 // for a lock or a section, and what is done in the section
	ReadsBlocks               // block reads
	WritesBlocks              // block writes
	ReadsBytes                // loads
	WritesBytes               // stores and COMMIT
	WaitsLog                  // for room in the log
	WaitsJournal              // for a commit of the journal
	Causes
)

// A Tally is what calls of one code did in sum.
type Tally struct {
	Count int64
	Time  unit.Time // from the call to its answer
	// Bytes are what its own steps moved between host and device, by structure; what the
	// background writes for it later is not in it.
	Bytes [plan.Structures][device.Interfaces][device.Directions]int64
}

// A Sample is the state of a run at a time.
type Sample struct {
	At       unit.Time
	Calls    int64 // answered so far
	Log      int64 // bytes of the log in use
	Cleaning bool
	Dirty    int64 // dirty pages of the cache
	Reads    int64 // pages of flash so far
	Programs int64
	// Pages in the cache, and those that have a duplicate.
	Cached, Duplicates int64
}

// A Result is what came out of a run. It is of the measured part (after Workload.Warm).
type Result struct {
	System, Workload string
	Scale            int64
	Threads          int
	Time             unit.Time // until the last thread's last answer
	Calls            int64
	// Failed calls are about a file that is not there, or there already; they cost a
	// look-up. They are in Calls, not in Tallies and ReadLatency.
	Failed int64
	// Asked are the bytes that programs read and wrote, [device.Reads] and
	// [device.Writes]; in the cache or not.
	Asked   [device.Directions]int64
	Tallies [call.Codes]Tally
	// Prepared is how many files and directories were made or removed before, in a preparation
	// that Device, Through and Asked count (call.Staged).
	Prepared int64 `json:",omitzero"`
	// Latencies of reads, and the longest; of writes.
	ReadLatency  latency.Counts
	Longest      unit.Time
	WriteLatency latency.Counts
	LongestWrite unit.Time
	Ledger       [Causes]unit.Time // over all threads: its sum is Threads × Time but for threads that ended
	// Behind is what of ReadsBlocks and of ReadsBytes reads waited at a channel for programs and
	// erases that came before them ([device.Block], [device.Byte]).
	Behind [device.Interfaces]unit.Time
	Ended  unit.Time // what threads that had ended did not do any more, in sum
	// Idle is what of Thinks no program computes: threads wait for others' calls, or, in an open
	// loop, for the time of their first.
	Idle   unit.Time     `json:",omitzero"`
	Device device.Counts // with Finish
	Left   device.Counts // of it, what was written after the last answer
	// LeftInDRAM are the pages of the device's DRAM, log or page buffer, that flash does
	// not have as they are at the end.
	LeftInDRAM int64
	// Of the page cache: data pages read that it had, and had not; dirty pages that were written back by how: not at all (nothing had
	// changed), byte-wise, as a block; pages with a duplicate, and pages in the cache,
	// summed over samples.
	Hits, Misses int64
	// Through are the bytes that programs read of pages that the page cache had not
	// ([device.Reads]), and those that they had written of pages that were written back
	// ([device.Writes]): what of Asked had to reach the device. Of file systems with a page cache.
	Through                            [device.Directions]int64
	SentNothing, SentBytes, SentBlocks int64
	Duplicates, Cached                 int64
	Commits                            int64 // of a journal or a checkpoint
	Samples                            []Sample
	// Collecting is what of ReadsBlocks and WritesBlocks requests of an SSD by itself waited for
	// garbage collection, by [device.Reads] and [device.Writes]; of reads a part of Behind.
	// Requests is what else is known of it; nil of a file system.
	Collecting [device.Directions]unit.Time `json:",omitzero"`
	Requests   *Requests                    `json:",omitempty"`
}

// A Watch is what a run is watched for, besides its result.
type Watch struct {
	// Record is told every event in order, if it is there. Until, if not 0, ends the run
	// after so many calls.
	// Idle, if it is later, lets actors (a journal's thread, the flusher) go on until then;
	// threads end their calls and begin none.
	Record func(plan.Event)
	Until  int64
	Idle   unit.Time
	// Steps is told the steps of every call as they were planned, before they are executed.
	Steps func(c *call.Call, steps []plan.Step)
	// Those below are told what lasts in the measured part when it has ended; times are from
	// the beginning of that part, and what began before is at 0 or below it.
	//
	// Span is told what every thread and every actor spends time on, in the order of time of
	// each; of a thread they sum to its part of the ledger. Called is told of calls, Held of
	// locks, and whether others wait for them when they are given up. Flash is told of a
	// channel's work in the order in which it does it, which may last beyond the end.
	Span   func(Span)
	Called func(Called)
	Held   func(lock, client int32, from, to unit.Time, wanted bool)
	Flash  func(channel int32, from, to unit.Time)
}

// A Span is a time of a client that goes to one cause.
type Span struct {
	Client   int32 // threads of the workload come first, then the flusher, then actors of the file system
	Cause    Cause
	Idle     bool // of Thinks, what is in [Result].Idle
	From, To unit.Time
	Call     int64      // under way, by its number over all threads; 0 outside of calls, and of actors
	Step     *plan.Step // that it is about, of those that begin together the last; nil outside of calls
}

// A Called is a call with its number over all threads, from 1.
type Called struct {
	Thread   int32
	Number   int64
	Call     *call.Call
	Failed   bool
	From, To unit.Time
}
