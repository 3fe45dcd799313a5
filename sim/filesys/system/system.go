// Package system is what the file systems of this laboratory share: masks of lines, steps
// for runs of pages, the work that excludes others from a directory, pages that are given
// back, and, for those that use the byte interface, directories as tables of pages.
package system

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
)

// Inodes is how many inodes a page has, of 128 bytes, where they go by bytes.
const Inodes = 32

// Entries is how many names a page of a directory holds: 32 bytes each, header and name.
const Entries = 128

// Lines is the mask of the lines of a page that have bytes from lo to before hi.
func Lines(lo, hi int64) uint64 {
	if hi <= lo {
		return 0
	}
	return ^uint64(0) << uint(lo/64) & (^uint64(0) >> (63 - uint((hi-1)/64)))
}

// Whole is the mask of the lines of a page that lie wholly from lo to before hi.
func Whole(lo, hi int64) uint64 { return Lines((lo+63)&^63, hi&^63) }

// Runs appends steps like s for pages, one for each run of contiguous ones. They begin at
// the same time.
func Runs(t *plan.Thread, s plan.Step, pages []int32) {
	from := len(t.Steps)
	for _, p := range pages {
		s.Page, s.N = p, 1
		Join(t, from, s)
	}
	Together(t, from)
}

// Join appends a step for pages, or adds them to the one before, if they follow those of it,
// it is of the same structure, and it is step from or a later one.
func Join(t *plan.Thread, from int, s plan.Step) {
	if n := len(t.Steps); n > from {
		if last := &t.Steps[n-1]; last.Page+last.N == s.Page && last.Structure == s.Structure {
			last.N += s.N
			return
		}
	}
	t.Add(s)
}

// Together makes the steps of the device from one on begin at the same time. The thread
// goes on when all have ended.
func Together(t *plan.Thread, from int) {
	for i := from; i < len(t.Steps); i++ {
		t.Steps[i].With = i+1 < len(t.Steps)
	}
}

// Section appends the part of a change of directories that excludes others from them: a
// core works on them while their locks are held, which are taken in ascending order. They
// may be one and the same.
func Section(h *host.Host, t *plan.Thread, a, b int32) {
	a, b = min(a, b), max(a, b)
	t.Add(plan.Step{Kind: plan.Hold, Page: a})
	if b != a {
		t.Add(plan.Step{Kind: plan.Hold, Page: b})
	}
	h.Compute(t, h.Setup.Host.Section)
	if b != a {
		t.Add(plan.Step{Kind: plan.Release, Page: b})
	}
	t.Add(plan.Step{Kind: plan.Release, Page: a})
}

// Leaf is which of n leaves has a node's name by linear hashing.
func Leaf(node int32, n int) uint32 {
	hash := uint32(node) * 0x9e3779b1
	hash ^= hash >> 15
	mask := uint32(1)
	for mask < uint32(n) {
		mask <<= 1
	}
	at := hash & (mask - 1)
	if at >= uint32(n) {
		at &= mask>>1 - 1
	}
	return at
}

// Insert adds a number to an ascending list, and returns where it is and whether it was
// there. Lists are short.
func Insert(list *[]int32, number int32) (int, bool) {
	l := *list
	i := len(l)
	for i > 0 && l[i-1] >= number {
		if i--; l[i] == number {
			return i, true
		}
	}
	l = append(l, number)
	copy(l[i+1:], l[i:])
	l[i] = number
	*list = l
	return i, false
}

// Homeless is how many dirty pages from the first on are of one file, in a row, and without
// a home; the first is.
func Homeless(h *host.Host, frames []plan.Frame) int {
	p, n := h.Page(frames[0]), 1
	for ; n < len(frames); n++ {
		if q := h.Page(frames[n]); q.Node != p.Node || q.Index != p.Index+int32(n) || q.Home != host.None {
			break
		}
	}
	return n
}

// Load appends the loads of a file's range. Pages that the file has not got are zeros
// without a request.
func Load(h *host.Host, t *plan.Thread, c *call.Call) {
	file := &h.Files[c.Node]
	end, asked := min(c.Offset+c.Length, file.Size), AsIssued(h)
	for at := c.Offset; at < end; {
		start := at &^ (host.PageSize - 1)
		stop := min(end, start+host.PageSize)
		if home := file.Slots[start/host.PageSize].Home; home != host.None {
			h.Counts.Misses++
			s := plan.Step{Kind: plan.ByteRead, Structure: plan.Data, Page: home, Lines: Lines(at-start, stop-start)}
			if asked {
				s.N = int32(stop - at)
			}
			t.Add(s)
		}
		at = stop
	}
}

// Discards is the Note of [Discard]; other notes of file systems that use it begin at 1.
const Discards = 0

// Discard appends what gives pages back: that they hold nothing, and the Mark after which
// [Discarded] lets others have them, not earlier, because what others write there comes
// after the Trim then.
func Discard(t *plan.Thread, s plan.Structure, pages []int32) {
	if len(pages) == 0 {
		return
	}
	from := len(t.Steps)
	for _, p := range pages {
		Join(t, from, plan.Step{Kind: plan.Trim, Structure: s, Page: p, N: 1})
	}
	t.Add(plan.Note{What: Discards, From: int32(from), To: int32(len(t.Steps))}.Step())
}

// Discarded frees the pages of the Trims that a Mark of [Discard] is about. list is a
// buffer, which it returns.
func Discarded(h *host.Host, t *plan.Thread, n plan.Note, list []int32) []int32 {
	for _, trim := range t.Steps[n.From:n.To] {
		list = list[:0]
		for p := trim.Page; p < trim.Page+trim.N; p++ {
			list = append(list, p)
		}
		h.Free(list)
	}
	return list
}

// Folders are the directories' entries: each directory is a table of pages, which are the
// slots of its host.File, and an entry lies in a page by the hash of its name, or in the
// next that has room. A page is added when the table is three quarters full; entries stay
// where they are.
type Folders struct {
	h     *host.Host
	page  []int32 // by node: the page of the directory that has its entry, as an index
	fill  []uint8 // by page of the device: entries in it
	count []int32 // by directory: its entries
	one   []int32
}

// NewFolders places the entries of all nodes that exist, and lists their pages as mounted.
func NewFolders(h *host.Host) *Folders {
	f := &Folders{
		h: h, page: make([]int32, len(h.Files)), fill: make([]uint8, h.Pages()),
		count: make([]int32, len(h.Files)),
	}
	for i := 1; i < len(h.Files); i++ {
		if h.Files[i].Exists {
			f.count[h.Files[i].Parent]++
		}
	}
	for i := range h.Files {
		if h.Files[i].Exists && h.Files[i].Dir {
			for n := f.count[i]; n >= 0; n -= Entries * 3 / 4 {
				h.Mounted = append(h.Mounted, f.Grow(int32(i)))
			}
			f.count[i] = 0
		}
	}
	for i := 1; i < len(h.Files); i++ {
		if h.Files[i].Exists {
			f.Add(int32(i), h.Files[i].Parent)
		}
	}
	return f
}

// Grow gives a directory one more page of the device, and returns it.
func (f *Folders) Grow(dir int32) int32 {
	d := &f.h.Files[dir]
	n := len(d.Slots)
	hint := int32(host.None)
	if n > 0 {
		hint = d.Slots[n-1].Home
	}
	f.one = f.h.Alloc(1, hint, f.one[:0])
	f.h.Resize(dir, int64(n+1)*host.PageSize, nil)
	d.Meta = false
	d.Slots[n].Home = f.one[0]
	f.fill[f.one[0]] = 0
	return f.one[0]
}

// Full reports whether a directory needs a further page before it gets a further entry.
func (f *Folders) Full(dir int32) bool {
	return int(f.count[dir]) >= len(f.h.Files[dir].Slots)*(Entries*3/4)
}

// Entry returns the page and the line of a node's entry in its directory, and how many
// entries the page has.
func (f *Folders) Entry(node, dir int32) (page int32, line uint, fill int) {
	page = f.h.Files[dir].Slots[f.page[node]].Home
	return page, uint(hash(node) & 63), int(f.fill[page])
}

// Add gives a node an entry in a directory that is not full.
func (f *Folders) Add(node, dir int32) {
	slots := f.h.Files[dir].Slots
	i := int32(uint64(hash(node)) * uint64(len(slots)) >> 32)
	for f.fill[slots[i].Home] == Entries {
		if i++; int(i) == len(slots) {
			i = 0
		}
	}
	f.page[node] = i
	f.fill[slots[i].Home]++
	f.count[dir]++
}

// Remove takes the entry of a node out of its directory.
func (f *Folders) Remove(node, dir int32) {
	f.fill[f.h.Files[dir].Slots[f.page[node]].Home]--
	f.count[dir]--
}

// hash stands for that of a node's name: the upper bits choose the page, the lower ones the line.
func hash(node int32) uint32 {
	x := uint32(node) * 0x9e3779b1
	x = (x ^ x>>15) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}
