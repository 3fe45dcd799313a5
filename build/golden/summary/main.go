// Summary says what make golden changed: how many lines and runs by file, each quantity's
// range of changes, the largest of all, runs that are new or gone, and hashes that are
// others though no value beside them is.
//
// It compares golden files of the working tree with those of a commit:
//
//	go run ./build/golden/summary [COMMIT]
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	commit := "HEAD"
	if len(os.Args) > 1 {
		commit = os.Args[1]
	}
	files, err := changed(commit)
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary of golden files:", err)
		os.Exit(1)
	}
	fmt.Print(summarize(commit, files))
}

// A file is one golden file in both states; a state is nil where there is no file.
type file struct {
	path    string
	was, is []byte
}

func (f *file) same() bool { return (f.was == nil) == (f.is == nil) && string(f.was) == string(f.is) }

// changed returns the golden files that are not what they are in the commit, in the order of
// their paths, each pair of hashes and values together.
func changed(commit string) ([]file, error) {
	top, err := git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	dir := strings.TrimSpace(string(top))
	differ, err := git(dir, "diff", "--name-only", "-z", "--no-renames", commit)
	if err != nil {
		return nil, err
	}
	added, err := git(dir, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var paths []string
	for p := range strings.SplitSeq(string(differ)+string(added), "\x00") {
		if !golden(p) {
			continue
		}
		paths = append(paths, p)
		switch path.Base(p) {
		case hashes:
			paths = append(paths, path.Join(path.Dir(p), values))
		case values:
			paths = append(paths, path.Join(path.Dir(p), hashes))
		}
	}
	slices.Sort(paths)
	var files []file
	for _, p := range slices.Compact(paths) {
		f := file{path: p}
		if listed, err := git(dir, "ls-tree", "--name-only", commit, "--", p); err != nil {
			return nil, err
		} else if len(listed) > 0 {
			if f.was, err = git(dir, "show", commit+":"+p); err != nil {
				return nil, err
			}
		}
		if f.is, err = os.ReadFile(path.Join(dir, p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if f.was != nil || f.is != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// golden reports whether tests write a file with -update: what is in testdata, the site's
// schemas, and the documents and tables that stand beside the code they are about.
func golden(p string) bool {
	beside := strings.HasPrefix(p, "sim/") || strings.HasPrefix(p, "build/spillway/")
	return strings.Contains(p, "/testdata/") || strings.HasPrefix(p, "public/schema/") || beside && (path.Ext(p) == ".md" || path.Ext(p) == ".csv")
}

func git(dir string, args ...string) ([]byte, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return out, err
}
