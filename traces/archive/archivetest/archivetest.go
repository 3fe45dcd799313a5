// Package archivetest packs files for tests. Only tests import it.
package archivetest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Zip packs n files, whose names and contents file returns.
func Zip(t testing.TB, n int, file func(i int) (name string, data []byte)) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := range n {
		name, data := file(i)
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Gzip packs bytes.
func Gzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, err := z.Write(data)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Tar packs files one behind the other, in a folder.
func Tar(t testing.TB, n int, file func(i int) (name string, data []byte)) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := tar.NewWriter(&buf)
	err := z.WriteHeader(&tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755})
	for i := range n {
		name, data := file(i)
		if err == nil {
			err = z.WriteHeader(&tar.Header{Name: "./" + name, Size: int64(len(data)), Mode: 0o644})
		}
		if err == nil {
			_, err = z.Write(data)
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Zstandard packs bytes.
func Zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(data, nil)
}

// XZ packs bytes.
func XZ(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z, err := xz.NewWriter(&buf)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
