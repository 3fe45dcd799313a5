// Package f2fs is F2FS: a log-structured file system with checkpoints.
//
// Nodes, leaves of directories and data are appended to logs of segments; a table (NAT)
// says where nodes are. An fsync writes a file's data and its node, from which recovery
// rolls forward; all else is durable with the next checkpoint.
//
// # Source
//
// General knowledge of F2FS in Linux 5.1; ByteFS' artifact runs it as it is. Blocks of each
// operation and of a checkpoint are those that a prototype was held against the paper with.
//
// # Departures
//
//  1. Small files and small directories are inside their node, as Linux has them by default, only
//     with machine.Host.Inline; files never in runs that are recorded for a crash. Who removes a
//     directory does not read its leaf.
//  2. A directory's leaves are chosen by linear hashing: one leaf more when they are three
//     quarters full in the mean.
//  3. Operations go on during a checkpoint. What they change is of the next one.
//  4. There are logs for data, nodes, leaves and what is cleaned; Linux has six, by
//     temperature. Cleaning is done by who writes, as Linux does when segments are short;
//     nothing is cleaned before.
//  5. Nodes and leaves that are dirty are written when they take half of what metadata may
//     take of the cache, without a checkpoint, and by who dirties more when they take all.
//  6. Segments without valid pages are trimmed and free after the next checkpoint, or
//     at once if nothing else is.
package f2fs

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

// Sizes of F2FS.
const (
	perNode        = 923  // pages that a node points to; a file with more has a second node
	perNAT         = 455  // entries of a block of the node address table
	natJournal     = 38   // entries that a checkpoint holds itself
	sitBlocks      = 5    // of the segment table that a checkpoint writes
	packBlocks     = 8    // of the checkpoint itself
	inPlace        = 8    // an fsync overwrites so many pages where they are
	entriesPerLeaf = 160  // three quarters of 214 names
	inlineEntries  = 180  // names of at most 8 bytes that a node has room for: 182 but . and ..
	inlineSize     = 3488 // bytes of a file that a node has room for
	segmentsAbout  = 256
	largestSegment = 512 // pages
	short          = 12  // free segments below which is cleaned
)

// The logs.
const (
	dataLog = iota
	nodeLog
	leafLog
	coldLog
	logs
)

// What a segment is.
const (
	free = iota
	open
	full
	dead // no page is valid; free after the checkpoint
)

// The actors.
const (
	checkpointer = iota
	cleaner      // of dirty metadata
	actors
)

// What steps Mark tell (Note.What).
const (
	synced   = iota // the node of an fsync is written, as Tx
	finished        // the checkpoint is
	landed          // blocks are written that were planned before the checkpoint of Page's parity; also of Wait
)

// States of a block of metadata.
const (
	clean  = iota
	dirty  // and in the list
	listed // clean, and still in the list
)

// An owner is whose a page of the main area is: page Index of file Node, or (Index is
// meta) the block of metadata Node, or nobody's (host.None).
type owner struct{ node, index int32 }

const meta = -1

// A waiter waits for a checkpoint.
type waiter struct{ thread, checkpoint int32 }

// A fs is F2FS. Blocks of metadata have numbers: those of nodes, their second nodes, and
// leaves.
type fs struct {
	h *host.Host

	pack, sit, nat, main int32 // areas
	sitPages, packs      int32
	most                 int32 // of nodes

	keys    int32 // of the first block, for the cache
	home    []int32
	state   []int8
	list    []int32 // blocks that became dirty, in order, from at on
	at      int
	dirty   int
	leaves  []int32 // numbers of leaves that are not used
	of      []int32 // by leaf: its directory
	entries []int32 // by node: names of a directory
	newDir  []int32 // by node: the checkpoint before which it was made
	loose   []int32 // by node: the checkpoint that makes durable what was written of it without an fsync
	large   []bool  // by node: a file whose data are not in its node, for it was larger than that allows
	inline  bool    // small files are in their nodes

	// Segments.
	pages  int32 // of a segment
	kind   []int8
	valid  []int32
	owners []owner
	logs   [logs]struct{ next, end int32 }
	free   int
	dead   int
	next   int32 // where the next free segment is looked for

	// Checkpoints have numbers from 1.
	started, done int32
	busy, wanted  bool
	last          unit.Time // when one began
	armed         bool
	interval      unit.Time
	batch         int     // pages that are written at once
	freeing       []int32 // segments that are free after it
	// flying counts, by the parity of the checkpoint before, plans whose blocks are under
	// way; stalled is the checkpoint's actor, if it waits for them.
	flying     [2]int
	stalled    int32
	freer      *plan.Thread // who frees them
	waiters    []waiter
	natChanged []bool // blocks of the table
	natEntries int

	tx, nextTx int32 // for crashes: the last number given; that of the next checkpoint
	now        unit.Time
	frames     []plan.Frame
	freed      []int32
	late       []plan.Step // data that are written after their node (machine.NodeFirst)
}

// Recovery reads the last checkpoint and rolls forward the nodes that an fsync wrote after it.
var Recovery = plan.Recovery{By: plan.ByNodes}

// New returns the file system over the nodes that exist.
func New(h *host.Host) plan.FS {
	most := len(h.Files)
	f := &fs{
		h: h, most: int32(most), packs: 1, tx: 1, nextTx: 1,
		entries: make([]int32, most), newDir: make([]int32, most), loose: make([]int32, most), stalled: host.None,
		large: make([]bool, most), inline: h.Setup.Host.Inline && (h.Env == nil || !h.Env.Recording()),
		interval: h.Setup.Host.Checkpoint, batch: int(h.Setup.Host.Batch),
	}
	f.pages = largestSegment
	for f.pages > 8 && h.Pages()/f.pages < segmentsAbout {
		f.pages /= 2
	}
	up := func(n, by int) int { return (n + by - 1) / by }
	f.pack = h.Reserve(2 * packBlocks)
	f.sitPages = int32(max(up(int(h.Pages()/f.pages), 55), sitBlocks))
	f.sit = h.Reserve(int(f.sitPages))
	f.natChanged = make([]bool, up(2*most, perNAT))
	f.nat = h.Reserve(len(f.natChanged))
	segments := h.Left() / int(f.pages)
	f.main = h.Reserve(segments * int(f.pages))
	f.kind, f.valid, f.free = make([]int8, segments), make([]int32, segments), segments
	f.owners = make([]owner, segments*int(f.pages))
	for i := range f.owners {
		f.owners[i].node = host.None
	}
	f.addBlocks(2 * most)

	for p := f.pack; p < f.main; p++ {
		h.Mounted = append(h.Mounted, p)
	}
	for node := range h.Files {
		file := &h.Files[node]
		if !file.Exists {
			continue
		}
		if node != 0 {
			f.entries[file.Parent]++
		}
		if f.large[node] = !f.inline || file.Size > inlineSize; !f.large[node] {
			continue
		}
		for i := range file.Slots {
			file.Slots[i].Home = f.allocate(dataLog, owner{int32(node), int32(i)})
			h.Mounted = append(h.Mounted, file.Slots[i].Home)
		}
	}
	for node := range h.Files {
		file := &h.Files[node]
		if !file.Exists {
			continue
		}
		f.place(int32(node), nodeLog)
		if !file.Dir {
			if len(file.Slots) > perNode {
				f.place(f.second(int32(node)), nodeLog)
			}
			continue
		}
		for f.lacksLeaf(int32(node)) {
			f.addLeaf(int32(node))
		}
		for _, s := range file.Slots {
			f.place(s.Home, leafLog)
		}
	}
	if h.Setup.KeepF2FS {
		f.cached()
	}
	return f
}

// cached puts into the cache what was written when the files were made, in that order, as far as
// it has room: nodes, with the table's blocks of them, and leaves.
func (f *fs) cached() {
	for block := range f.home {
		if f.home[block] == host.None {
			continue
		}
		if block := int32(block); block < 2*f.most {
			f.h.Meta(nil, plan.Pointer, f.nat+block/perNAT, false)
		}
		f.h.MetaAt(nil, f.structure(int32(block)), f.keys+int32(block), host.None)
	}
}

// place gives a block a page that holds it when the run begins.
func (f *fs) place(block int32, log int) {
	f.home[block] = f.allocate(log, owner{block, meta})
	f.h.Mounted = append(f.h.Mounted, f.home[block])
}

// addBlocks makes room for n blocks of metadata more.
func (f *fs) addBlocks(n int) {
	first := f.h.Keys(n)
	if len(f.home) == 0 {
		f.keys = first
	}
	for range n {
		f.home = append(f.home, host.None)
		f.state = append(f.state, clean)
	}
}

// second is the second node of a node.
func (f *fs) second(node int32) int32 { return f.most + node }

// structure is what a block is.
func (f *fs) structure(block int32) plan.Structure {
	if block < 2*f.most {
		return plan.Inode
	}
	return plan.Dentry
}

// # Directories

// addLeaf gives a directory a leaf more: its slots have the numbers of the blocks.
func (f *fs) addLeaf(dir int32) int32 {
	if len(f.leaves) == 0 {
		f.leaves = append(f.leaves, int32(len(f.home)))
		f.addBlocks(1)
	}
	leaf := f.leaves[len(f.leaves)-1]
	f.leaves = f.leaves[:len(f.leaves)-1]
	for int(leaf-2*f.most) >= len(f.of) {
		f.of = append(f.of, 0)
	}
	f.of[leaf-2*f.most] = dir
	n := int32(len(f.h.Files[dir].Slots))
	f.h.Grow(dir, n+1)
	f.h.Files[dir].Slots[n].Home = leaf
	return leaf
}

// lacksLeaf reports whether a directory needs a leaf more for its names.
func (f *fs) lacksLeaf(dir int32) bool {
	switch n := int32(len(f.h.Files[dir].Slots)); {
	case n > 0:
		return f.entries[dir] > entriesPerLeaf*n
	case f.h.Setup.Host.Inline:
		return f.entries[dir] > inlineEntries
	}
	return true
}

// leaf is the block of a directory that has a name: a leaf, or its node.
func (f *fs) leaf(dir, node int32) int32 {
	slots := f.h.Files[dir].Slots
	if len(slots) == 0 {
		return dir
	}
	return slots[system.Leaf(node, len(slots))].Home
}

// # Plans

// need reads a block if the cache lacks it and there is one; of a node the table's block
// before.
func (f *fs) need(t *plan.Thread, block int32) {
	home := f.home[block]
	if home != host.None && block < 2*f.most && !f.h.Has(f.keys+block) {
		f.h.Meta(t, plan.Pointer, f.nat+block/perNAT, true)
	}
	f.h.MetaAt(t, f.structure(block), f.keys+block, home)
}

// lookup reads what leads to a node.
func (f *fs) lookup(t *plan.Thread, node int32) {
	if node != 0 {
		f.need(t, f.leaf(f.h.Files[node].Parent, node))
	}
	f.need(t, node)
	if !f.h.Files[node].Dir && len(f.h.Files[node].Slots) > perNode {
		f.need(t, f.second(node))
	}
}

// Plan appends what a call does.
func (f *fs) Plan(t *plan.Thread, c *call.Call, now unit.Time) {
	f.now = now
	h := f.h
	h.Charge(t, c)
	switch c.Code {
	case call.Open, call.Stat:
		f.lookup(t, c.Node)
	case call.Create, call.Mkdir:
		f.create(t, c)
	case call.Unlink, call.Rmdir:
		f.remove(t, c)
	case call.Rename:
		f.rename(t, c)
	case call.Read:
		if !f.large[c.Node] {
			f.need(t, c.Node)
		}
		if c.Flags&call.Direct == 0 {
			h.Read(t, f, c.Node, c.Offset, c.Length, now)
			break
		}
		first, end := int32(c.Offset/host.PageSize), int32((c.Offset+c.Length-1)/host.PageSize)+1
		f.frames = h.DirtyIn(c.Node, first, end, f.frames[:0])
		f.writeBack(t, f.frames, true)
		h.ReadDirect(t, c.Node, c.Offset, c.Length)
	case call.Write:
		end := c.Offset + c.Length
		if c.Flags&call.Append != 0 {
			end = h.Files[c.Node].Size + c.Length
		}
		f.enlarge(t, c.Node, end, c.Flags&call.Direct != 0)
		w := h.Write(t, f, c, now)
		if w.Extended {
			f.need(t, c.Node)
			f.markDirty(c.Node)
		}
		if c.Flags&(call.Sync|call.Direct) == 0 {
			break
		}
		f.frames = h.DirtyIn(c.Node, w.First, w.End, f.frames[:0])
		f.writeBack(t, f.frames, len(f.frames) <= inPlace || c.Flags&call.Direct != 0)
		if c.Flags&call.Direct != 0 {
			h.Evict(c.Node, w.First, w.End)
		}
		if c.Flags&call.Sync != 0 {
			if c.Flags&call.Full != 0 {
				f.need(t, c.Node)
				f.markDirty(c.Node)
			}
			f.sync(t, c.Node)
		}
	case call.Truncate:
		f.need(t, c.Node)
		f.enlarge(t, c.Node, c.Length, false)
		f.freed = h.Resize(c.Node, c.Length, f.freed[:0])
		f.drop(f.freed)
		f.markDirty(c.Node)
		if f.home[f.second(c.Node)] != host.None && len(h.Files[c.Node].Slots) <= perNode {
			f.forget(f.second(c.Node))
		}
		f.record(t, f.nextTx, c.Node)
	case call.Fsync, call.Fdatasync:
		f.frames = h.Dirty(c.Node, f.frames[:0])
		from := len(t.Steps)
		f.writeBack(t, f.frames, len(f.frames) <= inPlace)
		data := len(t.Steps)
		f.sync(t, c.Node)
		if h.Setup.Mistake == machine.NodeFirst {
			f.late = append(f.late[:0], t.Steps[from:data]...)
			t.Steps = append(append(t.Steps[:from], t.Steps[data:]...), f.late...)
		}
	}
	if f.dirty > h.MetaMost() {
		f.writeOldest(t)
	}
}

// names appends the work on names with what it reads before.
func (f *fs) names(t *plan.Thread, node int32) {
	f.h.Compute(t, f.h.Setup.Host.NamespaceF2FS)
	f.lookup(t, node)
}

func (f *fs) create(t *plan.Thread, c *call.Call) {
	f.h.Compute(t, f.h.Setup.Host.NamespaceF2FS)
	f.need(t, f.leaf(c.Dir, c.Node))
	f.need(t, c.Dir)
	f.h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
	f.large[c.Node] = !f.inline
	if c.Code == call.Mkdir { // its leaf first, so that its node is not written before
		if f.lacksLeaf(c.Node) {
			f.markDirty(f.addLeaf(c.Node))
		}
		f.newDir[c.Node] = f.started + 1
	}
	f.markDirty(c.Node)
	f.enter(c.Dir, c.Node)
	system.Section(f.h, t, c.Dir, c.Dir)
	f.record(t, f.nextTx, c.Node)
}

// enter adds a name to a directory, and a leaf if it needs one.
func (f *fs) enter(dir, node int32) {
	f.markDirty(f.leaf(dir, node))
	f.markDirty(dir)
	for f.entries[dir]++; f.lacksLeaf(dir); {
		f.markDirty(f.addLeaf(dir))
	}
}

func (f *fs) remove(t *plan.Thread, c *call.Call) {
	dir := f.h.Files[c.Node].Parent
	f.names(t, c.Node)
	f.need(t, dir)
	f.erase(c.Node)
	system.Section(f.h, t, dir, dir)
	f.record(t, f.nextTx, c.Node)
}

// erase removes a node and its name.
func (f *fs) erase(node int32) {
	h := f.h
	dir := h.Files[node].Parent
	f.markDirty(f.leaf(dir, node))
	f.markDirty(dir)
	f.entries[dir]--
	f.forget(node)
	f.forget(f.second(node))
	folder := h.Files[node].Dir
	f.freed = h.Remove(node, f.freed[:0])
	if folder {
		for _, leaf := range f.freed {
			f.forget(leaf)
		}
		f.leaves = append(f.leaves, f.freed...)
	} else {
		f.drop(f.freed)
	}
}

func (f *fs) rename(t *plan.Thread, c *call.Call) {
	from := f.h.Files[c.Node].Parent
	f.names(t, c.Node)
	f.need(t, from)
	f.need(t, f.leaf(c.Dir, c.Node))
	f.need(t, c.Dir)
	if c.Over != 0 {
		f.lookup(t, c.Over)
	}
	system.Section(f.h, t, from, c.Dir)
	if c.Over != 0 {
		f.erase(c.Over)
		f.record(t, f.nextTx, c.Over)
	}
	f.markDirty(f.leaf(from, c.Node))
	f.markDirty(from)
	f.entries[from]--
	f.h.Files[c.Node].Parent = c.Dir
	f.markDirty(c.Node)
	f.enter(c.Dir, c.Node)
	// Its name is no longer what its node says to the roll-forward: an fsync needs a
	// checkpoint.
	f.newDir[c.Node] = f.started + 1
	f.record(t, f.nextTx, c.Node)
}

// sync appends the writing of a file's node, if it is dirty, or the wait for a checkpoint
// where recovery could not roll forward: of a directory, of a file whose directory is new
// or that was renamed.
func (f *fs) sync(t *plan.Thread, node int32) {
	file := &f.h.Files[node]
	file.Meta = false
	if f.state[node] != dirty && f.state[f.second(node)] != dirty {
		switch f.loose[node] {
		case f.started + 1:
		case f.started:
			if f.busy {
				t.Add(plan.Step{Kind: plan.Wait, Tx: f.started})
			}
			f.flush(t)
			return
		default:
			f.flush(t)
			return
		}
	}
	if f.loose[node] > f.done {
		f.markDirty(node)
		if f.home[f.second(node)] != host.None {
			f.markDirty(f.second(node))
		}
	}
	if file.Dir || f.newDir[node] > f.done || f.newDir[file.Parent] > f.done {
		t.Add(plan.Step{Kind: plan.Wait, Tx: f.started + 1})
		return
	}
	f.balance(t)
	f.flush(t)
	from := len(t.Steps)
	for _, block := range [...]int32{node, f.second(node)} {
		if f.state[block] == dirty {
			f.write(t, from, block, nodeLog)
		}
	}
	system.Together(t, from)
	f.fly(t)
	f.flush(t)
	f.loose[node] = 0
	if f.h.Env.Recording() {
		f.tx++
		f.record(t, f.tx, node)
		t.Add(plan.Note{What: synced, Tx: f.tx}.Step())
	}
}

// flush appends a barrier, where the device needs one.
func (f *fs) flush(t *plan.Thread) {
	if f.h.Setup.Flushes() {
		t.Add(plan.Step{Kind: plan.Flush})
	}
}

func (f *fs) record(t *plan.Thread, tx, node int32) {
	if f.h.Env.Recording() {
		f.h.Env.Record(plan.Event{Moment: plan.Joined, Tx: tx, Thread: t.ID, Call: t.Call, Node: node})
	}
}

// WriteBack writes dirty pages to the end of the log.
func (f *fs) WriteBack(t *plan.Thread, frames []plan.Frame, now unit.Time) {
	f.now = now
	f.writeBack(t, frames, false)
}

// writeBack writes dirty pages, all at once; where they are if stay says so, else to the
// end of the log, which makes their nodes dirty.
func (f *fs) writeBack(t *plan.Thread, frames []plan.Frame, stay bool) {
	if len(frames) == 0 {
		return
	}
	f.balance(t)
	h := f.h
	h.Counts.SentBlocks += int64(len(frames))
	from := len(t.Steps)
	for _, frame := range frames {
		p := h.Page(frame)
		home := p.Home
		if !f.large[p.Node] { // it goes with the node
			f.markDirty(p.Node)
			h.Clean(frame, host.None)
			h.Counts.SentBlocks--
			continue
		}
		if !stay || home == host.None {
			if home != host.None {
				f.invalidate(home)
			}
			home = f.allocate(dataLog, owner{p.Node, p.Index})
			block := p.Node
			if p.Index >= perNode {
				block = f.second(p.Node)
			}
			f.markDirty(block)
		}
		h.Clean(frame, home)
		f.send(t, from, plan.Data, home)
	}
	if len(t.Steps) == from {
		return
	}
	system.Together(t, from)
	f.fly(t)
}

// enlarge reads the node of a file whose data are in it, and takes them out if the file becomes
// larger than that allows, or is written around the cache: what it had is written first.
func (f *fs) enlarge(t *plan.Thread, node int32, size int64, direct bool) {
	if f.large[node] {
		return
	}
	f.need(t, node)
	if size <= inlineSize && !direct {
		return
	}
	f.large[node] = true
	slots := f.h.Files[node].Slots
	if len(slots) == 0 {
		return
	}
	if frame := slots[0].Frame; frame != host.None {
		f.frames = append(f.frames[:0], frame)
		f.writeBack(t, f.frames, false)
		return
	}
	f.balance(t)
	from := len(t.Steps)
	slots[0].Home = f.allocate(dataLog, owner{node, 0})
	f.markDirty(node)
	f.send(t, from, plan.Data, slots[0].Home)
	system.Together(t, from)
	f.fly(t)
}

// send appends the write of a page, with the one before it if that began at step from or
// later and is of less than a batch.
func (f *fs) send(t *plan.Thread, from int, s plan.Structure, page int32) {
	if n := len(t.Steps); n > from && int(t.Steps[n-1].N) == f.batch {
		from = n
	}
	system.Join(t, from, plan.Step{Kind: plan.BlockWrite, Structure: s, Page: page, N: 1})
}

// # Blocks of metadata

// markDirty makes a block dirty.
func (f *fs) markDirty(block int32) {
	if f.state[block] == dirty {
		return
	}
	if f.state[block] == clean {
		f.list = append(f.list, block)
	}
	f.state[block] = dirty
	f.h.Pin(f.keys + block)
	f.dirty++
	if !f.armed {
		f.armed = true
		f.h.Env.Start(checkpointer, max(f.now, f.last+f.interval))
	}
	if f.dirty == f.h.MetaMost()/2 {
		f.h.Env.Start(cleaner, f.now)
	}
}

// write appends the writing of a dirty block to the end of a log.
func (f *fs) write(t *plan.Thread, from int, block int32, log int) {
	f.move(block, log)
	f.state[block] = listed
	f.dirty--
	f.h.Unpin(f.keys + block)
	f.send(t, from, f.structure(block), f.home[block])
}

// move gives a block a page at the end of a log.
func (f *fs) move(block int32, log int) {
	if f.home[block] != host.None {
		f.invalidate(f.home[block])
	}
	f.home[block] = f.allocate(log, owner{block, meta})
	f.readdress(block)
}

// readdress notes that a block has moved: a node in the table, a leaf in the node of its
// directory.
func (f *fs) readdress(block int32) {
	if block >= 2*f.most {
		f.markDirty(f.of[block-2*f.most])
		return
	}
	f.natEntries++
	f.natChanged[block/perNAT] = true
}

// forget drops a block of metadata.
func (f *fs) forget(block int32) {
	if f.state[block] == dirty {
		f.state[block] = listed
		f.dirty--
	}
	f.h.Forget(f.keys + block)
	if f.home[block] == host.None {
		return
	}
	f.invalidate(f.home[block])
	f.home[block] = host.None
	if block < 2*f.most {
		f.readdress(block)
	}
}

// writeOldest appends the writing of the blocks that are dirty for the longest time.
func (f *fs) writeOldest(t *plan.Thread) {
	f.balance(t)
	from := len(t.Steps)
	for n := 0; n < f.batch && f.at < len(f.list); f.at++ {
		block := f.list[f.at]
		if f.state[block] == dirty {
			f.write(t, from, block, f.logOf(block))
			f.loosen(t, block)
			n++
		}
		f.state[block] = clean
	}
	system.Together(t, from)
	f.fly(t)
	if f.at > len(f.list)/2 {
		f.list = append(f.list[:0], f.list[f.at:]...)
		f.at = 0
	}
}

// loosen notes that a block was written which is durable only with the next checkpoint:
// recovery rolls forward only what an fsync wrote.
func (f *fs) loosen(t *plan.Thread, block int32) {
	switch {
	case block < f.most:
		f.loose[block] = f.started + 1
		f.record(t, f.nextTx, block)
	case block < 2*f.most:
		f.loose[block-f.most] = f.started + 1
		f.record(t, f.nextTx, block-f.most)
	}
}

func (f *fs) logOf(block int32) int {
	if f.structure(block) == plan.Dentry {
		return leafLog
	}
	return nodeLog
}
