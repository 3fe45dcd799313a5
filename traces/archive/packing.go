package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// A packing is how one file was compressed.
type packing uint8

const (
	loose packing = iota // it is not
	gzipped
	bzipped
	zstandard
	xzed
)

// packings has what files begin with, the ends of their names, and what to call them.
var packings = [...]struct {
	name, magic string
	ends        []string
}{
	gzipped:   {"gzip", "\x1f\x8b", []string{".gz"}},
	bzipped:   {"bzip2", "BZh", []string{".bz2"}},
	zstandard: {"Zstandard", "\x28\xb5\x2f\xfd", []string{".zst", ".zstd"}},
	xzed:      {"xz", "\xfd7zXZ\x00", []string{".xz"}},
}

// packingOf returns how a file that begins with data was compressed.
func packingOf(data []byte) packing {
	for p := gzipped; int(p) < len(packings); p++ {
		if bytes.HasPrefix(data, []byte(packings[p].magic)) && (p != bzipped || len(data) > 9 && string(data[4:10]) == "1AY&SY") {
			return p
		}
	}
	return loose
}

// bare is a name without the end that says how the file was compressed.
func (p packing) bare(name string) string {
	for _, end := range packings[p].ends {
		name = strings.TrimSuffix(name, end)
	}
	switch ext := path.Ext(name); ext {
	case ".tgz", ".tbz", ".txz", ".tzst":
		return strings.TrimSuffix(name, ext) + ".tar"
	}
	return name
}

// mostWindow is how far back compressed data may refer, which is memory that is taken.
const mostWindow = 64 << 20

// reader returns what r has, decompressed.
func (p packing) reader(r io.Reader) (io.Reader, error) {
	switch p {
	case gzipped:
		return gzip.NewReader(r)
	case bzipped:
		return bzip2.NewReader(r), nil
	case zstandard:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, err
		}
		return z, nil
	case xzed:
		in := bufio.NewReader(r)
		head, _ := in.Peek(xzHead) // where there is less the reader says so
		if n := xzWindow(head); n > mostWindow {
			return nil, errWindow
		}
		return xz.ReaderConfig{DictCap: 1 << 20}.NewReader(in)
	}
	return r, nil
}

// errWindow says that data refers too far back.
var errWindow = errors.New("it refers too far back")

// xzHead is how much of an xz file has its own header and that of its first block.
const xzHead = 12 + 1024

// xzWindow is how far back the first block of an xz file may refer, by its header (The .xz File
// Format, 3.1 and 5.3.1); 0 if that is not to be read. All of it is taken as memory before
// anything is read.
func xzWindow(head []byte) int64 {
	const magic, lzma2 = 12, 0x21
	if len(head) < magic+2 || head[magic] == 0 {
		return 0
	}
	block := head[magic:min(len(head), magic+4*(int(head[magic])+1))]
	flags, rest := block[1], block[2:]
	number := func() (n uint64, ok bool) {
		n, size := binary.Uvarint(rest)
		if size <= 0 {
			return 0, false
		}
		rest = rest[size:]
		return n, true
	}
	for _, bit := range []byte{0x40, 0x80} { // the sizes of what is packed, and of what comes out
		if flags&bit != 0 {
			if _, ok := number(); !ok {
				return 0
			}
		}
	}
	for range flags&3 + 1 {
		id, known := number()
		size, ok := number()
		if !known || !ok || size > uint64(len(rest)) {
			return 0
		}
		if id == lzma2 && size == 1 {
			return int64(2|rest[0]&1) << (rest[0]&0x3f/2 + 11)
		}
		rest = rest[size:]
	}
	return 0
}

// damaged says that compressed data cannot be read.
func (p packing) damaged(err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, errWindow) {
		return fmt.Errorf("it is %s data that refers more than %d MiB back; compress it again as is usual, without --long or a larger dictionary", packings[p].name, mostWindow>>20)
	}
	return fmt.Errorf("damaged %s data (%w); compress or download it again", packings[p].name, err)
}
