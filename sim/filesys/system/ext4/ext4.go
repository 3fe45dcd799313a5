// Package ext4 is Ext4 with an ordered journal and delayed allocation.
//
// What an operation changes joins the running transaction block by block. The journal's
// thread commits a transaction by writing all its blocks and their descriptors at once
// and then the commit block; blocks go home later, in their latest committed version.
//
// # Source
//
// General knowledge of Ext4 and jbd2 in Linux 5.1; ByteFS' artifact runs them as they are.
// Blocks of each operation, the sizes of commits and the timers are those that a prototype
// was held against the paper with.
//
// # Departures
//
//  1. A directory's leaves are chosen by linear hashing: one leaf more when they are three
//     quarters full in the mean, where Ext4 splits the one that is full.
//  2. An operation of names joins when it is planned and is not waited for by a commit.
//     What write-back allocates joins when the data are written.
//  3. A block that the running transaction has goes home as it was committed last; Linux
//     leaves it until that transaction has committed too.
//  4. Pages that were freed can be used again when the transaction has committed, or at
//     once if nothing else is free. They are not trimmed, as Linux mounts by default.
//  5. A rename that replaces a file writes the new one's data before it joins, as Linux does
//     by default (auto_da_alloc), and waits until they are written, which Linux leaves to the
//     commit.
//  6. A transaction larger than the journal is written around it.
package ext4

import (
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/filesys/table"
	"spillway/sim/unit"
)

// Sizes of Ext4 with blocks of 4 KiB.
const (
	inodesPerBlock = 16    // of 256 bytes
	groupPages     = 32768 // a block bitmap has a bit for each
	groupInodes    = 8192  // inodes of a group: one for 16 KiB
	descriptors    = 64    // group descriptors of a block
	tags           = 250   // blocks that one descriptor block of the journal names
	entriesPerLeaf = 96    // three quarters of 128 names of a leaf
	inInode        = 512   // pages of a file whose extents are in its inode
)

// Recovery replays the journal.
var Recovery = plan.Recovery{By: plan.ByJournal, Inodes: inodesPerBlock, Tags: tags}

// The actors.
const (
	journal = iota
	checkpoint
	actors
)

// What steps Wait (by N) wait for, of the node Page.
const (
	forNode = iota // its inode
	forData        // its size and pages
	forRoom        // the running transaction can take more
)

// What steps Mark tell (Note.What).
const (
	allocated    = iota // Node has got Page and others of its group
	sized               // Node has got a size
	committed           // the commit block of the committing transaction is written
	checkpointed        // a batch is home
	renamed             // what had Node's new name is gone (machine.RenameInTwo)
	flushing            // the committing transaction sends its barrier
	sent                // data of Node are sent, which waits as Page says: a barrier has to come after them
)

// A transaction is the running or the committing one.
type transaction struct {
	blocks []int32 // -1 for one that was revoked
	freed  []int32 // pages to be free when it has committed
}

// A waiter is a thread that waits for a transaction; room: for the running one to commit.
type waiter struct {
	thread, tx int32
}

// A fs is Ext4.
type fs struct {
	h *host.Host

	superblock, groups, blockBitmap, inodeBitmap, inodes, log int32
	groupCount, logSize                                       int32

	kind     []plan.Structure // by page: of blocks of metadata
	used     []int8           // by block of inodes: how many exist
	entries  []int32          // by node: names of a directory
	extent   []int32          // by node: the block of its extents, or host.None
	nodeTx   []int32          // by node: the last transaction with its inode
	dataTx   []int32          // the same, of its size or pages
	now      unit.Time        // of what is planned
	pages    []int32          // lists that are used again
	frames   []plan.Frame
	marks    []plan.Note
	orphaned []int32
	late     []plan.Step // data that are written after what refers to them (machine.CommitFirst)

	// The journal. Transactions have numbers from 1; running is the one that is joined,
	// committing is 0 or running-1.
	running, committing int32
	next, current       transaction // running and committing
	since               unit.Time   // of the first block of the running one
	wanted, starved     bool        // a commit is asked for; it has no room in the journal
	flushes             bool        // the committing one has sent its barrier
	blocks              table.Table[block]
	waiters             []waiter

	// Committed transactions that the journal still holds, from tail to before running:
	// rings by number.
	tail          int32
	begin         []int32 // where its blocks are in ring
	count, live   []int32 // how many there are, and how many are not home and in no later one
	size          []int32 // pages in the journal
	ring          []int32 // numbers of blocks
	ringAt        int32
	usedLog       int32 // pages
	head          int32 // where the next goes
	first, last   int32 // of blocks that are not home, those that wait longest first
	going         []goes
	interval, old unit.Time
	batch         int // blocks that are written home at once
}

// A block is what the journal knows of a page: the last transaction that it joined, the last
// that committed it while it is not home, and its place among those that are not.
type block struct {
	joined, latest int32
	home           link
}

// A link chains the blocks that are not home, by their first commit.
type link struct {
	before, next int32
	since        unit.Time // and a picosecond; 0: it is home
}

func (l *link) in() bool { return l.since != 0 }

// A goes is a block that is being written home, as of a transaction.
type goes struct{ page, tx int32 }

// New returns the file system over the nodes that exist.
func New(h *host.Host) plan.FS {
	pages, most := int(h.Pages()), len(h.Files)
	f := &fs{
		h: h, kind: make([]plan.Structure, pages), entries: make([]int32, most), extent: make([]int32, most),
		nodeTx: make([]int32, most), dataTx: make([]int32, most),
		blocks:  table.New[block](pages),
		running: 1, tail: 1, first: host.None, last: host.None,
		interval: h.Setup.Host.Commit, old: h.Setup.Host.Expire, batch: int(h.Setup.Host.Batch),
	}
	area := func(n int, s plan.Structure, mounted bool) int32 {
		first := h.Reserve(n)
		for p := first; p < first+int32(n); p++ {
			f.kind[p] = s
			if mounted {
				h.Mounted = append(h.Mounted, p)
			}
		}
		return first
	}
	up := func(n, by int) int { return (n + by - 1) / by }
	f.groupCount = int32(up(pages, groupPages))
	f.superblock = area(1, plan.Superblock, true)
	f.groups = area(up(int(f.groupCount), descriptors), plan.BlockBitmap, true)
	f.blockBitmap = area(int(f.groupCount), plan.BlockBitmap, true)
	f.inodeBitmap = area(up(most, groupInodes), plan.InodeBitmap, true)
	f.inodes = area(up(most, inodesPerBlock), plan.Inode, false)
	f.logSize = int32(int64(h.Setup.Host.Journal) / host.PageSize)
	f.log = area(int(f.logSize), plan.Journal, false)
	f.begin, f.count, f.live, f.size = make([]int32, f.logSize), make([]int32, f.logSize), make([]int32, f.logSize), make([]int32, f.logSize)
	f.ring = make([]int32, 2*f.logSize)

	f.used = make([]int8, up(most, inodesPerBlock))
	h.Place()
	for node := range h.Files {
		f.extent[node] = host.None
		file := &h.Files[node]
		if !file.Exists {
			continue
		}
		if f.used[node/inodesPerBlock]++; f.used[node/inodesPerBlock] == 1 {
			h.Mounted = append(h.Mounted, f.inodes+int32(node/inodesPerBlock))
		}
		if node != 0 {
			f.entries[file.Parent]++
		}
		if len(file.Slots) > inInode && !file.Dir {
			f.extent[node] = f.block(int32(node), plan.Pointer)
			h.Mounted = append(h.Mounted, f.extent[node])
		}
	}
	for node := range h.Files {
		if file := &h.Files[node]; file.Exists && file.Dir {
			f.leaf(int32(node))
			for f.entries[node] > entriesPerLeaf*f.leaves(int32(node)) {
				f.leaf(int32(node))
			}
			for _, s := range file.Slots {
				h.Mounted = append(h.Mounted, s.Home)
			}
		}
	}
	for p := f.superblock; p < f.blockBitmap; p++ {
		h.Pin(p) // the kernel holds them while the file system is mounted
	}
	return f
}

// block takes a page for metadata of a node.
func (f *fs) block(node int32, s plan.Structure) int32 {
	f.pages = f.alloc(1, f.goal(node), f.pages[:0])
	f.kind[f.pages[0]] = s
	return f.pages[0]
}

// alloc is host.Alloc that takes pages of transactions under way before it fails.
func (f *fs) alloc(n int, hint int32, list []int32) []int32 {
	if f.h.Left() < n {
		f.h.Free(f.current.freed)
		f.h.Free(f.next.freed)
		f.current.freed, f.next.freed = f.current.freed[:0], f.next.freed[:0]
	}
	return f.h.Alloc(n, hint, list)
}

// goal is where pages of a node without pages are looked for: in the group of its directory.
func (f *fs) goal(node int32) int32 { return f.h.Files[node].Parent % f.groupCount * groupPages }

// # Directories

// leaves is how many leaves a directory has. Slots have them in order, but for the root of
// the tree of more than one leaf, which is the first slot.
func (f *fs) leaves(dir int32) int32 {
	n := int32(len(f.h.Files[dir].Slots))
	if n > 1 {
		n--
	}
	return n
}

// leaf gives a directory a leaf more, and a root if it is the second.
func (f *fs) leaf(dir int32) {
	slots := len(f.h.Files[dir].Slots)
	add := 1
	if slots == 1 {
		add = 2
	}
	f.h.Grow(dir, int32(slots+add))
	for i := slots; i < slots+add; i++ {
		f.h.Files[dir].Slots[i].Home = f.block(dir, plan.Dentry)
	}
}

// find is the leaf of a directory that has a name.
func (f *fs) find(dir, node int32) int32 {
	slots := f.h.Files[dir].Slots
	if len(slots) == 1 {
		return slots[0].Home
	}
	return slots[1+system.Leaf(node, len(slots)-1)].Home
}

// # Plans

// meta reads a block of metadata if it is not in the cache.
func (f *fs) meta(t *plan.Thread, page int32) { f.h.Meta(t, f.kind[page], page, true) }

func (f *fs) inode(node int32) int32 { return f.inodes + node/inodesPerBlock }

// needInode reads a node's block of inodes, if any in it exists.
func (f *fs) needInode(t *plan.Thread, node int32) {
	f.h.Meta(t, plan.Inode, f.inode(node), f.used[node/inodesPerBlock] > 0)
}

// lookup reads what leads to a node.
func (f *fs) lookup(t *plan.Thread, dir, node int32) {
	if node != 0 {
		f.meta(t, f.find(dir, node))
	}
	f.needInode(t, node)
	if f.extent[node] != host.None {
		f.meta(t, f.extent[node])
	}
}

// Plan appends what a call does.
func (f *fs) Plan(t *plan.Thread, c *call.Call, now unit.Time) {
	f.now = now
	h := f.h
	h.Charge(t, c)
	switch c.Code {
	case call.Open, call.Stat:
		f.lookup(t, h.Files[c.Node].Parent, c.Node)
	case call.Create, call.Mkdir:
		f.create(t, c)
	case call.Unlink, call.Rmdir:
		f.remove(t, c)
	case call.Rename:
		f.rename(t, c)
	case call.Read:
		if c.Flags&call.Direct == 0 {
			h.Read(t, f, c.Node, c.Offset, c.Length, now)
			break
		}
		first, end := int32(c.Offset/host.PageSize), int32((c.Offset+c.Length-1)/host.PageSize)+1
		f.frames = h.DirtyIn(c.Node, first, end, f.frames[:0])
		f.WriteBack(t, f.frames, now)
		h.ReadDirect(t, c.Node, c.Offset, c.Length)
	case call.Write:
		f.write(t, c)
	case call.Truncate:
		f.truncate(t, c)
	case call.Fsync, call.Fdatasync:
		f.frames = h.Dirty(c.Node, f.frames[:0])
		marks := f.writeBack(t, f.frames)
		what, tx := int32(forNode), f.nodeTx[c.Node]
		if c.Code == call.Fdatasync {
			what, tx = forData, f.dataTx[c.Node]
		}
		if !marks {
			f.barrier(t, c.Node, what, tx)
		}
		t.Add(plan.Step{Kind: plan.Wait, With: true, Page: c.Node, N: what})
		if n := len(f.late); marks && f.h.Setup.Mistake == machine.CommitFirst && n > 0 { // the commit before them
			at := len(t.Steps) - 1 - n
			t.Steps = append(slices.Delete(t.Steps, at, at+n), f.late...)
		}
	}
	if (f.committing != 0 || f.starved) && len(f.next.blocks) >= f.quarter() {
		t.Add(plan.Step{Kind: plan.Wait, N: forRoom})
	}
}

// barrier makes sure that one comes after the data that a call has sent: that of the transaction
// it waits for, or its own where none is to come (ext4_sync_file, fs/ext4/fsync.c of Linux, by
// jbd2_trans_will_send_data_barrier).
func (f *fs) barrier(t *plan.Thread, node, what, tx int32) {
	switch {
	case !f.h.Setup.Flushes():
	case tx < f.uncommitted():
		f.flush(t)
	default: // it may be too late when they are sent
		t.Add(plan.Note{What: sent, Node: node, Page: what}.Step())
	}
}

// names appends the work on names, with what it reads before.
func (f *fs) names(t *plan.Thread, dir, node int32) {
	f.h.Compute(t, f.h.Setup.Host.NamespaceExt4)
	f.lookup(t, dir, node)
	f.needInode(t, dir)
}

func (f *fs) inodeMap(node int32) int32 { return f.inodeBitmap + node/groupInodes }

// space joins the block bitmap of a page, and its group's descriptor.
func (f *fs) space(page int32) {
	group := page / groupPages
	f.join(f.blockBitmap + group)
	f.join(f.groups + group/descriptors)
}

func (f *fs) create(t *plan.Thread, c *call.Call) {
	f.names(t, c.Dir, c.Node)
	f.meta(t, f.inodeMap(c.Node))
	f.h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
	f.used[c.Node/inodesPerBlock]++
	f.touch(c.Node)
	f.dataTx[c.Node] = f.running
	f.join(f.inodeMap(c.Node))
	f.join(f.groups + f.goal(c.Node)/groupPages/descriptors)
	f.enter(t, c.Dir, c.Node)
	if c.Code == call.Mkdir {
		f.leaf(c.Node)
		f.fresh(t, c.Node, 0)
	}
	system.Section(f.h, t, c.Dir, c.Dir)
	f.record(t, c.Node)
}

// enter adds a name to a directory, and a leaf if it needs one.
func (f *fs) enter(t *plan.Thread, dir, node int32) {
	f.join(f.find(dir, node))
	f.touch(dir)
	if f.entries[dir]++; f.entries[dir] > entriesPerLeaf*f.leaves(dir) {
		from := len(f.h.Files[dir].Slots)
		f.leaf(dir)
		f.join(f.h.Files[dir].Slots[0].Home)
		f.fresh(t, dir, from)
	}
}

// fresh joins a directory's slots from one on, which it has just got.
func (f *fs) fresh(t *plan.Thread, dir int32, from int) {
	for _, s := range f.h.Files[dir].Slots[from:] {
		f.join(s.Home)
		f.meta(t, f.blockBitmap+s.Home/groupPages)
		f.space(s.Home)
	}
}

func (f *fs) remove(t *plan.Thread, c *call.Call) {
	dir := f.h.Files[c.Node].Parent
	f.names(t, dir, c.Node)
	f.erase(t, c.Node)
	system.Section(f.h, t, dir, dir)
	f.record(t, c.Node)
}

// erase removes a node and its name, and joins what that changes.
func (f *fs) erase(t *plan.Thread, node int32) {
	h := f.h
	dir := h.Files[node].Parent
	f.meta(t, f.inodeMap(node))
	f.orphaned = f.orphaned[:0]
	if h.Files[node].Dir {
		for _, s := range h.Files[node].Slots {
			f.revoke(s.Home)
		}
	}
	if e := f.extent[node]; e != host.None {
		f.revoke(e)
		f.orphaned = append(f.orphaned, e)
		f.extent[node] = host.None
	}
	f.orphaned = h.Remove(node, f.orphaned)
	f.join(f.find(dir, node))
	f.entries[dir]--
	f.touch(dir)
	f.touch(node)
	f.used[node/inodesPerBlock]--
	f.join(f.inodeMap(node))
	f.join(f.groups + f.goal(node)/groupPages/descriptors)
	f.join(f.superblock) // the list of orphans
	f.joinPages(t, node, f.orphaned)
	f.freePages(f.orphaned)
}

func (f *fs) rename(t *plan.Thread, c *call.Call) {
	from := f.h.Files[c.Node].Parent
	if c.Over != 0 && f.h.Setup.Mistake != machine.CommitFirst {
		f.frames = f.h.Dirty(c.Node, f.frames[:0])
		f.writeBack(t, f.frames)
	}
	f.names(t, from, c.Node)
	f.needInode(t, c.Dir)
	f.meta(t, f.find(c.Dir, c.Node))
	if c.Over != 0 {
		f.lookup(t, c.Dir, c.Over)
	}
	system.Section(f.h, t, from, c.Dir)
	if c.Over != 0 {
		f.erase(t, c.Over)
		f.record(t, c.Over)
	}
	f.join(f.find(from, c.Node))
	f.entries[from]--
	f.touch(from)
	f.h.Files[c.Node].Parent = c.Dir
	f.enter(t, c.Dir, c.Node)
	if c.Over != 0 && f.h.Setup.Mistake == machine.RenameInTwo {
		t.Add(plan.Step{Kind: plan.Wait, Page: c.Over, N: forNode})
		t.Add(plan.Note{What: renamed, Node: c.Node}.Step())
		return
	}
	f.touch(c.Node)
	f.record(t, c.Node)
}

func (f *fs) truncate(t *plan.Thread, c *call.Call) {
	f.needInode(t, c.Node)
	f.orphaned = f.h.Resize(c.Node, c.Length, f.orphaned[:0])
	f.touch(c.Node)
	f.joinPages(t, c.Node, f.orphaned)
	f.freePages(f.orphaned)
	f.dataTx[c.Node] = f.running
	f.h.Files[c.Node].Meta = false
	f.record(t, c.Node)
}

func (f *fs) write(t *plan.Thread, c *call.Call) {
	h := f.h
	h.Compute(t, h.Setup.Host.Handle)
	w := h.Write(t, f, c, f.now)
	f.needInode(t, c.Node)
	f.touch(c.Node)
	if c.Flags&(call.Sync|call.Direct) == 0 {
		return
	}
	f.frames = h.DirtyIn(c.Node, w.First, w.End, f.frames[:0])
	marks := f.writeBack(t, f.frames)
	if c.Flags&call.Direct != 0 {
		h.Evict(c.Node, w.First, w.End)
	}
	switch {
	case c.Flags&call.Sync == 0 || marks:
	case c.Flags&call.Full != 0:
		f.barrier(t, c.Node, forNode, f.nodeTx[c.Node])
	default:
		f.barrier(t, c.Node, forData, f.dataTx[c.Node])
	}
	if c.Flags&call.Full != 0 {
		t.Add(plan.Step{Kind: plan.Wait, With: true, Page: c.Node, N: forNode})
	} else if c.Flags&call.Sync != 0 && (marks || f.dataTx[c.Node] >= f.uncommitted()) {
		t.Add(plan.Step{Kind: plan.Wait, With: true, Page: c.Node, N: forData})
	}
}

// touch makes a node's inode part of the running transaction.
func (f *fs) touch(node int32) {
	f.join(f.inode(node))
	f.nodeTx[node] = f.running
}

// joinPages reads and joins what says of pages of a node whether they are free.
func (f *fs) joinPages(t *plan.Thread, node int32, pages []int32) {
	for i, p := range pages {
		if i == 0 || p/groupPages != pages[i-1]/groupPages {
			f.meta(t, f.blockBitmap+p/groupPages)
			f.space(p)
		}
	}
	if e := f.extent[node]; e != host.None && len(pages) > 0 {
		f.join(e)
	}
}

// freePages lets pages be free when the running transaction has committed.
func (f *fs) freePages(pages []int32) { f.next.freed = append(f.next.freed, pages...) }

func (f *fs) record(t *plan.Thread, node int32) {
	if f.h.Env.Recording() {
		f.h.Env.Record(plan.Event{Moment: plan.Joined, Tx: f.running, Thread: t.ID, Call: t.Call, Node: node})
	}
}

// WriteBack writes dirty pages, contiguous ones in one command, all at once. Pages without
// a home get one now (delayed allocation); when all are written, what that changed joins
// the running transaction, so that no commit precedes the data that it refers to.
func (f *fs) WriteBack(t *plan.Thread, frames []plan.Frame, now unit.Time) {
	f.now = now
	f.writeBack(t, frames)
}

// writeBack reports whether anything will join.
func (f *fs) writeBack(t *plan.Thread, frames []plan.Frame) bool {
	h := f.h
	h.Counts.SentBlocks += int64(len(frames))
	from := len(t.Steps)
	f.marks = f.marks[:0]
	for i := 0; i < len(frames); {
		p := h.Page(frames[i])
		n := 1
		if file := &h.Files[p.Node]; file.Meta {
			file.Meta = false
			f.marks = append(f.marks, plan.Note{What: sized, Node: p.Node})
		}
		if p.Home != host.None {
			system.Join(t, from, plan.Step{Kind: plan.BlockWrite, Structure: plan.Data, Page: p.Home, N: 1})
			h.Clean(frames[i], p.Home)
		} else {
			n = system.Homeless(h, frames[i:])
			hint := f.goal(p.Node)
			if slots := h.Files[p.Node].Slots; p.Index > 0 && slots[p.Index-1].Home != host.None {
				hint = slots[p.Index-1].Home + 1
			}
			f.pages = f.alloc(n, hint, f.pages[:0])
			for j, page := range f.pages {
				system.Join(t, from, plan.Step{Kind: plan.BlockWrite, Structure: plan.Data, Page: page, N: 1})
				h.Clean(frames[i+j], page)
				if j == 0 || page/groupPages != f.pages[j-1]/groupPages {
					f.allocated(p.Node, page)
				}
			}
		}
		i += n
	}
	system.Together(t, from)
	sent := len(t.Steps)
	for _, m := range f.marks {
		t.Add(m.Step())
	}
	if f.h.Setup.Mistake == machine.CommitFirst && len(t.Steps) > sent {
		f.late = append(f.late[:0], t.Steps[from:sent]...)
		t.Steps = append(append(t.Steps[:from], t.Steps[sent:]...), f.late...)
		return true
	}
	return len(t.Steps) > sent
}

// allocated notes that a node gets pages in the group of page.
func (f *fs) allocated(node, page int32) {
	for i := range f.marks {
		m := &f.marks[i]
		if m.Node == node && (m.What == sized || m.Page/groupPages == page/groupPages) {
			m.What, m.Page = allocated, page
			return
		}
	}
	f.marks = append(f.marks, plan.Note{What: allocated, Node: node, Page: page})
}
