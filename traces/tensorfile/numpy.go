package tensorfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spillway/sim/unit"
)

// magic begins a .npy file.
const magic = "\x93NUMPY"

// maxNumPyHeader is how long the description of an array may be.
const maxNumPyHeader = 1 << 20

// openNumPy reads the header of a .npy file.
func openNumPy(name string, r io.ReaderAt, size int64) (*File, error) {
	f := &File{Format: "NumPy array"}
	t, err := f.numpy(r, size)
	if err != nil {
		return nil, err
	}
	t.Name = printable(strings.TrimSuffix(base(name), ".npy"))
	f.Tensors = []Tensor{t}
	return f, nil
}

// numpy reads the header of an array: magic, version, the length of a dictionary as
// Python writes it, and that dictionary.
func (f *File) numpy(r io.ReaderAt, size int64) (t Tensor, err error) {
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
	if length > maxNumPyHeader || start+length > size {
		return t, fmt.Errorf("byte 8: the header is said to have %d bytes; the file has %d, and at most %d are read", length, size-start, maxNumPyHeader)
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
	n, ok := product(append([]int64{width}, t.Shape...))
	if !ok {
		return t, fmt.Errorf("byte %d: the shape %v is not possible", start, t.Shape)
	}
	t.Offset = start + length
	t.Bytes = unit.Bytes(n)
	switch left := size - t.Offset - n; {
	case left < 0:
		return t, fmt.Errorf("the array needs %d bytes behind the header, but %d are there; the file is cut off", t.Bytes, size-t.Offset)
	case left > 0:
		f.note("%d bytes behind an array belong to nothing.", left)
	}
	if strings.Contains(string(text), "'fortran_order': True") && len(t.Shape) > 1 {
		f.note("An array lies column by column (Fortran order), and is taken as it lies.")
	}
	return t, nil
}

// dictionary reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
func dictionary(text string) (kind string, width int64, shape []int64, err error) {
	descr, ok := between(text, "'descr':", "'", "'")
	if !ok {
		return "", 0, nil, errors.New("the header has no simple 'descr'; arrays of records are not read: save their fields one by one, numpy.savez(file, **{n: a[n] for n in a.dtype.names})")
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
			return "", 0, nil, fmt.Errorf("the shape %s is no list of at most %d whole numbers", quote("("+list+")"), maxRank)
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

// widths are the kinds of number that NumPy has, and their bytes.
var widths = map[byte]struct {
	name  string
	bytes string // those that there are, a digit or letter each, from base 36
}{'b': {"bool", "1"}, 'i': {"int", "1248"}, 'u': {"uint", "1248"}, 'f': {"float", "248cg"}, 'c': {"complex", "8gow"}, 'M': {"datetime", "8"}, 'm': {"timedelta", "8"}}

// descriptor reads a type as NumPy writes it: order, kind, bytes, and of dates what
// they count.
func descriptor(d string) (kind string, width int64, err error) {
	unknown := fmt.Errorf("unknown type %s", quote(d))
	s := d
	if s != "" && strings.Contains("<>|=", s[:1]) {
		s = s[1:]
	}
	if strings.HasPrefix(s, "O") {
		return "", 0, errors.New("the array holds Python objects, which are pickles; save numbers")
	}
	digits, counts, dated := strings.Cut(s, "[")
	if len(digits) < 2 || dated && (!strings.Contains("Mm", s[:1]) || !strings.HasSuffix(counts, "]")) {
		return "", 0, unknown
	}
	width, err = strconv.ParseInt(digits[1:], 10, 64)
	if err != nil || width < 1 || width > 1<<20 {
		return "", 0, unknown
	}
	number, ok := widths[s[0]]
	switch {
	case ok && (width > 35 || !strings.Contains(number.bytes, strconv.FormatInt(width, 36))):
		return "", 0, unknown
	case d[0] == '>' && (width > 1 && s[0] != 'S' && s[0] != 'V' || s[0] == 'U'):
		return "", 0, fmt.Errorf("type %s has its highest byte first, as no GPU has; save it with astype(%s)", quote(d), quote("<"+s))
	case s[0] == 'b':
		return number.name, width, nil
	case ok:
		return number.name + strconv.FormatInt(8*width, 10), width, nil
	case s[0] == 'U':
		return "unicode", 4 * width, nil
	case s[0] == 'V' || s[0] == 'S': // bytes, of whatever: NumPy has bfloat16 as V2
		return "bytes" + strconv.FormatInt(width, 10), width, nil
	}
	return "", 0, unknown
}
