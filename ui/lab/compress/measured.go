//go:build !lean

package compress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
	"spillway/traces/tensorfile"
	"spillway/ui/lab"
)

// counts is what was measured of a tensor: a histogram of its entries, or of those of
// a sample.
type counts struct {
	Entries int64    `json:"-"` // as many as there are sectors of
	Bits    int64    `json:"bits"`
	Zero    int64    `json:"zero"`
	Tiny    int64    `json:"tiny"`
	Sectors [5]int64 `json:"sectors"`
	Classes [8]int64 `json:"classes"`
	// Errors are the standard errors of the shares of entries that take more than 3, 2
	// and 1 sectors, in thousandths: those that overflow at 1.33x, 2x and 4x.
	Errors [larger]int64 `json:"standard_errors_thousandths"`
}

// larger is how many targets between 1x and 16x there are.
const larger = 3

// set takes what a histogram has.
func (c *counts) set(h *buddy.Histogram) {
	*c = counts{Entries: h.Entries, Bits: h.Bits, Zero: h.Zero, Tiny: h.Tiny, Sectors: h.Sectors, Classes: h.Classes, Errors: c.Errors}
}

func (c *counts) histogram() buddy.Histogram {
	return buddy.Histogram{Entries: c.Entries, Bits: c.Bits, Zero: c.Zero, Tiny: c.Tiny, Sectors: c.Sectors, Classes: c.Classes}
}

// check reports whether the counts can be those of so many entries, and counts them.
func (c *counts) check(most int64) bool {
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

// A measuredSet is what was measured of opened files, as a file: it is what other
// workers get, and what a bundle has in place of a checkpoint.
type measuredSet struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Files   []measuredFile `json:"files"`
	Notes   []string       `json:"notes,omitempty"`
}

type measuredFile struct {
	Name    string           `json:"name"`
	Format  string           `json:"format"`
	Bytes   int64            `json:"bytes"`
	Notes   []string         `json:"notes,omitempty"`
	Tensors []measuredTensor `json:"tensors"`
}

// A measuredTensor has the counts of a sample, and of all its entries if they were
// compressed.
type measuredTensor struct {
	Name   string  `json:"name"`
	Type   string  `json:"dtype"`
	Shape  []int64 `json:"shape"`
	Offset int64   `json:"offset"` // in the file
	Bytes  int64   `json:"bytes"`
	Sample *counts `json:"sample,omitempty"`
	All    *counts `json:"all,omitempty"`
}

const (
	measuredFormat  = "spillway-measured-tensors"
	measuredVersion = 1
	measuredBegins  = `{"format":"` + measuredFormat + `"`
	mostMeasured    = 256 << 20 // bytes
	// mostInAll bounds the bytes of all files, and of all tensors, so that no sum of
	// them, or of the bits of their entries, overflows.
	mostInAll = 1 << 56
)

// write writes what was measured of files. Of one of them all may be known besides;
// those of which nothing is known cannot be read.
func write(files []*opened, notes []string, surveyed *opened, all []counts) ([]lab.File, error) {
	set := measuredSet{Format: measuredFormat, Version: measuredVersion, Notes: notes}
	for _, f := range files {
		m := measuredFile{Name: f.name, Format: f.Format, Bytes: f.size, Notes: f.Notes}
		known := f.all
		if f == surveyed {
			known = all
		}
		if known == nil && f.sample == nil {
			continue
		}
		for i := range f.Tensors {
			t := &f.Tensors[i]
			x := measuredTensor{Name: t.Name, Type: t.Type, Shape: t.Shape, Offset: t.Offset, Bytes: int64(t.Bytes)}
			if f.sample != nil {
				x.Sample = &f.sample[i]
			}
			if known != nil {
				x.All = &known[i]
			}
			m.Tensors = append(m.Tensors, x)
		}
		set.Files = append(set.Files, m)
	}
	data, err := json.Marshal(&set)
	if err != nil {
		return nil, err
	}
	return []lab.File{{Name: "measured.json", Data: data}}, nil
}

// openMeasured opens what was measured of files, nil if the first is none. Files
// behind it are those that it is about, if they are at hand.
func openMeasured(files []lab.File) (lab.Files, error) {
	if len(files) == 0 || !bytes.HasPrefix(files[0].Data, []byte(measuredBegins)) {
		return nil, nil
	}
	name := files[0].Name
	data, err := files[0].All(mostMeasured)
	if err != nil {
		return nil, err
	}
	var set measuredSet
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if set.Version != measuredVersion {
		return nil, fmt.Errorf("%s: version %d of measured tensors; this program reads version %d. Open the file that was measured, or reload the page", name, set.Version, measuredVersion)
	}
	s := &source{notes: set.Notes, measured: true}
	left := sizes{mostInAll, mostInAll}
	for i := range set.Files {
		f, err := set.Files[i].open(&left)
		if err != nil {
			return nil, fmt.Errorf("%s: file %d: %w", name, i, err)
		}
		if slices.ContainsFunc(s.files, func(o *opened) bool { return o.name == f.name }) {
			return nil, fmt.Errorf("%s: file %d: there are two with the name %q", name, i, f.name)
		}
		s.files = append(s.files, f)
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("%s: nothing was measured", name)
	}
	for i := range files[1:] {
		o := &files[1+i]
		if f, err := s.find(o.Name); err == nil && f.size == o.Bytes() {
			f.at = &later{file: o}
		}
	}
	s.join()
	return s, nil
}

// sizes are bytes of files, and of their tensors.
type sizes struct{ files, tensors int64 }

// open checks what was measured of a file, and takes its bytes from what is left.
func (m *measuredFile) open(left *sizes) (*opened, error) {
	f := &opened{name: m.Name, size: m.Bytes, File: &tensorfile.File{Format: m.Format, Notes: m.Notes}}
	switch {
	case m.Name == "" || m.Bytes < 0:
		return nil, fmt.Errorf("it has the name %q and %d bytes", m.Name, m.Bytes)
	case m.Bytes > left.files:
		return nil, fmt.Errorf("with its %d bytes all files have more than %d", m.Bytes, int64(mostInAll))
	case len(m.Tensors) > tensorfile.MaxTensors:
		return nil, fmt.Errorf("it has %d tensors; at most %d are read", len(m.Tensors), tensorfile.MaxTensors)
	}
	left.files -= m.Bytes
	for i := range m.Tensors {
		x := &m.Tensors[i]
		t := tensorfile.Tensor{Name: x.Name, Type: x.Type, Shape: x.Shape, Offset: x.Offset, Bytes: unit.Bytes(x.Bytes)}
		bad := func(what string) (*opened, error) { return nil, fmt.Errorf("tensor %d, %.60q: %s", i, x.Name, what) }
		if x.Offset < 0 || x.Bytes < 0 || x.Offset > m.Bytes-x.Bytes {
			return bad(fmt.Sprintf("its %d bytes at %d are not in the file", x.Bytes, x.Offset))
		}
		if left.tensors -= x.Bytes; left.tensors < 0 {
			return bad(fmt.Sprintf("with its %d bytes all tensors have more than %d", x.Bytes, int64(mostInAll)))
		}
		most := entriesOf(&t)
		if x.Sample == nil { // all of them are a sample too
			x.Sample = x.All
		}
		switch {
		case x.Sample == nil || (x.All == nil) != (m.Tensors[0].All == nil):
			return bad("its counts are missing")
		case !x.Sample.check(most):
			return bad("the counts of its sample cannot be")
		case x.All != nil && (!x.All.check(most) || x.All.Entries != most):
			return bad("the counts of all its entries cannot be")
		}
		f.Tensors = append(f.Tensors, t)
		f.sample = append(f.sample, *x.Sample)
		if x.All != nil {
			f.all = append(f.all, *x.All)
		}
	}
	return f, nil
}

// A later reads a file that is opened only when somebody asks for its bytes.
type later struct {
	file *lab.File
	open sync.Once
	at   io.ReaderAt
	err  error
}

// ReadAt implements io.ReaderAt.
func (l *later) ReadAt(p []byte, off int64) (int, error) {
	l.open.Do(func() { l.at, l.err = reader(l.file) })
	if l.err != nil {
		return 0, l.err
	}
	return l.at.ReadAt(p, off)
}
