// Package contents opens files whose bytes are compressed: it finds the tensors in them, or
// reads what was measured of such files before, and writes that.
package contents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"spillway/sim/compress/buddy"
	"spillway/sim/compress/sample"
	"spillway/sim/unit"
	"spillway/traces/archive"
	"spillway/traces/handed"
	"spillway/traces/tensorfile"
)

// Name is what a file of what was measured is called in a bundle.
const Name = "measured.json"

// Encode writes what was measured of files. Those of which nothing is known cannot be read,
// and are left out.
func Encode(h *handed.Contents) ([]byte, error) {
	set := measuredSet{Format: measuredFormat, Version: measuredVersion, Notes: h.Notes}
	for _, f := range h.Files {
		if f.All == nil && f.Sample == nil {
			continue
		}
		m := measuredFile{Name: f.Name, Format: f.Format, Bytes: f.Size, Notes: f.Notes}
		for i := range f.Tensors {
			t := &f.Tensors[i]
			x := measuredTensor{Name: t.Name, Type: t.Type, Shape: t.Shape, Offset: t.Offset, Bytes: int64(t.Bytes)}
			if f.Sample != nil {
				x.Sample = &f.Sample[i]
			}
			if f.All != nil {
				x.All = &f.All[i]
			}
			m.Tensors = append(m.Tensors, x)
		}
		set.Files = append(set.Files, m)
	}
	return json.Marshal(&set)
}

// Open finds tensors in files, or what was measured of them. Files that hold text are left
// out where others are of tensors.
func Open(files []archive.File) (*handed.Contents, error) {
	if h, err := openMeasured(files); h != nil || err != nil {
		return h, err
	}
	h := &handed.Contents{}
	var errs []error
	var texts []bool
	for i := range files {
		f := &files[i]
		found, counts, err := open(f)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.Name, err))
			continue
		}
		x := &sample.File{Name: f.Name, Format: found.Format, Raw: found.Format == tensorfile.Raw, Size: bytesOf(f), Notes: found.Notes, Place: i}
		if counts != nil { // its bytes are nowhere as they are
			x.Place, x.Size, x.Sample, x.All = -1, found.Unpacked, counts, counts
		}
		for _, t := range found.Tensors {
			x.Tensors = append(x.Tensors, sample.Tensor(t))
		}
		h.Files, texts = append(h.Files, x), append(texts, found.Text)
	}
	if len(h.Files) == 0 {
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		h.Note(err.Error())
	}
	leave(h, texts)
	return h, nil
}

// bytesOf is how large a file is.
func bytesOf(f *archive.File) int64 { return max(f.Size, int64(len(f.Data))) }

// open finds the tensors in a file. Only what its header says is read, unless they are compressed:
// then they are unpacked and counted at once, because no slice of them can be read by itself.
func open(f *archive.File) (*tensorfile.File, []sample.Counts, error) {
	var at io.ReaderAt = bytes.NewReader(f.Data)
	if f.Stream != nil {
		r, err := f.Stream()
		if err != nil {
			return nil, nil, err
		}
		defer r.Close()
		var ok bool
		if at, ok = r.(io.ReaderAt); !ok {
			return nil, nil, errors.New("only its beginning can be read; save it on this computer and open it from there")
		}
	}
	found, err := tensorfile.Open(f.Name, at, bytesOf(f))
	if err != nil || found.Unpacked == 0 {
		return found, nil, err
	}
	counts, err := count(found)
	return found, counts, err
}

// count counts all entries of the tensors of a file that is compressed.
func count(f *tensorfile.File) ([]sample.Counts, error) {
	hists, rest := make([]buddy.Histogram, len(f.Tensors)), make([][]byte, len(f.Tensors))
	err := f.Each(func(i int, data []byte) {
		if len(rest[i]) > 0 {
			data = append(rest[i], data...)
		}
		whole := len(data) &^ (2*buddy.EntryBytes - 1)
		hists[i].Measure(data[:whole])
		rest[i] = append([]byte(nil), data[whole:]...)
	})
	if err != nil {
		return nil, err
	}
	counts := make([]sample.Counts, len(hists))
	for i := range hists {
		if len(rest[i]) > 0 {
			hists[i].Measure(rest[i])
		}
		counts[i].Set(&hists[i])
	}
	f.Notes = append(f.Notes, "The arrays are compressed in the file: they were unpacked and counted whole, and their bytes cannot be looked at. numpy.savez keeps them as they are.")
	return counts, nil
}

// leave takes texts out that lie beside tensors, such as a checkpoint's configuration.
func leave(h *handed.Contents, texts []bool) {
	if !slices.ContainsFunc(h.Files, func(f *sample.File) bool { return !f.Raw }) {
		return
	}
	var names []string
	var left []*sample.File
	for i, f := range h.Files {
		if texts[i] {
			names = append(names, path.Base(f.Name))
			continue
		}
		left = append(left, f)
	}
	h.Files = left
	if n := len(names); n > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", n-3))
	}
	if len(names) > 0 {
		h.Note("Left out, as they hold text: " + strings.Join(names, ", ") + ".")
	}
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
	Name   string         `json:"name"`
	Type   string         `json:"dtype"`
	Shape  []int64        `json:"shape"`
	Offset int64          `json:"offset"` // in the file
	Bytes  int64          `json:"bytes"`
	Sample *sample.Counts `json:"sample,omitempty"`
	All    *sample.Counts `json:"all,omitempty"`
}

const (
	mostMeasured    = 256 << 20 // bytes
	measuredFormat  = "spillway-measured-tensors"
	measuredVersion = 1
	measuredBegins  = `{"format":"` + measuredFormat + `"`
	mostInAll       = sample.Most
)

// openMeasured opens what was measured of files, nil if the first is none. Files
// behind it are those that it is about, if they are at hand.
func openMeasured(files []archive.File) (*handed.Contents, error) {
	if len(files) == 0 || !bytes.HasPrefix(files[0].Data, []byte(measuredBegins)) {
		return nil, nil
	}
	name := files[0].Name
	data := files[0].Data
	if files[0].Stream != nil {
		in, err := files[0].Stream()
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(in, mostMeasured+1))
			err = cmp.Or(err, in.Close())
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", name, err)
		}
	}
	if len(data) > mostMeasured {
		return nil, fmt.Errorf("%s has more than %d MiB of measured tensors", name, mostMeasured>>20)
	}
	var set measuredSet
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if set.Version != measuredVersion {
		return nil, fmt.Errorf("%s: version %d of measured tensors; this program reads version %d. Open the file that was measured, or reload the page", name, set.Version, measuredVersion)
	}
	h := &handed.Contents{Noted: handed.Noted{Notes: set.Notes}}
	left := sizes{mostInAll, mostInAll}
	for i := range set.Files {
		f, err := set.Files[i].open(&left)
		if err != nil {
			return nil, fmt.Errorf("%s: file %d: %w", name, i, err)
		}
		if slices.ContainsFunc(h.Files, func(o *sample.File) bool { return o.Name == f.Name }) {
			return nil, fmt.Errorf("%s: file %d: there are two with the name %q", name, i, f.Name)
		}
		h.Files = append(h.Files, f)
	}
	if len(h.Files) == 0 {
		return nil, fmt.Errorf("%s: nothing was measured", name)
	}
	for i := range files[1:] {
		o := &files[1+i]
		for _, f := range h.Files {
			if f.Name == o.Name && f.Size == bytesOf(o) {
				f.Place = 1 + i
			}
		}
	}
	return h, nil
}

// sizes are bytes of files, and of their tensors.
type sizes struct{ files, tensors int64 }

// open checks what was measured of a file, and takes its bytes from what is left.
func (m *measuredFile) open(left *sizes) (*sample.File, error) {
	f := &sample.File{Name: m.Name, Format: m.Format, Raw: m.Format == tensorfile.Raw, Size: m.Bytes, Notes: m.Notes, Place: -1}
	switch {
	case m.Name == "" || m.Bytes < 0:
		return nil, fmt.Errorf("it has the name %q and %d bytes", m.Name, m.Bytes)
	case m.Bytes > left.files:
		return nil, fmt.Errorf("with its %d bytes all files have more than %d", m.Bytes, int64(mostInAll))
	case len(m.Tensors) > sample.MaxTensors:
		return nil, fmt.Errorf("it has %d tensors; at most %d are read", len(m.Tensors), sample.MaxTensors)
	}
	left.files -= m.Bytes
	for i := range m.Tensors {
		x := &m.Tensors[i]
		t := sample.Tensor{Name: x.Name, Type: x.Type, Shape: x.Shape, Offset: x.Offset, Bytes: unit.Bytes(x.Bytes)}
		bad := func(what string) (*sample.File, error) {
			return nil, fmt.Errorf("tensor %d, %.60q: %s", i, x.Name, what)
		}
		if x.Offset < 0 || x.Bytes < 0 || x.Offset > m.Bytes-x.Bytes {
			return bad(fmt.Sprintf("its %d bytes at %d are not in the file", x.Bytes, x.Offset))
		}
		if left.tensors -= x.Bytes; left.tensors < 0 {
			return bad(fmt.Sprintf("with its %d bytes all tensors have more than %d", x.Bytes, int64(mostInAll)))
		}
		most := t.Entries()
		if x.Sample == nil { // all of them are a sample too
			x.Sample = x.All
		}
		switch {
		case x.Sample == nil || (x.All == nil) != (m.Tensors[0].All == nil):
			return bad("its counts are missing")
		case !x.Sample.Check(most):
			return bad("the counts of its sample cannot be")
		case x.All != nil && (!x.All.Check(most) || x.All.Entries != most):
			return bad("the counts of all its entries cannot be")
		}
		f.Tensors = append(f.Tensors, t)
		f.Sample = append(f.Sample, *x.Sample)
		if x.All != nil {
			f.All = append(f.All, *x.All)
		}
	}
	return f, nil
}
