//go:build !js

// Package outsider does what DESIGN.md tells somebody from outside to do: it
// applies each example of the table under "Seams" to a scratch copy of the
// repository and wants everything green there that such a person can run, which
// is without the G10 artifact. A seam is worth what its example shows.
package outsider

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A seam is a row of DESIGN.md's table and what must be green when its example
// is applied. A row without an example is skipped: to give it one, write a
// section with marked blocks (see [block]) and make the row's first cell a link
// to that section.
type seam struct {
	row      string
	shown    bool     // the example is there and has to stay
	packages []string // to vet and test
	command  []string // of the native command, which must then work; may be empty
}

var seams = []seam{
	{
		"a system", true,
		[]string{"./sim/train/...", "./ui/...", "./build/spillway", "./build/arch"},
		[]string{"run", "bert-base@4", "--system", "half"},
	},
	{"a machine part", true, []string{"./sim/train/...", "./traces/zoo", "./ui/...", "./build/spillway"}, nil},
	{"a trace format", false, []string{"./traces/...", "./ui/job", "./build/spillway", "./build/arch"}, nil},
	{"a model", false, []string{"./traces/zoo", "./ui/...", "./build/spillway"}, []string{"models"}},
	{"a hardware parameter", false, []string{"./sim/train/...", "./traces/...", "./ui/...", "./build/spillway"}, nil},
	{"a chart", false, []string{"./ui/..."}, nil},
	// Not in the table yet:
	{"a laboratory", false, []string{"./sim/...", "./ui/...", "./build/arch"}, nil},
	{"a paper's figure", false, []string{"./sim/train/papers/...", "./ui/..."}, nil},
}

func TestExamplesOfSeams(t *testing.T) {
	text, err := os.ReadFile("../../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	design := string(text)
	rows := tableUnder(design, "## Seams")
	if len(rows) == 0 {
		t.Fatal(`DESIGN.md has no table under "## Seams"`)
	}
	for row := range rows {
		if !slices.ContainsFunc(seams, func(s seam) bool { return s.row == row }) {
			t.Errorf("DESIGN.md has a seam %q; say in seams what must be green when its example is applied", row)
		}
	}
	for _, s := range seams {
		t.Run(strings.ReplaceAll(s.row, " ", "-"), func(t *testing.T) {
			anchor := rows[s.row]
			if anchor == "" {
				if s.shown {
					t.Fatalf("DESIGN.md's row %q has no link to an example", s.row)
				}
				t.Skip("DESIGN.md has no example of it yet")
			}
			blocks, err := blocksUnder(design, anchor)
			if err != nil {
				t.Fatal(err)
			}
			dir := scratch(t)
			for _, b := range blocks {
				if err := b.apply(dir); err != nil {
					t.Fatal(err)
				}
			}
			if testing.Short() {
				t.Skip("the example was applied, but nothing built and run with it")
			}
			green(t, dir, s)
		})
	}
}

// scratch copies the repository as it stands, without what git ignores.
func scratch(t *testing.T) string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("no git, or no repository: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "spillway")
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, not committed yet
		}
		if err == nil {
			err = write(dir, name, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(dir, name string, data []byte) error {
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// quiet are the lines of a test run that say nothing about what is red.
var quiet = regexp.MustCompile(`^(ok  |\?   |PASS|FAIL$|#)`)

// green vets and tests what the seam names, and runs its command.
func green(t *testing.T, dir string, s seam) {
	t.Helper()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		// Paths out of what is built, so that all but the example's own
		// packages come from the cache, whatever this copy is called.
		cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "SPILLWAY_ARTIFACT="+filepath.Join(dir, "no-artifact"))
		out, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		var red []string
		for line := range strings.Lines(string(out)) {
			if quiet.MatchString(line) {
				continue
			}
			line = "| " + line               // so that nobody counts these as tests of ours
			if !slices.Contains(red, line) { // go vet says one thing for every package it stops
				red = append(red, line)
			}
		}
		t.Errorf("with the example of DESIGN.md, go %s: %v\n%s", strings.Join(args, " "), err, strings.Join(red, ""))
	}
	run(append([]string{"vet"}, s.packages...)...)
	if t.Failed() {
		return
	}
	run(append([]string{"test", "-short"}, s.packages...)...)
	if len(s.command) > 0 {
		run(append([]string{"run", "./build/spillway"}, s.command...)...)
	}
}
