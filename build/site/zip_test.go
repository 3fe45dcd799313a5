package main

import (
	"archive/zip"
	"bytes"
	"io"
	"strconv"
	"testing"
)

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The zip has the whole site in one folder and is the same each time.
func TestZip(t *testing.T) {
	s := site{"index.html": []byte("page"), "sub/a.js": []byte("1"), "b.wasm": bytes.Repeat([]byte("x"), 1000)}
	packer := newPacker(t.TempDir())
	data, err := s.zip("spillway-1", packer)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.zip("spillway-1", packer)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("another archive of the same site, %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != len(s)+1 || r.File[0].Name != "spillway-1/README.txt" {
		t.Errorf("%d files, the first %s", len(r.File), r.File[0].Name)
	}
	for name, want := range s {
		f, err := r.Open("spillway-1/" + name)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s comes out as %q, %v", name, got, err)
		}
	}
}
