// Package nova is NOVA on a memory-semantic SSD: a log for every inode, data copied on
// write, all of it by bytes and past the page cache.
//
// # Layout
//
// The superblock, a page of journal for every core, pages of 32 inodes of 128 bytes, and
// after these the pages of logs and files. A page of a log has 63 lines of entries and one
// that links to the next.
//
// # Crashes
//
// An entry counts when the tail of its log, which is in the inode, is behind it. A call that
// moves more than one tail writes the old ones to its core's journal before, and voids that
// after the last: then it is durable. The lines of a call that is not are as if never
// written. Pages are given back after that.
//
// # Source
//
// The artifact of ByteFS (ASPLOS 2025), branch baseline, for the sizes and for what is
// issued; the rest is general knowledge of NOVA.
//
// # Departures
//
//  1. Logs are not collected: a page of a log goes back when its file or directory does.
//  2. An inode has a fixed place, and a log begins when something is written to it.
//  3. Open and stat read entry and inode, as the artifact issues loads for every lookup.
//  4. Checksums and replicas are off.
//  5. A directory is locked while its log is written, not while it is searched or a file's
//     own log is written; places in logs are given in the order of planning.
//  6. A page that a file has not got reads as zeros without a request.
//  7. As issued (machine.Host.AsIssued), stores and loads are those of the artifact's calls but for
//     rename and truncate; logs grow by one page where it doubles them, and what it moves before
//     the run, where Filebench opens all files, is not counted.
package nova

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

const (
	lines = 64        // of a page
	link  = lines - 1 // the line that leads to the next page of a log
)

// Lines of a journal.
const (
	pointers = 0b001 // head and tail: what is between them is valid
	olds     = 0b110 // two entries: where tails were
)

// A fs is NOVA.
type fs struct {
	system.Bare
	journal int32   // its first page
	head    []int32 // by node: the first page of its log, or none
	tail    []int32 // by node: its next line, counted over all pages of the device
	entry   []int32 // by node: the first line of its entry in the log of its directory
	next    []int32 // by page of a log: the page after it
	logs    []int32 // a buffer
	inPlace bool    // what is overwritten stays where it is
}

// Recovery reads the log of every inode up to its tail.
var Recovery = plan.Recovery{By: plan.ByEntries}

// New returns the file system over the nodes that exist.
func New(h *host.Host) plan.FS {
	most := len(h.Files)
	f := &fs{
		Bare: system.Bare{H: h}, head: make([]int32, most), tail: make([]int32, most),
		entry: make([]int32, most), next: make([]int32, h.Pages()), inPlace: system.InPlace(h),
	}
	f.Issued, f.InodeLoad, f.InodeStore = system.AsIssued(h), inodeBytes, inodeBytes
	h.Mounted = append(h.Mounted, h.Reserve(1))
	f.journal = h.Reserve(int(h.Setup.Host.Cores))
	f.Area()
	h.Place()
	for i := range h.Files {
		f.head[i] = host.None
	}
	for i := range h.Files {
		file := &h.Files[i]
		if !file.Exists {
			continue
		}
		if i > 0 {
			f.entry[i] = f.mount(file.Parent, 2)
		}
		switch {
		case file.Dir:
			f.mount(int32(i), 2) // itself and its parent
		case file.Size > 0:
			f.mount(int32(i), 1)
		}
	}
	return f
}

// mount gives an entry that exists its place.
func (f *fs) mount(node int32, n int32) int32 {
	at, linked := f.place(node, n)
	if linked != host.None {
		f.H.Mounted = append(f.H.Mounted, at/lines)
	}
	return at
}

// place finds room for an entry of n lines in a node's log. linked is the page whose link
// changes with that: the log got a further page. It is none if it did not.
func (f *fs) place(node, n int32) (at, linked int32) {
	linked = host.None
	if f.head[node] == host.None || f.tail[node]%lines+n > link {
		f.logs = f.H.Alloc(1, f.Hint(host.None), f.logs[:0])
		page := f.logs[0]
		if f.head[node] == host.None {
			f.head[node], linked = page, page
		} else {
			linked = f.tail[node] / lines
			f.next[linked] = page
		}
		f.next[page], f.tail[node] = host.None, page*lines
	}
	at = f.tail[node]
	f.tail[node] += n
	return at, linked
}

// append writes an entry to a node's log.
func (f *fs) append(t *plan.Thread, s plan.Structure, node, n int32) int32 {
	at, linked := f.place(node, n)
	if linked != host.None {
		f.Access(t, plan.ByteWrite, plan.Pointer, linked, 1<<link)
	}
	f.Access(t, plan.ByteWrite, s, at/lines, (1<<n-1)<<(at%lines))
	return at
}

// Bytes that the artifact's NOVA asks for (nova.h, log.h, mprotect.h).
const (
	inodeBytes   = 120
	entryBytes   = 64  // of a write, and of a name of Filebench's eight letters
	lookupBytes  = 304 // of the structure of a name
	changeBytes  = 40  // of a change of links
	journalBytes = 8   // of a transaction, whatever it has
	pageBytes    = 96  // of a new page of a log
	nextBytes    = 8   // where the next page of a log is
)

// issue is append as the artifact issues it: bytes of an entry of one line. A log that has no page
// yet gets one, which its inode says, stored twice.
func (f *fs) issue(t *plan.Thread, s plan.Structure, node int32, bytes int64) int32 {
	none := f.head[node] == host.None
	at, linked := f.place(node, 1)
	if linked != host.None {
		f.Ask(t, plan.ByteWrite, plan.Pointer, at/lines, 0b11, pageBytes)
		if none {
			f.WriteInode(t, node)
			f.WriteInode(t, node)
		} else {
			f.Ask(t, plan.ByteWrite, plan.Pointer, linked, 1<<link, nextBytes)
		}
	}
	f.Ask(t, plan.ByteWrite, s, at/lines, 1<<(at%lines), bytes)
	return at
}

// transact is a transaction as the artifact issues it: a store in the first page of the journal,
// whatever the core.
func (f *fs) transact(t *plan.Thread) {
	f.Ask(t, plan.ByteWrite, plan.Journal, f.journal, 1, journalBytes)
}

// made is create as the artifact issues it, the directory's inode being in the kernel's cache.
func (f *fs) made(t *plan.Thread, c *call.Call) {
	h := f.H
	h.Compute(t, h.Setup.Host.NamespaceNOVA)
	h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
	f.Hold(t, c.Dir)
	h.Compute(t, h.Setup.Host.Section)
	f.entry[c.Node] = f.issue(t, plan.Dentry, c.Dir, entryBytes)
	f.WriteInode(t, c.Node)
	f.LoadInode(t, c.Node) // its flags
	if c.Code == call.Mkdir {
		// Its log gets a page, and is read to build the tree of names.
		at, _ := f.place(c.Node, 2)
		f.Ask(t, plan.ByteWrite, plan.Pointer, at/lines, 0b11, pageBytes)
		f.WriteInode(t, c.Node)
		f.LoadInode(t, c.Node)
		f.LoadInode(t, c.Node)
		f.WriteInode(t, c.Node)
		f.Ask(t, plan.ByteRead, plan.Pointer, at/lines, 1<<link, nextBytes)
	}
	f.transact(t)
	f.Release(t)
}

// gone is remove as the artifact issues it: the entry is voided in place.
func (f *fs) gone(t *plan.Thread, c *call.Call) {
	h := f.H
	if c.Code == call.Rmdir {
		at := f.entry[c.Node]
		last := min(at%lines+5, lines)
		f.Ask(t, plan.ByteRead, plan.Dentry, at/lines, system.Lines(int64(at%lines)*64, int64(last)*64), lookupBytes)
	}
	h.Compute(t, h.Setup.Host.NamespaceNOVA)
	f.Hold(t, c.Dir, c.Node)
	h.Compute(t, h.Setup.Host.Section)
	f.transact(t)
	f.issue(t, plan.Inode, c.Node, changeBytes)
	f.transact(t)
	f.WriteInode(t, c.Node)
	f.WriteInode(t, c.Node) // its log is given back
	for p := f.head[c.Node]; p != host.None; p = f.next[p] {
		f.Ask(t, plan.ByteRead, plan.Pointer, p, 1<<link, nextBytes)
	}
	f.Pages = h.Remove(c.Node, f.Pages[:0])
	system.Discard(t, plan.Data, f.Pages)
	f.drop(t, c.Node)
	f.Release(t)
}

// drop appends the giving back of a node's log.
func (f *fs) drop(t *plan.Thread, node int32) {
	f.logs = f.logs[:0]
	for p := f.head[node]; p != host.None; p = f.next[p] {
		f.logs = append(f.logs, p)
	}
	f.head[node] = host.None
	system.Discard(t, plan.Pointer, f.logs)
}

// Plan implements plan.FS.
func (f *fs) Plan(t *plan.Thread, c *call.Call, now unit.Time) {
	h, from := f.H, len(t.Steps)
	switch c.Code {
	case call.Open, call.Stat:
		h.Charge(t, c)
		if f.Issued { // the kernel has names and inodes
			return
		}
		if c.Node != 0 {
			f.look(t, c.Node)
		}
		f.LoadInode(t, c.Node)
	case call.Fsync, call.Fdatasync, call.Close:
		h.Charge(t, c)
		return
	case call.Read:
		h.Charge(t, c)
		if !f.Issued {
			f.LoadInode(t, c.Node)
		}
		system.Load(h, t, c)
	case call.Write:
		f.write(t, c)
	case call.Create, call.Mkdir:
		if f.Issued {
			f.made(t, c)
		} else {
			f.create(t, c)
		}
	case call.Unlink, call.Rmdir:
		if f.Issued {
			f.gone(t, c)
		} else {
			f.remove(t, c)
		}
	case call.Rename:
		f.rename(t, c)
	case call.Truncate:
		f.truncate(t, c)
	}
	f.Note(t, c, from)
}

// # Names

// look reads the entry of a node.
func (f *fs) look(t *plan.Thread, node int32) {
	at := f.entry[node]
	f.Access(t, plan.ByteRead, plan.Dentry, at/lines, 0b11<<(at%lines))
}

// open writes the journal before tails move, and shut after that.
func (f *fs) open(t *plan.Thread) {
	f.note(t, olds)
	f.note(t, pointers)
}

func (f *fs) shut(t *plan.Thread) {
	f.note(t, pointers)
	f.Done(t)
}

// note writes lines of the journal of a thread's core.
func (f *fs) note(t *plan.Thread, set uint64) {
	page := f.journal + int32(int64(t.ID)%f.H.Setup.Host.Cores)
	f.Access(t, plan.ByteWrite, plan.Journal, page, set)
}

func (f *fs) create(t *plan.Thread, c *call.Call) {
	h := f.H
	f.LoadInode(t, c.Dir)
	h.Compute(t, h.Setup.Host.NamespaceNOVA)
	h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
	f.WriteInode(t, c.Node)
	if c.Code == call.Mkdir {
		f.append(t, plan.Dentry, c.Node, 2)
	}
	f.Hold(t, c.Dir)
	h.Compute(t, h.Setup.Host.Section)
	f.entry[c.Node] = f.append(t, plan.Dentry, c.Dir, 2)
	f.open(t)
	f.WriteInode(t, c.Dir)
	f.shut(t)
	f.Release(t)
}

func (f *fs) remove(t *plan.Thread, c *call.Call) {
	h := f.H
	f.LoadInode(t, c.Dir)
	f.look(t, c.Node)
	h.Compute(t, h.Setup.Host.NamespaceNOVA)
	f.append(t, plan.Inode, c.Node, 1) // its number of links is none
	f.Hold(t, c.Dir, c.Node)
	h.Compute(t, h.Setup.Host.Section)
	f.append(t, plan.Dentry, c.Dir, 2)
	f.open(t)
	f.WriteInode(t, c.Node)
	f.WriteInode(t, c.Dir)
	f.shut(t)
	f.Pages = h.Remove(c.Node, f.Pages[:0])
	system.Discard(t, plan.Data, f.Pages)
	f.drop(t, c.Node)
	f.Release(t)
}

func (f *fs) rename(t *plan.Thread, c *call.Call) {
	h := f.H
	from := h.Files[c.Node].Parent
	f.LoadInode(t, from)
	if c.Dir != from {
		f.LoadInode(t, c.Dir)
	}
	f.look(t, c.Node)
	h.Compute(t, h.Setup.Host.NamespaceNOVA)
	h.Files[c.Node].Parent = c.Dir
	f.append(t, plan.Inode, c.Node, 1)
	over := c.Node // no other
	if c.Over != 0 {
		over = c.Over
		f.look(t, over)
		f.append(t, plan.Inode, over, 1)
	}
	f.Hold(t, from, c.Dir, c.Node, over)
	h.Compute(t, h.Setup.Host.Section)
	f.entry[c.Node] = f.append(t, plan.Dentry, c.Dir, 2)
	f.append(t, plan.Dentry, from, 2)
	f.open(t)
	f.WriteInode(t, c.Node)
	f.WriteInode(t, from)
	if c.Dir != from {
		f.WriteInode(t, c.Dir)
	}
	if c.Over != 0 {
		f.WriteInode(t, c.Over)
	}
	f.shut(t)
	if c.Over != 0 {
		f.Pages = h.Remove(c.Over, f.Pages[:0])
		system.Discard(t, plan.Data, f.Pages)
		f.drop(t, c.Over)
	}
	f.Release(t)
}

// # Data

// loadTail reads where a node's log ends: the second line of its inode.
func (f *fs) loadTail(t *plan.Thread, node int32) {
	f.Access(t, plan.ByteRead, plan.Inode, f.Inode+node/system.Inodes, 0b10<<(2*(node%system.Inodes)))
}

func (f *fs) write(t *plan.Thread, c *call.Call) {
	h := f.H
	file := &h.Files[c.Node]
	f.Hold(t, c.Node)
	h.Charge(t, c)
	if !f.Issued {
		f.LoadInode(t, c.Node)
		f.loadTail(t, c.Node)
	}
	size := file.Size
	offset, end := f.Range(c)
	if end <= offset {
		f.Release(t)
		return
	}
	first, last := offset/host.PageSize, (end-1)/host.PageSize
	if f.inPlace {
		fresh := 0
		for i := first; i <= last; i++ {
			if file.Slots[i].Home == host.None {
				fresh++
			}
		}
		f.Pages = h.Alloc(fresh, f.Hint(host.None), f.Pages[:0])
	} else {
		f.Pages = h.Alloc(int(last-first)+1, f.Hint(host.None), f.Pages[:0])
	}
	entries, kept, taken, before := int32(0), false, 0, int64(-1) // the last page that got a place
	for i := first; i <= last; i++ {
		start := i * host.PageSize
		from, to := max(offset-start, 0), min(end-start, host.PageSize)
		was := file.Slots[i].Home
		if f.inPlace && was != host.None {
			f.Ask(t, plan.ByteWrite, plan.Data, was, system.Lines(from, to), to-from)
			kept = true
			continue
		}
		home := f.Pages[taken]
		switch {
		case f.Issued: // what is not written of the page is copied or cleared, at its begin
			f.Ask(t, plan.ByteWrite, plan.Data, home, system.Lines(0, from), from)
			f.Ask(t, plan.ByteWrite, plan.Data, home, system.Lines(0, host.PageSize-to), host.PageSize-to)
			f.Ask(t, plan.ByteWrite, plan.Data, home, system.Lines(from, to), to-from)
		default:
			if was != host.None {
				rest := system.Lines(0, min(size-start, host.PageSize)) &^ system.Whole(from, to)
				f.Access(t, plan.ByteRead, plan.Data, was, rest)
			}
			f.Placed(c.Node, i, was, home, ^uint64(0))
			f.Access(t, plan.ByteWrite, plan.Data, home, ^uint64(0))
		}
		file.Slots[i].Home = home
		f.Pages[taken] = was
		taken++
		if before < 0 || before != i-1 || home != file.Slots[i-1].Home+1 {
			entries++
		}
		before = i
	}
	for range entries {
		if f.Issued {
			f.issue(t, plan.Pointer, c.Node, entryBytes)
		} else {
			f.append(t, plan.Pointer, c.Node, 1)
		}
	}
	if kept { // the entry of what was overwritten changes in place
		f.transact(t)
	}
	if entries > 0 {
		f.WriteInode(t, c.Node)
	}
	f.Done(t)
	old := f.Pages[:0]
	for _, p := range f.Pages {
		if p != host.None {
			old = append(old, p)
		}
	}
	system.Discard(t, plan.Data, old)
	f.Release(t)
}

func (f *fs) truncate(t *plan.Thread, c *call.Call) {
	h := f.H
	f.Hold(t, c.Node)
	h.Charge(t, c)
	f.LoadInode(t, c.Node)
	f.loadTail(t, c.Node)
	f.append(t, plan.Inode, c.Node, 1)
	f.WriteInode(t, c.Node)
	f.Done(t)
	f.Pages = h.Resize(c.Node, c.Length, f.Pages[:0])
	h.Files[c.Node].Meta = false
	system.Discard(t, plan.Data, f.Pages)
	f.Release(t)
}
