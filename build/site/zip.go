package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spillway/build/tree"
)

// offline writes what needs no host of its own, the zip and the single file, whose
// program is given, and returns the latter.
func (s site) offline(code []byte, p *packer, say *progress) ([]byte, error) {
	packed, err := s.zip("spillway-"+s.version(), p)
	if err != nil {
		return nil, err
	}
	file, err := s.single(code, p)
	if err != nil {
		return nil, err
	}
	if len(file) > maxSingle {
		return nil, fmt.Errorf("%s has %d bytes, more than %d; go run ./build/site -weigh spillway shows what is in its program", single, len(file), maxSingle)
	}
	old, err := filepath.Glob(zips)
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	name := strings.Replace(zips, "*", s.version(), 1)
	err = errors.Join(err, os.WriteFile(name, packed, 0o644), os.WriteFile("build/out/"+single, file, 0o644))
	say.say("%s: %d bytes; build/out/%s: %d bytes (limit %d)", name, len(packed), single, len(file), maxSingle)
	return file, err
}

// zips is where the zip of a version is.
const zips = "build/out/spillway-site-*.zip"

// readme is for whoever unpacks the zip.
const readme = `Spillway, the whole site: memory and storage simulators in the browser.

Browsers load no programs from folders, so a server must hand them out. Any will do, in any
folder of it, without settings; on this computer for example

    python3 -m http.server

in this folder, and then http://localhost:8000/ in a browser. No network is needed.
`

// zip returns the site as one archive with one folder. The same site is the same to
// the byte.
func (s site) zip(folder string, p *packer) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return &deflated{to: w, by: p}, nil })
	add := func(name string, data []byte) error {
		// The earliest time that a zip can say.
		w, err := z.CreateHeader(&zip.FileHeader{Name: folder + "/" + name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	err := add("README.txt", []byte(readme))
	for _, name := range tree.Names(s) {
		err = errors.Join(err, add(name, s[name]))
	}
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// A deflated writes content as the packer has it with gzip: the same, between a head
// and an end.
type deflated struct {
	to io.Writer
	by *packer
}

// Without name and comment the head has one length.
const gzipHead, gzipEnd = 10, 8

func (d *deflated) Write(content []byte) (int, error) {
	made, err := d.by.pack(content, ".gz")
	if err != nil {
		return 0, err
	}
	_, err = d.to.Write(made[gzipHead : len(made)-gzipEnd])
	return len(content), err
}

func (*deflated) Close() error { return nil }
