// Package pickle reads Python pickles that hold data only: dictionaries, lists,
// tuples, texts, numbers, truths and None, as PyTorch's memory snapshots do. It
// resolves no class and calls nothing; what would is refused with its name and
// its byte, or by DecodeInert only written down.
//
// What a pickle mentions twice is held once. Values are numbers into flat tables,
// and a value only ever contains values that were whole before it, so that there
// are no circles; but walking everything can take time exponential in the size of
// the file, which is why values are read through a [Walk] with a budget.
//
// Source of the format: pickletools.py of CPython, protocols 2 to 5.
package pickle

import "iter"

// A Value is a number, text, list ... of a [Doc]. None is 0.
type Value uint32

// A Kind says what a Value is.
type Kind uint8

// The kinds of value.
const (
	None Kind = iota
	False
	True
	Int   // a whole number that fits an int64
	Uint  // a whole number from 2⁶³ to 2⁶⁴-1
	Float // its value is not kept
	Text
	List
	Tuple
	Dict
	Name    // of a class or function; only of DecodeInert, as the next three
	Call    // what would be called, its arguments, and what its result would be filled with
	Outside // a reference to what is not in the file; contains how it is called
	Bytes   // their value is not kept
)

// String returns the kind in words: "a list".
func (k Kind) String() string {
	return [...]string{"None", "a truth", "a truth", "a number", "a number", "a number", "a text", "a list", "a tuple", "a dictionary", "the name of a class", "a call", "a reference", "bytes"}[k]
}

// MaxDepth is how deeply lists and dictionaries may be nested.
const MaxDepth = 64

// A Doc is what one pickle says.
type Doc struct {
	// Root is the value of the whole.
	Root Value
	// Rest is the byte behind the end of the pickle if the file goes on there, else -1.
	Rest int64

	// A value's meta is its kind, its depth and whether another contains it; what its
	// word is depends on the kind: a number, an index into texts, the first and the
	// last run of what it contains.
	metas paged[uint16]
	words paged[uint64]
	texts []string
	runs  paged[run]
	slots paged[Value]
}

// A run is a piece of what a list, tuple or dictionary contains: consecutive
// slots. Of a dictionary they are keys and values by turns.
type run struct{ first, n, next uint32 }

const (
	kindBits  = 0x0f
	placedBit = 0x10
	depthAt   = 8
	noRun     = 1<<32 - 1
)

// Kind returns what v is.
func (d *Doc) Kind(v Value) Kind { return Kind(*d.metas.at(uint32(v)) & kindBits) }

// Text returns a text, or the full name of a class, and "" if v is none. It may be no
// UTF-8.
func (d *Doc) Text(v Value) string {
	if k := d.Kind(v); k != Text && k != Name {
		return ""
	}
	return d.texts[*d.words.at(uint32(v))]
}

// Int returns a number, and whether v is one that fits an int64.
func (d *Doc) Int(v Value) (n int64, ok bool) {
	if d.Kind(v) != Int {
		return 0, false
	}
	return int64(*d.words.at(uint32(v))), true
}

// Uint returns a number, and whether v is one that fits a uint64.
func (d *Doc) Uint(v Value) (n uint64, ok bool) {
	n = *d.words.at(uint32(v))
	switch d.Kind(v) {
	case Uint:
		return n, true
	case Int:
		return n, int64(n) >= 0
	}
	return 0, false
}

// Size returns how many values the lists, tuples and dictionaries of d contain, each
// taken once.
func (d *Doc) Size() int64 { return int64(d.slots.n) }

// A Walk visits values and counts them, so that a small file which contains one
// list many times over cannot keep anybody busy for ever.
type Walk struct {
	doc  *Doc
	left int64
}

// Walk returns a walk that visits at most budget values.
func (d *Doc) Walk(budget int64) *Walk { return &Walk{d, budget} }

// Exhausted reports whether there was more to visit than the budget allows.
func (w *Walk) Exhausted() bool { return w.left < 0 }

// Items visits what a list, a tuple, a call or a reference contains, and nothing of
// other values.
func (w *Walk) Items(v Value) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if k := w.doc.Kind(v); k == List || k == Tuple || k == Call || k == Outside {
			w.each(v, 1, func(at uint32) bool { return yield(*w.doc.slots.at(at)) })
		}
	}
}

// Pairs visits the keys and values of a dictionary, and nothing of other values. A
// key may come twice; the later counts.
func (w *Walk) Pairs(v Value) iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if w.doc.Kind(v) == Dict {
			w.each(v, 2, func(at uint32) bool { return yield(*w.doc.slots.at(at), *w.doc.slots.at(at + 1)) })
		}
	}
}

// each calls yield for every step-th slot of v.
func (w *Walk) each(v Value, step uint32, yield func(slot uint32) bool) {
	for r := uint32(*w.doc.words.at(uint32(v)) >> 32); r != noRun; {
		one := w.doc.runs.at(r)
		for i := uint32(0); i < one.n; i += step {
			if w.left--; w.left < 0 || !yield(one.first+i) {
				return
			}
		}
		r = one.next
	}
}

// pageBits is how many elements a page has, as a power of two.
const pageBits = 14

// paged is a list that grows without being copied.
type paged[T any] struct {
	pages [][]T
	n     uint32
}

func (p *paged[T]) at(i uint32) *T { return &p.pages[i>>pageBits][i&(1<<pageBits-1)] }

func (p *paged[T]) add(v T) uint32 {
	i := p.n
	if i>>pageBits == uint32(len(p.pages)) {
		p.pages = append(p.pages, make([]T, 1<<pageBits))
	}
	*p.at(i) = v
	p.n++
	return i
}
