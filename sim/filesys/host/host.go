// Package host is the part of the operating system that all file systems share: files
// with their pages, the page cache with what of each page has changed, the free pages of
// the device, and what calls cost.
//
// A file system changes all of it when it plans a call, before the steps of the plan are
// executed. Sizes are those of the setup divided by its scale.
//
// # Source
//
// ByteFS (ASPLOS 2025, arXiv 2501.04993), for what is cached; sizes and costs are those of
// sim/filesys/machine, which says where each comes from.
//
// # Departures
//
//  1. A page is in the cache from the moment its read is planned: another thread that
//     wants it too does not wait for it. A page is clean from the moment its writing is
//     planned.
//  2. One LRU list for data and one for metadata, where Linux has two for each. Metadata
//     have at most a share of the cache, and data never push them out: one list for both
//     makes runs of many small files jump between two states.
//  3. What a file holds is not kept, only which lines of a page differ from the device.
//     Files that exist before the run hold what the payload says.
//  4. A direct access is one of the cache that leaves nothing there.
package host

import (
	"math"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// PageSize is a page of the device and of the cache, in bytes; a line is a 64th of it.
const PageSize = 4096

// None is no frame, and no page of the device.
const None = -1

// First is the hint of who takes the free pages with the lowest numbers.
const First = math.MinInt32

// A Slot is a page of a file: its page of the device (None: none yet) and its frame in the
// page cache (None: not there).
type Slot struct {
	Home  int32
	Frame plan.Frame
}

// A File is a file or a directory.
type File struct {
	Parent int32
	Exists bool
	Dir    bool
	// Meta says that size or pages changed since the file's metadata were last made
	// durable. The host sets it, the file system clears it.
	Meta  bool
	Size  int64
	Slots []Slot

	class         int8   // of Slots' memory
	first, last   int32  // dirty frames
	dirty, writes uint32 // how many are dirty; how often it was written
}

// Counts are what the host did. The host counts hits and misses, file systems the rest.
type Counts struct {
	// Data pages read that the cache had, and had not.
	Hits, Misses int64
	// Dirty data pages that were written back: not at all, as nothing had changed, byte-wise,
	// as a block.
	SentNothing, SentBytes, SentBlocks int64
	// Bytes that programs read of pages that the cache had not, and lines, in bytes, that they
	// had written of pages when these were written back: what of all that they asked for had to
	// reach the device.
	ReadThrough, WrittenThrough int64
	Commits                     int64 // of a journal or a checkpoint
}

// A Sent is a file whose pages, from First up to End, are on their way to the device. Moved:
// some of them get a home, so that what says where they are has to follow.
type Sent struct {
	Node, First, End int32
	Moved            bool
}

// A Host is the state that file systems share. Time is never kept here but for the stamps
// of dirty pages.
type Host struct {
	Setup *machine.Setup
	Env   plan.Env
	Files []File
	// Mounted are the pages that hold something when the run begins; a file system lists
	// them in its New.
	Mounted []int32
	// Sent are the files whose pages were written back since who plans emptied it.
	Sent   []Sent
	Counts Counts

	cache  cache
	space  space
	arena  arena
	slots  int64   // of all files
	meta   []int32 // by key: its frame, or None
	victim []plan.Frame
}

// New returns the host of a workload: its nodes exist and have no pages of the device
// yet; file systems place them. Caches are empty. pages is how many the device has.
func New(m *machine.Setup, w *call.Workload, pages int32, env plan.Env) *Host {
	h := &Host{Setup: m, Env: env, Files: make([]File, w.Most), meta: make([]int32, pages)}
	for i := range h.meta {
		h.meta[i] = None
	}
	h.cache.init(m)
	h.space.init(pages)
	for i := range h.Files {
		h.Files[i].first, h.Files[i].last, h.Files[i].class = none, none, noClass
	}
	for i, n := range w.Nodes {
		f := &h.Files[i]
		f.Parent, f.Exists, f.Dir, f.Size = n.Parent, true, n.Dir, n.Size
		if !n.Dir {
			h.grow(f, int32((n.Size+PageSize-1)/PageSize))
		}
	}
	return h
}

// Place gives the pages of all files that exist a home, file after file in the order of
// their numbers, and lists them as mounted.
func (h *Host) Place() {
	var pages []int32
	h.Mounted = slices.Grow(h.Mounted, int(h.slots))
	for i := range h.Files {
		slots := h.Files[i].Slots
		if len(slots) == 0 {
			continue
		}
		pages = h.Alloc(len(slots), None, pages[:0])
		for j := range slots {
			slots[j].Home = pages[j]
		}
		h.Mounted = append(h.Mounted, pages...)
	}
}

// Fill puts pages of the files that exist into the cache until it is full: those of the file with
// the lowest number stay longest, and of a file those at its end.
func (h *Host) Fill() {
	room := h.cache.size - h.cache.used
	last, kept := 0, 0
	for ; last < len(h.Files) && kept < room; last++ {
		if f := &h.Files[last]; f.Exists && !f.Dir {
			kept += len(f.Slots)
		}
	}
	skip := max(0, kept-room) // of the last file, its first pages
	for i := last - 1; i >= 0; i-- {
		f := &h.Files[i]
		if !f.Exists || f.Dir {
			continue
		}
		for j := min(skip, len(f.Slots)); j < len(f.Slots); j++ {
			f.Slots[j].Frame = plan.Frame(h.cache.allocate(int32(i), int32(j)))
		}
		skip = 0
	}
}

// Make makes a node exist, empty.
func (h *Host) Make(node, parent int32, dir bool) {
	f := &h.Files[node]
	f.Parent, f.Exists, f.Dir, f.Meta, f.Size = parent, true, dir, false, 0
}

// Remove makes a node not exist, drops its pages and appends their homes to freed.
func (h *Host) Remove(node int32, freed []int32) []int32 {
	freed = h.Drop(node, 0, freed)
	f := &h.Files[node]
	f.Exists, f.Meta, f.Size = false, false, 0
	return freed
}

// Resize sets the size of a file (truncate), drops the pages beyond it and appends their
// homes to freed.
func (h *Host) Resize(node int32, size int64, freed []int32) []int32 {
	f := &h.Files[node]
	if size == f.Size {
		return freed
	}
	pages := int32((size + PageSize - 1) / PageSize)
	if size < f.Size {
		freed = h.Drop(node, pages, freed)
	} else {
		h.grow(f, pages)
	}
	f.Size, f.Meta = size, true
	return freed
}

// # Costs

// Compute appends work on a core, to the step before if that is such work.
func (h *Host) Compute(t *plan.Thread, d unit.Time) {
	if n := len(t.Steps); n > 0 && t.Steps[n-1].Kind == plan.CPU {
		t.Steps[n-1].For += d
	} else if d > 0 {
		t.Add(plan.Step{Kind: plan.CPU, For: d})
	}
}

// Charge appends what a call costs in any file system: open and stat, close, read and
// write with their pages, fsync. Changes of directories cost nothing here: their cost is
// the namespace's of each file system, and the section.
func (h *Host) Charge(t *plan.Thread, c *call.Call) {
	host := &h.Setup.Host
	switch c.Code {
	case call.Open, call.Stat:
		h.Compute(t, host.Open)
	case call.Close:
		h.Compute(t, host.Close)
	case call.Read:
		h.Compute(t, host.ReadCall+host.ReadPage*unit.Time(h.pages(c)))
	case call.Write, call.Truncate:
		h.Compute(t, host.WriteCall+host.WritePage*unit.Time(h.pages(c)))
	case call.Fsync, call.Fdatasync:
		h.Compute(t, host.Fsync)
	}
}

// pages is how many pages a read or write touches.
func (h *Host) pages(c *call.Call) int64 {
	from, to := h.span(c)
	if c.Code == call.Truncate || to <= from {
		return 0
	}
	return (to-1)/PageSize - from/PageSize + 1
}

// span is the range of bytes that a read or write is about: a read ends with the file.
func (h *Host) span(c *call.Call) (from, to int64) {
	from = c.Offset
	size := h.Files[c.Node].Size
	if c.Code == call.Write && c.Flags&call.Append != 0 {
		from = size
	}
	to = from + c.Length
	if c.Code == call.Read {
		to = min(to, size)
	}
	return from, to
}
