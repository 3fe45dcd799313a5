package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spillway/build/effort"
)

// module is the name of the module in go.mod.
const module = "spillway"

// A goPackageInfo is a package as go list sees it, by folder from the repository's root.
type goPackageInfo struct {
	folder  string
	imports []string // folders of the module that its code imports
	tests   []string // and its tests
	reads   []string // files and folders outside its own that its code names, such as ../../README.md
	native  bool     // it has tests that run natively
	wasm    bool     // and as WebAssembly
}

// A house is all packages, natively and as WebAssembly.
type house map[string]*goPackageInfo

// listHouse asks go list for the packages of both platforms.
func listHouse() (house, error) {
	h := house{}
	for _, env := range [][]string{nil, wasmEnv} {
		cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Imports,TestImports,XTestImports,GoFiles,TestGoFiles,XTestGoFiles", "./...")
		cmd.Env = append(os.Environ(), env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w\n%s", err, said.Bytes())
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				ImportPath                         string
				Imports, TestImports, XTestImports []string
				GoFiles, TestGoFiles, XTestGoFiles []string
			}
			if err := decoder.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			folder, ours := strings.CutPrefix(p.ImportPath, module+"/")
			if !ours {
				continue
			}
			info := h[folder]
			if info == nil {
				info = &goPackageInfo{folder: folder}
				h[folder] = info
			}
			info.imports = union(info.imports, p.Imports)
			info.tests = union(info.tests, append(p.TestImports, p.XTestImports...))
			if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
				info.native, info.wasm = info.native || env == nil, info.wasm || env != nil
			}
			for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
				reads, err := readsOf(folder, name)
				if err != nil {
					return nil, err
				}
				info.reads = append(info.reads, reads...)
			}
		}
	}
	for _, info := range h {
		slices.Sort(info.reads)
		info.reads = slices.Compact(info.reads)
	}
	return h, nil
}

// wasmEnv makes go build for the browser.
var wasmEnv = []string{"GOOS=js", "GOARCH=wasm"}

// union adds those of the module to a sorted list of folders.
func union(list, imports []string) []string {
	for _, name := range imports {
		if folder, ours := strings.CutPrefix(name, module+"/"); ours {
			list = append(list, folder)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// readsOf lists what a Go file names outside its folder: strings that begin with "../".
// Tests open samples of other packages, documents and built things so.
func readsOf(folder, name string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	var list []string
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile(name, files.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return list, nil
		}
		if kind != token.STRING {
			continue
		}
		value, err := strconv.Unquote(literal)
		if err != nil || !strings.HasPrefix(value, "../") {
			continue
		}
		place := path.Join(folder, value)
		for strings.ContainsAny(path.Base(place), "*%?") { // a pattern: what is in the folder
			place = path.Dir(place)
		}
		if place != "." && !strings.HasPrefix(place, "..") {
			list = append(list, place)
		}
	}
}

// owner is the package that a file belongs to: the nearest folder upwards that has one.
func (h house) owner(file string) string {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if h[folder] != nil {
			return folder
		}
	}
	return ""
}

// A reach is what a change can change the behaviour of.
type reach struct {
	files    []string        // that differ
	changed  map[string]bool // packages with other code
	code     map[string]bool // those and all that import them
	packages map[string]int  // packages with tests that may turn out otherwise, and how many imports away
	numbers  map[string]bool // of those, where other numbers may come out: an engine or a format is below, or a file is read that differs
	all      string          // why everything may: go.mod differs; or ""
}

// everything are files that everything hangs on.
var everything = []string{"go.mod", "go.sum"}

// reach says what may turn out otherwise when files differ.
func (h house) reach(files []string) *reach {
	r := &reach{files: files, changed: map[string]bool{}, packages: map[string]int{}, numbers: map[string]bool{}}
	for _, file := range files {
		if slices.Contains(everything, file) {
			r.all = file + " differs"
		}
		folder := h.owner(file)
		if folder != "" {
			r.packages[folder] = 0
			if !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/testdata/") {
				r.changed[folder] = true
			}
		}
		for _, info := range h {
			if slices.ContainsFunc(info.reads, func(place string) bool { return file == place || strings.HasPrefix(file, place+"/") }) {
				r.near(info.folder, 1)
				r.numbers[info.folder] = true
			}
		}
	}
	r.code = h.outwards(r.changed, r.near)
	engines := maps.Clone(r.changed)
	maps.DeleteFunc(engines, func(folder string, _ bool) bool {
		return !effort.Covers("sim/...", folder) && !effort.Covers("traces/...", folder)
	})
	h.outwards(engines, func(folder string, _ int) { r.numbers[folder] = true })
	return r
}

// outwards goes from some packages to those that import them, one import at a time. It
// tells of each whose tests or code it meets how far away it is, and returns those with
// code.
func (h house) outwards(from map[string]bool, met func(folder string, distance int)) map[string]bool {
	front := slices.Sorted(maps.Keys(from))
	reached := maps.Clone(from)
	for distance := 1; len(front) > 0; distance++ {
		var next []string
		for _, folder := range slices.Sorted(maps.Keys(h)) {
			info := h[folder]
			touches := func(list []string) bool {
				return slices.ContainsFunc(list, func(x string) bool { return slices.Contains(front, x) })
			}
			if touches(info.imports) && !reached[folder] {
				reached[folder] = true
				next = append(next, folder)
			}
			if touches(info.imports) || touches(info.tests) {
				met(folder, distance)
			}
		}
		front = next
	}
	return reached
}

// near notes that a package is reached over some imports, at least.
func (r *reach) near(folder string, distance int) {
	if at, known := r.packages[folder]; !known || distance < at {
		r.packages[folder] = distance
	}
}

// touches reports whether a changed file or a package with other code fits a pattern:
// "ui/lab/llm/..." is the folder and all below it, "public/boot.js" one file.
func (r *reach) touches(pattern string) bool {
	if pattern == "*" {
		return true
	}
	return slices.ContainsFunc(r.files, func(file string) bool {
		return !strings.HasSuffix(file, "_test.go") && (effort.Covers(pattern, file) || effort.Covers(pattern+"/*", file))
	})
}

// differing lists the files that differ from a commit, those that git does not know yet
// among them.
func differing(base string) ([]string, error) {
	var names []string
	for _, args := range [][]string{{"diff", "--name-only", "-z", "--no-renames", base}, {"ls-files", "-z", "--others", "--exclude-standard"}} {
		out, err := git(args...)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// git asks git, and says what it said when it fails.
func git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return string(out), nil
}
