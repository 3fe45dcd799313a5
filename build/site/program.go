package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	labs "spillway/ui/lab/all"
)

// run executes a command from the repository root and returns its output; on
// failure the error holds what it said.
func run(env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out, nil
}

// programs is where the laboratories' programs are put together, and where all
// programs are compiled to.
const programs = "build/out/programs"

// profile is what the laboratories' programs are compiled for; make profile
// writes it.
const profile = "wasm/worker/default.pgo"

// unprofiled are laboratories compiled without it: the profile is of training, and what it
// has of others, the Go runtime, was 19 kB too much for their limit.
var unprofiled = []string{"filesys", "llm"}

// cold are the packages whose functions are not inlined in a laboratory's
// program: what happens once a run, or once a call of a file system, is not worth the
// bytes, a tenth of the whole.
// Nothing is inlined in the page's, which would otherwise be a sixth larger.
var cold = []string{
	"archive/...", "bufio", "bytes", "context", "encoding/...", "errors", "fmt", "hash/...", "io", "os/...", "path/...",
	"reflect", "sort", "strconv", "strings", "syscall/...", "time", "unicode/...", "github.com/goccy/go-json/...",
	"internal/fmtsort", "internal/oserror", "internal/poll", "internal/reflectlite",
	"spillway/sim/knob", "spillway/sim/report", "spillway/sim/study", "spillway/sim/sweep", "spillway/sim/train/papers/...", "spillway/sim/cxlssd/papers/...", "spillway/sim/quirk",
	"spillway/sim/filesys/papers/...", "spillway/sim/filesys/crash", "spillway/sim/filesys/host", "spillway/sim/filesys/load", "spillway/sim/filesys/machine", "spillway/sim/filesys/system/...",
	"spillway/sim/llm/papers/...", "spillway/sim/llm", "spillway/sim/llm/decode", "spillway/sim/llm/job", "spillway/sim/llm/machine", "spillway/sim/llm/model", "spillway/sim/llm/offload", "spillway/sim/llm/flow", "spillway/sim/llm/shard", "spillway/sim/llm/system", "spillway/sim/llm/system/zero", "spillway/sim/llm/system/fsdp",
	"spillway/traces/...", "spillway/ui/...", "spillway/wasm/...",
}

// colder are packages that are not inlined in some laboratories' programs only: what others
// call for every kernel of every run, LLM training calls once for a job.
var colder = map[string][]string{"llm": {"spillway/sim/workload", "spillway/sim/vitality"}}

// whole ends the name of the program that a lean one is a part of; wasm has the
// same.
const whole = "-files"

// A program is one WebAssembly file of the site.
type program struct {
	file   string
	folder string   // its main package
	flags  []string // of go build
}

// workFlags are those of a program with laboratories; also names packages of colder.
func workFlags(also ...string) []string {
	flags := []string{"-pgo=" + profile}
	for _, pattern := range slices.Concat(cold, also) {
		flags = append(flags, "-gcflags="+pattern+"=-l")
	}
	return flags
}

// list returns all programs, the page's first.
func list() []program {
	all := []program{{"app.wasm", "./wasm", []string{"-pgo=off", "-gcflags=all=-l"}}}
	for _, door := range labs.Labs {
		flags := workFlags(colder[door.Name]...)
		if slices.Contains(unprofiled, door.Name) {
			flags = append(flags, "-pgo=off")
		}
		folder := "./" + path.Join(programs, door.Name)
		if !slices.Contains(labs.Lean, door.Name) {
			all = append(all, program{door.Name + ".wasm", folder, flags})
			continue
		}
		all = append(all,
			program{door.Name + ".wasm", folder, append(slices.Clone(flags), "-tags=lean")},
			program{door.Name + whole + ".wasm", folder, flags})
	}
	return all
}

// writeSources writes the main package of every laboratory's program.
func writeSources() error {
	for _, door := range labs.Labs {
		text := fmt.Sprintf(`// Written by build/site from ui/lab/all.
package main

import (
	lab "spillway/ui/lab/%s"
	"spillway/wasm/worker"
)

func main() { worker.Run(lab.New()) }
`, door.Package)
		folder := path.Join(programs, door.Name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		// The name's ending keeps it out of what is built natively.
		if err := os.WriteFile(path.Join(folder, "main_js.go"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compile makes the programs. That is left to as many processes as there are
// processors: linking one program takes one.
func compile(all []program) error {
	var group sync.WaitGroup
	errs := make([]error, len(all))
	turns := make(chan struct{}, runtime.NumCPU())
	for i, p := range all {
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path.Join(programs, p.file)}
			args = append(append(args, p.flags...), p.folder)
			_, errs[i] = run([]string{"GOOS=js", "GOARCH=wasm"}, "go", args...)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// addPrograms compiles the page's program and the laboratories', and adds the
// script that starts them. That script must come from the compiler that built
// them.
func (s site) addPrograms() error {
	if err := writeSources(); err != nil {
		return err
	}
	all := list()
	if err := compile(all); err != nil {
		return err
	}
	for _, p := range all {
		data, err := os.ReadFile(path.Join(programs, p.file))
		if err == nil {
			err = s.add(p.file, data)
		}
		if err != nil {
			return err
		}
	}
	root, err := goroot()
	if err != nil {
		return err
	}
	starter, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return s.add("wasm_exec.js", starter)
}

func goroot() (string, error) {
	out, err := run(nil, "go", "env", "GOROOT")
	return strings.TrimSpace(string(out)), err
}

// noEval ends the renderer script: Vugu will pass that same script to eval,
// which the site's security policy forbids; that one call does nothing.
const noEval = `
;(() => {
  const original = window.eval;
  window.eval = (code) => (typeof code === 'string' && code.includes('vuguRender')) ? undefined : original(code);
})();
`

// addRenderer serves the script that Vugu's renderer evaluates at start as an
// ordinary file, so that the page needs no 'unsafe-eval'.
func (s site) addRenderer() error {
	out, err := run(nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/vugu/vugu")
	if err != nil {
		return err
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "domrender", "renderer-js-script.go")
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return err
	}
	script, err := stringVar(tree, "jsHelperScript")
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return s.add("vugu-helper.js", []byte(script+noEval))
}

// stringVar finds the value of a variable declared with a string literal.
func stringVar(tree *ast.File, name string) (string, error) {
	for spec := range ast.Preorder(tree) {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != name || len(v.Values) != 1 {
			continue
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			return strconv.Unquote(lit.Value)
		}
	}
	return "", fmt.Errorf("no string variable %s; this version of Vugu keeps its script elsewhere", name)
}
