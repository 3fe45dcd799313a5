package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"spillway/build/tree"
)

// npmFolder has what the npm package is made of, besides the element's script and the license.
const npmFolder = "build/npm"

// npmPackage packs the npm package of a version of the sources, as npm pack would.
func npmPackage(sources fs.FS, release, version string) ([]byte, error) {
	list, err := fs.ReadDir(sources, npmFolder)
	if err != nil {
		return nil, err
	}
	from := map[string]string{"LICENSE": "LICENSE", "spill-figure.js": "public/spill-figure.js"}
	for _, d := range list {
		if !d.IsDir() {
			from[d.Name()] = path.Join(npmFolder, d.Name())
		}
	}
	all := files{}
	for name, file := range from {
		if all[name], err = fs.ReadFile(sources, file); err != nil {
			return nil, err
		}
	}
	if all["package.json"], err = stamped(all["package.json"], release, version); err != nil {
		return nil, err
	}
	var entries []entry
	for _, name := range tree.Names(all) {
		entries = append(entries, entry{"package/" + name, all[name], 0o644})
	}
	return tarball(entries)
}

// unversioned is what package.json has in place of a version.
const unversioned = `"version": "0.0.0"`

// stamped puts version and build into package.json.
func stamped(text []byte, release, version string) ([]byte, error) {
	if strings.Count(string(text), unversioned) != 1 {
		return nil, fmt.Errorf("%s/package.json: want %s exactly once", npmFolder, unversioned)
	}
	made := strings.Replace(string(text), unversioned, fmt.Sprintf(`"version": %q,`+"\n"+`  "spillway": %q`, release, version), 1)
	if !json.Valid([]byte(made)) {
		return nil, fmt.Errorf("%s/package.json is no JSON", npmFolder)
	}
	return []byte(made), nil
}
