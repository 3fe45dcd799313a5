// Package host is the part of the operating system that all file systems share: files
// with their pages, the page cache with what of each page has changed, and the free
// pages of the device.
package host

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A Slot is a page of a file: its page of the device (−1: none yet) and its frame in the
// page cache (−1: not there).
type Slot struct {
	Home  int32
	Frame plan.Frame
}

// A File is a file or a directory.
type File struct {
	Parent int32
	Exists bool
	Dir    bool
	Size   int64
	Slots  []Slot
	// Meta says that size or pages changed since the file's metadata were last made
	// durable.
	Meta bool
}

// A Host is the state that file systems share. Time is never kept here.
type Host struct {
	Setup *machine.Setup
	Env   plan.Env
	Files []File
}

// New returns the host of a workload: its nodes exist and have no pages of the device
// yet; file systems place them. Caches are empty. pages is how many the device has.
func New(m *machine.Setup, w *call.Workload, pages int32, env plan.Env) *Host { panic("stub") }

// # Data pages

// Read appends the block reads of what a file's range lacks in the cache, contiguous
// pages of the device in one step, all at the same time, and keeps the pages. What has to
// leave for them is clean, or is written by fs first.
func (h *Host) Read(t *plan.Thread, fs plan.FS, node int32, offset, length int64, now unit.Time) {
	panic("stub")
}

// A Wrote is what a write to the cache did.
type Wrote struct {
	Pages    int  // pages touched
	New      int  // of them, pages that the file did not have
	Copied   int  // clean pages that became dirty: whose duplicate is kept, where one is
	Extended bool // the file is larger now
}

// Write changes a file's range in the cache: it appends the block reads of pages that are
// changed in part and lack in the cache, marks which lines changed, as call and setup say
// of the payload, and makes the pages dirty. New pages have no home until they are written
// back. It says what it did.
func (h *Host) Write(t *plan.Thread, fs plan.FS, c *call.Call, now unit.Time) Wrote {
	panic("stub")
}

// Dirty appends to list the dirty frames of a file, in the order of its pages.
func (h *Host) Dirty(node int32, list []plan.Frame) []plan.Frame { panic("stub") }

// A Page is what is known of a dirty frame.
type Page struct {
	Node, Index int32
	Home        int32  // −1: none yet
	Changed     uint64 // lines that differ from what the device has; of a page new to the file all, or with Setup.Fresh those that are not zero
	New         bool   // new to the file
}

// Page returns what is known of a frame.
func (h *Host) Page(f plan.Frame) Page { panic("stub") }

// Clean makes a frame clean; home is where the device has it now.
func (h *Host) Clean(f plan.Frame, home int32) { panic("stub") }

// Drop forgets the cached pages of a file from a page on, clean or dirty, without writing
// them, and shortens its slots to that. It appends their homes to freed.
func (h *Host) Drop(node int32, from int32, freed []int32) []int32 { panic("stub") }

// # Metadata pages

// Meta makes sure that a page of metadata is in the cache: if it lacks it appends a block
// read of it as the structure, and keeps it. mapped: the device has something there; else
// nothing is read. It reports whether the page was there.
func (h *Host) Meta(t *plan.Thread, s plan.Structure, page int32, mapped bool) bool { panic("stub") }

// Forget drops a page of metadata from the cache.
func (h *Host) Forget(page int32) { panic("stub") }

// # Space

// Alloc takes n free pages of the device, contiguous if there is such a run, near the
// page hint, and appends them to list. It panics with a *Full if there are none; the
// engine makes an error of it.
func (h *Host) Alloc(n int, hint int32, list []int32) []int32 { panic("stub") }

// Free gives pages back.
func (h *Host) Free(pages []int32) { panic("stub") }

// Reserve takes n contiguous pages at the beginning of the device, for a file system's
// areas, and returns the first.
func (h *Host) Reserve(n int) int32 { panic("stub") }

// Full is what Alloc panics with.
type Full struct{ Want int }
