// Package raw is an SSD by itself: requests of blocks go to it as they are, without a file system,
// a page cache or costs of calls. Each file of the workload is a device, a volume or a stream, which
// has the next pages of the SSD.
//
// # Source
//
// NVM Express, NVM Command Set specification 1.1: read, write, flush, deallocate, and the placement
// identifiers of Flexible Data Placement, of which a file stands for one.
//
// # Departures
//
//  1. The SSD maps pages of 4 KiB: of a write that begins or ends within one the SSD reads the rest
//     from flash, where it has content, before it programs the page.
//  2. A flush and a write that has to be on the medium take no time beyond that of the command: the
//     write buffer is protected.
//  3. A deallocation takes no time, and only of pages that it covers.
//  4. Requests are not merged, split or sorted.
package raw

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

// mostStreams is how many streams a Writing can say.
const mostStreams = 64

// A fs is no file system.
type fs struct {
	system.Bare
	first []int32 // by file: its first page
}

// New returns it over the files that exist, one behind the other.
func New(h *host.Host) plan.FS {
	f := &fs{Bare: system.Bare{H: h}, first: make([]int32, len(h.Files))}
	for i := range h.Files {
		if h.Files[i].Dir {
			continue
		}
		n := int32(len(h.Files[i].Slots))
		f.first[i] = h.Reserve(int(n))
	}
	return f
}

// Stream is the stream of a file.
func Stream(node int32) plan.Writing { return plan.Writing(max(0, node-1) % mostStreams) }

// Touched returns the pages of the SSD that a read or a write touches, and how it writes them.
func (f *fs) Touched(c *call.Call) (page, n int32, how plan.Writing) {
	end := min(c.Offset+c.Length, f.H.Files[c.Node].Size)
	if c.Offset >= end {
		return 0, 0, 0
	}
	from, to := c.Offset/host.PageSize, (end-1)/host.PageSize
	how = Stream(c.Node)
	if c.Offset%host.PageSize != 0 || from == to && end%host.PageSize != 0 {
		how |= plan.FirstPart
	}
	if end%host.PageSize != 0 {
		how |= plan.LastPart
	}
	return f.first[c.Node] + int32(from), int32(to-from) + 1, how
}

// Plan implements plan.FS.
func (f *fs) Plan(t *plan.Thread, c *call.Call, _ unit.Time) {
	page, n, how := f.Touched(c)
	if n == 0 {
		return
	}
	switch c.Code {
	case call.Read:
		t.Add(plan.Step{Kind: plan.BlockRead, Page: page, N: n})
	case call.Write:
		t.Add(plan.Step{Kind: plan.BlockWrite, Page: page, N: n}.How(how))
	case call.Truncate:
		from := (c.Offset + host.PageSize - 1) / host.PageSize
		if to := (c.Offset + c.Length) / host.PageSize; to > from {
			t.Add(plan.Step{Kind: plan.Trim, Page: f.first[c.Node] + int32(from), N: int32(to - from)})
		}
	}
}
