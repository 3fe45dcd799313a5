package host

import (
	"math/bits"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// none ends lists.
const none = -1

// The first frames are the heads of lists.
const (
	dataList  = iota // the most recently used data page is next, the least recently used before
	metaList         // the same of metadata that may leave
	dirtyList        // the page that is dirty for the longest time is next
	heads
)

// A frame is a page of the cache. All links are frames.
type frame struct {
	changed        uint64
	touched        uint64    // lines written since it is dirty
	since          unit.Time // dirty since
	node, index    int32     // the file and its page; of metadata None and the key
	before, next   int32     // LRU; the list of free frames uses next
	older, newer   int32     // dirty pages of all files
	above, below   int32     // dirty pages of its file
	dirty, fresh   bool      // fresh: new to the file
	copied, pinned bool      // copied: it has a duplicate
}

// A cache is the page cache.
type cache struct {
	frames           []frame
	free             int32 // list
	size, used       int   // pages; used is above size only while what is there cannot leave
	meta, metaMost   int
	dirty, duplicate int
}

// least is how many pages a cache has at least, so that a call can be planned at any scale.
const least = 64

// early is how many frames there is memory for before they are used.
const early = 1 << 14

func (c *cache) init(m *machine.Setup) {
	c.size = int(max(int64(m.Host.Cache)/PageSize, least))
	c.metaMost = int(max(int64(c.size)*m.Host.MetaShare/100, 8))
	c.frames = make([]frame, heads, heads+min(c.size, early))
	c.free = none
	for i := range c.frames {
		f := &c.frames[i]
		f.before, f.next, f.older, f.newer = int32(i), int32(i), int32(i), int32(i)
	}
}

// allocate returns a frame that holds nothing. It is above the size of the cache if nothing
// was made to leave before.
func (c *cache) allocate(node, index int32) int32 {
	i := c.free
	if i == none {
		i = int32(len(c.frames))
		c.frames = append(c.frames, frame{})
	} else {
		c.free = c.frames[i].next
	}
	c.used++
	f := &c.frames[i]
	f.node, f.index, f.changed = node, index, 0
	f.dirty, f.fresh, f.copied, f.pinned = false, false, false, false
	list := int32(dataList)
	if node == None {
		list = metaList
		c.meta++
	}
	c.link(list, i)
	return i
}

// give frees a clean frame.
func (c *cache) give(i int32) {
	f := &c.frames[i]
	if !f.pinned {
		c.unlink(i)
	}
	if f.node == None {
		c.meta--
	}
	f.next = c.free
	c.free = i
	c.used--
}

func (c *cache) link(list, i int32) {
	head, f := &c.frames[list], &c.frames[i]
	f.before, f.next = list, head.next
	c.frames[head.next].before = i
	head.next = i
}

func (c *cache) unlink(i int32) {
	f := &c.frames[i]
	c.frames[f.before].next = f.next
	c.frames[f.next].before = f.before
}

// touch makes a frame the most recently used of its list.
func (c *cache) touch(i int32) {
	f := &c.frames[i]
	if f.pinned {
		return
	}
	list := int32(dataList)
	if f.node == None {
		list = metaList
	}
	if c.frames[list].next == i {
		return
	}
	c.unlink(i)
	c.link(list, i)
}

// markDirty makes a clean frame of a file dirty.
func (c *cache) markDirty(file *File, i int32, now unit.Time) {
	f := &c.frames[i]
	f.dirty, f.since = true, now
	head := &c.frames[dirtyList]
	f.older, f.newer = head.older, dirtyList
	c.frames[head.older].newer = i
	head.older = i
	f.above, f.below = file.last, none
	if file.last == none {
		file.first = i
	} else {
		c.frames[file.last].below = i
	}
	file.last = i
	file.dirty++
	c.dirty++
	if f.copied {
		c.duplicate++
	}
}

// clean makes a dirty frame of a file clean.
func (c *cache) clean(file *File, i int32) {
	f := &c.frames[i]
	if f.copied {
		c.duplicate--
	}
	f.dirty, f.fresh, f.copied, f.changed, f.touched = false, false, false, 0, 0
	c.frames[f.older].newer = f.newer
	c.frames[f.newer].older = f.older
	if f.above == none {
		file.first = f.below
	} else {
		c.frames[f.above].below = f.below
	}
	if f.below == none {
		file.last = f.above
	} else {
		c.frames[f.below].above = f.above
	}
	file.dirty--
	c.dirty--
}

// # What the engine and file systems ask

// Capacity is how many pages the cache has.
func (h *Host) Capacity() int { return h.cache.size }

// Cached is how many pages are in the cache, and how many of them have a duplicate, if
// the file system keeps any: dirty pages that the device has an older state of.
func (h *Host) Cached() (pages, duplicates int) { return h.cache.used, h.cache.duplicate }

// DirtyPages is how many pages of files are dirty, and since when the first of them is.
func (h *Host) DirtyPages() (pages int, since unit.Time) {
	if h.cache.dirty == 0 {
		return 0, 0
	}
	return h.cache.dirty, h.cache.frames[h.cache.frames[dirtyList].newer].since
}

// Oldest appends to list at most n dirty frames, those that are dirty for the longest
// time first, of those that are since until or before.
func (h *Host) Oldest(n int, until unit.Time, list []plan.Frame) []plan.Frame {
	c := &h.cache
	for i := c.frames[dirtyList].newer; i != dirtyList && n > 0 && c.frames[i].since <= until; i = c.frames[i].newer {
		list = append(list, plan.Frame(i))
		n--
	}
	return list
}

// Dirty appends to list the dirty frames of a file, in the order of its pages.
func (h *Host) Dirty(node int32, list []plan.Frame) []plan.Frame {
	from, sorted, last := len(list), true, int32(none)
	for i := h.Files[node].first; i != none; {
		f := &h.cache.frames[i]
		list = append(list, plan.Frame(i))
		sorted = sorted && f.index > last
		last, i = f.index, f.below
	}
	if !sorted {
		h.sort(list[from:])
	}
	return list
}

// DirtyIn is Dirty of the pages from first to before end.
func (h *Host) DirtyIn(node, first, end int32, list []plan.Frame) []plan.Frame {
	slots := h.Files[node].Slots
	for i := first; i < min(end, int32(len(slots))); i++ {
		if f := slots[i].Frame; f != None && h.cache.frames[f].dirty {
			list = append(list, f)
		}
	}
	return list
}

// sort orders frames of one file by page: by insertion while they are nearly in order,
// else by heap.
func (h *Host) sort(list []plan.Frame) {
	frames := h.cache.frames
	less := func(a, b plan.Frame) bool { return frames[a].index < frames[b].index }
	moves := 0
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && less(list[j], list[j-1]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
			if moves++; moves > 8*len(list) {
				heap(list, less)
				return
			}
		}
	}
}

func heap(list []plan.Frame, less func(a, b plan.Frame) bool) {
	sift := func(i, n int) {
		for {
			child := 2*i + 1
			if child >= n {
				return
			}
			if child+1 < n && less(list[child], list[child+1]) {
				child++
			}
			if !less(list[i], list[child]) {
				return
			}
			list[i], list[child] = list[child], list[i]
			i = child
		}
	}
	for i := len(list)/2 - 1; i >= 0; i-- {
		sift(i, len(list))
	}
	for n := len(list) - 1; n > 0; n-- {
		list[0], list[n] = list[n], list[0]
		sift(0, n)
	}
}

// A Page is what is known of a dirty frame.
type Page struct {
	Node, Index int32
	Home        int32  // None: none yet
	Changed     uint64 // lines that differ from what the device has; of a page new to the file all, or with Setup.Fresh those that are not zero
	New         bool   // new to the file
	// Duplicate: what the device has was in the cache when the page was first changed, so
	// that a duplicate could be kept. A page that was overwritten as a whole without it has
	// none, and all its lines count as changed.
	Duplicate bool
}

// Page returns what is known of a frame.
func (h *Host) Page(f plan.Frame) Page {
	p := &h.cache.frames[f]
	return Page{
		Node: p.node, Index: p.index, Home: h.Files[p.node].Slots[p.index].Home,
		Changed: p.changed, New: p.fresh, Duplicate: p.copied,
	}
}

// Clean makes a frame clean; home is where the device has it now.
func (h *Host) Clean(f plan.Frame, home int32) {
	p := &h.cache.frames[f]
	file := &h.Files[p.node]
	if p.dirty {
		h.Counts.WrittenThrough += 64 * int64(bits.OnesCount64(p.touched))
		h.sent(p.node, p.index, home != file.Slots[p.index].Home)
	}
	if p.dirty && h.Env != nil && h.Env.Recording() {
		h.Env.Record(plan.Event{Moment: plan.Placed, Page: home, Lines: p.changed, Place: plan.Place{Node: p.node, Index: p.index, Before: file.Slots[p.index].Home}})
	}
	file.Slots[p.index].Home = home
	if p.dirty {
		h.cache.clean(file, int32(f))
	}
}

// sent notes that a page of a file is being written back; moved says that it gets a home.
func (h *Host) sent(node, index int32, moved bool) {
	if last := len(h.Sent) - 1; last >= 0 && h.Sent[last].Node == node {
		s := &h.Sent[last]
		s.First, s.End, s.Moved = min(s.First, index), max(s.End, index+1), s.Moved || moved
		return
	}
	h.Sent = append(h.Sent, Sent{node, index, index + 1, moved})
}
