package exec

import (
	"bytes"
	"io"

	"spillway/ui/lab"
)

// mostZip is how large a zip may be to be read whole, as bundles are.
const mostZip = 64 << 20

// hold reads archives whole: the list of their files is at their end. Larger ones
// are no bundles, and left to the laboratory.
func hold(files []lab.File) error {
	for i := range files {
		f := &files[i]
		if f.Stream == nil || f.Size > mostZip || !bytes.HasPrefix(f.Data, []byte("PK\x03\x04")) {
			continue
		}
		data, err := f.All(mostZip)
		if err != nil {
			return err
		}
		*f = lab.File{Name: f.Name, Data: data}
	}
	return nil
}

// Counted returns files whose reading is counted, until quiet is called; archives among
// them that may be bundles are read.
func Counted(files []lab.File, progress lab.Progress) (list []lab.File, quiet func(), err error) {
	c := &count{progress: progress}
	list = c.files(files)
	return list, func() { c.progress = nil }, hold(list)
}

// A count tells in bytes how far into some files somebody has read, however often.
type count struct {
	progress    lab.Progress
	done, total int64
}

// files returns files whose reading is counted.
func (c *count) files(files []lab.File) []lab.File {
	list := make([]lab.File, len(files))
	for i, f := range files {
		c.total += f.Bytes()
		list[i] = f
		if f.Stream == nil {
			c.done += f.Bytes()
			continue
		}
		furthest := new(int64)
		list[i].Stream = func() (io.ReadCloser, error) {
			r, err := f.Stream()
			if err != nil {
				return nil, err
			}
			one := &counting{ReadCloser: r, count: c, furthest: furthest}
			if at, ok := r.(io.ReaderAt); ok {
				return &countingAt{one, at}, nil
			}
			return one, nil
		}
	}
	return list
}

// A counting is one reading of one of them.
type counting struct {
	io.ReadCloser
	count    *count
	at       int64
	furthest *int64 // of all readings of the file
}

// Read implements io.Reader.
func (r *counting) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.at += int64(n)
	r.tell(r.at)
	return n, err
}

// tell says that the file was read up to here.
func (r *counting) tell(at int64) {
	if at > *r.furthest {
		r.count.done += at - *r.furthest
		*r.furthest = at
	}
	if r.count.progress != nil {
		r.count.progress(int(r.count.done), int(r.count.total))
	}
}

// A countingAt is one reading of a file any part of which can be read.
type countingAt struct {
	*counting
	from io.ReaderAt
}

// ReadAt implements io.ReaderAt. The list of an archive is at its end, so only what
// is read in the order of the file counts.
func (r *countingAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.from.ReadAt(p, off)
	if end := off + int64(n); off <= *r.furthest+1<<20 {
		r.tell(end)
	}
	return n, err
}

// Gather implements lab.Gatherer.
func (r *countingAt) Gather(p []byte, at []int64) error { return lab.Gather(r.from, p, at) }
