package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
)

// Limits of what is streamed. Recordings compress to a tenth or a thirtieth.
const (
	mostInflated = 1 << 34
	mostRatio    = 250     // bytes that come out for one that goes in
	smallBomb    = 8 << 20 // up to here any ratio will do
)

var (
	errTooLarge = fmt.Errorf("more than %d MiB unpacked", maxUnpacked>>20)
	errBomb     = fmt.Errorf("unpacks to more than %d times its size, as no recording does; compress it again", mostRatio)
	errEndless  = fmt.Errorf("unpacks to more than %d GiB; record fewer steps", mostInflated>>30)
	bom         = []byte("\xef\xbb\xbf") // some editors put it in front of text
)

// A source is where the bytes of a file come from: data, or a stream of which
// data is the beginning.
type source struct {
	data    []byte
	size    int64 // of data or stream, before it is inflated
	open    func() (io.ReadCloser, error)
	packing packing // of data or stream, which is undone on the way
	packed  bool    // it is, or was, compressed
	given   string
	part    *part
}

// stream reads all of the file, inflated.
func (s *source) stream() (io.ReadCloser, error) {
	r, err := s.raw()
	if err != nil || s.packing == loose {
		return &stream{Reader: skipMark(s.watch(r)), close: r.Close}, err
	}
	in := &counter{r: s.watch(r)}
	z, err := s.packing.reader(in)
	if err != nil {
		return nil, cmp.Or(s.packing.damaged(err), r.Close())
	}
	return &stream{Reader: skipMark(&inflater{z: z, packing: s.packing, in: in}), close: r.Close}, nil
}

// raw reads the file as it is.
func (s *source) raw() (io.ReadCloser, error) {
	if s.open == nil {
		return io.NopCloser(bytes.NewReader(s.data)), nil
	}
	r, err := s.open()
	if err != nil {
		return io.NopCloser(bytes.NewReader(nil)), err
	}
	return r, nil
}

// readerAt reads any part of an archive.
func (s *source) readerAt() (io.ReaderAt, error) {
	if s.open == nil {
		return bytes.NewReader(s.data), nil
	}
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	if at, ok := r.(io.ReaderAt); ok {
		return at, nil // stays open as long as its files may be read
	}
	data, more, err := readUpTo(r, s.size, mostArchive)
	if err = cmp.Or(err, r.Close()); err == nil && more {
		err = fmt.Errorf("an archive of more than %d MiB; unpack it and drop the files", mostArchive>>20)
	}
	return bytes.NewReader(data), err
}

// A stream is a reader with something to close.
type stream struct {
	io.Reader
	close func() error
}

// Close closes what the reader reads.
func (s *stream) Close() error { return s.close() }

// skipMark leaves out the mark that some editors put in front of text.
func skipMark(r io.Reader) io.Reader {
	head := make([]byte, len(bom))
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return &failing{bytes.NewReader(head[:n]), err}
	}
	return io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head[:n], bom)), r)
}

// failing reads what there is and then fails.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil {
		err = f.err
	}
	return n, err
}

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// An inflater undoes compression and stops at what only grows.
type inflater struct {
	z       io.Reader
	packing packing
	in      *counter
	out     int64
}

func (f *inflater) Read(p []byte) (int, error) {
	n, err := f.z.Read(p)
	f.out += int64(n)
	switch {
	case f.out > smallBomb && f.out > mostRatio*f.in.n:
		return 0, errBomb
	case f.out > mostInflated:
		return 0, errEndless
	case err != nil && err != io.EOF:
		return n, f.packing.damaged(err)
	}
	return n, err
}

// At puts a file's name before an error.
func At(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// A meter adds up how much of all files is read.
type meter struct {
	tell        Progress
	done, total int64
	told        int64
}

// A part is one file's share.
type part struct {
	m    *meter
	done int64 // the farthest that it was read
}

// part enters a file.
func (m *meter) part(size int64) *part {
	m.total += size
	return &part{m: m}
}

// often is after how many bytes progress is told.
const often = 1 << 20

// watch returns r, and tells the meter how far it is read. A file that is read
// twice counts once.
func (s *source) watch(r io.Reader) io.Reader {
	if s.part == nil || s.part.m.tell == nil {
		return r
	}
	return &watched{r: r, part: s.part}
}

type watched struct {
	r    io.Reader
	n    int64
	part *part
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	w.n += int64(n)
	if more := w.n - w.part.done; more > 0 {
		m := w.part.m
		w.part.done, m.done = w.n, m.done+more
		if m.done-m.told >= often || m.done >= m.total {
			m.told = m.done
			m.tell(min(m.done, m.total), m.total)
		}
	}
	return n, err
}
