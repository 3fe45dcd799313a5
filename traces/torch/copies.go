package torch

import (
	"hash/maphash"
	"io"
	"slices"
)

// A sameFile is a file that may be here more than once.
type sameFile struct {
	name   string // of the first
	size   int64
	sum    uint64
	others []string // names of the others
}

// seed is that of sums, which are compared only with one another.
var seed = maphash.MakeSeed()

// alike counts files of the same size: only those can be copies of one another.
func (o *opener) alike(files []File) {
	o.sizes = map[int64]int{}
	for i := range files {
		o.sizes[files[i].Size]++
	}
}

// watch sums what is read of a file that may be a copy; nil if it cannot be one.
func (o *opener) watch(f *File, r *io.Reader) *maphash.Hash {
	if f.Size == 0 || o.sizes[f.Size] < 2 {
		return nil
	}
	h := &maphash.Hash{}
	h.SetSeed(seed)
	*r = io.TeeReader(*r, h)
	return h
}

// copied reports whether a file that was read has the content of one before.
func (o *opener) copied(f *File, h *maphash.Hash) bool {
	if h == nil {
		return false
	}
	sum := h.Sum64()
	for i := range o.copies {
		if c := &o.copies[i]; c.size == f.Size && c.sum == sum {
			c.others = append(c.others, name(f))
			return true
		}
	}
	o.copies = append(o.copies, sameFile{name: name(f), size: f.Size, sum: sum})
	return false
}

// sayCopies notes the files that were left out because they are here already.
func (o *opener) sayCopies() {
	for i := range o.copies {
		c := &o.copies[i]
		switch n := len(c.others); {
		case n == 1:
			o.note("%s has the same content as %s and was left out.", c.others[0], c.name)
		case n > 1:
			o.note("%d files have the same content as %s and were left out (%s).", n, c.name, some(c.others))
		}
	}
}

// sayOnce leaves out notes that stand elsewhere: twice in a list, or with a recording
// and among those on all files.
func (o *opener) sayOnce() {
	said := map[string]bool{}
	for _, r := range o.recs {
		mine := map[string]bool{}
		r.Notes = slices.DeleteFunc(r.Notes, func(n string) bool {
			again := mine[n]
			mine[n], said[n] = true, true
			return again
		})
	}
	o.notes = slices.DeleteFunc(o.notes, func(n string) bool {
		again := said[n]
		said[n] = true
		return again
	})
}
