package archive

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
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
		return xz.ReaderConfig{DictCap: 1 << 20}.NewReader(r)
	}
	return r, nil
}

// damaged says that compressed data cannot be read.
func (p packing) damaged(err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("it is Zstandard data that refers more than %d MiB back; compress it without --long", mostWindow>>20)
	}
	return fmt.Errorf("damaged %s data (%w); compress or download it again", packings[p].name, err)
}
