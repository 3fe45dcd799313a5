package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"spillway/build/tree"
)

// sumsFile lists what all other files are, as sha256sum prints and checks it.
const sumsFile = "SHA256SUMS"

// distFolder is where the site itself stands among the files.
const distFolder = "dist/"

// files are the contents of a release by name. Those below dist/ are only compared.
type files map[string][]byte

// size is how many bytes all files have.
func (f files) size() (n int) {
	for _, data := range f {
		n += len(data)
	}
	return n
}

// sums are the SHA-256 of what is released.
func (f files) sums() string {
	var b strings.Builder
	for _, name := range tree.Names(f) {
		if released(name) && name != sumsFile {
			fmt.Fprintf(&b, "%s  %s\n", sum(f[name]), name)
		}
	}
	return b.String()
}

// released reports whether a file is part of the release.
func released(name string) bool { return !strings.HasPrefix(name, distFolder) }

// sum is the SHA-256 of data.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// listing says what is released, a line a file: bytes, SHA-256, name.
func (f files) listing() string {
	var b strings.Builder
	for _, name := range tree.Names(f) {
		if released(name) {
			fmt.Fprintf(&b, "%10d  %s  %s\n", len(f[name]), sum(f[name]), name)
		}
	}
	return b.String()
}

// compare says which files differ, and from where on.
func compare(a, b files) (differ []string) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, name := range tree.Names(both) {
		x, inA := a[name]
		y, inB := b[name]
		switch {
		case !inA:
			differ = append(differ, name+" is only in the second")
		case !inB:
			differ = append(differ, name+" is only in the first")
		case !bytes.Equal(x, y):
			at := 0
			for at < min(len(x), len(y)) && x[at] == y[at] {
				at++
			}
			differ = append(differ, fmt.Sprintf("%s: %d and %d bytes, the same up to byte %d", name, len(x), len(y), at))
		}
	}
	return differ
}

// write brings a folder in line with the release, and with the site where that is asked for.
func (f files) write(out string, dist bool) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, name := range tree.Names(f) {
		if !released(name) && !dist {
			continue
		}
		file := filepath.Join(out, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, f[name], 0o644)
		}
		if err != nil {
			return err
		}
	}
	return filepath.WalkDir(out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if _, ok := f[name]; ok && (dist || released(name)) {
			return nil
		}
		return os.Remove(file) // of an earlier release
	})
}
