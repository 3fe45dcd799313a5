package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"spillway/build/tree"
)

// stampFile says what the last build was made of and what it wrote.
const stampFile = "build/out/site.json"

// A wanted is what a build is asked for.
type wanted struct {
	Out, Origin       string
	Compress, Offline bool
}

// A stamp is what a build leaves behind: what it was asked for, of which sources it was
// made and which files it wrote, both as hashes by name.
type stamp struct {
	Wanted         wanted
	Sources, Files map[string]string
}

// A source is a content that a build depends on.
type source struct {
	sum     string
	changed int64 // nanoseconds since 1970
}

// sources are all contents that a build depends on: files of the repository and tools.
func (b *build) sources() (map[string]source, error) {
	all, err := sourcesBelow(".", b.Out)
	if err != nil {
		return nil, err
	}
	more, err := tools()
	maps.Copy(all, more)
	return all, err
}

var tools = sync.OnceValues(readTools)

// readTools are what the compiler is, and the program that builds, which has the
// laboratories inside. It was compiled before the sources are read here; its own hash
// tells whether it is of the same.
func readTools() (map[string]source, error) {
	text, err := run(context.Background(), nil, "go", "env", "GOVERSION", "GOFLAGS", "GOEXPERIMENT", "GOWASM", "GOWORK")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program, err := hashFile(self)
	sum := sha256.Sum256(text)
	all := map[string]source{"the compiler": {sum: hex.EncodeToString(sum[:])}, "the program that builds": program}
	if strings.HasSuffix(strings.TrimSpace(string(text)), "go.work") {
		all["what a workspace has"] = source{sum: time.Now().String()} // nobody knows
	}
	return all, err
}

// sourcesBelow reads all files that a build may be made of.
func sourcesBelow(root, out string) (map[string]source, error) {
	names, err := tree.Sources(root, out)
	if err != nil {
		return nil, err
	}
	all := map[string]source{}
	for _, name := range names {
		if all[name], err = hashFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func hashFile(file string) (source, error) {
	f, err := os.Open(file)
	if err != nil {
		return source{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return source{}, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return source{}, err
	}
	return source{hex.EncodeToString(sum.Sum(nil)), info.ModTime().UnixNano()}, nil
}

// files are what a build has written, or what stands in its place.
func (w wanted) files() (map[string]string, error) {
	names, err := filepath.Glob(zips)
	if err != nil {
		return nil, err
	}
	if names = append(names, "build/out/"+single, path.Join(programs, singleProgram)); !w.Offline {
		names = nil
	}
	err = filepath.WalkDir(w.Out, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, file)
		}
		return err
	})
	files := map[string]string{}
	for _, name := range names {
		x, wrong := hashFile(name)
		err = errors.Join(err, wrong)
		files[filepath.ToSlash(name)] = x.sum
	}
	return files, err
}

// stale says why the last build is not what this one would be; nothing when it is.
func (b *build) stale(file string, now map[string]source) string {
	text, err := os.ReadFile(file)
	var last stamp
	if err == nil {
		err = json.Unmarshal(text, &last)
	}
	if err != nil {
		return "no build has been noted"
	}
	w := last.Wanted
	if w.Out != b.Out || w.Origin != b.Origin || b.Compress && !w.Compress || b.Offline && !w.Offline {
		return "the last build was asked for something else"
	}
	if why := differ(last.Sources, sums(now)); why != "" {
		return why
	}
	files, err := w.files()
	if err != nil {
		return "something is missing: " + err.Error()
	}
	return differ(last.Files, files)
}

// stamp notes a build that was made of these sources, unless they have changed since.
func (b *build) stamp(file string, before map[string]source) error {
	after, err := b.sources()
	if err != nil {
		return err
	}
	if !maps.Equal(before, after) {
		b.say.say("sources have changed during the build; build again")
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644))
	}
	files, err := b.files()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(stamp{b.wanted, sums(before), files}, "", " ")
	return errors.Join(err, os.WriteFile(file, append(text, '\n'), 0o644))
}

func sums(all map[string]source) map[string]string {
	by := map[string]string{}
	for name, x := range all {
		by[name] = x.sum
	}
	return by
}

// differ names the first difference between two sets of files, as a reason.
func differ(was, is map[string]string) string {
	both := maps.Clone(is)
	maps.Copy(both, was)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		old, had := was[name]
		sum, has := is[name]
		switch {
		case !has:
			return name + " is missing"
		case !had:
			return name + " is new"
		case old != sum:
			return name + " has changed"
		}
	}
	return ""
}
