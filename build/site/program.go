package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	labs "spillway/ui/lab/all"

	"spillway/build/tree"
)

// run executes a command from the repository root and returns its output; on
// failure the error holds what it said.
func run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
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

// profile is what the profiled laboratory's program is compiled for; make profile writes it.
//
// Others have the Go runtime in common with it and are no faster with it, for 14 to 18 kB each:
// under Node file systems took 2.65 s with it and 2.67 without, LLM training 4.0 to 4.3 and 4.0,
// the object store 15.5 to 18.1 and 16.5 to 17.1, SkyByte's runs 24.9 and 24.8.
const (
	profile  = "wasm/worker/default.pgo"
	profiled = "train"
)

// cold are the packages whose functions are not inlined in a laboratory's program: what
// happens once a run, or once a call of a file system, is not worth its bytes.
//
// Measured with train.wasm (brotli -9) and seven systems of BERT-256 under Node, on a machine
// with other load: with this list and the profile 2004 kB and 0.25 to 0.29 s; without the
// profile, the simulators and the runtime inlined and nothing else, 1981 kB and 0.33 to 0.50 s;
// the same with the runtime and the engine alone 1925 kB and 0.35 to 0.40 s; nothing inlined
// 1853 kB and 0.67 to 0.77 s. With the profile, the engine and the runtime inlined took 2.5
// to 2.9 times as long as this list. So the list stays until something short is as fast.
//
// Nothing is inlined in the page's, which would otherwise be a sixth larger.
var cold = []string{
	"archive/...", "bufio", "bytes", "context", "encoding/...", "errors", "fmt", "hash/...", "io", "os/...", "path/...",
	"reflect", "sort", "strconv", "strings", "syscall/...", "time", "unicode/...", "github.com/goccy/go-json/...",
	"internal/fmtsort", "internal/oserror", "internal/poll", "internal/reflectlite",
	"spillway/sim/knob", "spillway/sim/prose", "spillway/sim/report", "spillway/sim/study", "spillway/sim/sweep", "spillway/sim/quirk",
	"spillway/sim/filesys/crash", "spillway/sim/filesys/host", "spillway/sim/filesys/load", "spillway/sim/filesys/machine", "spillway/sim/filesys/promise", "spillway/sim/filesys/system/...",
	"spillway/sim/llm", "spillway/sim/llm/decode", "spillway/sim/llm/job", "spillway/sim/machine", "spillway/sim/model", "spillway/sim/llm/offload", "spillway/sim/llm/flow", "spillway/sim/llm/shard", "spillway/sim/llm/system", "spillway/sim/llm/system/zero", "spillway/sim/llm/system/fsdp",
	"spillway/traces/...", "spillway/ui/...", "spillway/wasm/...",
}

// filesProgram is the one that reads files; wasm has the same.
const filesProgram = "files"

// A program is one WebAssembly file of the site.
type program struct {
	file   string
	folder string   // its main package
	flags  []string // of go build
}

// workFlags are those of a laboratory's program; the single file has all of them, and the profiled one's.
func workFlags(name string) []string {
	flags := []string{"-pgo=off"}
	if name == profiled {
		flags[0] = "-pgo=" + profile
	}
	for _, pattern := range cold {
		flags = append(flags, "-gcflags="+pattern+"=-l")
	}
	return flags
}

// list returns all programs, the page's first.
func list() []program {
	all := []program{
		{"app.wasm", "./wasm", []string{"-pgo=off", "-gcflags=all=-l"}},
		{filesProgram + ".wasm", "./wasm/files", []string{"-pgo=off", "-gcflags=all=-l"}},
	}
	for _, door := range labs.Labs {
		all = append(all, program{door.Name + ".wasm", "./" + path.Join(programs, door.Name), workFlags(door.Name)})
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

func main() { worker.Run(nil, lab.New()) }
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

// path is where a program is compiled to. Those that are compiled together keep the
// names of their folders, in a folder that has the name of the first.
func (p program) path(first program, alone bool) string {
	if alone {
		return path.Join(programs, p.file)
	}
	return path.Join(programs, strings.TrimSuffix(first.file, ".wasm")+"-like", path.Base(p.folder))
}

// alike orders programs for the compiler. Those that have the same flags are compiled by
// one command, those that share compiled packages by one command after the other, in
// one line: two at a time would both compile what they share. What shares none stands
// in another line. Only optimising for the profile or not divides all packages.
func alike(all []program) (lines [2][][]program) {
	for _, p := range all {
		line := &lines[0]
		if slices.Contains(p.flags, "-pgo=off") {
			line = &lines[1]
		}
		at := slices.IndexFunc(*line, func(like []program) bool { return slices.Equal(like[0].flags, p.flags) })
		if at < 0 {
			at = len(*line)
			*line = append(*line, nil)
		}
		(*line)[at] = append((*line)[at], p)
	}
	return lines
}

// compile makes the programs and returns them by file.
func compile(ctx context.Context, all []program, said *step) (site, error) {
	s := site{}
	var mu sync.Mutex
	var work []func(context.Context) error
	for _, line := range alike(all) {
		work = append(work, func(ctx context.Context) error {
			for _, like := range line {
				made, err := compileAlike(ctx, like)
				if err != nil {
					return err
				}
				mu.Lock()
				maps.Copy(s, made)
				mu.Unlock()
				said.add(int64(len(like)))
			}
			return nil
		})
	}
	return s, together(ctx, work...)
}

// compileAlike makes programs that have the same flags.
func compileAlike(ctx context.Context, like []program) (site, error) {
	alone := len(like) == 1
	out := like[0].path(like[0], alone)
	if !alone {
		out = path.Dir(out) + "/" // so that the compiler takes it for a folder
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}, like[0].flags...)
	for _, p := range like {
		args = append(args, p.folder)
	}
	if _, err := run(ctx, []string{"GOOS=js", "GOARCH=wasm"}, "go", args...); err != nil {
		return nil, err
	}
	s := site{}
	for _, p := range like {
		data, err := os.ReadFile(p.path(like[0], alone))
		if err != nil {
			return nil, err
		}
		s[p.file] = data
	}
	return s, nil
}

// addPrograms adds compiled programs and the script that starts them. That script must
// come from the compiler that built them.
func (s site) addPrograms(ctx context.Context, made site) error {
	if err := tree.Join(s, made); err != nil {
		return err
	}
	root, err := goroot(ctx)
	if err != nil {
		return err
	}
	starter, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return tree.Add(s, "wasm_exec.js", starter)
}

func goroot(ctx context.Context) (string, error) {
	out, err := run(ctx, nil, "go", "env", "GOROOT")
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
func (s site) addRenderer(ctx context.Context) error {
	out, err := run(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/vugu/vugu")
	if err != nil {
		return err
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "domrender", "renderer-js-script.go")
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return err
	}
	script, err := stringVar(parsed, "jsHelperScript")
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return tree.Add(s, "vugu-helper.js", []byte(script+noEval))
}

// stringVar finds the value of a variable declared with a string literal.
func stringVar(parsed *ast.File, name string) (string, error) {
	for spec := range ast.Preorder(parsed) {
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
