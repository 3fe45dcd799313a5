package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A site is the content of every file by its path below the root of the site.
type site map[string][]byte

// add puts a file into the site; two sources for one path are a mistake.
func (s site) add(name string, data []byte) error {
	if _, ok := s[name]; ok {
		return fmt.Errorf("%s would be written twice; rename the one in public/", name)
	}
	s[name] = data
	return nil
}

// addPublic takes the hand-written files as they are.
func (s site) addPublic() error {
	return fs.WalkDir(os.DirFS("public"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join("public", name))
		if err != nil {
			return err
		}
		return s.add(name, data)
	})
}

// uncached files are not part of the offline copy: the worker itself, what
// only hosts, readers of licenses and the README look at.
func uncached(name string) bool {
	switch path.Base(name) {
	case "sw.js", "_headers", "404.html", "index.html", "screenshot.png":
		return true
	}
	return strings.HasSuffix(name, ".txt")
}

// addCacheList fills the two constants of sw.js: the files to keep, and a
// version that changes when any of them does.
func (s site) addCacheList() error {
	sw, ok := s["sw.js"]
	if !ok {
		return errors.New("public/sw.js is missing")
	}
	files := []string{"./"} // index.html: hosts redirect its own name to the folder
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(sum, "%s %d\n", name, len(s[name]))
		sum.Write(s[name])
		if !uncached(name) {
			files = append(files, name)
		}
	}
	list, err := json.Marshal(files)
	if err != nil {
		return err
	}
	version := hex.EncodeToString(sum.Sum(nil))[:16]
	for _, r := range [][2]string{
		{"const VERSION = '';", "const VERSION = '" + version + "';"},
		{"const FILES = [];", "const FILES = " + string(list) + ";"},
	} {
		if bytes.Count(sw, []byte(r[0])) != 1 {
			return fmt.Errorf("public/sw.js: want the line %q exactly once", r[0])
		}
		sw = bytes.Replace(sw, []byte(r[0]), []byte(r[1]), 1)
	}
	s["sw.js"] = sw
	return nil
}

// write brings the folder in line with the site. Unchanged files keep their
// time, so nothing downstream is redone; files of earlier builds go.
func (s site) write(out string) error {
	for name, data := range s {
		file := filepath.Join(out, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
		for _, ext := range packed {
			if err := os.Remove(file + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return s.prune(out)
}

// prune removes what this site does not have. Compressed copies stay while
// their original does: write has removed those that are out of date.
func (s site) prune(out string) error {
	return filepath.WalkDir(out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		for _, ext := range packed {
			name = strings.TrimSuffix(name, ext)
		}
		if _, ok := s[name]; ok {
			return nil
		}
		return os.Remove(file)
	})
}
