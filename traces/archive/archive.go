// Package archive takes dropped files apart: zip and tar archives and what gzip, bzip2, Zstandard
// and xz compressed is unpacked, what is
// large is handed on as a stream, and what only grows is refused. It knows no format of
// what is inside, but leaves archives whole that are files of tensors (PyTorch, NumPy).
package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
)

// What unpacking may take of memory: with what else a tab has at hand it stays below 512 MiB,
// whatever is dropped. The artifact's repository has 0.02 GiB in some thousand files.
// Files of more than mostHeld, and what there is no room for, are streamed instead: of
// these HeadBytes are held.
const (
	maxUnpacked = 192 << 20 // of all files together
	maxFiles    = 100_000   // and as many folders, links and headers besides
	mostHeld    = 32 << 20
	mostArchive = 160 << 20 // of an archive that has to be held
	mostNested  = 2         // archives in one another
)

// HeadBytes is how much is at hand of a file that is not held.
const HeadBytes = 1 << 20

// A File is a name, with slashes where folders are known, and its content.
type File struct {
	Name string
	Data []byte
	// Size and Stream are those of a file that is too large to hold; Data is then its
	// beginning, a mebibyte or more of it. Stream reads all of it and may be called
	// repeatedly. Where what it returns is also an io.ReaderAt, zip archives of any
	// size can be read.
	Size   int64
	Stream func() (io.ReadCloser, error)
}

// Progress is told now and then how many bytes of all are read; it may be nil.
type Progress func(done, total int64)

// An Item is a file that is no archive. Of one that is streamed Data is the
// beginning.
type Item struct {
	File
	// Dropped is the place of the file itself among those that were dropped, if it is one
	// of them; -1 of what came out of an archive.
	Dropped int
	// Given is its name with the ending of what it was compressed with.
	Given string
	// Archive is the name of the zip or tar that it came out of, the outermost; empty of others.
	Archive string

	src source
}

// Packed is how many bytes the item takes where it lies, which may be compressed.
func (f *Item) Packed() int64 { return f.src.size }

// Open reads the whole item.
func (f *Item) Open() (io.ReadCloser, error) {
	if f.Stream == nil {
		return io.NopCloser(f.src.watch(bytes.NewReader(f.Data))), nil
	}
	return f.Stream()
}

// Whole returns the file with all of its content.
func (f *Item) Whole() (File, error) {
	if f.Stream == nil {
		return f.File, nil
	}
	r, err := f.Open()
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", f.Name, err)
	}
	data, more, err := readUpTo(r, f.Size, maxUnpacked)
	if err = cmp.Or(err, r.Close()); err == nil && more {
		err = errTooLarge
	}
	return File{Name: f.Name, Data: data}, At(f.Name, err)
}

// An unpacker keeps account of what archives yield.
type unpacker struct {
	items []Item
	room  int64 // bytes that may still be held
	most  int64 // of them by one file
	meter *meter
	at    int    // of the file that is taken apart
	in    string // the outermost archive that is taken apart, empty outside of one
}

// Open replaces archives and compressed files by their contents. tell may be nil. The
// error says which file cannot be taken apart, why, and what to do.
func Open(files []File, tell Progress) ([]Item, error) {
	u := unpacker{room: maxUnpacked, most: mostHeld, meter: &meter{tell: tell}}
	err := u.all(files)
	return u.items, err
}

// all takes files apart.
func (u *unpacker) all(files []File) error {
	for i := range files {
		f := &files[i]
		u.at = i
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
		defer u.enter(name, &src)()
		return u.zip(name, src, depth+1)
	case packingOf(src.data) != loose && !src.packed:
		return u.unpack(name, src, depth)
	case isTar(src.data) && depth < mostNested:
		defer u.enter(name, &src)()
		return u.tar(name, src, depth+1)
	}
	return u.plain(name, src, depth)
}

// enter notes the outermost archive, and returns what leaves it.
func (u *unpacker) enter(name string, src *source) func() {
	if u.in != "" {
		return func() {}
	}
	u.in = path.Base(cmp.Or(src.given, name))
	return func() { u.in = "" }
}

// plain adds one file.
func (u *unpacker) plain(name string, src source, depth int) error {
	if len(u.items) >= maxFiles {
		return tooMany(name)
	}
	src.part = u.meter.part(src.size)
	f := Item{File{Name: name, Data: src.data}, -1, cmp.Or(src.given, name), u.in, src}
	if depth == 0 && !src.packed {
		f.Dropped = u.at
	}
	if src.open != nil {
		f.Size, f.Stream = src.size, src.stream
	}
	f.Data = bytes.TrimPrefix(f.Data, bom) // some editors put a mark in front
	u.items = append(u.items, f)
	return nil
}

// unpack adds what is compressed: held if it is small, else as a stream.
func (u *unpacker) unpack(name string, src source, depth int) error {
	src.packing, src.packed, src.given = packingOf(src.data), true, name
	r, err := src.stream()
	if err != nil {
		return At(name, err)
	}
	data, more, err := u.hold(r, map[bool]int64{true: u.most + 1}[src.size > u.most/8]) // which inflates to more
	if err = cmp.Or(err, r.Close()); errors.Is(err, errTooLarge) {
		return tooLarge(name)
	}
	if err != nil {
		return At(name, err)
	}
	name = src.packing.bare(name)
	if !more {
		return u.add(name, source{data: data, size: int64(len(data)), packed: true, given: src.given}, depth+1)
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) && depth+1 < mostNested {
		whole, err := u.archive(&src)
		if err != nil {
			return At(name, err)
		}
		return u.add(name, source{data: whole, size: int64(len(whole)), packed: true}, depth+1)
	}
	open := src.open
	if open == nil {
		packed := src.data
		open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
	}
	src.open, src.data = open, bytes.Clone(data[:HeadBytes])
	u.room += int64(len(data)) - HeadBytes
	if isTar(src.data) && depth+1 < mostNested {
		defer u.enter(name, &src)()
		return u.tar(name, src, depth+1)
	}
	return u.plain(name, src, depth+1)
}

// archive reads all of a zip archive that is compressed once more.
func (u *unpacker) archive(src *source) ([]byte, error) {
	r, err := src.stream()
	if err != nil {
		return nil, err
	}
	data, more, err := readUpTo(r, 0, mostArchive)
	if err = cmp.Or(err, r.Close()); err == nil && more {
		err = fmt.Errorf("a compressed zip archive of more than %d MiB; decompress it first", mostArchive>>20)
	}
	return data, err
}

// hold reads all of r if it is small and there is room; more says that it did not, and data is
// the beginning. size is how much r has if that is known, else 0: of what is known to be large no
// more than the beginning is read.
func (u *unpacker) hold(r io.Reader, size int64) (data []byte, more bool, err error) {
	wanted := u.most
	if size > u.most || u.room < u.most {
		wanted = HeadBytes
	}
	if u.room < wanted {
		return nil, false, errTooLarge
	}
	data, more, err = readUpTo(r, size, wanted)
	u.room -= int64(len(data))
	return data, more, err
}

// readUpTo reads up to limit bytes and one more, of a reader that has so many if size is not 0;
// more says that it has more than limit.
func readUpTo(r io.Reader, size, limit int64) (data []byte, more bool, err error) {
	var buf bytes.Buffer
	if size > 0 {
		buf.Grow(int(min(size, limit)) + bytes.MinRead) // which ReadFrom wants to be there at the end
	}
	_, err = buf.ReadFrom(io.LimitReader(r, limit+1))
	if data = buf.Bytes(); cap(data)-len(data) > len(data)/4 {
		data = bytes.Clone(data) // what it grew by is room that nobody else has
	}
	return data, int64(len(data)) > limit, err
}

// zip adds the files of an archive.
func (u *unpacker) zip(name string, src source, depth int) error {
	if depth > 1 && !src.packed {
		return u.plain(name, src, depth) // is described
	}
	from, err := src.readerAt()
	if err != nil {
		return At(name, err)
	}
	r, err := zip.NewReader(from, src.size)
	if err != nil {
		return fmt.Errorf("%s: damaged zip archive (%w); download it again", name, err)
	}
	if ofTensors(r.File) || ofOffice(r.File) {
		return u.plain(name, src, depth-1)
	}
	if len(r.File) > 2*maxFiles {
		return tooMany(name)
	}
	for _, z := range r.File {
		inside := clean(z.Name)
		if strings.HasSuffix(inside, "/") || skipped(inside) {
			continue
		}
		if err := u.member(name, inside, z, depth); err != nil {
			return err
		}
	}
	return nil
}

// ofTensors reports whether an archive with these members is one file to those who take
// it: PyTorch's checkpoints and several arrays of NumPy are zip archives.
func ofTensors(list []*zip.File) bool {
	return slices.ContainsFunc(list, func(z *zip.File) bool { return path.Base(z.Name) == "data.pkl" }) ||
		len(list) > 0 && !slices.ContainsFunc(list, func(z *zip.File) bool { return !strings.HasSuffix(z.Name, ".npy") })
}

// ofOffice reports whether an archive with these members is a document of an office program,
// as people know it: as one file.
func ofOffice(list []*zip.File) bool {
	return slices.ContainsFunc(list, func(z *zip.File) bool { return z.Name == "[Content_Types].xml" }) ||
		len(list) > 0 && list[0].Name == "mimetype"
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
	data, more, err := u.hold(r, size)
	if err = cmp.Or(err, r.Close()); errors.Is(err, errTooLarge) {
		return tooLarge(archive)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; download the archive again", name, err)
	}
	src := source{data: data, size: int64(len(data))}
	if more {
		u.room += int64(len(data)) - HeadBytes
		src = source{data: bytes.Clone(data[:HeadBytes]), size: size, open: z.Open}
	}
	return u.add(name, src, depth)
}

func tooLarge(name string) error {
	return fmt.Errorf("%s: unpacks to more than %d MiB; drop only the folders frontend, results and src/configs", name, maxUnpacked>>20)
}

func tooMany(name string) error {
	return fmt.Errorf("%s: more than %d files; drop only the folders you need", name, maxFiles)
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
