//go:build !lean

package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"

	core "spillway/sim/compress"
	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
	"spillway/traces/tensorfile"
	"spillway/ui/lab"
)

// A source is opened files of tensors.
type source struct {
	files []opened
	notes []string
}

// An opened file is its tensors and where their bytes are.
type opened struct {
	name string
	at   io.ReaderAt
	*tensorfile.File
	measured [2]*memory // of a sample, and of all
}

// open finds tensors in files.
func open(files []lab.File) (lab.Files, error) {
	s := &source{}
	var errs []error
	for _, f := range files {
		at, err := reader(&f)
		var found *tensorfile.File
		if err == nil {
			found, err = tensorfile.Open(f.Name, at, f.Bytes())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.Name, err))
			continue
		}
		s.files = append(s.files, opened{name: f.Name, at: at, File: found})
	}
	if len(s.files) == 0 {
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		s.notes = append(s.notes, err.Error())
	}
	return s, nil
}

// reader reads any part of a file. One that is held open is never closed: it is
// there as long as its file may be asked for.
func reader(f *lab.File) (io.ReaderAt, error) {
	if f.Stream == nil {
		return bytes.NewReader(f.Data), nil
	}
	r, err := f.Stream()
	if err != nil {
		return nil, err
	}
	at, ok := r.(io.ReaderAt)
	if !ok {
		return nil, errors.New("only its beginning can be read; save it on this computer and open it from there")
	}
	return at, nil
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.files))
	for i := range s.files {
		f := &s.files[i]
		var n unit.Bytes
		for k := range f.Tensors {
			n += f.Tensors[k].Bytes
		}
		list[i] = lab.Entry{Name: f.name, Info: fmt.Sprintf("%s, %d tensors, %v", f.Format, len(f.Tensors), n)}
	}
	return list
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	list := s.notes
	for i := range s.files {
		for _, n := range s.files[i].File.Notes {
			list = append(list, path.Base(s.files[i].name)+": "+n)
		}
	}
	return list
}

// entry compresses the tensors of the file with this name.
func entry(name string, exact bool, files lab.Files) (*memory, error) {
	s, ok := files.(*source)
	if !ok {
		return nil, errNoFiles
	}
	for i := range s.files {
		if f := &s.files[i]; f.name == name {
			return f.measure(exact)
		}
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Contents", name)
}

// Sampling: at least leastPages of each tensor, and a page in everyPages of large
// ones. A page is 64 entries, as in the paper's Fig. 6, because entries near each
// other are alike. The tensor is cut into as many parts as pages are taken, and of
// each a page is taken by lot, always the same: pages at even distances would all
// meet the same part of a tensor that repeats itself.
const (
	pageBytes  = 64 * buddy.EntryBytes
	leastPages = 64
	everyPages = 64
)

// measure compresses all entries, or a sample.
func (f *opened) measure(exact bool) (*memory, error) {
	slot := &f.measured[0]
	if exact {
		slot = &f.measured[1]
	}
	if *slot != nil {
		return *slot, nil
	}
	m := &memory{programs: []core.Program{{Name: path.Base(f.name)}}, origin: "From " + path.Base(f.name) + " (" + f.Format + ")."}
	worst := int64(0)
	var pages, all int64
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if t.Bytes == 0 {
			continue
		}
		h, x, err := f.tensor(t, exact)
		if err != nil {
			return nil, fmt.Errorf("%s: tensor %q: %w. If it changed or moved since it was opened, open it again", f.name, t.Name, err)
		}
		worst = max(worst, x.Error)
		pages, all = pages+x.Entries, all+(int64(t.Bytes)+buddy.EntryBytes-1)/buddy.EntryBytes
		m.tensors = append(m.tensors, x)
		m.programs[0].Allocations = append(m.programs[0].Allocations, buddy.Allocation{Name: t.Name, Bytes: t.Bytes, Snapshots: []buddy.Histogram{h}})
	}
	if len(m.tensors) == 0 {
		return nil, fmt.Errorf("%s holds no bytes", f.name)
	}
	m.bytes = f.bytes
	m.about = about(m.programs)
	if pages < all {
		m.notes = append(m.notes, fmt.Sprintf("A sample: %d of %d entries were compressed; the share of dense entries of a tensor has a standard error of at most %.1f points.", pages, all, float64(worst)/10))
	}
	*slot = m
	return m, nil
}

// bytes fills p with bytes of one of the tensors that hold any.
func (f *opened) bytes(tensor int, at int64, p []byte) error {
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if t.Bytes == 0 {
			continue
		}
		if tensor--; tensor < 0 {
			if at < 0 || at+int64(len(p)) > int64(t.Bytes) {
				return fmt.Errorf("tensor %q has %d bytes, none at %d", t.Name, t.Bytes, at+int64(len(p))-1)
			}
			_, err := f.at.ReadAt(p, t.Offset+at)
			if errors.Is(err, io.EOF) && at+int64(len(p)) == int64(t.Bytes) {
				err = nil
			}
			return err
		}
	}
	return errors.New("there is no such tensor")
}

// pick returns the k-th of take pages out of count.
func pick(k, take, count int64) int64 {
	from, to := unit.MulDiv(k, count, take), unit.MulDiv(k+1, count, take)
	x := uint64(k+1) * 0x9e3779b97f4a7c15 // splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return from + int64((x^x>>31)%uint64(to-from))
}

// tensor compresses one tensor's entries, or a sample of its pages.
func (f *opened) tensor(t *tensorfile.Tensor, exact bool) (h buddy.Histogram, x tensor, err error) {
	count := (int64(t.Bytes) + pageBytes - 1) / pageBytes
	take := count
	if !exact {
		take = min(count, max(leastPages, count/everyPages))
	}
	var buf [pageBytes]byte
	var sum, squares float64 // of the share of dense entries in a page
	for k := range take {
		page := pick(k, take, count)
		at := page * pageBytes
		n := min(pageBytes, int64(t.Bytes)-at)
		if _, err := f.at.ReadAt(buf[:n], t.Offset+at); err != nil && !errors.Is(err, io.EOF) {
			return h, x, err
		}
		before := h
		h.Measure(buf[:n])
		dense := float64(h.Sectors[4]-before.Sectors[4]) / float64(h.Entries-before.Entries)
		sum += dense
		squares += dense * dense
	}
	x = tensor{Name: t.Name, Type: t.Type, Bytes: int64(t.Bytes), Entries: h.Entries, Bits: h.Bits, Sectors: h.Sectors}
	if take < count && take > 1 {
		n := float64(take)
		variance := max(0, squares-sum*sum/n) / (n - 1)
		left := 1 - n/float64(count) // of pages drawn without putting back
		x.Error = int64(math.Ceil(1000 * math.Sqrt(variance/n*left)))
	}
	return h, x, nil
}
