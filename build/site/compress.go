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
)

// packed are the endings of compressed copies.
var packed = []string{".br", ".gz"}

// compressible says which files get smaller copies.
func compressible(name string) bool {
	switch path.Ext(name) {
	case ".html", ".js", ".css", ".svg", ".json", ".txt", ".wasm", ".webmanifest":
		return path.Base(name) != "_headers"
	}
	return false
}

// compress writes the missing .br and .gz copies and reports the program's size.
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
	info, err := os.Stat(filepath.Join(out, "app.wasm.br"))
	if err != nil {
		return err
	}
	fmt.Printf("site: app.wasm %d bytes, %d bytes with brotli (limit %d)\n", len(s["app.wasm"]), info.Size(), maxWasm)
	if info.Size() > maxWasm {
		return fmt.Errorf("app.wasm.br: %d bytes are more than %d; find what grew with go tool nm -size -sort size", info.Size(), maxWasm)
	}
	return nil
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
