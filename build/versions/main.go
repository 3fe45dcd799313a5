// Versions lays sites of several versions beside each other in one folder, for any file host:
//
//	go run ./build/versions -out public_html dist spillway-site-0.9.0.zip ...
//
// The first is the newest: it is what the folder shows, and below v/VERSION/ it and each of the
// others are found for ever. All are folders or zips as make dist and make offline write
// them. versions.json lists them; a page that is asked for a link of another version offers that one.
package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	out := flag.String("out", "build/out/versions", "folder to write, which must not be there yet")
	flag.Parse()
	if err := lay(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "versions:", err)
		os.Exit(1)
	}
}

// A listed is an entry of versions.json.
type listed struct {
	Version string `json:"version"`
	Path    string `json:"path"` // of its folder, from the top of the site
}

// lay writes all sites into a folder.
func lay(out string, sites []string) error {
	if len(sites) == 0 {
		return errors.New("name the newest site, then the others: folders, or zips of make offline")
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: name a new folder", out)
	}
	var list []listed
	var from []fs.FS
	for _, name := range sites {
		site, err := open(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		version, err := versionOf(site)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if slices.ContainsFunc(list, func(l listed) bool { return l.Version == version }) {
			fmt.Printf("versions: %s is %s once more\n", name, version)
			continue
		}
		list, from = append(list, listed{Version: version}), append(from, site)
	}
	for i, at := range places(list) {
		list[i].Path = at
		to := []string{filepath.Join(out, filepath.FromSlash(at))}
		if i == 0 {
			to = append(to, out)
		}
		for _, folder := range to {
			if err := copyAll(folder, from[i]); err != nil {
				return fmt.Errorf("%s: %w", list[i].Version, err)
			}
		}
		fmt.Printf("versions: %s is in %s\n", list[i].Version, at)
	}
	text, err := json.MarshalIndent(map[string]any{"versions": list}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "versions.json"), append(text, '\n'), 0o644)
}

// open opens a folder or a zip with one folder at its top.
func open(name string) (fs.FS, error) {
	if !strings.HasSuffix(name, ".zip") {
		return os.DirFS(name), nil
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	list, err := fs.ReadDir(z, ".")
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || !list[0].IsDir() {
		return nil, errors.New("this is no zip of a site: want one folder at its top")
	}
	return fs.Sub(z, list[0].Name())
}

var version = regexp.MustCompile(` id="version">(\d[\w.+-]*)<`)

// versionOf is the version that the page of a site names at its foot.
func versionOf(site fs.FS) (string, error) {
	page, err := fs.ReadFile(site, "index.html")
	if err != nil {
		return "", err
	}
	m := version.FindSubmatch(page)
	if m == nil {
		return "", errors.New("its index.html names no version")
	}
	return string(m[1]), nil
}

// places are the folders of versions: the number of each, which the last that has it keeps, because
// that was there first; of the others the whole version.
func places(list []listed) []string {
	all := make([]string, len(list))
	taken := map[string]bool{}
	for i, l := range slices.Backward(list) {
		number, _, _ := strings.Cut(l.Version, "+")
		all[i] = "v/" + number + "/"
		if taken[number] {
			all[i] = "v/" + strings.ReplaceAll(l.Version, "+", "-") + "/"
		}
		taken[number] = true
	}
	return all
}

// copyAll writes the files of a site to a folder. What a site of several versions has itself is not
// taken over.
func copyAll(folder string, site fs.FS) error {
	return fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "v":
			return fs.SkipDir
		case d.IsDir(), name == "versions.json":
			return nil
		}
		data, err := fs.ReadFile(site, name)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o644)
	})
}
