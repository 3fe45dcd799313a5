package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// readGo reads what gotestsum leaves of a task, and the processor times that its test programs
// left in the file of the name usage. A test is repeated with env and flags.
func (p *planner) readGo(name, usage string, env, flags []string) reader {
	words := append(slices.Clone(env), "go", "test")
	if slices.Contains(env, wasmEnv[0]) {
		words = append(words, `-exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec"`)
	}
	words = append(words, flags...)
	return &goTest{usage, junit{
		out: p.out, file: junitFile(name), said: true,
		loud:  func(line []byte) bool { return !quietGo.Match(line) },
		whole: func(test string) bool { return !strings.Contains(test, "/") },
		again: func(folder, test, _ string) string {
			again := words
			if test != "TestMain" { // it did not compile, or ended in the middle
				again = append(slices.Clone(words), "-run", "'^"+test+"$'")
			}
			return strings.Join(append(again, "./"+folder), " ")
		},
	}}
}

// A goTest is a task's tests with the processor times of their programs.
type goTest struct {
	usage string
	junit
}

func (g *goTest) begin() {
	_ = os.Remove(g.usage)
	g.junit.begin()
}

func (g *goTest) close() suite {
	s := g.junit.close()
	text, _ := os.ReadFile(g.usage)
	for line := range strings.Lines(string(text)) {
		var folder string
		var seconds float64
		if n, _ := fmt.Sscan(line, &seconds, &folder); n == 2 {
			if at := slices.IndexFunc(s.Packages, func(c container) bool { return c.Name == folder }); at >= 0 {
				s.Packages[at].CPU += seconds
			}
		}
	}
	return s
}

// usageVariable names the file to which measure appends.
const usageVariable = "SPILLWAY_USAGE"

// measure is `suites measure PROGRAM ARGUMENT ...`, which go test runs its programs with
// (-exec): it notes what processor time the program took, which go test does not say.
func measure(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	p := cmd.ProcessState
	if p == nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		return 1
	}
	if name := os.Getenv(usageVariable); name != "" {
		if folder, err := os.Getwd(); err == nil {
			if root, err := rootFolder(folder); err == nil {
				folder, _ = filepath.Rel(root, folder)
			}
			note(name, (p.UserTime() + p.SystemTime()).Seconds(), filepath.ToSlash(folder))
		}
	}
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ExitCode()
}

// note appends one line; programs that run side by side append to the same file.
func note(name string, seconds float64, folder string) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return // a time that is missing is not worth a red test
	}
	defer f.Close()
	fmt.Fprintf(f, "%.3f %s\n", seconds, folder)
}

// rootFolder is the folder of go.mod at or above folder.
func rootFolder(folder string) (string, error) {
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", fmt.Errorf("no go.mod at or above the working folder; run this in the repository")
		}
		folder = up
	}
}

// timeout is how long one package's tests may take.
const timeout = 30 * time.Minute
