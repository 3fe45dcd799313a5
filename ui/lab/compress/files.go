package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	core "spillway/sim/compress"
	"spillway/sim/compress/buddy"
	"spillway/sim/compress/sample"
	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is opened files of tensors.
type source struct {
	files    []*opened
	together *opened // all of them as one; nil if that is none
	notes    []string
}

// An opened file is its tensors, what is known of them, and where their bytes are.
type opened struct {
	*sample.File
	at    io.ReaderAt // nil where only what was measured of it is at hand
	files []*opened   // of the entry of several

	mutex  sync.Mutex
	memory [2]*memory // of the sample, and of all
}

// accept takes over files of tensors, some of which may be at hand.
func accept(found []byte, along []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Contents](found)
	if err != nil {
		return nil, err
	}
	s := &source{notes: h.Notes}
	left := int64(sample.Most)
	for _, f := range h.Files {
		if f == nil || !f.Valid() || f.Size > left {
			return nil, errors.New("what was found in the files cannot be; open them again")
		}
		left -= f.Size
		o := &opened{File: f}
		if f.Place >= 0 && f.Place < len(along) {
			o.at = &later{file: &along[f.Place]}
		}
		s.files = append(s.files, o)
	}
	s.join()
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

// A later reads a file that is opened only when somebody asks for its bytes.
type later struct {
	file *lab.File
	open sync.Once
	at   io.ReaderAt
	err  error
}

// opened opens the file if nobody has.
func (l *later) opened() (io.ReaderAt, error) {
	l.open.Do(func() { l.at, l.err = reader(l.file) })
	return l.at, l.err
}

// ReadAt implements io.ReaderAt.
func (l *later) ReadAt(p []byte, off int64) (int, error) {
	at, err := l.opened()
	if err != nil {
		return 0, err
	}
	return at.ReadAt(p, off)
}

// Gather implements lab.BatchReader.
func (l *later) Gather(p []byte, at []int64) error {
	from, err := l.opened()
	if err != nil {
		return err
	}
	return lab.Gather(from, p, at)
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	files := s.files
	switch {
	case s.together != nil && s.together.sharded(): // nobody wants one of its files
		files = append([]*opened{s.together}, files...)
	case s.together != nil:
		files = append(slices.Clip(files), s.together)
	}
	list := make([]lab.Entry, len(files))
	for i, f := range files {
		var n unit.Bytes
		for k := range f.Tensors {
			n += f.Tensors[k].Bytes
		}
		list[i] = lab.Entry{Name: f.Name, Info: fmt.Sprintf("%s, %s, %v", f.Format, prose.Count(len(f.Tensors), "tensor"), n)}
		if f.All != nil || f.at != nil {
			list[i].Knobs = []lab.EntryKnob{{Key: "exact"}}
		}
		switch {
		case n == 0:
			list[i].Error = "it holds no bytes"
		case f.All == nil && f.at != nil:
			list[i].Survey = &lab.Survey{Set: "exact=yes", Until: "exact=no", Parts: f.parts().count, Bytes: int64(n)}
		}
	}
	return list
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	list := s.notes
	for i := range s.files {
		for _, n := range s.files[i].File.Notes {
			list = append(list, path.Base(s.files[i].Name)+": "+n)
		}
	}
	return list
}

// find returns the file with this name.
func (s *source) find(name string) (*opened, error) {
	for _, f := range s.files {
		if f.Name == name {
			return f, nil
		}
	}
	if s.together != nil && s.together.Name == name {
		return s.together, nil
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Contents", name)
}

// entry returns what the file with this name holds.
func entry(name string, exact bool, files lab.Files) (*memory, error) {
	s, ok := files.(*source)
	if !ok {
		return nil, errNoFiles
	}
	f, err := s.find(name)
	if err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := f.gather(); err != nil {
		return nil, err
	}
	slot, list := &f.memory[0], f.Sample
	if exact {
		slot, list = &f.memory[1], f.All
	}
	switch {
	case *slot != nil:
		return *slot, nil
	case exact && list == nil && f.at == nil:
		return nil, fmt.Errorf("of %s only a sample was compressed, and its bytes are not at hand; choose the sample, or open the file itself", f.Name)
	case exact && list == nil:
		return nil, fmt.Errorf("not all entries of %s have been compressed yet; choose a sample, or wait until they are", f.Name)
	case list == nil:
		if list, err = f.draw(nil); err != nil {
			return nil, err
		}
		f.Sample = list
	}
	if *slot, err = f.hold(list); err != nil {
		return nil, err
	}
	return *slot, nil
}

// hold returns what is compressed: the tensors that hold bytes, and what was
// measured of them.
func (f *opened) hold(list []sample.Counts) (*memory, error) {
	m := &memory{many: len(f.files) > 0, programs: []core.Program{{Name: path.Base(f.Name)}}, origin: "From " + path.Base(f.Name) + " (" + f.Format + ")."}
	var worst, entries, all int64
	var places []int
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if t.Bytes == 0 {
			continue
		}
		c := &list[i]
		worst = max(worst, c.Errors[0])
		entries, all = entries+c.Entries, all+t.Entries()
		places = append(places, i)
		m.tensors = append(m.tensors, tensor{Name: t.Name, Type: t.Type, Bytes: int64(t.Bytes), Entries: c.Entries, Bits: c.Bits, Sectors: c.Sectors, Error: c.Errors[0], Errors: c.Errors})
		m.programs[0].Allocations = append(m.programs[0].Allocations, buddy.Allocation{Name: t.Name, Bytes: t.Bytes, Snapshots: []buddy.Histogram{c.Histogram()}})
	}
	if len(m.tensors) == 0 {
		return nil, fmt.Errorf("%s holds no bytes", f.Name)
	}
	if f.at != nil {
		m.bytes = func(tensor int, at int64, p []byte) error {
			if tensor < 0 || tensor >= len(places) {
				return errors.New("there is no such tensor")
			}
			return f.read(&f.Tensors[places[tensor]], at, p)
		}
	}
	m.about = about(m.programs)
	if entries < all {
		m.caveat = fmt.Sprintf("A sample: one entry in %d. Contents can take all.", all/entries)
		m.notes = append(m.notes, fmt.Sprintf("A sample: %d of %d entries were compressed; the share of dense entries of a tensor has a standard error of at most %.1f points.", entries, all, float64(worst)/10))
	}
	return m, nil
}

// read fills p with a tensor's bytes from a place on.
func (f *opened) read(t *sample.Tensor, at int64, p []byte) error {
	if at < 0 || at+int64(len(p)) > int64(t.Bytes) {
		return fmt.Errorf("tensor %q has %d bytes, none at %d", t.Name, t.Bytes, at+int64(len(p))-1)
	}
	n, err := f.at.ReadAt(p, t.Offset+at)
	if n == len(p) {
		return nil
	}
	return f.unread(t, err)
}

// unread says that bytes of a tensor cannot be read.
func (f *opened) unread(t *sample.Tensor, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: tensor %q ends behind the end of the file. If it changed since it was opened, open it again", f.Name, t.Name)
	}
	if strings.Contains(err.Error(), f.Name) {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return fmt.Errorf("%s: tensor %q: %w", f.Name, t.Name, err)
}
