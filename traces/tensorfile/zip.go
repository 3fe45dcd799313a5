package tensorfile

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"spillway/sim/unit"
)

// openZip reads the directory of NumPy's .npz or PyTorch's checkpoint.
func openZip(r io.ReaderAt, size int64) (*File, error) {
	n, ok := directory(r, size)
	if n > MaxTensors {
		return nil, fmt.Errorf("the zip archive is said to have %d members; at most %d are read", n, MaxTensors)
	}
	meter := &meter{r: r, left: maxDirectory}
	var z *zip.Reader
	err := zip.ErrFormat
	if ok {
		z, err = zip.NewReader(meter, size)
	}
	switch {
	case meter.left < 0 || err == nil && len(z.File) > MaxTensors:
		return nil, fmt.Errorf("the zip archive has a directory of more than %d MiB, or more than %d members", maxDirectory>>20, MaxTensors)
	case err != nil:
		return nil, fmt.Errorf("the zip archive is damaged (%w); download it again", err)
	}
	meter.left = 1 << 62 // from here on members are read
	f := &File{}
	if at := slices.IndexFunc(z.File, func(m *zip.File) bool { return path.Base(m.Name) == pickled }); at >= 0 {
		err = f.torch(z, z.File[at], size)
	} else {
		err = f.arrays(r, z, size)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.Tensors, func(a, b Tensor) int { return cmp.Compare(a.Offset, b.Offset) })
	end, last := int64(0), ""
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if t.Bytes > 0 && t.Offset < end {
			return nil, fmt.Errorf("tensors %s and %s overlap: the second begins at byte %d, the first ends at %d", quote(last), quote(t.Name), t.Offset, end)
		}
		if to := t.Offset + int64(t.Bytes); to > end {
			end, last = to, t.Name
		}
	}
	return f, nil
}

// maxDirectory bounds what is read of a zip archive before its members are known.
const maxDirectory = 16 << 20

// A meter reads at most so many bytes.
type meter struct {
	r    io.ReaderAt
	left int64
}

func (m *meter) ReadAt(p []byte, at int64) (int, error) {
	if m.left -= int64(len(p)); m.left < 0 {
		return 0, errors.New("too much of it is directory")
	}
	return m.r.ReadAt(p, at)
}

// directory returns how many members the end of a zip archive promises, and whether
// there is such an end: memory for them is taken before they are seen. It looks where
// archive/zip does: a comment may hold what looks like an end.
func directory(r io.ReaderAt, size int64) (members uint64, ok bool) {
	const endBytes, locatorBytes, most = 22, 20, 65 << 10
	tail := make([]byte, min(size, most+locatorBytes))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return 0, false
	}
	at := len(tail) - endBytes
	for at >= 0 && !bytes.HasPrefix(tail[at:], []byte("PK\x05\x06")) {
		at--
	}
	if at < 0 || at+endBytes+int(binary.LittleEndian.Uint16(tail[at+20:])) > len(tail) {
		return 0, false
	}
	n := uint64(binary.LittleEndian.Uint16(tail[at+10:]))
	if at < locatorBytes || !bytes.HasPrefix(tail[at-locatorBytes:], []byte("PK\x06\x07")) {
		return n, true
	}
	wide := make([]byte, 56)
	if _, err := r.ReadAt(wide, int64(binary.LittleEndian.Uint64(tail[at-locatorBytes+8:])&(1<<62-1))); err != nil && !errors.Is(err, io.EOF) || !bytes.HasPrefix(wide, []byte("PK\x06\x06")) {
		return n, true
	}
	return binary.LittleEndian.Uint64(wide[32:]), true
}

// arrays reads the members of an .npz.
func (f *File) arrays(r io.ReaderAt, z *zip.Reader, size int64) error {
	f.Format = "NumPy archive"
	names := map[string]bool{}
	for _, m := range z.File {
		if names[m.Name] {
			return fmt.Errorf("%s is there twice", quote(m.Name))
		}
		names[m.Name] = true
		if err := f.member(r, m, size); err != nil {
			return fmt.Errorf("%s: %w", quote(m.Name), err)
		}
	}
	if len(f.members) > 0 && len(f.members) < len(f.Tensors) {
		return errors.New("some of its arrays are compressed and some are not, as NumPy writes none; save them with numpy.savez")
	}
	if len(f.Tensors) == 0 {
		return errors.New("a zip archive without .npy members, and no PyTorch checkpoint; unpack it, and open what is in it")
	}
	return nil
}

// member adds an array of an archive.
func (f *File) member(r io.ReaderAt, m *zip.File, size int64) error {
	if !strings.HasSuffix(m.Name, ".npy") {
		if !strings.HasSuffix(m.Name, "/") {
			f.note("%s is no array and was left out.", quote(m.Name))
		}
		return nil
	}
	if m.Method == zip.Deflate && m.Flags&1 == 0 {
		return f.packed(m)
	}
	at, err := stored(m, size, "save with numpy.savez instead of savez_compressed")
	if err != nil {
		return err
	}
	n := int64(m.UncompressedSize64)
	begins := make([]byte, len(magic))
	if _, err := r.ReadAt(begins, at); err != nil && !errors.Is(err, io.EOF) || !bytes.Equal(begins, []byte(magic)) {
		return errors.New("no NumPy array")
	}
	t, err := f.numpy(io.NewSectionReader(r, at, n), n)
	if err != nil {
		return err
	}
	t.Name, t.Offset = printable(strings.TrimSuffix(m.Name, ".npy")), t.Offset+at
	f.Tensors = append(f.Tensors, t)
	return nil
}

// MostPacked is how many bytes arrays that are compressed may have, together.
const MostPacked = 1 << 30

// packed adds an array that is compressed: its place is that in what all such arrays unpack to, one
// behind the other.
func (f *File) packed(m *zip.File) error {
	n := m.UncompressedSize64
	if n > MostPacked-uint64(f.Unpacked) {
		return fmt.Errorf("the arrays unpack to more than %d MiB; save them with numpy.savez, which is read in slices", MostPacked>>20)
	}
	r, err := m.Open()
	if err != nil {
		return err
	}
	head := make([]byte, min(n, 64<<10)) // a longer description is none of numbers
	k, err := io.ReadFull(r, head)
	if err = cmp.Or(err, r.Close()); err != nil {
		return fmt.Errorf("byte %d of what it unpacks to: %w; download it again", k, err)
	}
	if !bytes.HasPrefix(head, []byte(magic)) {
		return errors.New("no NumPy array")
	}
	t, err := f.numpy(bytes.NewReader(head), int64(n))
	if err != nil {
		return err
	}
	t.Name, t.Offset = printable(strings.TrimSuffix(m.Name, ".npy")), t.Offset+f.Unpacked
	f.Unpacked += int64(n)
	f.members = append(f.members, m)
	f.Tensors = append(f.Tensors, t)
	return nil
}

// Each goes through the bytes of the arrays that are compressed: do is given a tensor's number, and
// what of it comes next.
func (f *File) Each(do func(tensor int, data []byte)) error {
	buf := make([]byte, 1<<20)
	before := int64(0)            // what the members ahead unpack to
	for i, m := range f.members { // tensors are in the same order: each lies behind what is before it
		t := &f.Tensors[i]
		r, err := m.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", quote(t.Name), err)
		}
		_, err = io.CopyN(io.Discard, r, t.Offset-before)
		for left := int64(t.Bytes); left > 0 && err == nil; {
			part := buf[:min(left, int64(len(buf)))]
			if _, err = io.ReadFull(r, part); err == nil {
				do(i, part)
				left -= int64(len(part))
			}
		}
		if err == nil { // and the sum of all of it
			_, err = io.Copy(io.Discard, r)
		}
		if err = cmp.Or(err, r.Close()); err != nil {
			return fmt.Errorf("%s: %w; download it again", quote(t.Name), err)
		}
		before += int64(m.UncompressedSize64)
	}
	return nil
}

// stored returns where the bytes of a member lie, if they lie there as they are;
// instead says how they would.
func stored(m *zip.File, size int64, instead string) (int64, error) {
	switch {
	case m.Flags&1 != 0:
		return 0, errors.New("the member is encrypted; unpack the archive, and zip it again without a password and without compression (zip -0)")
	case m.Method != zip.Store:
		return 0, errors.New("the member is compressed, so its bytes are not those of memory; " + instead)
	case m.UncompressedSize64 != m.CompressedSize64:
		return 0, fmt.Errorf("the directory says %d bytes and %d stored", m.UncompressedSize64, m.CompressedSize64)
	}
	at, err := m.DataOffset()
	if err != nil {
		return 0, fmt.Errorf("its beginning is damaged: %w", err)
	}
	if n := m.UncompressedSize64; n > uint64(size) || at > size-int64(n) {
		return 0, fmt.Errorf("it ends behind the file: %d bytes from byte %d of %d", n, at, size)
	}
	return at, nil
}

// storage adds a member of a checkpoint, without a name yet.
func (f *File) storage(m *zip.File, size int64) error {
	at, err := stored(m, size, "torch.save never does that, so the checkpoint was packed again: unpack it, and zip it without compression (zip -0)")
	if err == nil && m.UncompressedSize64 > 0 {
		f.Tensors = append(f.Tensors, Tensor{Name: "storage " + printable(path.Base(m.Name)), Offset: at, Bytes: unit.Bytes(m.UncompressedSize64)})
	}
	return err
}
