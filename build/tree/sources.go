package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are the names of all files below a folder but those of which it is known that
// neither the site nor the command is made of them, in their order. The site is written to out.
func Sources(root, out string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (without(name) || name == path.Clean(filepath.ToSlash(out))):
			return fs.SkipDir
		case !d.IsDir() && isSource(name):
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// without reports that a folder has no sources.
func without(folder string) bool {
	base := path.Base(folder)
	switch {
	case folder == ".":
		return false
	case strings.HasPrefix(base, "."), folder == "dist", base == "node_modules", base == "testdata":
		return true
	}
	return path.Dir(folder) == "build" && !slices.Contains([]string{"site", "spillway", "tree"}, base)
}

// IsSource reports whether a file may be one of the sources, by its name.
func IsSource(name string) bool {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if without(folder) {
			return false
		}
	}
	return isSource(name)
}

// isSource reports whether a file of a folder that has sources may be one.
func isSource(name string) bool {
	switch folder, base := path.Split(name); folder {
	case "":
		return slices.Contains([]string{"go.mod", "go.sum", "LICENSE", "DESIGN.md"}, base)
	case "build/":
		return slices.Contains([]string{"package.json", "package-lock.json"}, base)
	}
	return !strings.HasSuffix(name, "_test.go")
}

// folders have the sources of which versions are a hash; what else lies beside them is
// nobody's version.
var folders = []string{"build", "public", "sim", "traces", "ui", "wasm"}

// digits is how much of the hash is printed.
const digits = 12

// Hash is that of the sources below a folder, as site and command name it in their version:
// the same in any folder and on any platform, with git or without, whether what is generated
// is there already or not.
func Hash(root string) (string, error) {
	names, err := Sources(root, "dist")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range names {
		top, _, below := strings.Cut(name, "/")
		if below && !slices.Contains(folders, top) || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:digits], nil
}
