package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/unit"
)

// magic begins a .npy file.
const magic = "\x93NUMPY"

// openNumPy reads the header of a .npy file.
func openNumPy(name string, r io.ReaderAt, size int64) (*File, error) {
	t, err := numpy(r, size)
	if err != nil {
		return nil, err
	}
	t.Name = strings.TrimSuffix(base(name), ".npy")
	return &File{Format: "NumPy array", Tensors: []Tensor{t}}, nil
}

// numpy reads the header of an array: magic, version, the length of a dictionary as
// Python writes it, and that dictionary.
func numpy(r io.ReaderAt, size int64) (t Tensor, err error) {
	head := make([]byte, 12)
	if n, err := r.ReadAt(head, 0); n < 10 || err != nil && !errors.Is(err, io.EOF) {
		return t, fmt.Errorf("byte %d: the header of the array is cut off", n)
	}
	start, length := int64(10), int64(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		start, length = 12, int64(binary.LittleEndian.Uint32(head[8:]))
	default:
		return t, fmt.Errorf("byte 6: version %d.%d of the array format is not known; 1 to 3 are", head[6], head[7])
	}
	if length > 1<<20 || start+length > size {
		return t, fmt.Errorf("byte 8: the header is said to have %d bytes; the file has %d, and at most %d are read", length, size-start, 1<<20)
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, start); err != nil && !errors.Is(err, io.EOF) {
		return t, fmt.Errorf("byte %d: %w", start, err)
	}
	var width int64
	t.Type, width, t.Shape, err = dictionary(string(text))
	if err != nil {
		return t, fmt.Errorf("byte %d: %w", start, err)
	}
	n, ok := elements(t.Shape)
	if !ok || n > 1<<59 {
		return t, fmt.Errorf("byte %d: the shape %v is not possible", start, t.Shape)
	}
	t.Offset = start + length
	t.Bytes = unit.Bytes(n * width)
	if int64(t.Bytes) > size-t.Offset {
		return t, fmt.Errorf("the array needs %d bytes behind the header, but %d are there; the file is cut off", t.Bytes, size-t.Offset)
	}
	return t, nil
}

// dictionary reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
func dictionary(text string) (kind string, width int64, shape []int64, err error) {
	descr, ok := between(text, "'descr':", "'", "'")
	if !ok {
		return "", 0, nil, errors.New("the header has no simple 'descr'; arrays of records are not read")
	}
	if kind, width, err = descriptor(descr); err != nil {
		return "", 0, nil, err
	}
	list, ok := between(text, "'shape':", "(", ")")
	if !ok {
		return "", 0, nil, errors.New("the header has no 'shape'")
	}
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSuffix(strings.TrimSpace(part), "L") // as Python 2 wrote
		if part == "" {
			continue
		}
		d, err := strconv.ParseInt(part, 10, 64)
		if err != nil || d < 0 || len(shape) == maxRank {
			return "", 0, nil, fmt.Errorf("the shape (%s) is no list of at most %d whole numbers", cut(list), maxRank)
		}
		shape = append(shape, d)
	}
	return kind, width, shape, nil
}

// between returns what stands behind key in a pair of marks, with only spaces before.
func between(text, key, opening, closing string) (string, bool) {
	_, rest, ok := strings.Cut(text, key)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), opening)
	if !ok {
		return "", false
	}
	inside, _, ok := strings.Cut(rest, closing)
	return inside, ok
}

func cut(s string) string { return s[:min(len(s), 60)] }

// descriptor reads a type as NumPy writes it: order, kind, bytes.
func descriptor(d string) (kind string, width int64, err error) {
	names := map[byte]string{'b': "bool", 'i': "int", 'u': "uint", 'f': "float", 'c': "complex"}
	s := strings.TrimLeft(d, "<>|=")
	if len(s) < 2 || len(d)-len(s) > 1 {
		return "", 0, fmt.Errorf("unknown type %s", quote(d))
	}
	width, parse := strconv.ParseInt(s[1:], 10, 64)
	switch name, ok := names[s[0]]; {
	case s[0] == 'O':
		return "", 0, errors.New("the array holds Python objects, which are pickles; save numbers")
	case parse != nil || !ok && s[0] != 'V' && s[0] != 'S' && s[0] != 'U' || width < 1 || width > 1<<20:
		return "", 0, fmt.Errorf("unknown type %s", quote(d))
	case strings.HasPrefix(d, ">") && width > 1:
		return "", 0, fmt.Errorf("type %s has its highest byte first, as no GPU has; save it with astype('<%s')", quote(d), s)
	case s[0] == 'U':
		return "unicode", 4 * width, nil
	case !ok: // bytes, of whatever: NumPy has bfloat16 as V2
		return "bytes" + strconv.FormatInt(width, 10), width, nil
	case s[0] == 'b':
		return name, width, nil
	default:
		return name + strconv.FormatInt(8*width, 10), width, nil
	}
}

// openZip reads the directory of NumPy's .npz or PyTorch's checkpoint.
func openZip(r io.ReaderAt, size int64) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("the zip archive is damaged (%w); download it again", err)
	}
	f := &File{}
	torch := slices.ContainsFunc(z.File, func(m *zip.File) bool { return path.Base(m.Name) == "data.pkl" })
	for _, m := range z.File {
		if len(f.Tensors) == MaxTensors {
			return nil, fmt.Errorf("more than %d tensors", MaxTensors)
		}
		if torch {
			err = f.storage(m, size)
		} else {
			err = f.member(r, m, size)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quote(m.Name), err)
		}
	}
	slices.SortStableFunc(f.Tensors, func(a, b Tensor) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	switch {
	case len(f.Tensors) == 0 && torch:
		return nil, errors.New("the checkpoint holds no tensor")
	case len(f.Tensors) == 0:
		return nil, errors.New("a zip archive without .npy members, and no PyTorch checkpoint")
	case torch:
		f.Format = "PyTorch checkpoint"
		f.Notes = append(f.Notes, "Storages have numbers instead of names: those are in a pickle, which names code and is not read. safetensors have them.")
	default:
		f.Format = "NumPy archive"
	}
	return f, nil
}

// storage adds a member of a checkpoint: data/0, data/1, ...
func (f *File) storage(m *zip.File, size int64) error {
	if path.Base(path.Dir(m.Name)) != "data" || m.UncompressedSize64 == 0 {
		return nil
	}
	at, err := stored(m, size)
	if err == nil {
		f.Tensors = append(f.Tensors, Tensor{Name: "storage " + path.Base(m.Name), Offset: at, Bytes: unit.Bytes(m.UncompressedSize64)})
	}
	return err
}

// member adds an array of an archive.
func (f *File) member(r io.ReaderAt, m *zip.File, size int64) error {
	if !strings.HasSuffix(m.Name, ".npy") {
		if len(f.Notes) < 5 && !strings.HasSuffix(m.Name, "/") {
			f.Notes = append(f.Notes, quote(m.Name)+" is no array and was left out.")
		}
		return nil
	}
	at, err := stored(m, size)
	if err != nil {
		return err
	}
	n := int64(m.UncompressedSize64)
	begins := make([]byte, len(magic))
	if _, err := r.ReadAt(begins, at); err != nil && !errors.Is(err, io.EOF) || !bytes.Equal(begins, []byte(magic)) {
		return errors.New("no NumPy array")
	}
	t, err := numpy(io.NewSectionReader(r, at, n), n)
	if err != nil {
		return err
	}
	t.Name, t.Offset = strings.TrimSuffix(m.Name, ".npy"), t.Offset+at
	f.Tensors = append(f.Tensors, t)
	return nil
}

// stored returns where the bytes of a member lie, if they lie there as they are.
func stored(m *zip.File, size int64) (int64, error) {
	if m.Method != zip.Store {
		return 0, errors.New("the member is compressed, so its bytes are not those of memory; save with numpy.savez (not savez_compressed) or torch.save")
	}
	if m.UncompressedSize64 != m.CompressedSize64 {
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
