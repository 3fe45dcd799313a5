// Deadcode lists functions that nothing reaches. The tool of that name looks
// at one platform at a time, and what only the browser calls is dead natively
// and the other way round; so this program asks for both and reports what is
// dead on every platform that has a function of that name. A native stub of a
// function that the browser calls is therefore alive.
//
// Run from the repository root; it exits with 1 if it finds something.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A platform is one way the code is built, and the packages built that way.
type platform struct {
	name     string
	env      []string
	packages []string
}

// browser packages are those that the page and the laboratories' programs are
// made of; the sources of the latter are written by build/site -sources.
var browser = []string{"./sim/...", "./traces/...", "./ui/...", "./wasm/...", "./build/out/programs/..."}

func main() {
	found, err := deadEverywhere([]platform{
		{name: "native", packages: []string{"./..."}},
		{name: "wasm", env: []string{"GOOS=js", "GOARCH=wasm"}, packages: browser},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "deadcode:", err)
		os.Exit(1)
	}
	for _, f := range found {
		fmt.Printf("%s: nothing reaches %s\n", f.place, f.name)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// A function is known by its folder and its name, which for a method includes
// the receiver's type: "T.name".
type function struct{ folder, name string }

// A finding is a function nobody reaches and where it stands.
type finding struct{ place, name string }

// deadEverywhere reports functions that are dead on all platforms that have them.
func deadEverywhere(platforms []platform) ([]finding, error) {
	declared := map[function]int{} // on how many platforms
	dead := map[function]int{}     // on how many platforms
	place := map[function]string{}
	for _, p := range platforms {
		all, err := functions(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for f := range all {
			declared[f]++
		}
		packages, err := unreachable(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, pkg := range packages {
			for _, f := range pkg.Funcs {
				key := function{filepath.Dir(f.Position.File), typeArgs.ReplaceAllString(f.Name, "")}
				if !all[key] {
					continue // what tests of this platform import, but is not of its packages
				}
				dead[key]++
				place[key] = fmt.Sprintf("%s:%d", f.Position.File, f.Position.Line)
			}
		}
	}
	var found []finding
	for f, n := range dead {
		if n == declared[f] {
			found = append(found, finding{place[f], f.name})
		}
	}
	slices.SortFunc(found, func(a, b finding) int { return strings.Compare(a.place, b.place) })
	return found, nil
}

// output runs a command for a platform. The tool itself is always native.
func output(env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, nil
}

// functions collects what the files of a platform declare.
func functions(p platform) (map[function]bool, error) {
	const form = `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}
{{end}}`
	out, err := output(p.env, "go", append([]string{"list", "-f", form}, p.packages...)...)
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	all := map[function]bool{}
	for line := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' }) {
		name, err := filepath.Rel(here, line)
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				all[function{filepath.Dir(name), qualified(f)}] = true
			}
		}
	}
	return all, nil
}

// qualified is the name of a function with that of its receiver's type.
func qualified(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// typeArgs is the part of a generic name that the declaration has elsewhere.
var typeArgs = regexp.MustCompile(`\[[^]]*\]`)

// A deadPackage is one element of the tool's JSON output.
type deadPackage struct {
	Funcs []struct {
		Name     string
		Position struct {
			File string
			Line int
		}
	}
}

// unreachable runs the tool, tests included.
func unreachable(p platform) ([]deadPackage, error) {
	tool, err := output(nil, "go", "tool", "-n", "deadcode")
	if err != nil {
		return nil, err
	}
	out, err := output(p.env, strings.TrimSpace(string(tool)), append([]string{"-json", "-test"}, p.packages...)...)
	if err != nil {
		return nil, err
	}
	var packages []deadPackage
	if err := json.Unmarshal(out, &packages); err != nil {
		return nil, err
	}
	return packages, nil
}
