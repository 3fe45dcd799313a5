// Package table has tables by number, such as a page of the device, that take memory only
// about where they are used: a run touches few of the pages that a device has.
package table

// A piece of a table is 1<<shift entries: 256, so that what is asked for at once is some
// kilobytes.
const shift = 8

// A Table has an entry of every number from 0 on, all zero at first.
type Table[T any] struct {
	pieces []*[1 << shift]T
}

// New returns a table that has room for n entries before it grows.
func New[T any](n int) Table[T] {
	return Table[T]{make([]*[1 << shift]T, (n+1<<shift-1)>>shift)}
}

// At returns an entry to be changed. It stays where it is.
func (t *Table[T]) At(i int32) *T {
	if piece := i >> shift; int(piece) < len(t.pieces) && t.pieces[piece] != nil {
		return &t.pieces[piece][i&(1<<shift-1)]
	}
	return t.make(i)
}

func (t *Table[T]) make(i int32) *T {
	piece := int(i >> shift)
	if n := piece + 1 - len(t.pieces); n > 0 {
		t.pieces = append(t.pieces, make([]*[1 << shift]T, max(n, len(t.pieces)))...)
	}
	t.pieces[piece] = new([1 << shift]T)
	return &t.pieces[piece][i&(1<<shift-1)]
}

// Find returns an entry, or nil of one about which nothing was changed.
func (t *Table[T]) Find(i int32) *T {
	if piece := i >> shift; int(piece) < len(t.pieces) && t.pieces[piece] != nil {
		return &t.pieces[piece][i&(1<<shift-1)]
	}
	return nil
}

// All calls f with every entry about which something may have been changed, in the order of
// their numbers.
func (t *Table[T]) All(f func(i int32, entry *T)) {
	for p, piece := range t.pieces {
		if piece == nil {
			continue
		}
		for i := range piece {
			f(int32(p)<<shift+int32(i), &piece[i])
		}
	}
}
