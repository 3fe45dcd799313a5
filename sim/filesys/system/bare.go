package system

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// written, of a Note, says that it follows the last line of transaction Tx; Discards
// is that of [Discard].
const written = 1

// A Bare is what file systems share that only use bytes, past the page cache: nothing is
// ever dirty, and nothing waits. Calls have numbers for crashes, as if they were
// transactions.
type Bare struct {
	H     *host.Host
	Inode int32   // first page of inodes
	Pages []int32 // a buffer
	// Issued: loads and stores are those of the artifact (machine.Host.AsIssued), which asks for
	// InodeLoad and InodeStore bytes of an inode; 0: its two lines.
	Issued                bool
	InodeLoad, InodeStore int64

	last  int32
	nodes []int32
}

// Area reserves the pages of inodes, and lists those that hold one as mounted.
func (b *Bare) Area() {
	h := b.H
	b.Inode = h.Reserve((len(h.Files) + Inodes - 1) / Inodes)
	for i := range h.Files {
		page := b.Inode + int32(i/Inodes)
		if n := len(h.Mounted); h.Files[i].Exists && (n == 0 || h.Mounted[n-1] != page) {
			h.Mounted = append(h.Mounted, page)
		}
	}
}

// Access appends a step for lines of a page, if there are any.
func (b *Bare) Access(t *plan.Thread, k plan.Kind, s plan.Structure, page int32, lines uint64) {
	if lines != 0 {
		t.Add(plan.Step{Kind: k, Structure: s, Page: page, Lines: lines})
	}
}

// Ask is Access of which only some bytes are asked for, where these count.
func (b *Bare) Ask(t *plan.Thread, k plan.Kind, s plan.Structure, page int32, lines uint64, bytes int64) {
	if lines == 0 {
		return
	}
	n := int32(0)
	if b.Issued {
		n = int32(bytes)
	}
	t.Add(plan.Step{Kind: k, Structure: s, Page: page, Lines: lines, N: n})
}

// AsIssued reports whether a run's loads and stores are those of the artifact: not of one that is
// recorded for crashes, whose judge needs all that makes a call whole.
func AsIssued(h *host.Host) bool { return h.Setup.Host.AsIssued && !recording(h) }

// InPlace reports whether NOVA overwrites in place.
func InPlace(h *host.Host) bool { return h.Setup.Host.InPlace && !recording(h) }

func recording(h *host.Host) bool { return h.Env != nil && h.Env.Recording() }

// Hint is where pages are looked for if nothing says that the first free ones are taken.
func (b *Bare) Hint(hint int32) int32 {
	if b.H.Setup.Host.FirstFit {
		return host.First
	}
	return hint
}

// LoadInode reads the two lines of an inode.
func (b *Bare) LoadInode(t *plan.Thread, node int32) {
	b.Ask(t, plan.ByteRead, plan.Inode, b.Inode+node/Inodes, 0b11<<(2*(node%Inodes)), b.InodeLoad)
}

// WriteInode writes the two lines of an inode.
func (b *Bare) WriteInode(t *plan.Thread, node int32) {
	b.Ask(t, plan.ByteWrite, plan.Inode, b.Inode+node/Inodes, 0b11<<(2*(node%Inodes)), b.InodeStore)
}

// Hold takes the locks of nodes, in ascending order.
func (b *Bare) Hold(t *plan.Thread, nodes ...int32) {
	b.nodes = b.nodes[:0]
	for _, n := range nodes {
		Insert(&b.nodes, n)
	}
	for _, n := range b.nodes {
		t.Add(plan.Step{Kind: plan.Hold, Page: n})
	}
}

// Release gives up what the last Hold took.
func (b *Bare) Release(t *plan.Thread) {
	for _, n := range b.nodes {
		t.Add(plan.Step{Kind: plan.Release, Page: n})
	}
}

// Done says that the lines of a call up to here make it durable.
func (b *Bare) Done(t *plan.Thread) {
	if b.H.Env.Recording() {
		t.Add(plan.Note{What: written}.Step())
	}
}

// Note numbers a call whose steps begin at from, if crashes are recorded and it writes.
func (b *Bare) Note(t *plan.Thread, c *call.Call, from int) {
	if !b.H.Env.Recording() {
		return
	}
	writes := false
	for i := from; i < len(t.Steps); i++ {
		if s := &t.Steps[i]; s.Kind == plan.ByteWrite || s.Kind == plan.Mark && s.Note().What == written {
			s.Tx, writes = b.last+1, true
		}
	}
	if writes {
		b.last++
		b.H.Env.Record(plan.Event{Moment: plan.Joined, Tx: b.last, Page: b.Inode + c.Node/Inodes, Thread: t.ID, Call: t.Call, Node: c.Node})
		if c.Over != 0 {
			b.H.Env.Record(plan.Event{Moment: plan.Joined, Tx: b.last, Page: b.Inode + c.Over/Inodes, Thread: t.ID, Call: t.Call, Node: c.Over})
		}
	}
}

// Placed records that a page of a file goes to a page of the device, from another or none.
func (b *Bare) Placed(node int32, index int64, before, home int32, lines uint64) {
	if b.H.Env.Recording() {
		b.H.Env.Record(plan.Event{Moment: plan.Placed, Page: home, Lines: lines, Place: plan.Place{Node: node, Index: int32(index), Before: before}})
	}
}

// Range prepares a write: where it begins and ends. The file is as large then as it will
// be.
func (b *Bare) Range(c *call.Call) (offset, end int64) {
	file := &b.H.Files[c.Node]
	offset = c.Offset
	if c.Flags&call.Append != 0 {
		offset = file.Size
	}
	end = offset + c.Length
	if end > file.Size && end > offset {
		b.H.Resize(c.Node, end, nil)
		file.Meta = false
	}
	return offset, end
}

// Marked implements plan.FS.
func (b *Bare) Marked(t *plan.Thread, n plan.Note, now unit.Time) {
	if n.What == written {
		b.H.Env.Record(plan.Event{Moment: plan.Durable, Tx: n.Tx, Thread: t.ID, Call: t.Call})
		return
	}
	b.Pages = Discarded(b.H, t, n, b.Pages)
}

// WriteBack implements plan.FS; no page of the cache is ever dirty.
func (*Bare) WriteBack(*plan.Thread, []plan.Frame, unit.Time) {}

// Wait implements plan.FS; nothing waits.
func (*Bare) Wait(*plan.Thread, *plan.Step, unit.Time) bool { return true }

// Actors implements plan.FS.
func (*Bare) Actors() int { return 0 }

// Act implements plan.FS.
func (*Bare) Act(*plan.Thread, int, unit.Time) {}

// Finish implements plan.FS; nothing is left.
func (*Bare) Finish(*plan.Thread, unit.Time) {}
