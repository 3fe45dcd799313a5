package host

import (
	"math/bits"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// room makes place for n pages of data. Metadata leave only if there are no data.
func (h *Host) room(t *plan.Thread, fs plan.FS, n int, now unit.Time) {
	c := &h.cache
	for c.used+n > c.size {
		i := c.frames[dataList].before
		if i == dataList {
			if i = c.frames[metaList].before; i == metaList {
				return
			}
			h.meta[c.frames[i].index] = None
			c.give(i)
			continue
		}
		if c.frames[i].dirty {
			h.victim = h.victim[:0]
			batch := int(h.Setup.Host.Batch)
			for at, looked := i, 0; at != dataList && len(h.victim) < batch && looked < 4*batch; looked++ {
				if c.frames[at].dirty {
					h.victim = append(h.victim, plan.Frame(at))
				}
				at = c.frames[at].before
			}
			fs.WriteBack(t, h.victim, now)
			// It may have asked for metadata, for which frames left.
			if c.frames[i].dirty {
				h.leave(i)
			}
			continue
		}
		h.leave(i)
	}
}

// leave takes a frame of data out of the cache.
func (h *Host) leave(i int32) {
	f := &h.cache.frames[i]
	file := &h.Files[f.node]
	if f.dirty {
		h.cache.clean(file, i)
	}
	file.Slots[f.index].Frame = None
	h.cache.give(i)
}

// chunk is how many pages of a call are treated together, so that what it brings into the
// cache does not push out what it just brought.
func (h *Host) chunk() int32 { return int32(h.cache.size / 4) }

// together ends a series of steps at the same time: the thread goes on after the last.
func together(t *plan.Thread, from int) {
	for i := from; i < len(t.Steps); i++ {
		t.Steps[i].With = i+1 < len(t.Steps)
	}
}

// Read appends the block reads of what a file's range lacks in the cache, contiguous
// pages of the device in one step, all at the same time, and keeps the pages. What has to
// leave for them is clean, or is written by fs first.
func (h *Host) Read(t *plan.Thread, fs plan.FS, node int32, offset, length int64, now unit.Time) {
	end := min(offset+length, h.Files[node].Size)
	if end <= offset {
		return
	}
	first, last := int32(offset/PageSize), int32((end-1)/PageSize)
	for first <= last {
		to := min(first+h.chunk(), last+1)
		h.readChunk(t, fs, node, first, to, offset, end, now)
		first = to
	}
}

func (h *Host) readChunk(t *plan.Thread, fs plan.FS, node, first, to int32, offset, end int64, now unit.Time) {
	slots := h.Files[node].Slots
	lack := 0
	for i := first; i < to; i++ {
		switch s := &slots[i]; {
		case s.Frame != None:
			h.cache.touch(int32(s.Frame))
			h.Counts.Hits++
		case s.Home != None:
			lack++
			start := int64(i) * PageSize
			h.Counts.ReadThrough += min(end, start+PageSize) - max(offset, start)
		}
	}
	if lack == 0 {
		return
	}
	h.Counts.Misses += int64(lack)
	h.room(t, fs, lack, now)
	from := len(t.Steps)
	for i := first; i < to; i++ {
		s := &slots[i]
		if s.Frame != None || s.Home == None {
			continue
		}
		s.Frame = plan.Frame(h.cache.allocate(node, i))
		h.fetch(t, from, s.Home)
	}
	together(t, from)
}

// fetch appends the read of a page, with the one before it if that began at step from or
// later.
func (h *Host) fetch(t *plan.Thread, from int, page int32) {
	if n := len(t.Steps); n > from {
		if last := &t.Steps[n-1]; last.Page+last.N == page {
			last.N++
			return
		}
	}
	t.Add(plan.Step{Kind: plan.BlockRead, Structure: plan.Data, Page: page, N: 1})
}

// ReadDirect appends the block reads of a file's range whatever the cache has, and keeps
// nothing.
func (h *Host) ReadDirect(t *plan.Thread, node int32, offset, length int64) {
	end := min(offset+length, h.Files[node].Size)
	if end <= offset {
		return
	}
	from := len(t.Steps)
	for i := offset / PageSize; i <= (end-1)/PageSize; i++ {
		if home := h.Files[node].Slots[i].Home; home != None {
			h.Counts.Misses++
			h.fetch(t, from, home)
		}
	}
	together(t, from)
}

// Evict takes the clean pages of a file from first to before end out of the cache.
func (h *Host) Evict(node, first, end int32) {
	slots := h.Files[node].Slots
	for i := first; i < min(end, int32(len(slots))); i++ {
		if f := slots[i].Frame; f != None && !h.cache.frames[f].dirty {
			h.leave(int32(f))
		}
	}
}

// A Wrote is what a write to the cache did.
type Wrote struct {
	First, End int32 // pages touched: from First to before End
	New        int   // of them, pages that the file did not have
	Copied     int   // clean pages that became dirty: whose duplicate is kept, where one is
	Extended   bool  // the file is larger now
}

// Write changes a file's range in the cache: it appends the block reads of pages that are
// changed in part and lack in the cache, marks which lines changed, as call and setup say
// of the payload, and makes the pages dirty. New pages have no home until they are written
// back. It says what it did.
func (h *Host) Write(t *plan.Thread, fs plan.FS, c *call.Call, now unit.Time) Wrote {
	file := &h.Files[c.Node]
	offset, end := h.span(c)
	if end <= offset {
		return Wrote{}
	}
	w := Wrote{First: int32(offset / PageSize), End: int32((end-1)/PageSize) + 1}
	h.grow(file, w.End)
	file.writes++
	for first := w.First; first < w.End; {
		to := min(first+h.chunk(), w.End)
		h.writeChunk(t, fs, c, &w, first, to, offset, end, now)
		first = to
	}
	if end > file.Size {
		file.Size, w.Extended = end, true
	}
	file.Meta = file.Meta || w.Extended || w.New > 0
	return w
}

func (h *Host) writeChunk(t *plan.Thread, fs plan.FS, c *call.Call, w *Wrote, first, to int32, offset, end int64, now unit.Time) {
	file := &h.Files[c.Node]
	slots := file.Slots
	lack := 0
	for i := first; i < to; i++ {
		if f := slots[i].Frame; f != None {
			h.cache.touch(int32(f))
		} else {
			lack++
		}
	}
	if lack > 0 {
		h.room(t, fs, lack, now)
	}
	from := len(t.Steps)
	for i := first; i < to; i++ {
		s := &slots[i]
		start := int64(i) * PageSize
		lo, hi := max(offset-start, 0), min(end-start, PageSize)
		blind := false // the device has a page that the cache does not
		if s.Frame == None {
			s.Frame = plan.Frame(h.cache.allocate(c.Node, i))
			if s.Home != None {
				if lo > 0 || start+hi < min(file.Size, start+PageSize) {
					if !h.Setup.Host.BlindWrites {
						h.fetch(t, from, s.Home)
					}
				} else {
					blind = true
				}
			}
		}
		f := &h.cache.frames[s.Frame]
		if !f.dirty {
			f.fresh, f.copied = s.Home == None, s.Home != None && !blind
			if f.fresh {
				w.New++
			}
			if f.copied {
				w.Copied++
			}
			h.cache.markDirty(file, int32(s.Frame), now)
			if blind || f.fresh && (!h.Setup.Fresh || h.differs(c.Node, i)) {
				f.changed = ^uint64(0)
			}
		}
		f.touched |= lines(lo, hi)
		if f.changed != ^uint64(0) {
			f.changed |= h.changes(c, i, file.writes, lines(lo, hi))
		}
	}
	together(t, from)
}

// lines is the mask of the lines of a page that have bytes from lo to before hi.
func lines(lo, hi int64) uint64 {
	first, last := uint(lo/64), uint((hi-1)/64)
	return ^uint64(0) << first & (^uint64(0) >> (63 - last))
}

// differs reports whether a page that is new to a file differs wholly from what it is compared
// with, as FreshShare of them do.
func (h *Host) differs(node, index int32) bool {
	share := h.Setup.FreshShare
	return share > 0 && int64(mix(mix(uint64(h.Setup.Seed)+1)^mix(uint64(uint32(node))<<32|uint64(uint32(index))))>>32*100>>32) < share
}

// changes says which of the lines that are written differ from what was there.
func (h *Host) changes(c *call.Call, index int32, writes uint32, written uint64) uint64 {
	percent := h.Setup.Changed
	switch {
	case c.Changed != call.Unknown:
		percent = int64(c.Changed)
	case h.Setup.Payload == machine.Zeros:
		percent = 0
	case h.Setup.Payload == machine.Random:
		percent = 100
	}
	if percent <= 0 {
		return 0
	}
	if percent >= 100 {
		return written
	}
	// A generator that is seeded by what is written, so that it is the same in every
	// file system, whatever they do in between.
	state := mix(uint64(h.Setup.Seed)) ^ mix(uint64(uint32(c.Node))<<32|uint64(uint32(index))) ^ mix(uint64(writes)+1)<<1
	changed := uint64(0)
	for left := written; left != 0; left &= left - 1 {
		state += 0x9e3779b97f4a7c15
		if int64(mix(state)>>32*100>>32) < percent {
			changed |= left & -left
		}
	}
	return changed
}

// mix scrambles bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Drop forgets the cached pages of a file from a page on, clean or dirty, without writing
// them, and shortens its slots to that. It appends their homes to freed.
func (h *Host) Drop(node int32, from int32, freed []int32) []int32 {
	file := &h.Files[node]
	for i := int(from); i < len(file.Slots); i++ {
		s := &file.Slots[i]
		if s.Frame != None {
			h.leave(int32(s.Frame))
		}
		if s.Home != None {
			freed = append(freed, s.Home)
		}
	}
	if int(from) < len(file.Slots) {
		h.slots -= int64(len(file.Slots) - int(from))
		file.Slots = file.Slots[:from]
	}
	if from == 0 {
		h.arena.release(file)
	}
	return freed
}

// Grow makes a file or directory have so many slots at least.
func (h *Host) Grow(node, pages int32) { h.grow(&h.Files[node], pages) }

// grow makes a file have so many slots at least.
func (h *Host) grow(file *File, pages int32) {
	n := len(file.Slots)
	if int(pages) <= n {
		return
	}
	if h.slots += int64(int(pages) - n); h.slots > sparse*int64(h.space.pages) {
		panic(&Full{Pages: int(h.space.pages), Slots: true})
	}
	if int(pages) > cap(file.Slots) {
		old, class := file.Slots, file.class
		file.Slots = h.arena.allocate(file, int(pages))[:n]
		copy(file.Slots, old)
		if class != noClass {
			h.arena.keep(class, old)
		}
	}
	file.Slots = file.Slots[:pages]
	for i := n; i < int(pages); i++ {
		file.Slots[i] = Slot{None, None}
	}
}

// An arena gives files memory for their slots, in powers of two, and takes it back, so
// that files come and go without the collector.
type arena struct {
	free [32][][]Slot
	rest []Slot
}

const noClass = -1

func (a *arena) allocate(file *File, n int) []Slot {
	class := bits.Len(uint(n - 1))
	file.class = int8(class)
	if f := a.free[class]; len(f) > 0 {
		a.free[class] = f[:len(f)-1]
		return f[len(f)-1]
	}
	size := 1 << class
	if len(a.rest) < size {
		a.rest = make([]Slot, max(size, 1<<13))
	}
	slots := a.rest[:0:size]
	a.rest = a.rest[size:]
	return slots
}

// keep takes memory of a class back.
func (a *arena) keep(class int8, slots []Slot) {
	f := a.free[class]
	if len(f) == cap(f) {
		f = slices.Grow(f, max(len(f), 16))
	}
	a.free[class] = append(f, slots[:0])
}

func (a *arena) release(file *File) {
	if file.class != noClass {
		a.keep(file.class, file.Slots)
		file.class, file.Slots = noClass, nil
	}
}
