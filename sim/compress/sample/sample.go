// Package sample is what is known of files of tensors: where their tensors are, and what
// was measured of these, of a sample of their entries or of all. It reads no files.
package sample

import (
	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
)

// A Tensor is where its bytes are in a file.
type Tensor struct {
	Name   string
	Type   string // of its elements, as NumPy calls it: "float32"; "" if unknown
	Shape  []int64
	Offset int64 // bytes before it in the file
	Bytes  unit.Bytes
}

// Entries is how many entries of 128 bytes it has, the last filled up with zeros.
func (t *Tensor) Entries() int64 { return buddy.Entries(t.Bytes) }

// MaxTensors is how many tensors files have at most, together: six times those of the
// largest open models.
const MaxTensors = 1 << 17

// A File is a file of tensors, or of bytes of no known format.
type File struct {
	Name   string
	Format string // for people
	Raw    bool   // of no known format: all its bytes are one tensor
	Size   int64  // in bytes
	Notes  []string
	// Tensors are those it has, by offset. Sample and All are what was measured of each, of
	// a sample and of all entries; nil before that is known.
	Tensors     []Tensor
	Sample, All []Counts
	// Place is where the file itself is among those at hand, from 0; -1 where only what was
	// measured of it is.
	Place int
}

// Most bounds the bytes of all files, and of all tensors, so that no sum of them, or of the
// bits of their entries, overflows.
const Most = 1 << 56

// Valid reports whether tensors are in the file, and whether there is a count of each or of
// none.
func (f *File) Valid() bool {
	if f.Size < 0 || f.Size > Most || len(f.Tensors) > MaxTensors {
		return false
	}
	left := int64(Most)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if left -= int64(t.Bytes); left < 0 || t.Offset < 0 || t.Bytes < 0 || int64(t.Bytes) > f.Size || t.Offset > f.Size-int64(t.Bytes) {
			return false
		}
	}
	for _, list := range [][]Counts{f.Sample, f.All} {
		if list != nil && len(list) != len(f.Tensors) {
			return false
		}
		for i := range list {
			if !list[i].Check(f.Tensors[i].Entries()) {
				return false
			}
		}
	}
	return true
}

// Counts is what was measured of a tensor: a histogram of its entries, or of those of
// a sample.
type Counts struct {
	Entries int64    // as many as there are sectors of
	Bits    int64    `json:"bits"`
	Zero    int64    `json:"zero"`
	Tiny    int64    `json:"tiny"`
	Sectors [5]int64 `json:"sectors"`
	Classes [8]int64 `json:"classes"`
	// Errors are the standard errors of the shares of entries that take more than 3, 2
	// and 1 sectors, in thousandths: those that overflow at 1.33x, 2x and 4x.
	Errors [Larger]int64 `json:"standard_errors_thousandths"`
}

// Larger is how many targets between 1x and 16x there are.
const Larger = 3

// Set takes what a histogram has.
func (c *Counts) Set(h *buddy.Histogram) {
	*c = Counts{Entries: h.Entries, Bits: h.Bits, Zero: h.Zero, Tiny: h.Tiny, Sectors: h.Sectors, Classes: h.Classes, Errors: c.Errors}
}

// Histogram returns c without its errors.
func (c *Counts) Histogram() buddy.Histogram {
	return buddy.Histogram{Entries: c.Entries, Bits: c.Bits, Zero: c.Zero, Tiny: c.Tiny, Sectors: c.Sectors, Classes: c.Classes}
}

// Check reports whether the counts can be those of so many entries, and counts them.
func (c *Counts) Check(most int64) bool {
	var sectors, classes int64
	for _, n := range c.Sectors {
		if n < 0 || n > most {
			return false
		}
		sectors += n
	}
	for _, n := range c.Classes {
		if n < 0 || n > most {
			return false
		}
		classes += n
	}
	for _, e := range c.Errors {
		if e < 0 || e > 1000 {
			return false
		}
	}
	c.Entries = sectors
	longest := int64(2 * 8 * buddy.EntryBytes) // bits; none is near it
	return sectors == classes && sectors <= most && (sectors > 0) == (most > 0) &&
		0 <= c.Zero && c.Zero <= c.Tiny && c.Tiny <= sectors && 0 <= c.Bits && c.Bits <= longest*sectors
}
