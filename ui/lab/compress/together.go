package compress

import (
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"

	"spillway/sim/compress/sample"
	"spillway/ui/lab"
)

// Checkpoints of large models are many files, so several opened files are also one
// entry: all of their tensors. Nothing is measured for it; it has what was measured of
// its parts.

// join makes the entry of all files, if there are several that have tensors, or
// several of bytes and nothing else.
func (s *source) join() {
	s.together = nil
	parts := slices.DeleteFunc(slices.Clone(s.files), func(f *opened) bool { return f.Raw })
	if len(parts) == 0 {
		parts = s.files
	}
	count := 0
	for _, f := range parts {
		count += len(f.Tensors)
	}
	if len(parts) < 2 || count > sample.MaxTensors {
		return
	}
	all := &opened{files: parts, File: &sample.File{Name: togetherName(parts), Format: parts[0].Format, Place: -1}}
	if left := len(s.files) - len(parts); left > 0 {
		all.Notes = append(all.Notes, fmt.Sprintf("%d of the opened files are bytes of no known format and not in it.", left))
	}
	if _, err := s.find(all.Name); err == nil {
		return
	}
	from := joined{}
	names := map[string]bool{}
	for _, f := range parts {
		if f.Format != all.Format {
			all.Format = "several formats"
		}
		from.begins, from.files = append(from.begins, all.Size), append(from.files, f.at)
		for _, t := range f.Tensors {
			t.Offset += all.Size
			names[t.Name] = true
			all.Tensors = append(all.Tensors, t)
		}
		all.Size += f.Size
	}
	if len(names) < count { // the same names in several files
		at := 0
		for _, f := range parts {
			for range f.Tensors {
				all.Tensors[at].Name = path.Base(f.Name) + "/" + all.Tensors[at].Name
				at++
			}
		}
	}
	if !slices.Contains(from.files, nil) {
		all.at = &from
	}
	all.known()
	s.together = all
}

// togetherName is the name of the entry of all files: their folder, if it is the same,
// and how many they are.
func togetherName(parts []*opened) string {
	folder := path.Dir(parts[0].Name)
	for _, f := range parts {
		if path.Dir(f.Name) != folder {
			folder = ""
		}
	}
	return path.Join(folder, fmt.Sprintf("all %d files", len(parts)))
}

// sharded reports whether the files are those of one checkpoint, by their names.
func (f *opened) sharded() bool {
	return !slices.ContainsFunc(f.files, func(p *opened) bool { return !strings.Contains(path.Base(p.Name), "-of-") })
}

// known takes over what is known of all entries of the parts, if it is of each.
func (f *opened) known() {
	f.All = nil
	var all []sample.Counts
	for _, p := range f.files {
		if p.All == nil {
			return
		}
		all = append(all, p.All...)
	}
	f.All = all
}

// gather takes over the samples of the parts.
func (f *opened) gather() error {
	if f.files == nil || f.Sample != nil {
		return nil
	}
	var sample []sample.Counts
	for _, p := range f.files {
		list, err := p.drawn()
		if err != nil {
			return err
		}
		sample = append(sample, list...)
	}
	f.Sample = sample
	return nil
}

// drawn returns the file's sample.
func (f *opened) drawn() (_ []sample.Counts, err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.Sample == nil {
		f.Sample, err = f.draw(nil)
	}
	return f.Sample, err
}

// with returns files of which all entries of those parts are known.
func with(files, parts []*opened, all []sample.Counts) []*opened {
	var list []*opened
	for _, p := range files {
		known := p.All
		if slices.Contains(parts, p) {
			known, all = all[:len(p.Tensors)], all[len(p.Tensors):]
		}
		x := *p.File
		x.All = known
		list = append(list, &opened{File: &x, at: p.at})
	}
	return list
}

// joined is several files, one behind the other.
type joined struct {
	begins []int64
	files  []io.ReaderAt
}

// at returns the file with what is at a place, and where it begins.
func (j *joined) at(place int64) (io.ReaderAt, int64, error) {
	i := sort.Search(len(j.begins), func(i int) bool { return j.begins[i] > place }) - 1
	if i < 0 {
		return nil, 0, io.EOF
	}
	return j.files[i], j.begins[i], nil
}

// ReadAt implements io.ReaderAt, for what is in one of the files.
func (j *joined) ReadAt(p []byte, at int64) (int, error) {
	f, begin, err := j.at(at)
	if err != nil {
		return 0, err
	}
	return f.ReadAt(p, at-begin)
}

// Gather implements lab.BatchReader, for pieces of one of the files in their order.
func (j *joined) Gather(p []byte, at []int64) error {
	if len(at) == 0 {
		return nil
	}
	f, begin, err := j.at(at[0])
	if err != nil {
		return err
	}
	places := make([]int64, len(at))
	for i := range at {
		places[i] = at[i] - begin
	}
	return lab.Gather(f, p, places)
}
