package host

import "spillway/sim/filesys/plan"

// Meta makes sure that a page of metadata is in the cache: if it lacks it appends a block
// read of it as the structure, and keeps it. mapped: the device has something there; else
// nothing is read. It reports whether the page was there. What leaves for it is clean: it
// never asks a file system to write.
func (h *Host) Meta(t *plan.Thread, s plan.Structure, page int32, mapped bool) bool {
	if !mapped {
		return h.MetaAt(t, s, page, None)
	}
	return h.MetaAt(t, s, page, page)
}

// Keys returns the first of n keys for metadata that have no page of the device of their
// own all the time. A key is used as a page in Has, Pin, Unpin and Forget.
func (h *Host) Keys(n int) int32 {
	first := len(h.meta)
	for range n {
		h.meta = append(h.meta, None)
	}
	return int32(first)
}

// MetaAt is Meta of a key whose content is in a page of the device, or nowhere (None).
func (h *Host) MetaAt(t *plan.Thread, s plan.Structure, key, page int32) bool {
	c := &h.cache
	if i := h.meta[key]; i != None {
		c.touch(i)
		return true
	}
	if page != None {
		t.Add(plan.Step{Kind: plan.BlockRead, Structure: s, Page: page, N: 1})
	}
	if c.meta >= c.metaMost {
		h.forgetOldest()
	}
	if c.used >= c.size {
		h.dropClean()
	}
	h.meta[key] = c.allocate(None, key)
	return false
}

// forgetOldest drops the page of metadata that was not used for the longest time and may
// leave, if there is one.
func (h *Host) forgetOldest() bool {
	i := h.cache.frames[metaList].before
	if i == metaList {
		return false
	}
	h.meta[h.cache.frames[i].index] = None
	h.cache.give(i)
	return true
}

// dropClean drops the clean page of data that was not used for the longest time, or else
// one of metadata.
func (h *Host) dropClean() {
	frames := h.cache.frames
	for i := frames[dataList].before; i != dataList; i = frames[i].before {
		if !frames[i].dirty {
			h.leave(i)
			return
		}
	}
	h.forgetOldest()
}

// Has reports whether a page of metadata is in the cache.
func (h *Host) Has(page int32) bool { return h.meta[page] != None }

// Pin keeps a page of metadata in the cache until Unpin: it is newer than what the device
// has. It is put there if it lacks.
func (h *Host) Pin(page int32) {
	if h.meta[page] == None {
		h.MetaAt(nil, 0, page, None)
	}
	if f := &h.cache.frames[h.meta[page]]; !f.pinned {
		h.cache.unlink(h.meta[page])
		f.pinned = true
	}
}

// Unpin lets a page of metadata leave the cache again.
func (h *Host) Unpin(page int32) {
	i := h.meta[page]
	if i == None || !h.cache.frames[i].pinned {
		return
	}
	h.cache.frames[i].pinned = false
	h.cache.link(metaList, i)
}

// MetaMost is how many pages of metadata the cache has at most, but for those pinned.
func (h *Host) MetaMost() int { return h.cache.metaMost }

// Forget drops a page of metadata from the cache, pinned or not.
func (h *Host) Forget(page int32) {
	if i := h.meta[page]; i != None {
		h.meta[page] = None
		h.cache.give(i)
	}
}
