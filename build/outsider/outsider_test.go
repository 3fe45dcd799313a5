//go:build !js

// Package outsider does what public/docs/seams.md tells somebody from outside to do: it
// applies each example of the table under "What you touch" to a scratch copy of the
// repository and wants everything green there that such a person can run, which
// is without the G10 artifact. A seam is worth what its example shows.
//
// That the examples apply is always tried. Building and testing the copy takes as long
// as all native tests: build/suites asks for it where a seam or a document changed
// (effort.Outsider), and at night.
package outsider

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
)

// document has the table and the examples.
const document = "../../public/docs/seams.md"

// A seam is a row of the document's table and what must be green when its example
// is applied.
type seam struct {
	row      string
	packages []string   // to vet and test
	commands [][]string // of go, which must then work
}

var seams = []seam{
	{
		"a system",
		[]string{"./sim/train/...", "./ui/...", "./build/spillway", "./build/arch"},
		[][]string{spillway("lab=train", "system=half", "batch=4", "--json"), spillway("bert-base@4", "--system", "half")},
	},
	{
		"a laboratory",
		[]string{"./ui/...", "./build/arch", "./build/site", "./build/spillway"},
		[][]string{
			spillway("lab=scan", "system=disk", "memory=16", "--json"),
			{"run", "./build/spillway", "verify", "--paper", "nobody"},
			{"test", "./build/site", "-run", "^TestPrograms$"}, // as a worker's
		},
	},
	{
		"a trace format",
		[]string{"./traces/...", "./ui/...", "./build/spillway", "./build/arch"},
		[][]string{spillway("lab=train", "system=uvm", "file=traces/steps/testdata/two.steps", "--json")},
	},
	{
		"a model",
		[]string{"./traces/zoo", "./ui/...", "./build/spillway"},
		[][]string{spillway("lab=train", "system=uvm", "model=resnet-101", "times=estimated", "--json"), spillway("lab=store", "system=lru", "workload=networks", "model=resnet-101")},
	},
	{
		"a machine part",
		[]string{"./sim/train/...", "./traces/zoo", "./ui/...", "./build/spillway"},
		[][]string{spillway("lab=train", "system=uvm", "part-gpu=l40s")},
	},
	{
		"a hardware parameter",
		[]string{"./sim/train/...", "./traces/...", "./ui/...", "./build/spillway"},
		[][]string{spillway("lab=train", "system=g10", "launch=5")},
	},
	{"a chart", []string{"./ui/...", "./build/site"}, nil},
	{
		"a paper's figure",
		[]string{"./ui/...", "./build/spillway"},
		[][]string{{"run", "./build/spillway", "verify", "--figures", "ravenstore.drawn"}},
	},
}

// spillway is a command of go that runs something natively.
func spillway(args ...string) []string {
	return append([]string{"run", "./build/spillway", "run"}, args...)
}

var alone = flag.Bool("alone", false, "apply each example to a copy of its own, which says whose fault it is and takes five times as long")

// The examples do not touch each other, so one copy with all of them is enough
// as long as it is green.
func TestExamplesOfSeams(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	rows := tableUnder(string(text), "## What you touch")
	if len(rows) != len(seams) {
		t.Errorf(`%s: the table under "## What you touch" has %d rows; seams has %d`, document, len(rows), len(seams))
	}
	blocks := make([][]block, len(seams))
	all := seam{}
	for i, s := range seams {
		anchor, ok := rows[s.row]
		if !ok || anchor == "" {
			t.Fatalf("%s has no row %q with a link to an example; rows are %q", document, s.row, rows)
		}
		if blocks[i], err = blocksUnder(string(text), anchor); err != nil {
			t.Fatal(err)
		}
		all.packages, all.commands = append(all.packages, s.packages...), append(all.commands, s.commands...)
	}
	slices.Sort(all.packages)
	all.packages = slices.Compact(all.packages)
	if !*alone {
		if try(t, all, slices.Concat(blocks...)); t.Failed() {
			t.Log("go test ./build/outsider -alone says which example it is")
		}
		return
	}
	for i, s := range seams {
		t.Run(strings.ReplaceAll(s.row, " ", "-"), func(t *testing.T) { try(t, s, blocks[i]) })
	}
}

// try applies examples to a copy and wants it green.
func try(t *testing.T, s seam, blocks []block) {
	t.Helper()
	dir := scratch(t)
	for _, b := range blocks {
		if err := b.apply(dir); err != nil {
			t.Fatal(err)
		}
	}
	if !*alone && !effort.Nightly() && os.Getenv(effort.Outsider) != "whole" {
		t.Skipf("the examples were applied, but nothing built and run with them: %s=whole does", effort.Outsider)
	}
	green(t, dir, s)
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

// green vets and tests what the seam names, and runs its commands.
func green(t *testing.T, dir string, s seam) {
	t.Helper()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		// Paths out of what is built, so that all but the example's own
		// packages come from the cache, whatever this copy is called.
		cmd.Env = append(os.Environ(), effort.Variable+"=", effort.Examples+"=1", "GOFLAGS=-trimpath", "GOWORK=off", "SPILLWAY_ARTIFACT="+filepath.Join(dir, "no-artifact"))
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
		t.Errorf("with the example of %s, go %s: %v\n%s", document, strings.Join(args, " "), err, strings.Join(red, ""))
	}
	run(append([]string{"vet"}, s.packages...)...)
	if t.Failed() {
		return
	}
	run(append([]string{"test", "-timeout", "30m"}, s.packages...)...)
	for _, c := range s.commands {
		run(c...)
	}
}
