package traces

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
)

// What unpacking may yield at most. The artifact's repository has 0.02 GiB in
// some thousand files. Files that hold more than mostHeld are streamed instead.
const (
	maxUnpacked = 1 << 30
	maxFiles    = 100_000
	mostHeld    = 32 << 20
	headBytes   = 1 << 20 // of a file that is not held
	mostArchive = 1 << 28 // of an archive that has to be held
	mostNested  = 2       // archives in one another
)

// An item is a file that is no archive. Of one that is streamed Data is the
// beginning.
type item struct {
	File
	src source
}

// open reads the whole item.
func (f *item) open() (io.ReadCloser, error) {
	if f.Stream == nil {
		return io.NopCloser(f.src.watch(bytes.NewReader(f.Data))), nil
	}
	return f.Stream()
}

// whole returns the file with all of its content.
func (f *item) whole() (File, error) {
	if f.Stream == nil {
		return f.File, nil
	}
	r, err := f.open()
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", f.Name, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err = errors.Join(err, r.Close()); err == nil && len(data) > maxUnpacked {
		err = errTooLarge
	}
	return File{Name: f.Name, Data: data}, at(f.Name, err)
}

// An unpacker keeps account of what archives yield.
type unpacker struct {
	items []item
	room  int64 // bytes that may still be held
	most  int64 // of them by one file
	meter *meter
}

// unpack replaces zip archives and gzipped files by their contents.
func unpack(files []File, tell Progress) ([]item, error) {
	u := unpacker{room: maxUnpacked, most: mostHeld, meter: &meter{tell: tell}}
	err := u.all(files)
	return u.items, err
}

// all takes files apart.
func (u *unpacker) all(files []File) error {
	for i := range files {
		f := &files[i]
		name := clean(f.Name)
		if skipped(name) {
			continue
		}
		src := source{data: f.Data, size: int64(len(f.Data)), open: f.Stream}
		if f.Stream != nil {
			src.size = f.Size
		}
		if err := u.add(name, src, 0); err != nil {
			return err
		}
	}
	return nil
}

// add takes a file apart if it is an archive. depth is how many it is in.
func (u *unpacker) add(name string, src source, depth int) error {
	switch {
	case bytes.HasPrefix(src.data, []byte("PK\x05\x06")):
		return fmt.Errorf("%s: an empty zip archive; download it again", name)
	case bytes.HasPrefix(src.data, []byte("PK\x03\x04")) && depth < mostNested:
		return u.zip(name, src, depth+1)
	case isGzip(src.data) && !src.packed:
		return u.gzip(name, src, depth)
	}
	return u.plain(name, src)
}

// plain adds one file.
func (u *unpacker) plain(name string, src source) error {
	if len(u.items) >= maxFiles {
		return fmt.Errorf("%s: more than %d files; drop only the folders you need", name, maxFiles)
	}
	src.part = u.meter.part(src.size)
	f := item{File{Name: name, Data: src.data}, src}
	if src.open != nil {
		f.Size, f.Stream = src.size, src.stream
	}
	f.Data = bytes.TrimPrefix(f.Data, bom) // some editors put a mark in front
	u.items = append(u.items, f)
	return nil
}

// gzip adds what is compressed: held if it is small, else as a stream.
func (u *unpacker) gzip(name string, src source, depth int) error {
	src.packed = true
	r, err := src.stream()
	if err != nil {
		return at(name, err)
	}
	data, more, err := u.hold(r, src.size > u.most/8) // which inflates to more
	if err = errors.Join(err, r.Close()); errors.Is(err, errTooLarge) {
		return tooLarge(name)
	}
	if err != nil {
		return at(name, err)
	}
	name = strings.TrimSuffix(name, ".gz")
	if !more {
		return u.add(name, source{data: data, size: int64(len(data)), packed: true}, depth+1)
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) && depth+1 < mostNested {
		whole, err := u.archive(&src)
		if err != nil {
			return at(name, err)
		}
		return u.add(name, source{data: whole, size: int64(len(whole)), packed: true}, depth+1)
	}
	open := src.open
	if open == nil {
		packed := src.data
		open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
	}
	src.open, src.data = open, bytes.Clone(data[:headBytes])
	u.room += int64(len(data)) - headBytes
	return u.plain(name, src)
}

// archive reads all of a zip archive that is compressed once more.
func (u *unpacker) archive(src *source) ([]byte, error) {
	r, err := src.stream()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, mostArchive+1))
	if err = errors.Join(err, r.Close()); err == nil && len(data) > mostArchive {
		err = fmt.Errorf("a compressed zip archive of more than %d MiB; decompress it first", mostArchive>>20)
	}
	return data, err
}

// hold reads all of r if it is small; more says that it is not, and data is its
// beginning. Of what is known to be large no more than that is read.
func (u *unpacker) hold(r io.Reader, large bool) (data []byte, more bool, err error) {
	var buf bytes.Buffer
	wanted := u.most
	if large {
		wanted = headBytes
	}
	limit := min(u.room, wanted)
	n, err := io.Copy(&buf, io.LimitReader(r, limit+1))
	if n > limit && limit < wanted {
		return nil, false, errTooLarge
	}
	u.room -= n
	return buf.Bytes(), n > limit, err
}

// zip adds the files of an archive.
func (u *unpacker) zip(name string, src source, depth int) error {
	if depth > 1 && !src.packed {
		return u.plain(name, src) // is described
	}
	from, err := src.readerAt()
	if err != nil {
		return at(name, err)
	}
	r, err := zip.NewReader(from, src.size)
	if err != nil {
		return fmt.Errorf("%s: damaged zip archive (%w); download it again", name, err)
	}
	for _, z := range r.File {
		inside := clean(z.Name)
		if strings.HasSuffix(inside, "/") || skipped(inside) {
			continue
		}
		if path.Base(inside) == "data.pkl" {
			return fmt.Errorf("%s: a PyTorch checkpoint holds weights, not what happens in a step: the laboratory Compression takes it; record a step with Spillway's capture.py. %s", name, supported())
		}
		if err := u.member(name, inside, z, depth); err != nil {
			return err
		}
	}
	return nil
}

// member adds a file of an archive.
func (u *unpacker) member(archive, name string, z *zip.File, depth int) error {
	size := int64(min(z.UncompressedSize64, math.MaxInt64))
	if size > mostInflated || size > smallBomb && uint64(size)/mostRatio > z.CompressedSize64 {
		return fmt.Errorf("%s: %s in it would unpack to %d bytes from %d, as no recording does; pack it again", archive, name, z.UncompressedSize64, z.CompressedSize64)
	}
	r, err := z.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	data, more, err := u.hold(r, size > u.most)
	if err = errors.Join(err, r.Close()); errors.Is(err, errTooLarge) {
		return tooLarge(archive)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; download the archive again", name, err)
	}
	src := source{data: data, size: int64(len(data))}
	if more {
		u.room += int64(len(data)) - headBytes
		src = source{data: bytes.Clone(data[:headBytes]), size: size, open: z.Open}
	}
	return u.add(name, src, depth)
}

func tooLarge(name string) error {
	return fmt.Errorf("%s: unpacks to more than %d GiB; drop only the folders frontend, results and src/configs", name, maxUnpacked>>30)
}

// clean is a name with slashes between folders and without characters that would
// change how what is printed beside it looks.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\\':
			return '/'
		case r < ' ' || r >= 0x7f && r < 0xa0: // control characters
			return -1
		case r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069: // ends of lines, directions
			return -1
		}
		return r
	}, name)
}

// skipped reports whether a path is the litter of a file manager or version
// control: a hidden file or folder, or the macOS resource folder.
func skipped(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "__MACOSX" || strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}
