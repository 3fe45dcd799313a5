// Sources prints a hash of what a program of this module is built from: of every file of
// its packages here, and of the versions of what it imports from elsewhere. It is the same
// in any folder and on any platform, with git or without.
//
//	go run ./build/sources ./build/spillway
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sources PACKAGE")
		os.Exit(2)
	}
	sum, err := hash(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sources:", err)
		os.Exit(1)
	}
	fmt.Println(sum)
}

// digits is how much of the hash is printed.
const digits = 12

// hash returns that of the sources of a package in the module of a folder.
func hash(folder, name string) (string, error) {
	root, files, err := list(folder, name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:digits], nil
}

// A pack is what go list says of a package.
type pack struct {
	Dir                                 string
	Module                              *struct{ Main bool }
	GoFiles, IgnoredGoFiles, EmbedFiles []string
}

// list returns the module's folder, and the names in it of all files that make the program
// on some platform, in their order.
func list(folder, name string) (root string, files []string, err error) {
	text, err := command(folder, "env", "GOMOD")
	if err != nil {
		return "", nil, err
	}
	root = filepath.Dir(strings.TrimSpace(string(text)))
	text, err = command(folder, "list", "-deps", "-json=Dir,Module,GoFiles,IgnoredGoFiles,EmbedFiles", name)
	if err != nil {
		return "", nil, err
	}
	files = []string{"go.mod"}
	if _, err := os.Stat(filepath.Join(root, "go.sum")); err == nil {
		files = append(files, "go.sum")
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pack
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			slices.Sort(files)
			return root, files, nil
		case err != nil:
			return "", nil, err
		}
		if p.Module == nil || !p.Module.Main {
			continue // of the standard library, which the Go version names, or in go.sum
		}
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.EmbedFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			rel, err := filepath.Rel(root, filepath.Join(p.Dir, name))
			if err != nil {
				return "", nil, err
			}
			files = append(files, filepath.ToSlash(rel))
		}
	}
}

// command runs the go command as if on one platform.
func command(folder string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir, c.Stderr = folder, os.Stderr
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return text, nil
}
