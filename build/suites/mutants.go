package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A mutant is a fault put into the program on purpose: tests that let it live are worth
// less than they cost.
type mutant struct {
	name string // what breaks
	file string
	from string // once in the file
	to   string
}

// nursery is the copy of the repository in which mutants are tried.
const nursery = "build/out/mutants"

// tryMutants puts one fault after the other into a copy of the last commit and wants
// make quick to fail there. What quick runs, full runs too: TestQuickIsPartOfFull.
func tryMutants(w io.Writer, names []string) (bool, error) {
	dir, err := makeNursery()
	if err != nil {
		return false, err
	}
	alive := 0
	for i := range mutants {
		m := &mutants[i]
		if len(names) > 0 && !slices.Contains(names, m.name) {
			continue
		}
		begun := time.Now()
		by, err := m.try(dir)
		if err != nil {
			return false, fmt.Errorf("%s: %w", m.name, err)
		}
		verdict := "caught by " + by
		if by == "" {
			alive++
			verdict = "LIVES"
		}
		fmt.Fprintf(w, "%-28s %4.0f s  %s\n", m.name, time.Since(begun).Seconds(), verdict)
	}
	fmt.Fprintf(w, "%d of %d faults live\n", alive, len(mutants))
	return alive == 0, nil
}

// makeNursery makes a copy of the last commit and links to it what npm has fetched.
func makeNursery() (string, error) {
	dir, err := filepath.Abs(nursery)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if _, err := git("clone", "--quiet", "--local", ".", dir); err != nil {
		return "", err
	}
	for _, folder := range []string{"build/node_modules", "build/e2e/node_modules"} {
		from, err := filepath.Abs(folder)
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(from); err != nil {
			continue
		}
		if err := os.Symlink(from, filepath.Join(dir, folder)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// change puts the fault into a file's text.
func (m *mutant) change(text string) (string, error) {
	if n := strings.Count(text, m.from); n != 1 {
		return "", fmt.Errorf("%s has %q %d times; the fault needs a place of its own", m.file, m.from, n)
	}
	return strings.Replace(text, m.from, m.to, 1), nil
}

// try returns the first test that fails with the fault, or "".
func (m *mutant) try(dir string) (string, error) {
	file := filepath.Join(dir, m.file)
	right, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	wrong, err := m.change(string(right))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte(wrong), 0o644); err != nil {
		return "", err
	}
	cmd := exec.Command("make", "--no-print-directory", "quick", "BASE=HEAD", "STOP=1")
	cmd.Dir = dir
	out, failed := cmd.CombinedOutput()
	if err := os.WriteFile(file, right, 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(nursery+"-"+m.name+".log"), out, 0o644); err != nil {
		return "", err
	}
	if failed == nil {
		return "", nil
	}
	for line := range strings.Lines(string(out)) {
		if what, ok := strings.CutPrefix(line, "FAILED  "); ok {
			return strings.TrimSpace(what), nil
		}
	}
	return "", fmt.Errorf("make quick ended without a test that failed: %w\n%s", failed, out[max(0, len(out)-2000):])
}
