package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"

	labs "spillway/ui/lab/all"
)

// packed are the endings of compressed copies.
var packed = []string{".br", ".gz"}

// compressible says which files get smaller copies.
func compressible(name string) bool {
	switch path.Ext(name) {
	case ".html", ".js", ".css", ".svg", ".json", ".txt", ".wasm", ".info", ".webmanifest", ".py":
		return path.Base(name) != "_headers" && name != single // in which all is compressed already
	}
	return false
}

// compress writes the missing .br and .gz copies and weighs the programs.
func (s site) compress(out string) error {
	var group sync.WaitGroup
	names := slices.Sorted(maps.Keys(s))
	errs := make([]error, len(names))
	for i, name := range names {
		if !compressible(name) {
			continue
		}
		group.Go(func() { errs[i] = compressFile(filepath.Join(out, filepath.FromSlash(name)), s[name]) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return weigh(out)
}

// weigh reports what the compressed programs weigh, and which are too heavy.
func weigh(out string) error {
	var errs []error
	size := func(program string) int64 {
		info, err := os.Stat(filepath.Join(out, program+".wasm.br"))
		if err != nil {
			errs = append(errs, err)
			return 0
		}
		return info.Size()
	}
	check := func(what string, bytes, most int64) {
		fmt.Printf("site: %s: %d bytes with brotli (limit %d)\n", what, bytes, most)
		if bytes > most {
			errs = append(errs, fmt.Errorf("%s: %d bytes are more than %d; find what grew with go tool nm -size -sort size", what, bytes, most))
		}
	}
	page := size("app")
	for i, door := range labs.Labs {
		lab := size(door.Name)
		if slices.Contains(labs.Lean, door.Name) {
			check(door.Name+whole+".wasm", size(door.Name+whole), maxWhole)
		}
		if i == 0 {
			check(fmt.Sprintf("app.wasm %d + %s.wasm %d", page, door.Name, lab), page+lab, maxFirst)
			continue
		}
		check(door.Name+".wasm", lab, maxFurther)
	}
	return errors.Join(errs...)
}

func compressFile(file string, data []byte) error {
	for _, ext := range packed {
		if _, err := os.Stat(file + ext); err == nil {
			continue // write removes copies that are out of date
		}
		var b bytes.Buffer
		w, err := encoder(&b, ext)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(file+ext, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func encoder(w io.Writer, ext string) (io.WriteCloser, error) {
	if ext == ".br" {
		return brotli.NewWriterLevel(w, brotli.BestCompression), nil
	}
	return gzip.NewWriterLevel(w, gzip.BestCompression)
}
