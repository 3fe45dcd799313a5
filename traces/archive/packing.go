package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
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
		return xz.ReaderConfig{DictCap: 1 << 20}.NewReader(blocks{bufio.NewReader(r)})
	}
	return r, nil
}

// errWindow says that data refers too far back.
var errWindow = errors.New("it refers too far back")

// blocks are an xz file up to a block that refers too far back: for that the reader takes all the
// memory as soon as it has the header. It reads a header in one piece, behind the byte that says how
// long it is (The .xz File Format, 3.1), so a piece of such a length that ends with the sum of itself
// is taken for one. What stays open: a file may have any number of blocks, and for each of them, one
// behind the other, up to mostWindow is taken.
type blocks struct{ in *bufio.Reader }

func (b blocks) Read(p []byte) (int, error) {
	const least, most, sum = 8, 1024, 4 // of a header
	size := len(p) + 1
	if size%4 != 0 || size < least || size > most {
		return b.in.Read(p)
	}
	n, err := io.ReadFull(b.in, p)
	if err == nil {
		header := append([]byte{byte(size/4 - 1)}, p...)
		if crc32.ChecksumIEEE(header[:size-sum]) == binary.LittleEndian.Uint32(header[size-sum:]) && xzWindow(header) > mostWindow {
			return 0, errWindow
		}
	}
	return n, err
}

// xzWindow is how far back a block of an xz file may refer, by its header (The .xz File Format, 3.1
// and 5.3.1); 0 if that is not to be read.
func xzWindow(block []byte) int64 {
	const lzma2 = 0x21
	if len(block) < 2 {
		return 0
	}
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
