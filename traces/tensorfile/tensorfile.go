// Package tensorfile finds the tensors in files of weights and arrays: safetensors,
// NumPy's .npy and .npz, PyTorch's zip, and bytes of which nothing is known. It
// reads headers only; contents are read by whoever wants them, slice by slice.
package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"spillway/sim/unit"
)

// A Tensor is a range of a file.
type Tensor struct {
	Name   string
	Type   string // of its elements, as NumPy calls it: "float32"; "" if unknown
	Shape  []int64
	Offset int64 // bytes before it in the file
	Bytes  unit.Bytes
}

// A File is what a file holds.
type File struct {
	Format  string   // "safetensors"
	Tensors []Tensor // by offset
	Notes   []string // what was left out
	Text    bool     // raw bytes that are text
	// Unpacked is how many bytes compressed arrays unpack to, 0 where they lie as they are; their
	// offsets are in those.
	Unpacked int64
	members  []*zip.File // of compressed arrays, in the order of Tensors
}

// Raw is the format of files that no format recognizes.
const Raw = "raw bytes"

// Limits of headers.
const (
	MaxHeader  = 100 << 20 // bytes, as the reference implementation of safetensors has it
	MaxTensors = 1 << 17   // six times those of the largest open models, in one file
	maxName    = 4096
	maxRank    = 64
)

// Open finds the tensors in a file of so many bytes. What no format recognizes is
// one tensor of unknown type. The error says at which byte the header is wrong.
func Open(name string, r io.ReaderAt, size int64) (*File, error) {
	if size <= 0 {
		return nil, errors.New("the file is empty")
	}
	head := make([]byte, min(size, 512))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("byte 0: %w", err)
	}
	has := func(s string) bool { return strings.HasPrefix(string(head), s) }
	switch {
	case has(magic):
		return openNumPy(name, r, size)
	case has("PK\x03\x04"), has("PK\x05\x06"):
		return openZip(r, size)
	case IsLegacy(head):
		return openLegacy(r, size)
	case isSafetensors(name, head, size):
		return openSafetensors(r, size)
	}
	for _, s := range refused {
		if has(s.begins) {
			return nil, errors.New(s.why)
		}
	}
	return &File{Format: Raw, Text: isText(head), Tensors: []Tensor{{Name: printable(base(name)), Bytes: unit.Bytes(size)}}}, nil
}

// isSafetensors reports whether a file with this beginning is to be read as
// safetensors. Of arbitrary bytes one file in 256 has a brace in that place: only one
// that has the name may be wrong in the rest.
func isSafetensors(name string, head []byte, size int64) bool {
	switch {
	case len(head) < 9 || head[8] != '{' || isText(head[:8]):
		return false
	case strings.HasSuffix(strings.ToLower(name), ".safetensors"):
		return true
	}
	n := binary.LittleEndian.Uint64(head)
	return n <= min(MaxHeader, uint64(size-8)) && len(head) > 9 && strings.IndexByte("\"} \t\r\n", head[9]) >= 0
}

// isText reports whether bytes are of a text. A safetensors file does not begin with
// one: its header would be larger than any disk.
func isText(p []byte) bool {
	return utf8.Valid(p[:max(0, len(p)-utf8.UTFMax)]) && !bytes.ContainsFunc(p, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f'
	})
}

// refused are files whose bytes are not contents of memory.
var refused = []struct{ begins, why string }{
	{"\x1f\x8b", "the file is compressed with gzip, so its bytes are not those of memory; unpack it first"},
	{"\x28\xb5\x2f\xfd", "the file is compressed with Zstandard, so its bytes are not those of memory; unpack it first"},
	{"\x80\x02", "the file is a pickle, which names code; save its tensors with torch.save, or as safetensors"},
	{"\x80\x03", "the file is a pickle, which names code; save its arrays with numpy.savez, or as safetensors"},
	{"\x80\x04", "the file is a pickle, which names code; save its arrays with numpy.savez, or as safetensors"},
	{"\x80\x05", "the file is a pickle, which names code; save its arrays with numpy.savez, or as safetensors"},
	{"\x89HDF\r\n", "HDF5 files are not read; save the arrays with numpy.savez, or as safetensors"},
	{"GGUF", "GGUF files hold weights that are quantized already; drop the config.json of the model that they were made of, or for compression its safetensors"},
}

// mostNotes is how many notes are kept.
const mostNotes = 8

// note says what was left out or is unusual.
func (f *File) note(format string, a ...any) {
	if len(f.Notes) < mostNotes {
		f.Notes = append(f.Notes, fmt.Sprintf(format, a...))
	}
}

// printable returns a name as it can be shown: as it is if people can see all of it,
// else in quotes, with escapes for what controls terminals or the direction of text.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return s
	}
	return strconv.Quote(s)
}

// base returns a path's last part.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// product returns the product of a shape, and of the size of its elements if that
// stands before it, and whether it can be a file's: at most 2^62.
func product(list []int64) (n int64, ok bool) {
	n = 1
	for _, d := range list {
		if d < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if hi != 0 || lo > 1<<62 {
			return 0, false
		}
		n = int64(lo)
	}
	return n, true
}

// quote shows a name in a message.
func quote(s string) string {
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:57], "") + "..."
	}
	return strconv.Quote(s)
}
