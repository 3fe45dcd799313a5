// Package archivetest packs files for tests. Only tests import it.
package archivetest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"testing"
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
