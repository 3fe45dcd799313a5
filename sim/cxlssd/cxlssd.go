// Package cxlssd is a memory expander behind a CXL link whose backing store is flash,
// under a CPU whose threads ask it for cache lines: SkyByte with its baselines.
//
//	stream.Workload ── Run(workload, setup, system) ── Result
//
// # Source
//
// SkyByte: Architecting an Efficient Memory-Semantic CXL-based SSD with OS and
// Hardware Co-design (HPCA 2025, arXiv 2501.10682v1) and its artifact (Zenodo
// 14660184). Numbers of the setup say where each comes from.
//
// # Model
//
// Cores take turns by the time at which each issues its next request; at the same time
// the lower number goes first. What a request costs is known when it is issued.
//
// A core computes for as long as the stream says, and a fixed time in its caches. Then a
// load goes to memory. With the recipe's probability the core goes on behind it, with at
// most Outstanding loads under way; else it waits for all of them. With a write log (or
// if the recipe says so) stores enter a buffer that empties in order, and the core waits
// only if it is full; else a store is as a load.
//
// Memory looks up, in this order: host DRAM; for a write, the log, where there is one;
// the page cache, if the page is there already; the log's lines; the page cache again,
// if the page is on its way; flash. A miss puts the page into the way of its set that
// was used the longest ago. Without a log the page that leaves is programmed, after the
// read.
//
// The log is a ring of 72-byte slots: a line and its address. A line that is written
// again takes another slot. Compaction takes the page of the oldest live slot, reads the
// page from flash unless it is in the cache or all its lines are in the log, merges all
// its lines and programs it. Reads follow each other; programs delay no read.
//
// In designs that switch, a load that waits at least Threshold for flash gives its core
// to the next thread, at the cost of Switch. The thread goes to the end of the queue of
// all cores, and issues the load again when it is its turn, whether or not the page is
// there; then it may switch again. Loads behind it that were issued before are squashed
// but not forgotten by the device.
//
// Promotion counts ready hits of a page in the cache: at the threshold it moves to host
// DRAM, and the page that was used the longest ago leaves this. The threshold falls and
// rises with the share of promoted pages in all accesses to the cache.
//
// Before the run the caches hold what the recipe says, and pages of other footprints
// besides. In designs with a log all requests then pass through it once without time, so
// that it is as full as it would be in the middle of a long run.
//
// # What differs from the artifact
//
// Quirks lists what the artifact does and the paper does not say, each a switch. What is
// neither the paper's nor the artifact's:
//
//  1. Cores are intervals between requests, not pipelines of instructions. The recipe's
//     fixed cost, overlap and cycles an instruction stand for the pipeline.
//  2. Draws of the device (what is resident, what a foreign page's demotion costs) and of
//     the cores (which load overlaps) have a generator each. Draws of threads are made
//     before the run, so all designs with the same threads run the same requests.
//  3. The number of loads under way is counted since all before them were done, not
//     since the oldest was.
//  4. Loads that a switch squashes reach the device at the time of the one that
//     switched, as out of a window of instructions: at the times that they would have had
//     without the switch they would book link and flash ahead, and whoever comes in
//     between would wait. What is computed between them passes when they are issued for
//     good.
//  5. Accesses that promotion counts include misses and pages on their way. If they were
//     only ready hits, the artifact's integer division would see a share of 1 after every
//     reset of the counters and stay at a threshold of 1, which its reports contradict.
//  6. A log that is compacted at once (RunAhead) has its slots free at once; page by page
//     a slot is free when the page is programmed or as many pages are under way as flash
//     can program at a time.
//  7. What warming left in the log is charged with as many reads of random pages, and
//     programs of pages that are not of the footprint.
//  8. A page of another footprint is dirty with the recipe's probability DemoteDirty. It
//     is programmed when it leaves, since the log has no slots for its lines.
//  9. CFS takes the thread that executed least, and looks for another after a turn of 3 ms.
//     The artifact has no CFS; its Fairness is the first half of it.
//  10. Where all memory is DRAM, stores block as they do without a log. So a design with
//     a log can be faster than DRAM where stores are many; the recipe's Stores has them
//     buffered everywhere.
//  11. The copy of a promoted page (Copy) has it served at the device's latency until it
//     is over, and it takes the link if that has a rate. A shoot-down (Shootdown) stops
//     all cores, once for each promotion. Both cost nothing in the artifact, and the
//     paper has no numbers.
//  12. TPP's scans mark random pages of the footprint; their number and period (ScanPages,
//     ScanPeriod) are divided by the scale, as the run is. They begin at once, where the
//     paper waits for 2 s, its list of active pages has room for all, not for 524,288, and
//     an access makes up for 64 scans at most.
//  13. Of the link's rate a line takes 64 bytes in the direction of its data, before it is
//     at the device; commands and answers take nothing.
//  14. Nobody waits for the lines of a demoted page that find the log full: compaction
//     is brought forward for them, and what comes next finds the slots that it frees.
//  15. A thread whose load was squashed very often waits instead (see mostRepeats).
//  16. The look-up (Index) takes as long without a log. The paper measured 49 ns for a
//     cache of 512 MB, 72 ns with a log of 64 MB; the artifact has 72 in all designs.
//  17. Any number of pages may be promoted at the same time: the paper's promotion
//     look-aside buffer tracks 64.
//  18. A request for a page that is on its way switches by the time that is left, which
//     the device knows, even where a miss switches by the estimate of the queue.
//
// # Cost
//
// Time is linear in requests and switches. Tables are arrays: for a page of the
// footprint 24 bytes, 8 for where flash has it, and 8 for its place in the order of use
// if host DRAM has not room for all; 16 for a place of host DRAM in sets; 40 for a way of
// the cache, of which warming a log keeps a copy; 4 for a slot of the log and 256 for a
// page with lines in it; 4 for a page of flash in superblocks that were opened. Nothing
// is allocated for a request, but for blocks of the log, superblocks that are opened and
// queues that estimates count, when they grow.
package cxlssd

import (
	"spillway/sim/policy"
	"spillway/sim/quirk"
	"spillway/sim/unit"
)

// A Scheduler says which thread a core runs next.
type Scheduler string

// The schedulers, by their stable names.
const (
	RoundRobin Scheduler = "rr"
	Random     Scheduler = "random"   // any that is ready, or any
	Fairness   Scheduler = "fairness" // the least executed
	Locality   Scheduler = "locality" // the one whose data came last, or will come first
	CFS        Scheduler = "cfs"      // the least executed, and no longer than a turn
)

// A Setup is the hardware and the operating system. It is copied freely. Sizes are at
// full scale; a run divides those of cache, log and host DRAM by Scale, as it does
// the footprint.
type Setup struct {
	// Scale divides footprint, cache, log, host DRAM, visits and instructions, not
	// latencies, threads or channels.
	Scale int64
	Seed  int64
	// Threads is how many there are; 0 is as the design has them: as many as cores, or
	// the recipe's with context switches. A recording has its own.
	Threads int64

	Cores     int64
	Clock     unit.Frequency
	StoreSize int64 // entries of a core's store buffer
	Scheduler Scheduler
	// Switch is what a context switch costs, Threshold how long a read must take to
	// trigger one.
	Switch, Threshold unit.Time

	// Access is the latency of the device's DRAM, and of promoted pages with FixedHost (of
	// host DRAM else that of the recipe); Link is that of the link, Index that of the
	// look-up in the device. LinkRate 0 is without limit.
	Access, Link, Index unit.Time
	LinkRate            unit.Bandwidth

	// DRAM is the device's, of which Log is the write log in designs that have one and
	// the rest the page cache (see LostEighth). Ways is the cache's associativity.
	DRAM, Log unit.Bytes
	Ways      int64
	// Host is the host DRAM that promoted pages may take.
	Host unit.Bytes

	// Of promotion: the largest threshold, after how many accesses counters begin anew,
	// and what moving a page costs: the copy takes Copy, and Shootdown stops every core.
	PromoteAt, PromoteReset int64
	Copy, Shootdown         unit.Time
	// Of promotion by sampling (TPP): how often a scan marks pages, and how many.
	ScanPeriod unit.Time
	ScanPages  int64

	// Of flash: how long a die needs, how many channels there are, dies a channel (see
	// OneLUN), planes a die, blocks a plane and pages a block. ChannelRate 0 is a bus
	// without limit.
	Read, Program, Erase                    unit.Time
	Channels, Dies, Planes, Blocks, Pages   int64
	ChannelRate                             unit.Bandwidth
	Endurance                               int64 // erases of a block
	CollectAt, CollectUntil, Preconditioned int64 // free superblocks in thousandths; how full of old pages the device is before the run, in thousandths
	DRAMPrice, FlashPrice                   int64 // thousandths of a dollar a GiB

	Quirks quirk.Set
	// Own are the mechanisms of the system that has the setup's.
	Own Design
	// Script is what somebody wrote for [OwnPolicy]; nil for what Own says.
	Script *policy.Chosen
}
