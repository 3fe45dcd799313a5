package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A goTest reads what `go test -json` prints (go doc test2json).
type goTest struct {
	out   io.Writer
	env   []string // with which a test is repeated, such as GOOS=js
	flags []string // likewise
	usage string   // file in which measured test programs leave their times

	rest     []byte // of a line that is not complete
	packages map[string]*goPackage
	suite    suite
}

type goPackage struct {
	container
	output map[string]*tail // by test; "" is the package's own
	failed []string
}

// An event is one line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

func newGoTest(out io.Writer, usage string, env, flags []string) *goTest {
	return &goTest{out: out, env: env, flags: flags, usage: usage, packages: map[string]*goPackage{}}
}

func (g *goTest) begin() { _ = os.Remove(g.usage) }

func (g *goTest) Write(p []byte) (int, error) {
	g.rest = append(g.rest, p...)
	for {
		line, rest, ok := bytes.Cut(g.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		g.line(line)
		g.rest = rest
	}
}

func (g *goTest) line(line []byte) {
	var e event
	if len(line) == 0 || json.Unmarshal(line, &e) != nil {
		return // the log has it
	}
	name := e.Package
	if name == "" {
		name, _, _ = strings.Cut(e.ImportPath, " ") // what the compiler says
	}
	p := g.packages[name]
	if p == nil {
		p = &goPackage{container: container{Name: strings.TrimPrefix(name, module+"/")}, output: map[string]*tail{}}
		g.packages[name] = p
	}
	switch e.Action {
	case "output", "build-output":
		top, _, _ := strings.Cut(e.Test, "/")
		if p.output[top] == nil {
			p.output[top] = &tail{}
		}
		_, _ = p.output[top].Write([]byte(e.Output))
		if e.Test == "" && strings.Contains(e.Output, "\t(cached)") {
			p.Cached = true
		}
	case "pass", "fail", "skip":
		g.ended(p, &e)
	}
}

// ended takes note of the end of a test or a package.
func (g *goTest) ended(p *goPackage, e *event) {
	if strings.Contains(e.Test, "/") {
		return // its outermost test counts
	}
	if e.Test == "" {
		p.Wall = e.Elapsed
		if e.Action == "fail" && len(p.failed) == 0 { // it did not compile, or ended in the middle
			g.fail(p, "", e.FailedBuild)
		}
		return
	}
	p.Tests = append(p.Tests, testTime{e.Test, e.Elapsed})
	switch e.Action {
	case "pass":
		g.suite.Passed++
		delete(p.output, e.Test)
	case "skip":
		g.suite.Skipped++
	case "fail":
		g.fail(p, e.Test, "")
	}
}

// fail says what failed, at once.
func (g *goTest) fail(p *goPackage, test, build string) {
	g.suite.Failed++
	p.failed = append(p.failed, test)
	f := failure{what: p.Name, repeat: g.repeat("./"+p.Name, test)}
	if test != "" {
		f.what += " " + test
	}
	var text strings.Builder
	for _, from := range []*goPackage{g.packages[build], p} {
		if from != nil && from.output[test] != nil {
			text.WriteString(from.output[test].String())
		}
	}
	f.output = text.String()
	f.print(g.out)
	g.suite.failures = append(g.suite.failures, f)
}

// repeat is the line that runs one test, or all of a package.
func (g *goTest) repeat(folder, test string) string {
	words := append(slices.Clone(g.env), "go", "test")
	if slices.Contains(g.env, wasmEnv[0]) {
		words = append(words, `-exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec"`)
	}
	words = append(words, g.flags...)
	if test != "" {
		words = append(words, "-run", "'^"+test+"$'")
	}
	return strings.Join(append(words, folder), " ")
}

// close adds the processor times that the test programs left.
func (g *goTest) close() suite {
	used := map[string]float64{}
	if text, err := os.ReadFile(g.usage); err == nil {
		for line := range strings.Lines(string(text)) {
			var folder string
			var seconds float64
			if n, _ := fmt.Sscan(line, &seconds, &folder); n == 2 {
				used[folder] += seconds
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.packages)) {
		p := g.packages[name]
		p.CPU = used[p.Name]
		if len(p.Tests) > 0 || len(p.failed) > 0 {
			g.suite.Packages = append(g.suite.Packages, p.container)
		}
	}
	return g.suite
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
