package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	labs "spillway/ui/lab/all"
)

// compressible says which files get smaller copies.
func compressible(name string) bool {
	switch path.Ext(name) {
	case ".html", ".js", ".css", ".svg", ".json", ".txt", ".wasm", ".info", ".webmanifest", ".py":
		return path.Base(name) != "_headers" && name != single // in which all is compressed already
	}
	return false
}

// tasks are the contents of the site that will be asked for compressed: for what needs
// no host, and for copies.
func (s site) tasks(copies bool) []task {
	var all []task
	for _, name := range s.names() {
		all = append(all, task{s[name], ".gz"})
		if copies && compressible(name) {
			all = append(all, task{s[name], ".br"})
		}
	}
	return all
}

// compress writes the .br and .gz copies.
func (s site) compress(out string, p *packer) error {
	for _, name := range s.names() {
		if !compressible(name) {
			continue
		}
		for _, ext := range packed {
			data, err := p.pack(s[name], ext)
			if err == nil {
				err = replace(filepath.Join(out, filepath.FromSlash(name))+ext, data)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// weigh reports what the compressed programs weigh, and which are too heavy.
func weigh(out string, say *progress) error {
	var errs []error
	size := func(program string) int64 {
		info, err := os.Stat(filepath.Join(out, program+".wasm.br"))
		if err != nil {
			errs = append(errs, err)
			return 0
		}
		return info.Size()
	}
	check := func(what string, bytes, most int64) {
		say.say("%s: %d bytes with brotli (limit %d)", what, bytes, most)
		if bytes > most {
			errs = append(errs, fmt.Errorf("%s: %d bytes are more than %d; go run ./build/site -weigh NAME shows what is in a program", what, bytes, most))
		}
	}
	page := size("app")
	for i, door := range labs.Labs {
		lab := size(door.Name)
		if slices.Contains(labs.Lean, door.Name) {
			check(door.Name+whole+".wasm", size(door.Name+whole), maxWhole)
		}
		if i == 0 {
			check(fmt.Sprintf("app.wasm %d + %s.wasm %d", page, door.Name, lab), page+lab, maxFirst)
			continue
		}
		check(door.Name+".wasm", lab, maxFurther)
	}
	return errors.Join(errs...)
}
