package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// weighProgram compiles a program of the site once more, with the names of its functions,
// and lists what the code of each package weighs, uncompressed.
func weighProgram(to io.Writer, name string) error {
	ctx := context.Background()
	one, err := everything("")
	if err := errors.Join(err, writeSources()); err != nil {
		return err
	}
	all := append(list(), one)
	at := slices.IndexFunc(all, func(p program) bool { return p.file == name+".wasm" })
	if at < 0 {
		var names []string
		for _, p := range all {
			names = append(names, strings.TrimSuffix(p.file, ".wasm"))
		}
		return fmt.Errorf("-weigh %s: there is no such program; there are %s", name, strings.Join(names, ", "))
	}
	env := []string{"GOOS=js", "GOARCH=wasm"}
	file := path.Join(programs, "weighed")
	flags := append(slices.Clone(all[at].flags), "-ldflags=") // without -s, which takes the names
	if _, err := run(ctx, env, "go", slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-o", file}, flags, []string{all[at].folder})...); err != nil {
		return err
	}
	packages, err := run(ctx, env, "go", slices.Concat([]string{"list", "-deps"}, flags, []string{all[at].folder})...)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	weights, err := weights(data, strings.Fields(string(packages)))
	total := 0
	for _, p := range slices.SortedFunc(maps.Keys(weights), func(a, b string) int { return cmp.Compare(weights[b], weights[a]) }) {
		fmt.Fprintf(to, "%9d %s\n", weights[p], p)
		total += weights[p]
	}
	fmt.Fprintf(to, "%9d bytes of code in all\n", total)
	return err
}

// mangled is what the linker has an underscore for in names of functions.
var mangled = regexp.MustCompile(`[^\w.]`)

// weights sums the lengths of a WebAssembly file's functions by package; functions that
// are of none go under their first word.
func weights(wasm []byte, packages []string) (map[string]int, error) {
	functions, err := functionsOf(wasm)
	if err != nil {
		return nil, err
	}
	by := map[string]string{}
	for _, p := range packages {
		by[mangled.ReplaceAllString(p, "_")] = p
	}
	sum := map[string]int{}
	for _, f := range functions {
		of, _, _ := strings.Cut(f.name, ".")
		for end := range f.name {
			if p, ok := by[f.name[:end]]; ok && f.name[end] == '.' {
				of = p // the last is the longest
			}
		}
		sum[of] += f.size
	}
	return sum, nil
}

type function struct {
	name string
	size int
}

// functionsOf reads the functions that a WebAssembly file has itself; other files are
// said to be broken.
func functionsOf(wasm []byte) (all []function, err error) {
	defer func() {
		if recover() != nil { // something is longer than the file
			err = errors.New("this is no WebAssembly file with names")
		}
	}()
	number := func(from *[]byte) int {
		n, length := binary.Uvarint(*from)
		*from = (*from)[length:]
		return int(n)
	}
	part := func(from *[]byte) []byte {
		n := number(from)
		p := (*from)[:n]
		*from = (*from)[n:]
		return p
	}
	const custom, imports, code, functionNames = 0, 2, 10, 1
	imported := 0
	for rest := wasm[8:]; len(rest) > 0; {
		id := rest[0]
		rest = rest[1:]
		section := part(&rest)
		switch {
		case id == imports:
			imported = number(&section) // Go's are all functions
		case id == code:
			for range number(&section) {
				all = append(all, function{size: len(part(&section))})
			}
		case id == custom && string(part(&section)) == "name":
			for len(section) > 0 {
				kind := section[0]
				section = section[1:]
				list := part(&section)
				for n := 0; kind == functionNames && len(list) > 0; n++ {
					if n == 0 {
						number(&list) // how many
					}
					i := number(&list) - imported
					if name := part(&list); i >= 0 {
						all[i].name = string(name)
					}
				}
			}
		}
	}
	return all, nil
}
