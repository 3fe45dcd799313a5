package compress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// largeBytes is how large a checkpoint is that answers at once.
const largeBytes = 16 << 30

// checkpoint returns the header of a safetensors file of so many bytes, and so many in
// each tensor.
func checkpoint(size, each int64) []byte {
	var b strings.Builder
	b.WriteByte('{')
	n := (size - 1<<20) / each
	for i := range n {
		fmt.Fprintf(&b, `"model.layers.%d.mlp.weight":{"dtype":"BF16","shape":[%d],"data_offsets":[%d,%d]},`, i, each/2, i*each, (i+1)*each)
	}
	header := strings.TrimSuffix(b.String(), ",") + "}"
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

// holes is a file of zeros behind a header, where no file system has one.
type holes struct{ head []byte }

func (h holes) ReadAt(p []byte, at int64) (int, error) {
	if at >= largeBytes {
		return 0, io.EOF
	}
	clear(p)
	if at < int64(len(h.head)) {
		copy(p, h.head[at:])
	}
	return len(p), nil
}

// counted is an opened file that counts the bytes that are read of it.
type counted struct {
	from io.ReaderAt
	*io.SectionReader
	read *atomic.Int64 // bytes
	asks *atomic.Int64 // how often somebody read, which costs more than a page does
}

func (c counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.from.ReadAt(p, at)
	c.read.Add(int64(n))
	c.asks.Add(1)
	return n, err
}

// Gather implements lab.BatchReader.
func (c counted) Gather(p []byte, at []int64) error {
	c.read.Add(int64(len(p)))
	c.asks.Add(1)
	return lab.Gather(c.from, p, at)
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.SectionReader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c counted) Close() error { return nil }

// sparse returns a checkpoint of 16 GiB, a file with holes where the system has them.
func sparse(t *testing.T, each int64) io.ReaderAt {
	head := checkpoint(largeBytes, each)
	if runtime.GOOS == "js" {
		return holes{head}
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	_, err = f.Write(head)
	if err = errors.Join(err, f.Truncate(largeBytes)); err != nil {
		t.Skip("this file system has no files with holes:", err)
	}
	return f
}

// TestLarge measures a sample of a checkpoint of 16 GiB, of few tensors and of
// thousands: it reads little and holds little.
func TestLarge(t *testing.T) {
	t.Run("255 tensors", func(t *testing.T) { large(t, 64<<20) })
	t.Run("5461 tensors", func(t *testing.T) { large(t, 3<<20) })
}

func large(t *testing.T, each int64) {
	from := sparse(t, each)
	var read, asks atomic.Int64
	file := lab.File{Name: "model.safetensors", Data: make([]byte, 1<<20), Size: largeBytes, Stream: func() (io.ReadCloser, error) {
		return counted{from, io.NewSectionReader(from, 0, largeBytes), &read, &asks}, nil
	}}
	if _, err := from.ReadAt(file.Data, 0); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := New()
	files, err := open([]lab.File{file})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := l.Run(labtest.Setup(t, &l, "entry=model.safetensors"), "per-allocation-16x", files, nil)
	if err != nil || !r.Fits {
		t.Fatal(err, r)
	}
	runtime.ReadMemStats(&after)
	held := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d MiB read in %d goes, %d KiB allocated in all", read.Load()>>20, asks.Load(), held>>10)
	if n := read.Load(); n > largeBytes/32 || n < largeBytes/1024 {
		t.Errorf("%d bytes of %d are read", n, int64(largeBytes))
	}
	if n, most := asks.Load(), 4*largeBytes/each; n > most {
		t.Errorf("it is read %d times, more than %d", n, most)
	}
	if held > 32<<20 {
		t.Errorf("%d bytes are allocated", held)
	}
	if v, ok := r.Value(l.Quantity("footprint_bytes")); !ok || v < 0.99*largeBytes {
		t.Errorf("%.0f bytes are compressed", v)
	}
}
