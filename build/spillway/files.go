package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"spillway/ui/lab"
)

// mostBytes is how much the named files and folders may hold besides the files that
// are larger than heldBytes: of these the beginning is read, and the rest when it is
// asked for.
const (
	mostBytes = 1 << 30
	heldBytes = 32 << 20
)

// readFiles reads files, and folders with everything below them; what is hidden
// in a folder is left out. Names keep the folders, by which files find each other,
// but not where all of them lie.
func readFiles(paths []string) ([]lab.File, error) {
	var list []lab.File
	room := int64(mostBytes)
	add := func(name, where string, size int64) error {
		f, err := fileOf(name, where, size)
		if err != nil {
			return err
		}
		if room -= int64(len(f.Data)); room < 0 {
			return fmt.Errorf("the files hold more than %d GiB; name only those that are needed", mostBytes>>30)
		}
		list = append(list, f)
		return nil
	}
	names, err := shortened(paths)
	if err != nil {
		return nil, err
	}
	for i, root := range paths {
		info, err := os.Stat(root)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := add(names[i], root, info.Size()); err != nil {
				return nil, err
			}
			continue
		}
		folder := os.DirFS(root)
		err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case name != "." && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case !d.Type().IsRegular():
				return nil
			}
			about, err := d.Info()
			if err != nil {
				return err
			}
			return add(path.Join(names[i], name), filepath.Join(root, filepath.FromSlash(name)), about.Size())
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", root, err)
		}
	}
	return list, nil
}

// fileOf reads a file, or its beginning if it is large.
func fileOf(name, where string, size int64) (lab.File, error) {
	if size <= heldBytes {
		data, err := os.ReadFile(where)
		return lab.File{Name: name, Data: data}, err
	}
	f, err := os.Open(where)
	if err != nil {
		return lab.File{}, err
	}
	head := make([]byte, 1<<20)
	_, err = io.ReadFull(f, head)
	return lab.File{
		Name: name, Data: head, Size: size,
		Stream: func() (io.ReadCloser, error) { return os.Open(where) },
	}, errors.Join(err, f.Close())
}

// shortened returns paths without the folders that all of them are in, and
// without hidden parts.
func shortened(paths []string) ([]string, error) {
	names := make([]string, len(paths))
	common := ""
	for i, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		names[i] = filepath.ToSlash(full)
		folder := path.Dir(names[i])
		if i == 0 {
			common = folder
		}
		for !within(folder, common) {
			common = path.Dir(common)
		}
	}
	for i := range names {
		names[i] = visible(strings.TrimPrefix(strings.TrimPrefix(names[i], common), "/"))
	}
	return names, nil
}

// within reports whether a path is a folder or below it.
func within(name, folder string) bool {
	return name == folder || folder == path.Dir(folder) || strings.HasPrefix(name, folder+"/")
}

// visible returns the end of a path that has no hidden part: what is hidden is
// taken for litter, but this was named.
func visible(name string) string {
	parts := strings.Split(path.Clean(filepath.ToSlash(name)), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if p := parts[i]; strings.HasPrefix(p, ".") && p != "." && p != ".." || p == "__MACOSX" {
			if i == len(parts)-1 {
				return strings.TrimLeft(p, "._")
			}
			return strings.Join(parts[i+1:], "/")
		}
	}
	return strings.Join(parts, "/")
}
