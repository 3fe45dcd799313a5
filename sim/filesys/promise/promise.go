// Package promise finds what a program's way of saving is worth: at every moment of a run the
// power may fail, a device may keep any of the blocks that were not flushed, and what a file
// system finds then is held against what it had promised.
//
//	crash.Run ── New ── History ── Search ── Found
//
// # Model
//
// A [History] is what a recorded run (package crash) wrote: blocks with what they carry (a page
// of a file, or a part of a transaction), lines, and flushes. An image is a moment and a choice
// of the blocks that are stored and not flushed: each is kept or lost, or torn into sectors.
// What of metadata an image has follows from one rule for all file systems: a transaction counts
// if all that was written for it is there; a node is as the last such transaction that took it
// in. Systems differ in what they write and when they flush, never here.
//
// Promises hold in every image:
//
//   - Lost: what an answered fsync, fdatasync or synchronous write covered is there, or newer.
//   - Nameless: a name that a rename gave to another file is the one's or the other's.
//   - Mixed: who has taken a name has all that had been written to it before; so has who was made
//     with the name of a file that was renamed, as to be a backup, once that is removed.
//   - Half: what is overwritten in place between two syncs of a file, or cut off and written
//     anew, is all old or all new; or else another file that was synced between the file's last
//     sync and the first of these writes is whole: a journal, from which the program repairs it,
//     or what a log was for that begins anew.
//   - Foreign: a page of a file has what was written to it, and nobody else's.
//   - Damaged: no commit is replayed of which a block is missing.
//
// # Source
//
// Ways of saving are our own lists of calls, or what strace recorded of programs, with the script
// that did it, in traces/fscalls/recorded.
//
// The kinds of images are those of ALICE (OSDI 2014) and CrashMonkey (OSDI 2018): moments with
// subsets of what is not flushed. What file systems promise is of POSIX, of their documentation
// and of the papers of the systems.
//
// # Departures
//
//  1. A flush is done when it is issued: who waits for it goes on later. Blocks that are under
//     way then count as flushed.
//  2. Without a log of the device nothing makes a call by bytes whole (crash, departure 7), and
//     nothing one of which inodes or names are written as blocks beside the log: of
//     several nodes that one changes any may have changed, in whatever order its lines are.
//  3. What a commit without its blocks brings back is taken to be unreadable. Journals have no
//     checksums here; with them such a commit would count as not there.
//  4. Blocks of metadata that were written home are not looked at: the journal has them.
//  5. Where inodes go by lines one has no places of pages that other threads are still writing:
//     two that write a file back at the same time each wait for their own.
//  6. Of more than [Search].Whole unflushed blocks not all subsets are tried: none, all, each
//     alone, all but each, those up to each, and random ones.
package promise

import (
	"fmt"

	"spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/crash"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A Kind is a promise that can be broken.
type Kind uint8

// The promises.
const (
	Lost Kind = iota
	Nameless
	Mixed
	Half
	Foreign
	Damaged
	Kinds
)

// pageSize is that of a page of a file, in bytes.
const pageSize = int64(unit.Page)

// never is an event after all others.
const never = int32(1) << 30

// A change is one of a node: its state after it, or a page's place.
type change struct {
	state state
	cut   bool  // pages beyond the size are gone, or all are
	moved bool  // it has another name
	call  int32 // from 1; 0 is a page's place
	event int32
	// Of a place: the page of the device, from 1, and who writes it.
	slot, thread int32
}

type state struct {
	exists bool
	size   int64
}

// A join is so many changes of a node, which tx is: of those that a transaction makes durable.
type join struct{ changes, tx int32 }

// A move says that a page has a home, of the device, after a change; none is 0.
type move struct{ change, home int32 }

// A vow is a promise about a page: as long as fewer than until changes are there it has this
// version or a newer one.
type vow struct {
	page, version, until, call int32
	event                      int32 // promised from then on
}

// A due is a promise about so many changes of a node.
type due struct{ changes, event, call int32 }

// A group is what was overwritten in a file between two syncs of it.
type group struct {
	from, to int32 // events: the first write, the answer of the sync
	call     int32
	cut      int32 // the change that cut the old content off, from 1; 0: none
	size     int64 // at its end
	pages    []rewritten
	backups  []backup
	at       map[int32]int // of pages, by number: where they are; nil once it is closed
}

// rewritten is a page with the versions that it had before, and has in the end, and which of
// its sectors, of 512 bytes, were written.
type rewritten struct {
	page, first, last int32
	sectors           uint8
}

// A backup is a file that may mend an overwritten one.
type backup struct {
	node, changes int32
	pages         []rewritten
}

// A file is a node with all that happened to it.
type file struct {
	dir     bool
	first   state
	changes []change
	moves   [][]move // by page
	origin  []int32  // by page: the home of before the run, and 1; 0 is unknown, −1 none
	vows    []vow
	dues    []due
	groups  []group
	version []int32 // by page: the event that wrote it last, from 1; 0 if it was cut off since
	newest  []int32 // by page: the last of all in the run
	vowed   []int32 // by page: the version that was promised last
	joined  int32   // the event by which all its changes had joined a transaction
	cuts    int32   // how often it was cut
	parent  int32
}

// A write is a block on its way to be durable.
type write struct {
	event, until int32 // stored; durable from then on
	slot         int32 // of its page
	structure    plan.Structure
	what         content
	tx           int32
}

// A content is what a page of the device holds: a version of a file's page. Node −1 is what was
// there before the run.
type content struct{ node, page, version int32 }

// A stored is what of a page changed durably at once: by bytes.
type stored struct {
	event, slot int32
	what        content
}

// A tx is a transaction.
type tx struct {
	writes []int32 // that it needs; the last commits it, if it has any
	event  int32   // durable by lines from then on
	begun  int32   // its first line, where nothing makes it whole
	nodes  []join  // changes by node: tx is the node here
}

// A renamed is a rename over a file.
type renamed struct {
	event, call   int32
	node, moved   int32 // and its changes with the new name
	over, removed int32
	drops         bool // the call removes over, which had the name before node was made with it
	size          int64
	pages         []rewritten
}

// A History is a run as crashes see it.
type History struct {
	System   string
	Events   []plan.Event
	recovery plan.Recovery
	files    []file
	writes   []write
	lines    []stored
	txs      []tx
	renames  []renamed
	calls    []call.Call // from 1
	answered []int32     // events
	pages    int32       // slots
	volatile bool
}

// New returns the history of a recorded run on a machine.
func New(r *crash.Run, s *machine.Setup) (*History, error) {
	sys, err := filesys.Find(r.System)
	if err != nil {
		return nil, err
	}
	h := &History{
		System: r.System, Events: r.Events, recovery: sys.Recovery, volatile: s.Device.Cache == machine.Volatile,
		files: make([]file, max(int(r.Most), len(r.Nodes))), txs: make([]tx, 1), calls: make([]call.Call, 1), answered: make([]int32, 1),
	}
	for i := range r.Nodes {
		f := &h.files[i]
		f.dir, f.parent, f.first = r.Nodes[i].Dir, r.Nodes[i].Parent, state{exists: true, size: r.Nodes[i].Size}
	}
	b := builder{h: h, instead: map[int32]join{}, slots: make([]int32, 0, 1024), under: make([]under, 1)}
	for i := range r.Events {
		b.step(int32(i), &r.Events[i])
	}
	if b.err != nil {
		return nil, fmt.Errorf("%s: %w", r.System, b.err)
	}
	b.finish()
	return h, nil
}

// Call returns a call of the history by its number, from 1, and whether it was answered before
// an event.
func (h *History) Call(number int32, event int) (c call.Call, answered bool) {
	return h.calls[number], h.answered[number] > 0 && h.answered[number] <= int32(event)
}

// Calls is how many calls the history has.
func (h *History) Calls() int { return len(h.calls) - 1 }

// now is the state of a file after all its changes so far.
func (f *file) now() state {
	if n := len(f.changes); n > 0 {
		return f.changes[n-1].state
	}
	return f.first
}

// at is the state of a file after so many changes.
func (f *file) at(changes int32) state {
	if changes == 0 {
		return f.first
	}
	return f.changes[changes-1].state
}

// home is that of a page after so many changes, from 1; 0 is none, or the one of before the run
// that nobody has told of.
func (f *file) home(page, changes int32) int32 {
	list := f.moves[page]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].change <= changes {
			return list[i].home
		}
	}
	return max(0, f.origin[page])
}
