package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// offline writes what needs no host of its own, the zip and the single file, and
// returns the latter.
func (s site) offline() ([]byte, error) {
	packed, err := s.zip("spillway-" + s.version())
	if err != nil {
		return nil, err
	}
	file, err := s.single()
	if err != nil {
		return nil, err
	}
	if len(file) > maxSingle {
		return nil, fmt.Errorf("%s has %d bytes, more than %d; find what grew with go tool nm -size -sort size", single, len(file), maxSingle)
	}
	old, err := filepath.Glob("build/out/spillway-site-*.zip")
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	name := "build/out/spillway-site-" + s.version() + ".zip"
	err = errors.Join(err, os.WriteFile(name, packed, 0o644), os.WriteFile("build/out/"+single, file, 0o644))
	fmt.Printf("site: %s: %d bytes; build/out/%s: %d bytes (limit %d)\n", name, len(packed), single, len(file), maxSingle)
	return file, err
}

// readme is for whoever unpacks the zip.
const readme = `Spillway, the whole site: memory and storage simulators in the browser.

Browsers load no programs from folders, so a server must hand them out. Any will do, in any
folder of it, without settings; on this computer for example

    python3 -m http.server

in this folder, and then http://localhost:8000/ in a browser. No network is needed.
`

// zip returns the site as one archive with one folder. The same site is the same to
// the byte.
func (s site) zip(folder string) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	add := func(name string, data []byte) error {
		// The earliest time that a zip can say.
		w, err := z.CreateHeader(&zip.FileHeader{Name: folder + "/" + name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	err := add("README.txt", []byte(readme))
	for _, name := range s.names() {
		err = errors.Join(err, add(name, s[name]))
	}
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}
