package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name string
	data []byte
	mode fs.FileMode
}

// tarTime is what npm writes as the time of every file, and zipTime the earliest that a zip can say.
var (
	tarTime = time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC)
	zipTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
)

// tarball packs entries in their order, with nobody's name and one time.
func tarball(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		head := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.data)), Mode: int64(e.mode), ModTime: tarTime, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(t.Close(), z.Close())
	return b.Bytes(), err
}

// zipped packs entries in their order, with one time. What is compressed already is stored.
func zipped(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: zipTime}
		if bytes.HasPrefix(e.data, []byte("\x1f\x8b")) {
			head.Method = zip.Store
		}
		head.SetMode(e.mode)
		w, err := z.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// gzipped is data as gzip, without a name or time.
func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(data)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}
