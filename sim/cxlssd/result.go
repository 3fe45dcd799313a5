package cxlssd

import (
	"spillway/sim/latency"
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// A Kind is how a request was served.
type Kind uint8

// The ways in which a request is served.
const (
	HostHit  Kind = iota // a page in host DRAM, or any where all is DRAM
	CacheHit             // a page of the device's cache that is there
	LogRead              // a line of the write log
	LogWrite             // appended to the write log
	Merged               // a page that is on its way already
	Missed               // read from flash
	Kinds
)

// A Part is a part of the bill of a request.
type Part uint8

// The parts of a bill.
const (
	PartHost  Part = iota // host DRAM
	PartLink              // the CXL link
	PartIndex             // the look-up in the device
	PartDRAM              // the device's DRAM
	PartFlash             // the flash itself, of what the request waited for
	PartQueue             // the queue before it: other reads, programs, erases, a full log
	Parts
)

// A Cause is what a core spends time on. Every picosecond of every core has one.
type Cause uint8

// The causes.
const (
	Computes  Cause = iota // instructions and on-chip cost of requests
	WaitsDRAM              // memory that is host DRAM
	WaitsSSD               // memory of the device
	WaitsLog               // a full store buffer or log
	Switches               // context switches
	Stopped                // a shoot-down stopped it
	Idle                   // it has no thread left
	Causes
)

// A Sample is the state of the device at a time.
type Sample struct {
	At              unit.Time
	Log             int64     // slots in use
	Backlog         unit.Time // work that is queued on the busiest channel
	Programs, Reads int64     // so far
}

// A Tail is how long requests took: all of them, and the longest, how it was served and what of
// it was flash and its queue.
type Tail struct {
	Latency       latency.Counts
	Longest       unit.Time
	Of            Kind
	Flash, Queued unit.Time
}

// add counts requests of one kind that took so long, each of it so long for flash and its queue.
// Of those that are equally long the first kind is the longest, in whatever order they are counted.
func (t *Tail) add(took unit.Time, k Kind, flash, queued unit.Time, n int64) {
	t.Latency.AddAll(took, n)
	if took > t.Longest || took == t.Longest && took > 0 && k < t.Of {
		t.Longest, t.Of, t.Flash, t.Queued = took, k, flash, queued
	}
}

// A Work is how long pieces of work of the flash took, their queue included.
type Work struct {
	Latency latency.Counts
	Longest unit.Time
}

func (w *Work) add(took unit.Time) {
	w.Latency.Add(took)
	w.Longest = max(w.Longest, took)
}

// A Result is what came out of a run. Times are of the simulated run, which has 1/Scale
// of the full workload.
type Result struct {
	System, Workload string
	Scale            int64
	Threads, Cores   int

	// Time is that of the slowest core, CoreTimes when each had done all its threads.
	Time      unit.Time
	CoreTimes []unit.Time
	// Ledger is what cores spent time on, all cores together: its sum is Cores × Time.
	Ledger [Causes]unit.Time

	// Requests are those that retired, by how they were served; Bill is the sum of their
	// latencies by part, BillOf that by kind and part. A request that triggered a
	// switch counts when it was issued again.
	Requests [Kinds]int64
	Bill     [Parts]unit.Time
	BillOf   [Kinds][Parts]unit.Time
	// Latencies of Requests, and of the reads of flash that they waited for, their queue included.
	// The longest of Requests with how it was served, and what of it was flash and its queue.
	Latency, ReadLatency       latency.Counts
	Longest, LongestRead       unit.Time
	LongestOf                  Kind
	LongestFlash, LongestQueue unit.Time
	// The same of the requests that read, and of those that write.
	ReadTail, WriteTail Tail
	// How long pages took from when the flash was asked until it was done, as booked then:
	// reads for requests, of which those that switch threads are no part of ReadLatency, programs of
	// what leaves the cache or host DRAM, and what compaction asks for. Requests that come later
	// put work of compaction off further.
	ReadWork, ProgramWork, CompactReadWork, CompactProgramWork Work
	// Writes of Requests, and by how they were served.
	Writes   int64
	WritesOf [Kinds]int64

	Switches int64 // context switches
	Repeated int64 // of them on a read that had switched before
	Stores   int64 // that found the store buffer full

	// Flash reads by who asked, and the sum of the latencies of those that requests
	// waited for; programs by why.
	UserReads, CompactionReads, CollectionReads                                int64
	UserReadTime                                                               unit.Time
	EvictionPrograms, CompactionPrograms, DemotionPrograms, CollectionPrograms int64
	Erases                                                                     int64
	ChannelBusy                                                                []unit.Time

	// Of the write log: its slots, lines appended, those that replaced a line in it,
	// compactions, pages that they programmed by how many lines were merged (0 is unused).
	Slots, Appends, Replaced, Compactions int64
	Merged                                [65]int64
	WarmPrograms, WarmReads               int64 // what warming left in the log, charged at the start; part of the above

	// Of promotion.
	Promotions, Demotions, HostPages int64 // HostPages is the most at a time
	PromoteAt                        int64 // the threshold at the end

	// Pages that left the cache, or were in it at the end, by how many of their lines had
	// been read, and written, while they were there.
	LinesRead, LinesWritten [65]int64

	// Dirty lines: written, and where they were at the end. Written lines reach flash or
	// DRAM exactly once for each time they are overwritten or programmed.
	DirtyLines, LinesProgrammed, LinesInHost, LinesInDevice, LinesOverwritten int64
	// LeftPages are pages of which the log has lines, or the cache dirty ones, at the end: what is
	// still to be programmed, a page each at most. Its time is not counted.
	LeftPages int64
	// LinesLost were dirty when they left host DRAM and are written nowhere (see DemotionLost).
	LinesLost int64
	// OnChip is the part of Computes that is the fixed cost of requests in caches: a core
	// that waits for memory in the sense of the paper's Fig. 4 spends it too.
	OnChip unit.Time

	Footprint int64 // pages
	Samples   []Sample

	// Script is what somebody wrote, nil of all other systems. GaveUp says why there is nothing
	// else, where that asked for too much.
	Script *policy.Account `json:",omitempty"`
	GaveUp string          `json:",omitempty"`
}

// Work is how long cores computed and waited for memory, all together: without switches
// and shoot-downs, and without cores that had nothing left to do.
func (r *Result) Work() unit.Time {
	return r.Ledger[Computes] + r.Ledger[WaitsDRAM] + r.Ledger[WaitsSSD] + r.Ledger[WaitsLog]
}
