package archive

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"spillway/traces/archive/archivetest"
)

// tarOf writes a tar archive of these headers, each with the bytes that are there for it.
func tarOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range headers {
		h := headers[i]
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAttacks: archives that are made to take memory or time end in a sentence, or in what they
// hold, and take less than 512 MiB on the way.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of megabytes")
	}
	many := func(n, size int) []byte {
		piece := make([]byte, 20_000)
		for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(piece); i++ {
			piece[i] = byte(r.Uint32())
		}
		data := bytes.Repeat(piece, size/len(piece))
		return archivetest.Zip(t, n, func(i int) (string, []byte) { return fmt.Sprintf("f%d.csv", i), data })
	}
	var folders bytes.Buffer
	w := tar.NewWriter(&folders)
	for i := range 2*maxFiles + 10 {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: fmt.Sprintf("d%d/", i)}); err != nil {
			t.Fatal(err)
		}
	}
	lying := tarOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "big.csv", Size: 512})
	copy(lying[124:136], fmt.Sprintf("%011o\x00", int64(1)<<32))
	sum := 0
	copy(lying[148:156], "        ")
	for _, c := range lying[:512] {
		sum += int(c)
	}
	copy(lying[148:156], fmt.Sprintf("%06o\x00 ", sum))

	cases := []struct {
		name  string
		data  []byte
		fails string // "" if it opens
	}{
		{"700 files of 300 kB", many(700, 300_000), "unpacks to more than"},
		{"10 files of 31 MB", many(10, 31_000_000), ""},
		{"files inside of files", archivetest.Gzip(t, archivetest.Gzip(t, make([]byte, 4<<20))), ""},
		{"folders only", archivetest.Gzip(t, folders.Bytes()), fmt.Sprintf("more than %d files", maxFiles)},
		{"a member larger than the archive", lying, "more than the archive"},
	}
	if data, err := os.ReadFile("../../../shared/data/attack4/21_tar_paxsparse_addr.tar"); err == nil {
		cases = append(cases, struct {
			name  string
			data  []byte
			fails string
		}{"a hole of 32 TiB", data, "is sparse, with holes that are not stored"})
	} else {
		t.Log("without shared/data/attack4: ", err)
	}
	for _, tt := range cases {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		items, err := Open([]File{{Name: "a.bin", Data: tt.data}}, nil)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if said := fmt.Sprint(err); (err == nil) != (tt.fails == "") || !strings.Contains(said, tt.fails) && tt.fails != "" {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.fails)
		}
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 256<<20 {
			t.Errorf("%s: %d MiB are held", tt.name, held>>20)
		}
		for i := range items {
			r, err := items[i].Open()
			if err == nil {
				_, err = io.CopyN(io.Discard, r, 1<<20)
			}
			if err != nil && err != io.EOF {
				t.Errorf("%s: %s: %v", tt.name, items[i].Name, err)
			}
		}
	}
}

// Holes as GNU tar wrote them before there were PAX records are refused, too: left out, a file would be lost.
func TestOldSparse(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: "holes.bin", Mode: 0o644, Format: tar.FormatGNU})
	if err = cmp.Or(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	h := b.Bytes()[:512]
	h[156] = tar.TypeGNUSparse
	copy(h[148:], "        ") // of its sum, which is made as if it were blank
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	if _, err := Open([]File{{Name: "a.tar", Data: b.Bytes()}}, nil); err == nil || !strings.Contains(err.Error(), "is sparse") {
		t.Errorf("got %v", err)
	}
}
