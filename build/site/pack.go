package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// packed are the endings of compressed copies.
var packed = []string{".br", ".gz"}

// kept is where compressed contents are kept from one build to the next.
const kept = "build/out/compressed"

// A packer compresses contents, each only once, whether it is for a copy, the zip or
// the single file, in this build or the next. What it makes is in its folder, in files
// named CONTENT.ENCODER: the hash of the content, and what makes the result what it is.
type packer struct {
	folder string
	mu     sync.Mutex
	made   map[string]func() ([]byte, error) // by file
	of     map[string]bool                   // the hashes of contents that were asked for
}

func newPacker(folder string) *packer {
	return &packer{folder: folder, made: map[string]func() ([]byte, error){}, of: map[string]bool{}}
}

// encoders says for each ending what makes a copy: another version may make another.
var encoders = sync.OnceValue(func() map[string]string {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/andybalholm/brotli" {
				version = m.Version
			}
		}
	}
	return map[string]string{".br": "brotli-11-" + version, ".gz": "gzip-9-" + strings.ReplaceAll(runtime.Version(), " ", "-")}
})

// pack compresses data, or finds it compressed.
func (p *packer) pack(data []byte, ext string) ([]byte, error) {
	sum := sha256.Sum256(data)
	content := hex.EncodeToString(sum[:])
	file := filepath.Join(p.folder, content+"."+encoders()[ext])
	p.mu.Lock()
	make, ok := p.made[file]
	if !ok {
		make = sync.OnceValues(func() ([]byte, error) { return fetch(file, data, ext) })
		p.made[file], p.of[content] = make, true
	}
	p.mu.Unlock()
	return make()
}

// fetch reads a file of the folder, or makes it, whole or not at all.
func fetch(file string, data []byte, ext string) ([]byte, error) {
	if old, err := os.ReadFile(file); err == nil {
		return old, nil
	}
	var b bytes.Buffer
	w, err := encoder(&b, ext)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, w.Close(), os.MkdirAll(filepath.Dir(file), 0o755))
	}
	if err != nil {
		return nil, err
	}
	half := file + ".half"
	return b.Bytes(), errors.Join(os.WriteFile(half, b.Bytes(), 0o644), os.Rename(half, file))
}

func encoder(w io.Writer, ext string) (io.WriteCloser, error) {
	if ext == ".br" {
		return brotli.NewWriterLevel(w, brotli.BestCompression), nil
	}
	return gzip.NewWriterLevel(w, gzip.BestCompression)
}

// A task is a content that will be asked for.
type task struct {
	data []byte
	ext  string
}

// cost is about how long the task takes, in bytes of gzip.
func (t task) cost() int64 {
	if t.ext == ".br" {
		return 20 * int64(len(t.data))
	}
	return int64(len(t.data))
}

// packAll does tasks side by side, the longest first, so that none remains alone.
func (p *packer) packAll(tasks []task, said *step) error {
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(b.cost(), a.cost()) })
	return each(context.Background(), len(tasks), func(i int) error {
		defer said.add(tasks[i].cost())
		_, err := p.pack(tasks[i].data, tasks[i].ext)
		return err
	})
}

// prune removes from the folder what is of contents that this build does not have, and
// of encoders that there are no longer.
func (p *packer) prune() error {
	return filepath.WalkDir(p.folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, by, _ := strings.Cut(filepath.Base(file), ".")
		if p.of[content] && (by == encoders()[".br"] || by == encoders()[".gz"]) {
			return nil
		}
		return os.Remove(file)
	})
}
