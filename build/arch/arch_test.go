// Package arch holds the law of the house: who may import whom, and what the
// simulator must do without. A failing test here means that the code is in the
// wrong place, seldom that the law is wrong.
package arch

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/effort"
)

// module is the name of the module; imports of it are judged by its folders.
const module = "spillway"

// simOrder lists the simulator's packages: each may import only those before
// it. "sim/train/system/*" stands for the systems, which do not know each other.
var simOrder = []string{
	"sim/unit",
	"sim/latency",
	"sim/order",
	"sim/portable",
	"sim/hash",
	"sim/hash/hashtest",     // only tests import it
	"sim/policy/policytest", // only tests import it
	"sim/cause",
	"sim/kerneltime",
	"sim/prose",
	"sim/script",
	"sim/knob",
	"sim/report",
	"sim/timeline",
	"sim/sweep",
	"sim/study",
	"sim/policy",
	"sim/workload",
	"sim/vitality",
	"sim/bound",
	"sim/sustained",
	"sim/flash",
	"sim/compress/bpc",
	"sim/compress/buddy",
	"sim/compress/sample",
	"sim/compress/profile",
	"sim/compress/stretch",
	"sim/compress",
	"sim/quirk",
	"sim/cxlssd/stream",
	"sim/cxlssd",
	"sim/filesys/call",
	"sim/filesys/table",
	"sim/filesys/machine",
	"sim/filesys/plan",
	"sim/filesys/host",
	"sim/filesys/device",
	"sim/filesys/system", // what those by bytes share
	"sim/filesys/system/*",
	"sim/filesys/load",
	"sim/filesys",
	"sim/filesys/crash",
	"sim/filesys/promise",
	"sim/model",   // language models: layers and bytes
	"sim/machine", // nodes of GPUs, drives and host memory
	"sim/llm/pretrain",
	"sim/llm/recipe", // closed formulas of what fits, and how fast
	"sim/llm/decode",
	"sim/llm/flow",
	"sim/llm/job",
	"sim/llm/offload",
	"sim/llm/system",
	"sim/llm/shard", // what those share whose weights come in shards
	"sim/llm/system/*",
	"sim/llm/own",
	"sim/llm",
	"sim/serve/load",
	"sim/serve", // serving of language models
	"sim/store/ops",
	"sim/store",
	"sim/train/quirk",
	"sim/train/machine",
	"sim/train/published",
	"sim/train/result",
	"sim/train/program",
	"sim/train/caching",
	"sim/train/engine/link", // which memory models share that move whole tensors
	"sim/train/engine",
	"sim/train/engine/enginetest", // what tests of several of them run
	"sim/train/engine/*",          // the memory models
	"sim/train/swapplan",
	"sim/train/system",
	"sim/train/system/*",
	"sim/train/own",
	"sim/train",
	"sim/train/system/systemtest", // the suite every system must pass
}

// impure packages reach for a clock, a file, another goroutine or a browser.
// The simulator is a function of its input and has none of these.
var impure = []string{
	"context", "io/fs", "log", "log/slog", "math/rand", "net", "net/http", "os", "os/exec", "path/filepath",
	"runtime", "runtime/debug", "sync", "sync/atomic", "syscall", "syscall/js", "time", "unsafe",
}

// traceMay are the parts of the simulator that the trace formats and the model
// zoo may know: what a workload is and which machines exist, but no system.
var traceMay = []string{"sim/unit", "sim/compress/buddy", "sim/compress/sample", "sim/kerneltime", "sim/prose", "sim/knob", "sim/timeline", "sim/workload", "sim/store/ops", "sim/cxlssd/stream", "sim/filesys/call", "sim/filesys/load", "sim/filesys/machine", "sim/model", "sim/serve/load", "sim/llm/pretrain", "sim/train/machine"}

// A file is one parsed Go file that is not a test.
type file struct {
	name string // from the root of the repository
	tree *ast.File
	pos  *token.FileSet
}

// folder is the package's path in the repository.
func (f file) folder() string { return path.Dir(f.name) }

// imports lists what the file imports; packages of the module without its name.
func (f file) imports() []string {
	var list []string
	for _, spec := range f.tree.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the parser has accepted it
		}
		list = append(list, strings.TrimPrefix(name, module+"/"))
	}
	return list
}

// browserOnly reports whether the file is built only for the browser.
func (f file) browserOnly() bool {
	if strings.HasSuffix(f.name, "_js.go") || strings.HasSuffix(f.name, "_wasm.go") {
		return true
	}
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if err != nil || c.Pos() > f.tree.Package {
				continue
			}
			native := func(tag string) bool { return tag != "js" && tag != "wasm" }
			return !expr.Eval(native)
		}
	}
	return false
}

// files parses everything below the given folders, tests excepted.
func files(t *testing.T, folders ...string) []file {
	t.Helper()
	root := os.DirFS("../..")
	var list []file
	for _, folder := range folders {
		err := fs.WalkDir(root, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (name == "build/out" || d.Name() == "node_modules" || d.Name() == "testdata") {
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			pos := token.NewFileSet()
			tree, err := parser.ParseFile(pos, name, text, parser.ParseComments|parser.SkipObjectResolution)
			list = append(list, file{name, tree, pos})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// rank is the place of a simulator package in simOrder, or -1.
func rank(folder string) int {
	if i := slices.Index(simOrder, folder); i >= 0 {
		return i
	}
	for _, many := range []string{"sim/train/engine", "sim/train/system", "sim/filesys/system", "sim/llm/system"} {
		if strings.HasPrefix(folder, many+"/") {
			return slices.Index(simOrder, many+"/*")
		}
	}
	return -1
}

// simImport says what is wrong with a simulator package importing another, or "".
func simImport(from, to string) string {
	if to != "sim" && !strings.HasPrefix(to, "sim/") {
		for _, above := range []string{"traces", "ui", "wasm", "build"} {
			if strings.HasPrefix(to, above+"/") || to == above {
				return "the simulator knows nobody above it"
			}
		}
		if first, _, _ := strings.Cut(to, "/"); strings.Contains(first, ".") {
			return "the simulator uses the standard library only"
		}
		return ""
	}
	switch f, t := rank(from), rank(to); {
	case f < 0:
		return fmt.Sprintf("%s has no place in simOrder yet; give it one", from)
	case t < 0:
		return fmt.Sprintf("%s has no place in simOrder yet; give it one", to)
	case f == t && (strings.HasPrefix(from, "sim/train/system/") || strings.HasPrefix(from, "sim/llm/system/")) && !strings.HasPrefix(to, from+"/"):
		return "a system never imports another; what they share belongs to vitality, engine or program"
	case f == t && strings.HasPrefix(from, "sim/train/engine/"):
		return "a memory model never imports another; what they share belongs to engine"
	case f < t:
		return "the order of the simulator's packages forbids it"
	}
	return ""
}

func TestSimulatorKnowsNobodyAboveIt(t *testing.T) {
	for _, f := range files(t, "sim") {
		for _, to := range f.imports() {
			if why := simImport(f.folder(), to); why != "" {
				t.Errorf("%s imports %s: %s", f.name, to, why)
			}
		}
	}
}

// Papers, too: what was published, and how a run is measured for it.
func TestSimulatorIsPure(t *testing.T) {
	for _, f := range files(t, "sim", "ui/lab") {
		if !effort.Covers("sim/...", f.folder()) && !effort.Covers("ui/lab/*/papers/*", f.folder()) {
			continue
		}
		for _, to := range f.imports() {
			if slices.Contains(impure, to) {
				t.Errorf("%s imports %s: the simulator and its papers have no clock, files, goroutines or browser", f.name, to)
			}
		}
		for n := range ast.Preorder(f.tree) {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine in the simulator or a paper", f.pos.Position(n.Pos()))
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: an init function in the simulator or a paper", f.pos.Position(n.Pos()))
				}
			}
		}
	}
}

// crypto/sha256 brings ciphers and random numbers that nobody calls, 0.09 MB of code, into
// every program of the site that hashes; sim/hash has a SHA-256.
func TestNoCiphersInTheSite(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui", "wasm") {
		for _, to := range f.imports() {
			if strings.HasPrefix(to, "crypto/") && !effort.Covers("wasm/edge/...", f.folder()) {
				t.Errorf("%s imports %s: sim/hash has a SHA-256 without ciphers", f.name, to)
			}
		}
	}
}

func TestTracesKnowNoSystem(t *testing.T) {
	for _, f := range files(t, "traces") {
		for _, to := range f.imports() {
			inSim := to == "sim" || strings.HasPrefix(to, "sim/")
			if inSim && !slices.Contains(traceMay, to) {
				t.Errorf("%s imports %s: a trace yields a workload and knows no system", f.name, to)
			}
			if strings.HasPrefix(to, "ui/") || to == "ui" {
				t.Errorf("%s imports %s: traces know nothing of the page", f.name, to)
			}
		}
	}
}

func TestOnlyTheEdgeOfTheProgramTouchesTheBrowser(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui", "build") {
		for _, to := range f.imports() {
			if to == "syscall/js" && !(strings.HasPrefix(f.name, "ui/") && f.browserOnly()) {
				t.Errorf("%s imports syscall/js: only wasm and ui files built for js and wasm may", f.name)
			}
		}
	}
}

func TestViewModelIsFreeOfVugu(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui", "wasm", "build") {
		if f.folder() == "ui/view" || f.folder() == "wasm" || f.name == "build/site/first.go" {
			continue
		}
		for _, to := range f.imports() {
			if strings.HasPrefix(to, "github.com/vugu/") {
				t.Errorf("%s imports %s: only ui/view, wasm and the first screen of build/site draw with Vugu", f.name, to)
			}
		}
	}
}

func TestHostLibraryStaysInItsProgram(t *testing.T) {
	for _, f := range files(t, "sim", "traces", "ui", "wasm", "build") {
		for _, to := range f.imports() {
			if strings.HasPrefix(to, "github.com/syumai/workers") && f.folder() != "wasm/edge" {
				t.Errorf("%s imports %s: it panics in a browser; only wasm/edge may", f.name, to)
			}
		}
	}
}

// TestLawItself shows that the law forbids what it says.
func TestLawItself(t *testing.T) {
	tests := []struct {
		from, to string
		ok       bool
	}{
		{"sim/train/engine", "sim/unit", true},
		{"sim/unit", "sim/train/engine", false},
		{"sim/train/system/g10", "sim/vitality", true},
		{"sim/train/system/g10", "sim/train/system", true},
		{"sim/train/system/g10", "sim/train/system/uvm", false},
		{"sim/train/system/g10", "sim/train/system/g10/internal", true},
		{"sim/train", "sim/train/system/g10", true},
		{"sim/train/engine", "sim/train", false},
		{"sim/train/engine", "sim/train/engine/paged", false},
		{"sim/train/engine/paged", "sim/train/engine", true},
		{"sim/train/engine/swap", "sim/train/engine/pool", false},
		{"sim/train/engine/swap", "sim/train/engine/link", true},
		{"sim/train/engine", "traces/g10", false},
		{"sim/train/engine", "ui/view", false},
		{"sim/train/engine", "github.com/vugu/vugu", false},
		{"sim/train/engine", "slices", true},
		{"sim/nowhere", "sim/unit", false},
	}
	for _, tt := range tests {
		if why := simImport(tt.from, tt.to); (why == "") != tt.ok {
			t.Errorf("%s imports %s: got %q, want allowed = %v", tt.from, tt.to, why, tt.ok)
		}
	}
}
