package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spillway/build/tree"
)

// addLicenses collects the license of everything the site contains. Which Go
// modules that are is asked of the compiler, not listed by hand.
func (s site) addLicenses(ctx context.Context) error {
	var b bytes.Buffer
	b.WriteString("Spillway and the software it contains\n")
	if err := section(&b, "Spillway", "LICENSE"); err != nil {
		return err
	}
	root, err := goroot(ctx)
	if err != nil {
		return err
	}
	if err := section(&b, "The Go standard library and runtime", filepath.Join(root, "LICENSE")); err != nil {
		return err
	}
	// What go.mod puts in the place of a module lies in this repository.
	args := []string{"list", "-deps", "-f", "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}|{{.Dir}}{{end}}{{end}}"}
	for _, p := range list() {
		args = append(args, p.folder)
	}
	out, err := run(ctx, []string{"GOOS=js", "GOARCH=wasm"}, "go", args...)
	if err != nil {
		return err
	}
	lines := strings.Fields(strings.ReplaceAll(string(out), " ", "@"))
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		name, dir, _ := strings.Cut(line, "|")
		if err := section(&b, name, licensesIn(dir)...); err != nil {
			return err
		}
	}
	for _, name := range []string{"echarts", "tslib", "zrender"} {
		if err := section(&b, name, licensesIn(filepath.Join("build", "node_modules", name))...); err != nil {
			return err
		}
	}
	return tree.Add(s, "licenses.txt", b.Bytes())
}

// licensesIn finds the files of a package that say under which terms it comes.
func licensesIn(dir string) []string {
	var files []string
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*", "licenses/*", "AUTHORS"} {
		m, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are well formed
		files = append(files, m...)
	}
	return files
}

// section appends the files under one heading.
func section(b *bytes.Buffer, name string, files ...string) error {
	if len(files) == 0 {
		return fmt.Errorf("%s comes without a license file", name)
	}
	fmt.Fprintf(b, "\n%s\n%s\n%s\n\n", strings.Repeat("=", 72), name, strings.Repeat("=", 72))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		b.Write(bytes.TrimSpace(data))
		b.WriteString("\n\n")
	}
	return nil
}
