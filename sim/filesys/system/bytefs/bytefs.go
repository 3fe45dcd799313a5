// Package bytefs is ByteFS: metadata are written by bytes and read by blocks, data are
// written by whichever is less, and the log of the device makes changes atomic.
//
// # Layout
//
// The superblock, the bitmaps of inodes and of blocks (a bit each; 512 of them share a line
// of 64 bytes, which is called a group), pages of 32 inodes of 128 bytes, and after these
// the pages of directories and files in any order.
//
// # Transactions
//
// A call that changes names, and what is written back of a file whose size or pages
// changed, is a transaction: it takes the locks of all inodes and then of all groups whose
// lines it writes, in ascending order, draws its number, writes the lines, gives the locks up
// and commits. The lock of a directory's inode is that of its entries. So no two open
// transactions write the same line, and numbers, commits and the lines in the log have the
// same order wherever two transactions meet. Data are written before the lines that point
// to them and belong to no transaction.
//
// The locks are given up when the last line has arrived, at the instant at which COMMIT is
// issued, just before it. Nobody sees a line of a transaction without its COMMIT for that:
// who gets a lock then sends its first line later than that COMMIT, and the SSD takes
// commands in the order in which they are sent, so its own COMMIT comes later too. If the
// power fails between the two, the first is there without the second, never the reverse.
// The call itself is answered when its COMMIT has ended.
//
// What a transaction gives back is free for others when it has committed; nobody writes it
// back any more then, because the engine lets an unlink or truncate wait for that.
//
// # Source
//
// ByteFS (ASPLOS 2025, arXiv 2501.04993), sections on its file system and Table 3, and the
// names of its artifact's structures.
//
// # Departures
//
//  1. The map of a file's pages is in its inode, however many extents it has.
//  2. The bitmaps are in memory from the beginning; only changes of them are written.
//  3. Pages come from one allocator for all cores; inodes have fixed places.
//  4. A read brings whole pages of inodes and directories into the cache, as the paper
//     says; a lookup needs the page of the directory and that of the inode, as the rest of
//     the path is cached.
//  5. Without the log (the paper's ablation), nothing makes several lines atomic: a line is
//     durable when it is in the protected page buffer, and a call is when its last one is.
//     A power failure can tear a call; what a journal against that would cost is not in it.
//     The same holds of the quirk no-commit.
//  6. A page that is new to a file and has nothing but zeros, if it is compared with them
//     (Setup.Fresh), gets its place, and nothing is written there. With FreshShare so many of
//     them differ wholly from what they are compared with, which the artifact does not clear.
//  7. A directory's lock is held from the work on its entries until COMMIT is issued. The
//     paper says that transactions lock, not for how long.
package bytefs

import (
	"math/bits"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

// Options are its mechanisms, for ablations.
type Options struct {
	// Log: the device's DRAM is a log, and COMMIT ends a transaction; else it is a page
	// buffer.
	Log bool
	// Select: a page that changed little goes by bytes; else data always go in blocks.
	Select bool
	// Own: how things go is as the setup's Table has it.
	Own bool
}

// A moment is a column of the table: what something is moved for.
type moment uint8

// The moments.
const (
	lookup moment = iota
	create
	remove
	rename
	truncate
	syncs
	back
	moments
)

// columns are the moments' names in a table.
var columns = [moments]string{"lookup", "create", "delete", "rename", "truncate", "sync", "back"}

// rows are the names of structures in a table; those without one go by bytes.
var rows = [plan.Structures]string{plan.Data: "data", plan.Inode: "inode", plan.Dentry: "dentry", plan.InodeBitmap: "inodes", plan.BlockBitmap: "blocks"}

// A table says what goes by blocks.
type table [plan.Structures][moments]bool

// newTable returns that of a setup, or of ByteFS.
func newTable(o Options, t machine.Table) (x table) {
	if !o.Own {
		t = machine.TableByteFS
	}
	for s, row := range rows {
		for m, column := range columns {
			x[s][m] = row != "" && t.In(row+"."+column)
		}
	}
	return x
}

// mixes reports whether a structure is ever written by blocks.
func (t *table) mixes(s plan.Structure) bool {
	for m := lookup + 1; m < moments; m++ {
		if t[s][m] {
			return true
		}
	}
	return false
}

const (
	group  = 512 // bits of a line of a bitmap
	groups = 64  // lines of a page
)

// What steps Mark tell (Note.What), besides system.Discards.
const (
	begins = 1 // the locks are held: lines follow from step From, for Node or, if it is negative, those whose inodes are written
	ends   = 2 // the lines of transaction Tx are written
)

// A fs is ByteFS. Lists are buffers of the call that is planned.
type fs struct {
	h      *host.Host
	o      Options
	atomic bool // COMMIT makes transactions whole
	table  table
	locks  [plan.Structures]bool // pages of it have locks: they are written by blocks, too
	moment moment                // of the call that is planned

	inodeBits, blockBits, inode int32   // first pages of the areas
	used                        []uint8 // by page of inodes: how many exist
	folders                     *system.Folders
	last                        int32 // number of a transaction
	whole                       bool  // pages are sent as blocks, without a look at them: direct writes

	over   int32   // whose name the transaction takes; 0: nobody's
	nodes  []int32 // whose inodes are written, ascending
	groups []int32 // their locks, ascending
	files  []int32 // whose pages are written back, ascending
	grown  []bool  // of these, whether the file has new pages
	lines  []plan.Step
	pages  []int32
	blocks []int32
	frames []plan.Frame
	images []plan.Step // blocks of metadata of the transaction
	held   []int32     // their locks, ascending
}

// Recovery applies lines of committed transactions; without the log nothing makes one whole.
func (o Options) Recovery() plan.Recovery { return plan.Recovery{Tears: !o.Log} }

// New returns the file system over the nodes that exist.
func New(h *host.Host, o Options) plan.FS {
	f := &fs{h: h, o: o, atomic: o.Log && !h.Setup.Quirks.Has(machine.NoCommit), table: newTable(o, h.Setup.Table)}
	for _, s := range [...]plan.Structure{plan.Inode, plan.InodeBitmap, plan.BlockBitmap} {
		f.locks[s] = f.table.mixes(s)
	}
	most := len(h.Files)
	area := func(n, per int) int32 {
		n = (n + per - 1) / per
		first := h.Reserve(n)
		for i := range n {
			h.Mounted = append(h.Mounted, first+int32(i))
		}
		return first
	}
	area(1, 1)
	f.inodeBits = area(most, group*groups)
	f.blockBits = area(int(h.Pages()), group*groups)
	pages := (most + system.Inodes - 1) / system.Inodes
	f.inode, f.used = h.Reserve(pages), make([]uint8, pages)
	for i := range h.Files {
		if h.Files[i].Exists {
			f.used[i/system.Inodes]++
		}
	}
	for i, n := range f.used {
		if n > 0 {
			h.Mounted = append(h.Mounted, f.inode+int32(i))
		}
	}
	h.Place()
	f.folders = system.NewFolders(h)
	return f
}

// # Calls

// Plan implements plan.FS.
func (f *fs) Plan(t *plan.Thread, c *call.Call, now unit.Time) {
	from := len(t.Steps)
	h, cost := f.h, &f.h.Setup.Host
	switch c.Code {
	case call.Open, call.Stat:
		h.Charge(t, c)
		if c.Node != 0 {
			f.lookup(t, c.Node, h.Files[c.Node].Parent)
		}
		f.load(t, c.Node)
	case call.Read:
		h.Charge(t, c)
		f.read(t, c, now)
	case call.Write:
		f.write(t, c, now)
	case call.Fsync, call.Fdatasync:
		h.Charge(t, c)
		f.frames = h.Dirty(c.Node, f.frames[:0])
		f.sync(t, c.Node, f.frames)
	case call.Close:
		h.Charge(t, c)
	case call.Create, call.Mkdir:
		h.Compute(t, cost.NamespaceByteFS)
		f.moment = create
		f.create(t, c)
	case call.Unlink, call.Rmdir:
		h.Compute(t, cost.NamespaceByteFS)
		f.moment = remove
		f.remove(t, c)
	case call.Rename:
		h.Compute(t, cost.NamespaceByteFS)
		f.moment = rename
		f.rename(t, c)
	case call.Truncate:
		h.Charge(t, c)
		f.moment = truncate
		f.truncate(t, c)
	}
	f.mute(t, from)
}

// mute takes the requests for data out, as the artifact's published branch does.
func (f *fs) mute(t *plan.Thread, from int) {
	if !f.h.Setup.Quirks.Has(machine.NoData) {
		return
	}
	for i := from; i < len(t.Steps); i++ {
		switch s := &t.Steps[i]; s.Kind {
		case plan.BlockRead, plan.BlockWrite, plan.ByteRead, plan.ByteWrite:
			if s.Structure == plan.Data {
				*s = plan.Step{Kind: plan.CPU}
			}
		}
	}
}

// lookup makes sure that the entry of a node is in the cache.
func (f *fs) lookup(t *plan.Thread, node, dir int32) {
	page, line, _ := f.folders.Entry(node, dir)
	f.see(t, plan.Dentry, page, 1<<line, true)
}

// see makes sure that lines of a page are known: by loading them where look-ups go by bytes and the
// cache has not got the page, else by having that in the cache.
func (f *fs) see(t *plan.Thread, s plan.Structure, page int32, lines uint64, mapped bool) {
	switch {
	case f.table[s][lookup]:
		f.h.Meta(t, s, page, mapped)
	case mapped && !f.h.Has(page):
		t.Add(plan.Step{Kind: plan.ByteRead, Structure: s, Page: page, Lines: lines})
	}
}

// load makes sure that the inode of a node is in the cache.
func (f *fs) load(t *plan.Thread, node int32) {
	f.see(t, plan.Inode, f.inode+node/system.Inodes, 0b11<<(2*(node%system.Inodes)), f.used[node/system.Inodes] > 0)
}

func (f *fs) create(t *plan.Thread, c *call.Call) {
	h := f.h
	f.load(t, c.Dir)
	f.load(t, c.Node)
	f.begin()
	if f.folders.Full(c.Dir) {
		page := f.folders.Grow(c.Dir)
		f.block(page)
		h.Meta(t, plan.Dentry, page, false)
	}
	f.folders.Add(c.Node, c.Dir)
	page, _, fill := f.folders.Entry(c.Node, c.Dir)
	h.Meta(t, plan.Dentry, page, fill > 1)
	f.used[c.Node/system.Inodes]++
	h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
	f.update(c.Node, 0b11)
	f.entry(c.Node, c.Dir)
	if c.Code == call.Mkdir {
		page := f.folders.Grow(c.Node)
		h.Meta(t, plan.Dentry, page, false)
		f.line(plan.Dentry, page, 1)
		f.block(page)
	}
	f.update(c.Dir, 1)
	f.number(c.Node)
	f.commit(t, c.Node, h.Setup.Host.Section)
}

func (f *fs) remove(t *plan.Thread, c *call.Call) {
	h := f.h
	f.load(t, c.Dir)
	f.lookup(t, c.Node, c.Dir)
	f.load(t, c.Node)
	f.begin()
	s := f.erase(c.Node)
	f.commit(t, c.Node, h.Setup.Host.Section)
	system.Discard(t, s, f.pages)
}

// erase adds the lines of a node's removal to the transaction. Its pages, of a structure, are
// in pages then.
func (f *fs) erase(node int32) plan.Structure {
	h := f.h
	dir := h.Files[node].Parent
	f.entry(node, dir)
	f.update(node, 1)
	f.update(dir, 1)
	f.number(node)
	s := plan.Data
	if h.Files[node].Dir {
		s = plan.Dentry
	}
	f.pages = h.Remove(node, f.pages[:0])
	for _, p := range f.pages {
		f.block(p)
		if s == plan.Dentry {
			h.Forget(p)
		}
	}
	f.folders.Remove(node, dir)
	f.used[node/system.Inodes]--
	return s
}

func (f *fs) rename(t *plan.Thread, c *call.Call) {
	h := f.h
	from := h.Files[c.Node].Parent
	f.load(t, from)
	f.lookup(t, c.Node, from)
	if c.Over != 0 {
		f.lookup(t, c.Over, c.Dir)
		f.load(t, c.Over)
	}
	f.begin()
	freed := plan.Data
	if f.pages = f.pages[:0]; c.Over != 0 {
		freed = f.erase(c.Over)
		if f.over = c.Over; h.Setup.Mistake == machine.RenameInTwo {
			f.commit(t, c.Over, h.Setup.Host.Section)
			f.begin()
		}
	}
	f.entry(c.Node, from)
	f.update(from, 1)
	if c.Dir != from {
		f.load(t, c.Dir)
		f.folders.Remove(c.Node, from)
		if f.folders.Full(c.Dir) {
			page := f.folders.Grow(c.Dir)
			f.block(page)
			h.Meta(t, plan.Dentry, page, false)
		}
		f.folders.Add(c.Node, c.Dir)
		page, _, fill := f.folders.Entry(c.Node, c.Dir)
		h.Meta(t, plan.Dentry, page, fill > 1)
		h.Files[c.Node].Parent = c.Dir
		f.entry(c.Node, c.Dir)
		f.update(c.Dir, 1)
	}
	f.commit(t, c.Node, h.Setup.Host.Section)
	system.Discard(t, freed, f.pages)
}

func (f *fs) truncate(t *plan.Thread, c *call.Call) {
	h := f.h
	if h.Files[c.Node].Size == c.Length {
		return
	}
	f.load(t, c.Node)
	f.begin()
	f.pages = h.Resize(c.Node, c.Length, f.pages[:0])
	if file := &h.Files[c.Node]; file.Meta { // its size goes with this transaction, for which an fsync has to wait
		file.Meta = false
		h.Sent = append(h.Sent, host.Sent{Node: c.Node, Moved: true})
	}
	for _, p := range f.pages {
		f.block(p)
	}
	if len(f.pages) > 0 {
		f.update(c.Node, 0b11)
	} else {
		f.update(c.Node, 1)
	}
	f.commit(t, c.Node, 0)
	system.Discard(t, plan.Data, f.pages)
}

// # Data

func (f *fs) read(t *plan.Thread, c *call.Call, now unit.Time) {
	if c.Flags&call.Direct == 0 {
		f.h.Read(t, f, c.Node, c.Offset, c.Length, now)
		return
	}
	f.settle(t, c.Node, c.Offset, c.Offset+c.Length)
	if !f.small(c) {
		f.h.ReadDirect(t, c.Node, c.Offset, c.Length)
		return
	}
	system.Load(f.h, t, c)
}

// small reports whether a direct access goes by bytes.
func (f *fs) small(c *call.Call) bool {
	return f.o.Select && c.Length <= int64(f.h.Setup.Host.DirectLimit)
}

// settle writes back what is dirty in a file's range.
func (f *fs) settle(t *plan.Thread, node int32, offset, end int64) {
	f.frames = f.h.DirtyIn(node, int32(offset/host.PageSize), int32((end+host.PageSize-1)/host.PageSize), f.frames[:0])
	if len(f.frames) > 0 {
		f.sync(t, node, f.frames)
	}
}

func (f *fs) write(t *plan.Thread, c *call.Call, now unit.Time) {
	h := f.h
	h.Charge(t, c)
	if c.Length <= 0 {
		return
	}
	if c.Flags&call.Direct != 0 && f.small(c) && f.store(t, c) {
		return
	}
	direct := c.Flags&call.Direct != 0
	w := h.Write(t, f, c, now)
	if f.o.Select && !direct {
		h.Compute(t, h.Setup.Host.Duplicate*unit.Time(w.Copied))
	}
	if direct || c.Flags&call.Sync != 0 {
		f.frames = h.DirtyIn(c.Node, w.First, w.End, f.frames[:0])
		f.whole = direct
		if c.Flags&call.Full != 0 {
			h.Files[c.Node].Meta = true
		}
		f.sync(t, c.Node, f.frames)
		f.whole = false
	}
	if direct {
		h.Evict(c.Node, w.First, w.End)
	}
}

// store writes a small direct write by bytes, if the file has all pages of it.
func (f *fs) store(t *plan.Thread, c *call.Call) bool {
	h := f.h
	file := &h.Files[c.Node]
	offset := c.Offset
	if c.Flags&call.Append != 0 {
		offset = file.Size
	}
	end := offset + c.Length
	if end > file.Size {
		return false
	}
	first, last := offset/host.PageSize, (end-1)/host.PageSize
	f.settle(t, c.Node, offset, end)
	for i := first; i <= last; i++ {
		if file.Slots[i].Home == host.None {
			return false
		}
	}
	for i := first; i <= last; i++ {
		home, start := file.Slots[i].Home, i*host.PageSize
		lines := system.Lines(max(offset-start, 0), min(end-start, host.PageSize))
		if h.Env.Recording() {
			h.Env.Record(plan.Event{Moment: plan.Placed, Page: home, Lines: lines, Place: plan.Place{Node: c.Node, Index: int32(i), Before: home}})
		}
		t.Add(plan.Step{Kind: plan.ByteWrite, Structure: plan.Data, Page: home, Lines: lines})
	}
	h.Evict(c.Node, int32(first), int32(last+1))
	return true
}

// sync makes dirty pages of a file durable, and its size and map.
func (f *fs) sync(t *plan.Thread, node int32, frames []plan.Frame) {
	f.files, f.grown = append(f.files[:0], node), append(f.grown[:0], false)
	f.moment = syncs
	f.flush(t, frames, node)
}

// WriteBack implements plan.FS.
func (f *fs) WriteBack(t *plan.Thread, frames []plan.Frame, now unit.Time) {
	from := len(t.Steps)
	f.files, f.grown = f.files[:0], f.grown[:0]
	for _, frame := range frames {
		if i, has := system.Insert(&f.files, f.h.Page(frame).Node); !has {
			f.grown = slices.Insert(f.grown, i, false)
		}
	}
	f.moment = back
	f.flush(t, frames, host.None)
	f.mute(t, from)
}

// flush writes dirty pages of files and then their inodes and the bitmap in a transaction,
// if sizes or maps changed. The pages are compared with their duplicates, or with zeros.
// The call is on node.
func (f *fs) flush(t *plan.Thread, frames []plan.Frame, node int32) {
	h := f.h
	f.begin()
	if f.o.Select && !f.whole {
		compared := 0
		for _, frame := range frames {
			if p := h.Page(frame); p.Duplicate || p.New && h.Setup.Fresh {
				compared++
			}
		}
		h.Compute(t, h.Setup.Host.Compare*unit.Time(compared))
	}
	f.blocks = f.blocks[:0]
	for i := 0; i < len(frames); {
		p := h.Page(frames[i])
		if p.Home == host.None {
			i += f.place(t, frames[i:], p)
			continue
		}
		f.send(t, frames[i], p, p.Home)
		i++
	}
	late := h.Setup.Mistake == machine.CommitFirst
	if !late {
		f.sendBlocks(t)
	}
	for i, n := range f.files {
		switch file := &h.Files[n]; {
		case f.grown[i]:
			f.update(n, 0b11)
			file.Meta = false
		case file.Meta:
			f.update(n, 1)
			file.Meta = false
		}
	}
	f.commit(t, node, 0)
	if late {
		f.sendBlocks(t)
	}
}

// sendBlocks writes the pages that go as blocks, and waits until they are durable.
func (f *fs) sendBlocks(t *plan.Thread) {
	system.Runs(t, plan.Step{Kind: plan.BlockWrite, Structure: plan.Data}, f.blocks)
	if len(f.blocks) > 0 && f.h.Setup.Flushes() {
		t.Add(plan.Step{Kind: plan.Flush})
	}
}

// place gives a home to a page that has none and to those after it in a row, sends them,
// and returns how many they are.
func (f *fs) place(t *plan.Thread, frames []plan.Frame, p host.Page) int {
	h := f.h
	n := system.Homeless(h, frames)
	hint := int32(host.None)
	if p.Index > 0 {
		hint = h.Files[p.Node].Slots[p.Index-1].Home
	}
	f.pages = h.Alloc(n, hint, f.pages[:0])
	i, _ := slices.BinarySearch(f.files, p.Node)
	f.grown[i] = true
	for i, home := range f.pages {
		f.block(home)
		f.send(t, frames[i], h.Page(frames[i]), home)
	}
	return n
}

// send writes a dirty page to its home: not at all, by bytes, or with others as blocks.
func (f *fs) send(t *plan.Thread, frame plan.Frame, p host.Page, home int32) {
	h := f.h
	switch changed := bits.OnesCount64(p.Changed); {
	case f.whole || !f.o.Select || changed > 0 && (f.table[plan.Data][f.moment] || int64(changed) >= h.Setup.Host.ByteLimit):
		h.Counts.SentBlocks++
		f.blocks = append(f.blocks, home)
	case changed > 0:
		h.Counts.SentBytes++
		t.Add(plan.Step{Kind: plan.ByteWrite, Structure: plan.Data, Page: home, Lines: p.Changed})
	default:
		h.Counts.SentNothing++
	}
	h.Clean(frame, home)
}

// # Transactions

// begin makes the transaction that is planned empty.
func (f *fs) begin() {
	f.nodes, f.groups, f.lines, f.over = f.nodes[:0], f.groups[:0], f.lines[:0], 0
}

// line adds lines of a page.
func (f *fs) line(s plan.Structure, page int32, lines uint64) {
	f.lines = append(f.lines, plan.Step{Kind: plan.ByteWrite, Structure: s, Page: page, Lines: lines})
}

// update adds the upper (1) line or both (0b11) of a node's inode.
func (f *fs) update(node int32, lines uint64) {
	system.Insert(&f.nodes, node)
	f.line(plan.Inode, f.inode+node/system.Inodes, lines<<(2*(node%system.Inodes)))
}

// entry adds the line of a node's entry.
func (f *fs) entry(node, dir int32) {
	page, line, _ := f.folders.Entry(node, dir)
	f.line(plan.Dentry, page, 1<<line)
}

// number adds the group of a node's inode in the bitmap.
func (f *fs) number(node int32) { system.Insert(&f.groups, f.inodeGroups()+node/group) }

// block adds the group of a page in the bitmap.
func (f *fs) block(page int32) { system.Insert(&f.groups, f.blockGroups()+page/group) }

// Locks are numbered: of inodes, of the groups of inodes, and of those of blocks.
func (f *fs) inodeGroups() int32 { return int32(len(f.h.Files)) }

func (f *fs) blockGroups() int32 {
	return f.inodeGroups() + (int32(len(f.h.Files))+group-1)/group
}

// commit appends the transaction, which is a call's on node, with so much work in it that
// excludes others in the same directories.
func (f *fs) commit(t *plan.Thread, node int32, section unit.Time) {
	if len(f.lines) == 0 {
		return
	}
	first := f.blockGroups()
	for _, g := range f.groups {
		s, page, at := plan.BlockBitmap, f.blockBits, g-first
		if g < first {
			s, page, at = plan.InodeBitmap, f.inodeBits, g-f.inodeGroups()
		}
		f.line(s, page+at/groups, 1<<(at%groups))
	}
	images := f.blocked(t)
	for _, n := range f.nodes {
		t.Add(plan.Step{Kind: plan.Hold, Page: n})
	}
	f.h.Compute(t, section)
	for _, g := range f.groups {
		t.Add(plan.Step{Kind: plan.Hold, Page: g})
	}
	for _, p := range f.held {
		t.Add(plan.Step{Kind: plan.Hold, Page: p})
	}
	recording := f.h.Env.Recording()
	if f.atomic || recording {
		t.Add(plan.Note{What: begins, Node: node, Page: f.over, From: int32(len(t.Steps) + 1)}.Step())
	}
	if len(images) > 0 {
		from := len(t.Steps)
		t.Steps = append(t.Steps, images...)
		system.Together(t, from)
		if f.h.Setup.Flushes() {
			t.Add(plan.Step{Kind: plan.Flush})
		}
	}
	t.Steps = append(t.Steps, f.lines...)
	for _, p := range f.held {
		t.Add(plan.Step{Kind: plan.Release, Page: p})
	}
	for _, g := range f.groups {
		t.Add(plan.Step{Kind: plan.Release, Page: g})
	}
	for _, n := range f.nodes {
		t.Add(plan.Step{Kind: plan.Release, Page: n})
	}
	if f.atomic && len(f.lines) > 0 { // in no time after the releases, so before all that they let go on
		t.Add(plan.Step{Kind: plan.Commit})
	} else if f.atomic || recording {
		t.Add(plan.Note{What: ends}.Step())
	}
}

// blocked takes the lines out of the transaction that go with their whole block, and returns the
// blocks, each once, with the lines as what of them changes. What the cache has not got of them it
// reads. The locks of pages that others may write as blocks are in held then.
func (f *fs) blocked(t *plan.Thread) []plan.Step {
	f.held, f.images = f.held[:0], f.images[:0]
	if !f.o.Own {
		return nil
	}
	first := f.blockGroups() + (f.h.Pages()+group-1)/group
	left := f.lines[:0]
	for _, s := range f.lines {
		if f.locks[s.Structure] {
			system.Insert(&f.held, first+s.Page)
		}
		if !f.table[s.Structure][f.moment] {
			left = append(left, s)
			continue
		}
		at := slices.IndexFunc(f.images, func(x plan.Step) bool { return x.Page == s.Page })
		if at >= 0 {
			f.images[at].Lines |= s.Lines
			continue
		}
		if s.Structure == plan.Inode || s.Structure == plan.Dentry {
			f.h.Meta(t, s.Structure, s.Page, true)
		}
		s.Kind, s.N = plan.BlockWrite, 1
		f.images = append(f.images, s)
	}
	f.lines = left
	return f.images
}

// Marked implements plan.FS.
func (f *fs) Marked(t *plan.Thread, n plan.Note, now unit.Time) {
	switch n.What {
	case begins:
		f.draw(t, n)
	case ends:
		f.h.Env.Record(plan.Event{Moment: plan.Durable, Tx: n.Tx, Thread: t.ID, Call: t.Call})
	default:
		f.pages = system.Discarded(f.h, t, n, f.pages)
	}
}

// draw numbers a transaction whose locks are held.
func (f *fs) draw(t *plan.Thread, n plan.Note) {
	f.last++
	joined := plan.Event{Moment: plan.Joined, Tx: f.last, Thread: t.ID, Call: t.Call, Node: n.Node}
	recording := f.h.Env.Recording()
	if recording && n.Node >= 0 {
		joined.Page = f.inode + n.Node/system.Inodes
		f.h.Env.Record(joined)
		if n.Page != 0 {
			over := joined
			over.Node, over.Page = n.Page, f.inode+n.Page/system.Inodes
			f.h.Env.Record(over)
		}
	}
	for i := n.From; ; i++ {
		switch step := &t.Steps[i]; step.Kind {
		case plan.ByteWrite:
			if f.atomic || !f.o.Log {
				step.Tx = f.last
			}
			if recording && n.Node < 0 && step.Structure == plan.Inode {
				joined.Page = step.Page
				joined.Node = (step.Page-f.inode)*system.Inodes + int32(bits.TrailingZeros64(step.Lines))/2
				f.h.Env.Record(joined)
			}
		case plan.BlockWrite:
			step.Tx = f.last
			if recording && n.Node < 0 && step.Structure == plan.Inode {
				joined.Page = step.Page
				for lines := step.Lines; lines != 0; {
					inode := bits.TrailingZeros64(lines) / 2
					lines &^= 0b11 << (2 * inode)
					joined.Node = (step.Page-f.inode)*system.Inodes + int32(inode)
					f.h.Env.Record(joined)
				}
			}
		case plan.Flush:
		case plan.Release:
		default: // COMMIT, or the Mark in its place
			step.Tx = f.last
			return
		}
	}
}

// Wait implements plan.FS; nothing waits.
func (*fs) Wait(*plan.Thread, *plan.Step, unit.Time) bool { return true }

// Actors implements plan.FS.
func (*fs) Actors() int { return 0 }

// Act implements plan.FS.
func (*fs) Act(*plan.Thread, int, unit.Time) {}

// Finish implements plan.FS; nothing is left.
func (*fs) Finish(*plan.Thread, unit.Time) {}
