// Package machine is what a run of a file system depends on besides the workload: the
// SSD with its byte and block interface, the host with its page cache and costs, and
// what nobody published and which therefore is a setting.
//
// # Source
//
// ByteFS (ASPLOS 2025, arXiv 2501.04993) and its artifact. Knobs say where each number
// comes from and how far it can be trusted.
package machine

import (
	"spillway/sim/quirk"
	"spillway/sim/unit"
)

// A Payload says what programs write.
type Payload string

// The payloads.
const (
	Zeros  Payload = "zeros"  // as Filebench does: an overwrite changes nothing
	Random Payload = "random" // every line of an overwrite changes
	Share  Payload = "share"  // Changed percent of the lines of an overwrite change
)

// An Ack says when a block write is answered.
type Ack string

// The ways.
const (
	OnBuffer   Ack = "buffer"   // when it has a slot of the protected write buffer
	OnProgram  Ack = "program"  // when it is programmed
	AsArtifact Ack = "artifact" // of Ext4 and F2FS when it is programmed, of others when it has a slot
)

// A Frontier says where the flash is written.
type Frontier string

// The frontiers.
const (
	Striped  Frontier = "striped" // a page goes to the channel of its number: all work at once
	OneBlock Frontier = "block"   // pages in a row fill a block of one channel, then one of the next
)

// A Cache says whether the write buffer outlives a power failure.
type Cache string

// The kinds of buffers.
const (
	Protected Cache = "protected" // by capacitors or a battery: what is stored is durable
	Volatile  Cache = "volatile"  // what is not flushed may be lost, in any order
)

// A StreamsBy says which frontier of the flash a write goes to, where it has several.
type StreamsBy string

// The ways.
const (
	Told   StreamsBy = "told" // as the host says: a volume or file of its own each; of file systems data, and all else
	ByHeat StreamsBy = "heat" // by how many writes ago the page was written before
)

// A History is what was written to an SSD by itself before the run, without time or counts.
type History string

// The histories.
const (
	Empty     History = "empty"  // nothing
	Filled    History = "full"   // every page that the run knows, once, in their order
	Scattered History = "random" // then pages at random
	ByItself  History = "itself" // then the run's own writes
)

// A Setup is the hardware, the host and the options. It is copied freely. Sizes and
// timers are at full scale; what a run hands to the device, the host and file systems is
// divided ([Setup.Scaled]).
type Setup struct {
	Scale, Seed int64
	// Threads is how many there are; 0 is as the workload has them.
	Threads int64
	// OpenLoop keeps the times of a recording; else a thread calls as soon as it can.
	OpenLoop bool

	// Payload is what programs write where a call does not say, Changed the percent of
	// lines that changes under Share.
	Payload Payload
	Changed int64
	// Fresh: a page that is new to a file is compared with zeros before it is written,
	// as any other page (ByteFS). Else all of it has changed.
	Fresh bool
	Ack   Ack
	// FreshShare is the percent of a fresh page's lines that differ from what it is compared
	// with, besides those that the payload changes.
	FreshShare int64
	// Warm: workloads that have a warm-up in the artifact's script run once before they are
	// measured, and keep what the caches have then. KeepF2FS: F2FS begins with its metadata in
	// the cache, of which the script drops none.
	Warm, KeepF2FS bool
	// Prepared: Filebench prepares its files when counters have begun, as it does in a process of its
	// own. WarmTime is how long a warm-up of Filebench lasts, but that of oltp; 0: as long as the run.
	Prepared bool
	WarmTime unit.Time
	// Loaded: of workloads that load a store before they run (call.Workload.Loads), the page cache
	// begins with the pages of its files, as far as they fit, and has no other data.
	Loaded bool
	// Flowops: a run of Filebench ends after so many of all its operations, not of reads and
	// writes alone.
	Flowops bool
	// FullSync: synchronous writes of oltp make an inode's times durable too (O_SYNC).
	FullSync bool
	// What programs compute: a reader of oltp after every read, a writer before every batch,
	// and the store of YCSB for an operation.
	ReaderBurn, WriterBurn, StoreCost unit.Time

	Device Device
	Host   Host
	Quirks quirk.Set
	// Table is how the system Yours moves what it moves.
	Table Table
	// Mistake is one that a file system makes on purpose, to see what it does to a crash.
	Mistake Mistake
}

// A Mistake of a file system, put in on purpose. Those that it cannot make it does not make.
type Mistake string

// The mistakes.
const (
	Faultless   Mistake = ""
	NoBarrier   Mistake = "barrier" // it flushes nothing, and orders nothing in the device's cache
	CommitFirst Mistake = "commit"  // sizes and places are committed before data are written (Ext4, ByteFS)
	RenameInTwo Mistake = "rename"  // a rename over a file is two transactions (Ext4, ByteFS)
	NodeFirst   Mistake = "node"    // an fsync writes the node before the data (F2FS)
)

// Flushes reports whether a file system issues barriers.
func (s *Setup) Flushes() bool { return s.Device.Cache == Volatile && s.Mistake != NoBarrier }

// A Device is the SSD.
type Device struct {
	Capacity unit.Bytes
	// Channels work on one page each; a block has Pages pages.
	Channels, Pages      int64
	Read, Program, Erase unit.Time
	// A block command takes Submit on its way there, Firmware a page in the one firmware
	// server, Transfer a page on the link, and Complete on its way back.
	Submit, Firmware, Transfer, Complete unit.Time
	// Buffer is the protected write buffer, in pages; what it has above keptBuffer the scale
	// divides. Serves: a page that is read while the buffer has it is not read from flash.
	Buffer int64
	Serves bool
	// Cache is what becomes of the buffer without power. Only where it is lost file systems
	// issue their barriers.
	Cache Cache
	// Frontier is which channel a page is programmed on.
	Frontier Frontier
	// A byte access takes LineRead or LineWrite for each line of 64 bytes. Persist is the
	// reading back that makes posted writes durable, once an access. Commit is the command.
	LineRead, LineWrite, Persist, Commit unit.Time
	// DRAM is the log (ByteFS) or the page buffer (NOVA, PMFS, and where the log is off).
	// Shared: it buffers pages of block commands too, also those of Ext4 and F2FS.
	DRAM   unit.Bytes
	Shared bool
	// LogAt is how full, in percent, the log or its half is when cleaning begins. Single:
	// one buffer instead of two that take turns.
	LogAt  int64
	Single bool
	// KeepsFreed: nobody tells the SSD that pages are free, so that it keeps what is in them.
	KeepsFreed bool
	// CountsEmpty: pages without content that the page buffer takes in are counted as read.
	CountsEmpty bool
	// ReadsFirst: a channel serves reads before programs; else who comes first.
	ReadsFirst bool
	// Collection begins at so many free blocks of a channel, in percent, and ends at so
	// many. Old is how full, in percent of its capacity, the SSD is of other data.
	CollectAt, CollectUntil, Old int64
	Endurance                    int64 // erases of a block
	// Streams is how many frontiers a channel has for what the host writes, StreamsBy who tells
	// them apart. CollectOwn: what collection copies has a frontier of its own; else it stays in
	// its stream.
	Streams    int64
	StreamsBy  StreamsBy
	CollectOwn bool
	// Of an SSD by itself: Spare is how much flash it has beyond its capacity, in thousandths of
	// that, in place of CollectAt, CollectUntil and Old; History what was written before the
	// run; Depth how many requests are under way at once, at most. 0 in a run of a file system.
	Spare   int64
	History History
	Depth   int64
	// Room is the capacity of an SSD by itself where a recording says it; 0: Capacity. Nothing
	// divides it.
	Room unit.Bytes
}

// A Host is the computer and its operating system.
type Host struct {
	Cores int64
	// Cache is the page cache, of which metadata may take MetaShare percent.
	Cache     unit.Bytes
	MetaShare int64
	// OwnCache is the page cache of ByteFS, which has one of its own; 0: as all others.
	// BlindWrites: ByteFS does not read a page before it changes a part of it.
	OwnCache    unit.Bytes
	BlindWrites bool
	// FirstFit: NOVA and PMFS give data the first free pages of the device. EntryLoads: PMFS
	// loads of a directory only the entry that it looks for. InPlace: NOVA overwrites data where
	// they are. AsIssued: NOVA and PMFS load and store what the artifact's do, and their bytes are
	// counted as they ask for them. Runs that are recorded for crashes feel neither of the last two.
	FirstFit, EntryLoads, InPlace, AsIssued bool
	// Inline: F2FS keeps files of up to 3488 bytes and directories of up to 180 names in their
	// nodes. Runs that are recorded for crashes keep no files there.
	Inline bool
	// A call costs its thread Generator, and Serial in a section that all threads share:
	// what the benchmark program does around it.
	Generator, Serial unit.Time
	// Costs of calls: Open (and stat), Close, Read and Write and a page of theirs, Fsync.
	Open, Close, ReadCall, ReadPage, WriteCall, WritePage, Fsync unit.Time
	// Section is the part of a change of a directory that excludes others. Namespace is
	// the rest of it, by file system.
	Section                                                                     unit.Time
	NamespaceByteFS, NamespaceExt4, NamespaceF2FS, NamespaceNOVA, NamespacePMFS unit.Time
	// Of Ext4: Handle a write, Wake each way to the journal's thread, Copy a block into it.
	Handle, Wake, Copy unit.Time
	// Of ByteFS: Duplicate a page and Compare a page with it.
	Duplicate, Compare unit.Time
	// Dirty pages are written in the background above Background percent of the cache or
	// older than Expire; above Limit percent a writer writes them itself.
	Background, Limit int64
	Expire            unit.Time
	// Batch is how many pages are written back at once, before who writes them waits.
	Batch int64
	// Commit and Checkpoint are the timers of Ext4 and F2FS, Journal is Ext4's.
	Commit, Checkpoint unit.Time
	Journal            unit.Bytes
	// ByteLimit: a page with fewer changed lines goes byte-wise (ByteFS). DirectLimit: a
	// direct write of at most so many bytes does.
	ByteLimit   int64
	DirectLimit unit.Bytes
}
