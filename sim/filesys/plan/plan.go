// Package plan is what a file system makes of a call: a short list of steps, which the
// engine executes in the order of simulated time. A file system changes what it knows
// of names and caches when it plans; the device changes when a step is executed.
package plan

import (
	"math/bits"

	"spillway/sim/filesys/call"
	"spillway/sim/unit"
)

// A Structure is what a page or a line belongs to.
type Structure uint8

// The structures.
const (
	Data Structure = iota // of files
	Superblock
	BlockBitmap // also F2FS's segment table (SIT) and Ext4's group descriptors
	InodeBitmap
	Inode   // also F2FS's nodes
	Dentry  // directory entries
	Pointer // extents, trees of blocks, F2FS's node address table, NOVA's write entries
	Journal
	Structures
)

// A Kind is what a step does.
type Kind uint8

// The kinds of steps.
const (
	CPU        Kind = iota // takes a core for For
	Hold                   // takes lock Page, after all who asked before
	Release                // gives lock Page up
	BlockRead              // N pages from Page, which are read at once
	BlockWrite             // N pages from Page
	ByteRead               // Lines of Page, of which N bytes are asked for (0: all)
	ByteWrite              // as ByteRead, for transaction Tx (0: none)
	Commit                 // transaction Tx
	Trim                   // N pages from Page hold nothing any more; takes no time
	Wait                   // until FS.Wait agrees
	Mark                   // tells the file system its Note (FS.Marked); takes no time
	Flush                  // until what the device's volatile cache has of block writes is durable
	Kinds
)

// A Step is one step of a thread. Pages are the device's logical pages of 4 KiB.
type Step struct {
	Kind      Kind
	Structure Structure
	// With: the next step begins when this one does; the thread goes on when all have
	// ended. Of steps of the device; of Wait: calls on the same file that wait for the same
	// need not wait until this one was answered.
	With    bool
	what    uint8 // of a Note; of a BlockWrite a Writing, or whether it goes through the device's cache
	Page, N int32
	Tx      int32
	Lines   uint64 // bit i is line i of the page
	For     unit.Time
}

// Through is a BlockWrite that is durable when it has ended, whatever is in the device's cache
// (FUA), if it is to be.
func (s Step) Through(is bool) Step {
	if s.what = 0; is {
		s.what = 1
	}
	return s
}

// GoesThrough reports whether a BlockWrite is [Step.Through].
func (s *Step) GoesThrough() bool { return s.what != 0 }

// Bytes are how many a load or store asks for.
func (s *Step) Bytes() int64 {
	if s.N > 0 {
		return int64(s.N)
	}
	return 64 * int64(bits.OnesCount64(s.Lines))
}

// A Note is what a step Mark tells the file system that planned it.
type Note struct {
	What       uint8 // the file system's own kinds
	Node, Page int32
	Tx         int32
	From, To   int32 // steps of the thread
}

// Step returns the step Mark that tells n.
func (n Note) Step() Step {
	return Step{Kind: Mark, what: n.What, Page: n.Node, N: n.Page, Tx: n.Tx, Lines: uint64(uint32(n.From)) | uint64(uint32(n.To))<<32}
}

// Note returns what a step Mark tells.
func (s *Step) Note() Note {
	return Note{What: s.what, Node: s.Page, Page: s.N, Tx: s.Tx, From: int32(uint32(s.Lines)), To: int32(uint32(s.Lines >> 32))}
}

// A Writing is what a host without a file system says of a BlockWrite: its stream, and whether of
// the first and of the last page only a part is written.
type Writing uint8

// Writings, or-ed with a stream below 64.
const (
	FirstPart Writing = 1 << 6
	LastPart  Writing = 1 << 7
)

// Stream is the stream.
func (w Writing) Stream() int32 { return int32(w &^ (FirstPart | LastPart)) }

// Part reports whether of a page, which may be the first or the last, only a part is written.
func (w Writing) Part(first, last bool) bool {
	return first && w&FirstPart != 0 || last && w&LastPart != 0
}

// How returns a step BlockWrite of which a host without a file system says how.
func (s Step) How(w Writing) Step {
	s.what = uint8(w)
	return s
}

// Writing is what is said of a step BlockWrite; 0 by file systems.
func (s *Step) Writing() Writing { return Writing(s.what) }

// Means are what recovery goes by.
type Means uint8

// The means.
const (
	ByLines   Means = iota // lines of inodes and names that are stored, and committed where the device commits
	ByEntries              // as ByLines, but where pages are is in entries of its own too (NOVA's log)
	ByJournal              // a journal that is replayed up to its last whole commit (Ext4)
	ByNodes                // nodes that are rolled forward from the last checkpoint (F2FS)
)

// A Recovery says how a file system finds after a power failure what had been durable.
// Who judges a crash (package crash) goes by it: by what is on the media, not by the file
// system's word.
type Recovery struct {
	By Means
	// Tears: nothing makes a transaction whole, so one that is cut in two stays torn.
	Tears bool
	// Inodes is how many inodes a block has, Tags how many blocks a descriptor names; of a
	// journal.
	Inodes, Tags int32
}

// Whole reports whether what it writes of a node is the whole node.
func (r *Recovery) Whole() bool { return r.By == ByJournal || r.By == ByNodes }

// A Thread is one of the workload's, or an actor of the background.
type Thread struct {
	ID    int32 // those of the workload come first, then actors
	Steps []Step
	// Call is the number of the call under way, counted over all threads; 0 for actors.
	Call int64
	// Own is for the file system.
	Own int64
}

// Add appends a step.
func (t *Thread) Add(s Step) { t.Steps = append(t.Steps, s) }

// Frame is a page of the host's page cache; negative is none.
type Frame int32

// An FS is a file system. It is made by its package's New of a *host.Host, over the nodes
// that exist, with cold caches.
type FS interface {
	// Plan appends what a call does. After it the host's files are as the call leaves them.
	Plan(t *Thread, c *call.Call, now unit.Time)
	// WriteBack appends the writing of dirty pages of the cache, of any files, which are
	// clean then. The flusher asks, and a writer that finds too many.
	WriteBack(t *Thread, frames []Frame, now unit.Time)
	// Wait is asked when a thread comes to a step Wait: true lets it go on; false parks it
	// until Env.Wake.
	Wait(t *Thread, s *Step, now unit.Time) bool
	// Marked is told the note of a step Mark.
	Marked(t *Thread, n Note, now unit.Time)
	// Actors is how many actors of its own the file system has (a journal's thread, a
	// checkpoint). Act appends what one does next; nothing lets it sleep until Env.Start.
	Actors() int
	Act(t *Thread, actor int, now unit.Time)
	// Finish counts what is left to be written when the workload has ended but takes no
	// time of it (a checkpoint's blocks).
	Finish(t *Thread, now unit.Time)
}

// An Env is what a file system may ask of the engine.
type Env interface {
	// Wake lets a parked thread go on at a time.
	Wake(thread int32, at unit.Time)
	// Start lets an actor that sleeps act at a time. The earliest counts.
	Start(actor int, at unit.Time)
	// Record notes what crashes need to know; it does nothing in an ordinary run.
	Record(e Event)
	Recording() bool
}

// A Moment is the kind of an Event.
type Moment uint8

// The moments of a recorded run. Those of the device are what a power failure can come
// before: each is done or not.
const (
	// Of the device.
	Appended  Moment = iota // Lines of Page, of Tx, are in the log (or the page buffer)
	Stored                  // block write of Page is in the buffer; its lines leave the log; Lines is not 0 if it is durable there (Through)
	Swapped                 // the halves of the log change places
	Merging                 // cleaning has read Page and begins to program it with Lines
	Merged                  // the program has ended and the index is changed
	Committed               // COMMIT of Tx is in the TxLog
	Trimmed                 // Page holds nothing
	// Flushed says that block writes that were stored before are durable where the device's
	// cache is volatile.
	Flushed
	// Of file systems. Joined says that what Call (0: an actor) did to Node is durable
	// when Tx is: that it exists or not, its name, its size, and where its pages are, all as
	// planned up to now. One is recorded for every node that a call or an actor makes
	// durable, with it or later: where a transaction takes in a file whose size or pages
	// changed before. Page is then that of its inode, if lines of it are written. Durable says
	// that Tx is, by whatever the file system does for that (a commit block, a node, a tail;
	// not where the device's COMMIT says it: [Committed]); of a journal Lines is how many
	// blocks Tx has.
	// Placed says that a page of a file, as Place has it, with what was written
	// to it up to now, is going to Page of the device by the steps that are planned now.
	// Lines is what of it has changed (0: nothing, it need not be sent). The host's cache records it
	// ([host.Host.Clean]), and what writes past the cache does.
	Joined
	Durable
	Placed
	// Of the engine: a call begins, just before it is planned; it is answered; an fsync or a synchronous write of Node promises its data.
	Began
	Answered
	Moments
)

// An Event is one moment of a recorded run, in their order.
type Event struct {
	At        unit.Time
	Moment    Moment
	Structure Structure
	Page      int32
	Tx        int32
	Thread    int32
	Call      int64
	Lines     uint64
	Of        call.Call // of Began and Answered
	Node      int32     // of Joined
	Place     Place     // of Placed
}

// A Place is a page of a file, and the page of the device that it had before.
type Place struct {
	Node, Index int32
	Before      int32 // negative: none; the event's Page: it is overwritten in place
}
