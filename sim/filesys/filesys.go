// Package filesys is a file system on an SSD that can be reached by blocks and by bytes:
// ByteFS with what it was compared with.
//
//	call.Workload ── Run(workload, setup, system) ── Result
//
// # Source
//
// ByteFS: A System of Memory-Semantic SSDs (ASPLOS 2025, arXiv 2501.04993) and its
// artifact. Numbers of the setup say where each comes from.
package filesys

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system/bytefs"
	"spillway/sim/filesys/system/ext4"
	"spillway/sim/filesys/system/f2fs"
	"spillway/sim/filesys/system/nova"
	"spillway/sim/filesys/system/pmfs"
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
	Look   int
	Main   bool // the subject of the paper
	Off    bool // not compared until somebody chooses it
}

// Systems are what is compared.
var Systems = []System{
	{Name: "bytefs", Title: "ByteFS", About: "Metadata by bytes into a log of the device, data by bytes or blocks, whichever is less.", Memory: device.WriteLog, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Log: true, Select: true}) }, Look: 1, Main: true},
	{Name: "ext4", Title: "Ext4", About: "Blocks, with an ordered journal.", Waits: true, New: ext4.New, Look: 2},
	{Name: "f2fs", Title: "F2FS", About: "Blocks, log-structured, with checkpoints.", Waits: true, New: f2fs.New, Look: 3},
	{Name: "nova", Title: "NOVA", About: "Bytes: a log for every inode, data copied on write.", Memory: device.PageBuffer, New: nova.New, Look: 4},
	{Name: "pmfs", Title: "PMFS", About: "Bytes: everything in place, no journal.", Memory: device.PageBuffer, New: pmfs.New, Look: 5},
	{Name: "bytefs-dual", Title: "ByteFS-Dual", About: "ByteFS with the two interfaces only: a page buffer for a log, data always in blocks.", Memory: device.PageBuffer, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{}) }, Look: 6, Off: true},
	{Name: "bytefs-log", Title: "ByteFS-Log", About: "ByteFS with its log, data always in blocks.", Memory: device.WriteLog, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Log: true}) }, Look: 7, Off: true},
	{Name: "bytefs-select", Title: "ByteFS-Select", About: "ByteFS without its log, data by bytes or blocks.", Memory: device.PageBuffer, New: func(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Select: true}) }, Look: 8, Off: true},
}

// Progress is told now and then how many of the calls are done; it may be nil.
type Progress func(done, total int64)

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
	// look-up.
	Failed int64
	// Asked are the bytes that programs read and wrote, [device.Reads] and
	// [device.Writes]; in the cache or not.
	Asked   [device.Directions]int64
	Tallies [call.Codes]Tally
	// Latencies of reads, in picoseconds: how many took less than 2^(i/4) ns for the i-th.
	ReadLatency [160]int64
	Ledger      [Causes]unit.Time // over all threads: its sum is Threads × Time but for threads that ended
	Ended       unit.Time         // what threads that had ended did not do any more, in sum
	Device      device.Counts     // with Finish
	Left        device.Counts     // of it, what Finish wrote
	// Of the page cache: data pages read that it had, and had not, and the same of
	// metadata; dirty pages that were written back by how: not at all (nothing had
	// changed), byte-wise, as a block; pages with a duplicate, and pages in the cache,
	// summed over samples.
	Hits, Misses, MetaHits, MetaMisses int64
	SentNothing, SentBytes, SentBlocks int64
	Duplicates, Cached                 int64
	Commits                            int64 // of a journal or a checkpoint
	Samples                            []Sample
}

// A Watch is what a run is watched for, besides its result.
type Watch struct {
	// Record is told every event in order, if it is there. Until, if not 0, ends the run
	// after so many calls.
	Record func(plan.Event)
	Until  int64
	// Steps is told the steps of every call as they were planned, before they are executed.
	Steps func(c *call.Call, steps []plan.Step)
}
