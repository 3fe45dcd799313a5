// Deadcode lists functions that nothing reaches. The tool of that name looks
// at one platform at a time, and what only the browser calls is dead natively
// and the other way round; so this program asks for both and reports what is
// dead on every platform its file is built for.
//
// Run from the repository root; it exits with 1 if it finds something.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A platform is one way the code is built, and the packages built that way.
type platform struct {
	name     string
	env      []string
	packages []string
}

// browser packages are those that the page is made of.
var browser = []string{"./sim/...", "./traces/...", "./ui/...", "./wasm/..."}

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

// A function is one that the tool found unreachable, and where it stands.
type function struct{ place, name string }

// deadEverywhere reports functions that are dead on all platforms that build
// their file.
func deadEverywhere(platforms []platform) ([]function, error) {
	built := map[string]int{}     // by file: the number of platforms that build it
	dead := map[function]int{}    // the number of platforms it is dead on
	file := map[function]string{} // where it is
	for _, p := range platforms {
		names, err := files(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, name := range names {
			built[name]++
		}
		packages, err := unreachable(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, pkg := range packages {
			for _, f := range pkg.Funcs {
				key := function{fmt.Sprintf("%s:%d", f.Position.File, f.Position.Line), f.Name}
				dead[key]++
				file[key] = f.Position.File
			}
		}
	}
	var found []function
	for f, n := range dead {
		if n == built[file[f]] {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b function) int { return strings.Compare(a.place, b.place) })
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

// files lists the source files of a platform, relative to the working directory.
func files(p platform) ([]string, error) {
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
	var names []string
	for line := range strings.Lines(string(out)) {
		name, err := filepath.Rel(here, strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

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
