// Package pmfs is PMFS on a memory-semantic SSD: data and metadata in place, by bytes,
// past the page cache.
//
// # Layout
//
// The superblock, the list of truncated files (16 bytes for each node, counted as what they
// belong to: its inode), pages of 32 inodes of 128 bytes, of which 96 are written, and after
// these the pages of directories and files, and those of the trees of 8-byte pointers that
// files of more than a page have.
//
// # Crashes
//
// The journal is compiled out, as in the artifact: a line is durable when it is in the
// protected page buffer, and nothing makes the lines of a call whole. A power failure in
// the middle of a call tears it. A call is recorded as durable when its last line is.
//
// # Source
//
// The artifact of ByteFS (ASPLOS 2025), branch baseline, for the sizes and for what is
// issued; the rest is general knowledge of PMFS.
//
// # Departures
//
//  1. A directory has its entries by hash (system.Folders), so that searching it reads one
//     page of 4 KiB, where PMFS reads on until it finds the entry or room for one.
//  2. Open and stat read the inode only: names are in the kernel's cache of them.
//  3. Only the leaves of trees are written; what is above them is as good as in the inode.
//  4. A page that a file has not got reads as zeros without a request.
//  5. A directory is locked while it changes, not while it is searched. Its inode is read
//     where something is added to it, not where something is removed.
//  6. As issued (machine.Host.AsIssued), loads and stores are those of the artifact's calls but for
//     rename and truncate, for trees above their leaves, and for the inode of a directory that it
//     loads for every page that it looks through.
package pmfs

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

const (
	pointers  = 512 // of a leaf
	truncated = 256 // files of a page of their list

	// What is loaded of an entry: all of the artifact's structure, with its 255 bytes of name.
	entryLines = 5
	entry      = uint64(1)<<entryLines - 1

	// Bytes that the artifact's PMFS asks for (pmfs_def.h, wprotect.h, dir.c), of a name of
	// Filebench's eight letters.
	inodeLoad     = 80
	inodeStore    = 96
	entryBytes    = 272
	insertBytes   = 136
	eraseBytes    = 16
	truncateBytes = 16
)

// A fs is PMFS.
type fs struct {
	system.Bare
	truncated int32 // first page of the list
	folders   *system.Folders
	leaves    [][]int32 // by node: those of its tree
}

// Recovery finds what is in place: the journal is compiled out of the artifact.
var Recovery = plan.Recovery{Tears: true}

// New returns the file system over the nodes that exist.
func New(h *host.Host) plan.FS {
	most := len(h.Files)
	f := &fs{Bare: system.Bare{H: h}, leaves: make([][]int32, most)}
	f.Issued, f.InodeLoad, f.InodeStore = system.AsIssued(h), inodeLoad, inodeStore
	h.Mounted = append(h.Mounted, h.Reserve(1))
	f.truncated = h.Reserve((most + truncated - 1) / truncated)
	f.Area()
	h.Place()
	for i := range h.Files {
		if n := len(h.Files[i].Slots); n > 1 {
			f.leaves[i] = h.Alloc((n+pointers-1)/pointers, host.None, nil)
			h.Mounted = append(h.Mounted, f.leaves[i]...)
		}
	}
	f.folders = system.NewFolders(h)
	return f
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
		f.LoadInode(t, c.Node)
	case call.Fsync, call.Fdatasync, call.Close:
		h.Charge(t, c)
		return
	case call.Read:
		h.Charge(t, c)
		f.LoadInode(t, c.Node)
		if f.Issued { // once a page: where it is
			end := min(c.Offset+c.Length, h.Files[c.Node].Size)
			for range max(0, (end-1)/host.PageSize-c.Offset/host.PageSize) {
				f.LoadInode(t, c.Node)
			}
		}
		system.Load(h, t, c)
	case call.Write:
		f.write(t, c)
	case call.Create, call.Mkdir:
		h.Compute(t, h.Setup.Host.NamespacePMFS)
		f.create(t, c)
	case call.Unlink, call.Rmdir:
		h.Compute(t, h.Setup.Host.NamespacePMFS)
		f.remove(t, c)
	case call.Rename:
		h.Compute(t, h.Setup.Host.NamespacePMFS)
		f.rename(t, c)
	case call.Truncate:
		f.truncate(t, c)
	}
	f.Note(t, c, from)
}

// # Names

// search reads the page of a directory in which a node's entry is, or the entry alone.
func (f *fs) search(t *plan.Thread, node, dir int32) {
	page, line, _ := f.folders.Entry(node, dir)
	lines := ^uint64(0)
	if f.H.Setup.Host.EntryLoads {
		lines = entry << min(line&^1, host.PageSize/64-entryLines)
	}
	f.Ask(t, plan.ByteRead, plan.Dentry, page, lines, entryBytes)
}

// miss reads the page of a directory in which a node's entry will be, unless loads are of
// entries that are found alone.
func (f *fs) miss(t *plan.Thread, node, dir int32) {
	if !f.H.Setup.Host.EntryLoads {
		f.search(t, node, dir)
	}
}

// insert writes the two lines of a new entry: header and name.
func (f *fs) insert(t *plan.Thread, node, dir int32) {
	page, line, _ := f.folders.Entry(node, dir)
	f.Ask(t, plan.ByteWrite, plan.Dentry, page, 0b11<<(line&^1), insertBytes)
}

func (f *fs) erase(t *plan.Thread, node, dir int32) {
	page, line, _ := f.folders.Entry(node, dir)
	f.Ask(t, plan.ByteWrite, plan.Dentry, page, 1<<(line&^1), eraseBytes)
}

// room gives a directory a further page if it needs one for a node, and adds the node.
func (f *fs) room(node, dir int32) (grown bool) {
	if grown = f.folders.Full(dir); grown {
		f.folders.Grow(dir)
	}
	f.folders.Add(node, dir)
	return grown
}

// point writes the leaf's pointer of a directory's last page, if it has more than one.
func (f *fs) point(t *plan.Thread, dir int32) {
	if n := len(f.H.Files[dir].Slots); n > 1 {
		f.pointer(t, dir, n-1)
	}
}

func (f *fs) create(t *plan.Thread, c *call.Call) {
	h := f.H
	grown := f.room(c.Node, c.Dir)
	f.LoadInode(t, c.Dir)
	f.miss(t, c.Node, c.Dir)
	h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
	if f.Issued { // whether it is free; then what it inherits
		f.LoadInode(t, c.Node)
		f.WriteInode(t, c.Node)
	}
	f.WriteInode(t, c.Node)
	if c.Code == call.Mkdir {
		f.Access(t, plan.ByteWrite, plan.Dentry, f.folders.Grow(c.Node), 1)
	}
	f.Hold(t, c.Dir)
	h.Compute(t, h.Setup.Host.Section)
	if grown {
		f.point(t, c.Dir)
	}
	f.insert(t, c.Node, c.Dir)
	f.WriteInode(t, c.Dir)
	f.Done(t)
	f.Release(t)
}

func (f *fs) remove(t *plan.Thread, c *call.Call) {
	h := f.H
	s := plan.Data
	if h.Files[c.Node].Dir {
		s = plan.Dentry
	}
	f.search(t, c.Node, c.Dir)
	f.Hold(t, c.Dir, c.Node)
	h.Compute(t, h.Setup.Host.Section)
	f.erase(t, c.Node, c.Dir)
	f.folders.Remove(c.Node, c.Dir)
	f.WriteInode(t, c.Node)
	f.shorten(t, c.Node)
	f.WriteInode(t, c.Dir)
	if f.Issued { // when the kernel lets it go
		f.LoadInode(t, c.Node)
		f.WriteInode(t, c.Node)
		f.shorten(t, c.Node)
	}
	f.Done(t)
	f.Pages = h.Remove(c.Node, f.Pages[:0])
	system.Discard(t, s, f.Pages)
	f.prune(t, c.Node)
	f.Release(t)
}

func (f *fs) rename(t *plan.Thread, c *call.Call) {
	h := f.H
	from := h.Files[c.Node].Parent
	f.LoadInode(t, from)
	f.search(t, c.Node, from)
	old, line, _ := f.folders.Entry(c.Node, from)
	f.folders.Remove(c.Node, from)
	grown := f.room(c.Node, c.Dir)
	h.Files[c.Node].Parent = c.Dir
	if c.Dir != from {
		f.LoadInode(t, c.Dir)
		f.miss(t, c.Node, c.Dir)
	}
	over := c.Node // no other
	if c.Over != 0 {
		over = c.Over
		f.search(t, over, c.Dir)
	}
	f.Hold(t, from, c.Dir, c.Node, over)
	h.Compute(t, h.Setup.Host.Section)
	if c.Over != 0 {
		f.erase(t, over, c.Dir)
		f.folders.Remove(over, c.Dir)
		f.WriteInode(t, over)
		f.shorten(t, over)
	}
	if grown {
		f.point(t, c.Dir)
	}
	f.insert(t, c.Node, c.Dir)
	f.Access(t, plan.ByteWrite, plan.Dentry, old, 1<<(line&^1))
	f.WriteInode(t, from)
	if c.Dir != from {
		f.WriteInode(t, c.Dir)
	}
	f.Done(t)
	if c.Over != 0 {
		folder := plan.Data
		if h.Files[over].Dir {
			folder = plan.Dentry
		}
		f.Pages = h.Remove(over, f.Pages[:0])
		system.Discard(t, folder, f.Pages)
		f.prune(t, over)
	}
	f.Release(t)
}

// # Data

func (f *fs) write(t *plan.Thread, c *call.Call) {
	h := f.H
	file := &h.Files[c.Node]
	f.Hold(t, c.Node)
	h.Charge(t, c)
	f.LoadInode(t, c.Node)
	offset, end := f.Range(c)
	for at := offset; at < end; {
		i := at / host.PageSize
		start := i * host.PageSize
		stop := min(end, start+host.PageSize)
		slot := &file.Slots[i]
		lines, before := system.Lines(at-start, stop-start), slot.Home
		if before == host.None {
			hint := int32(host.None)
			if i > 0 {
				hint = file.Slots[i-1].Home
			}
			f.Pages = h.Alloc(1, f.Hint(hint), f.Pages[:0])
			slot.Home, lines = f.Pages[0], ^uint64(0)
		}
		if f.Issued {
			f.LoadInode(t, c.Node) // where the page is
			if before == host.None {
				f.WriteInode(t, c.Node) // how many pages it has
			}
		}
		f.Placed(c.Node, i, before, slot.Home, lines)
		if before == host.None {
			f.Access(t, plan.ByteWrite, plan.Data, slot.Home, lines)
		} else {
			f.Ask(t, plan.ByteWrite, plan.Data, slot.Home, lines, stop-at)
		}
		if before == host.None && len(file.Slots) > 1 {
			f.pointer(t, c.Node, int(i))
		}
		at = stop
	}
	f.WriteInode(t, c.Node)
	f.Done(t)
	f.Release(t)
}

// pointer writes the line of a node's tree that has its page i.
func (f *fs) pointer(t *plan.Thread, node int32, i int) {
	for len(f.leaves[node]) <= i/pointers {
		f.leaves[node] = f.H.Alloc(1, f.Hint(host.None), f.leaves[node])
	}
	f.Access(t, plan.ByteWrite, plan.Pointer, f.leaves[node][i/pointers], 1<<(i%pointers/8))
}

func (f *fs) truncate(t *plan.Thread, c *call.Call) {
	h := f.H
	f.Hold(t, c.Node)
	h.Charge(t, c)
	f.LoadInode(t, c.Node)
	f.Pages = h.Resize(c.Node, c.Length, f.Pages[:0])
	h.Files[c.Node].Meta = false
	f.shorten(t, c.Node)
	f.WriteInode(t, c.Node)
	f.Done(t)
	system.Discard(t, plan.Data, f.Pages)
	if len(h.Files[c.Node].Slots) == 0 {
		f.prune(t, c.Node)
	}
	f.Release(t)
}

// shorten writes a file's item in the list of those whose pages are to be freed.
func (f *fs) shorten(t *plan.Thread, node int32) {
	f.Ask(t, plan.ByteWrite, plan.Inode, f.truncated+node/truncated, 1<<(node%truncated/4), truncateBytes)
}

// prune gives a node's tree back.
func (f *fs) prune(t *plan.Thread, node int32) {
	system.Discard(t, plan.Pointer, f.leaves[node])
	f.leaves[node] = f.leaves[node][:0]
}
