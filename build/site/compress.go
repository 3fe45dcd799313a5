package main

import (
	"path"
	"path/filepath"

	"spillway/build/tree"
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
	for _, name := range tree.Names(s) {
		all = append(all, task{s[name], ".gz"})
		if copies && compressible(name) {
			all = append(all, task{s[name], ".br"})
		}
	}
	return all
}

// compress writes the .br and .gz copies.
func (s site) compress(out string, p *packer) error {
	for _, name := range tree.Names(s) {
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
