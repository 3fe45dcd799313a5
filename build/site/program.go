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
	"path/filepath"
	"strconv"
	"strings"
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

// addProgram compiles ./wasm and adds the script that starts it. That script
// must come from the compiler that built the program.
func (s site) addProgram() error {
	const file = "build/out/app.wasm"
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if _, err := run([]string{"GOOS=js", "GOARCH=wasm"}, "go", "build",
		"-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./wasm"); err != nil {
		return err
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	root, err := goroot()
	if err != nil {
		return err
	}
	starter, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return errors.Join(s.add("app.wasm", program), s.add("wasm_exec.js", starter))
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
