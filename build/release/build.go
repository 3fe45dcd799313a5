package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"spillway/build/tree"
)

// A builder makes the parts of a release in a copy of the repository.
type builder struct {
	root string
	env  []string
	say  *teller
}

// A made is the site as it was built: its files, and what the other parts take from it.
type made struct {
	files    files
	version  string // of the site, with the hash of its build
	release  string // without
	licenses []byte // of all software in it
}

// copyTree copies all files that git knows, and new ones that it does not ignore; of a folder without
// git, as an unpacked archive is, all but what is built.
func copyTree(ctx context.Context, from, to string) error {
	list, err := run(ctx, from, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	names := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	if err != nil {
		if names, err = walk(from); err != nil {
			return err
		}
	}
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(from, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no ordinary file", name)
		}
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		file := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, info.Mode().Perm()|0o600); err != nil {
			return err
		}
	}
	return nil
}

// walk lists the files of a folder that are not built.
func walk(root string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			names = append(names, name)
		case name == "dist", name == "build/out", name == "build/worker", d.Name() == "node_modules", d.Name() == ".git":
			return fs.SkipDir
		}
		return nil
	})
	return names, err
}

// compiler is what the compiler is told in every build.
func (b *builder) compiler() []string {
	return append(slices.Clone(b.env), "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOWORK=off")
}

// gotool runs the compiler in the copy.
func (b *builder) gotool(ctx context.Context, env []string, args ...string) ([]byte, error) {
	return run(ctx, b.root, append(b.compiler(), env...), "go", args...)
}

// watched is the same for what says itself how far it is.
func (b *builder) watched(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = b.root, append(os.Environ(), b.compiler()...), b.say.to, b.say.to
	return c.Run()
}

// versionIn finds the version in the page.
var versionIn = regexp.MustCompile(` id="version">(([^<+]*)[^<]*)<`)

// site builds the site; what it is compared with has compressed copies where they are asked for.
func (b *builder) site(ctx context.Context, compressed bool) (made, error) {
	how := "-offline"
	if compressed {
		how = "-compress"
	}
	if err := b.watched(ctx, "run", "./build/site", how); err != nil {
		return made{}, err
	}
	s := made{files: files{}}
	dist := os.DirFS(filepath.Join(b.root, "dist"))
	err := fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		return tree.Add(s.files, distFolder+name, data)
	})
	if err != nil {
		return made{}, err
	}
	found := versionIn.FindSubmatch(s.files[distFolder+"index.html"])
	if found == nil {
		return made{}, errors.New("the page names no version")
	}
	s.version, s.release, s.licenses = string(found[1]), string(found[2]), s.files[distFolder+"licenses.txt"]
	for _, f := range []struct{ from, to string }{
		{"spillway-site-" + s.version + ".zip", "spillway-site-" + s.release + ".zip"},
		{"spillway.html", "spillway.html"},
	} {
		data, err := os.ReadFile(filepath.Join(b.root, "build", "out", f.from))
		if err != nil {
			return made{}, err
		}
		if err := tree.Add(s.files, f.to, data); err != nil {
			return made{}, err
		}
	}
	return s, nil
}

// compile compiles the command and returns it. It has the hash of its sources in it, as
// make native puts it there.
func (b *builder) compile(ctx context.Context, system, machine string) ([]byte, error) {
	sources, err := b.sources(ctx)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(b.root, "build", "out", "command")
	_, err = b.gotool(ctx, []string{"GOOS=" + system, "GOARCH=" + machine}, "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.sources="+sources, "-o", out, "./build/spillway")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// sources is the hash of what site and command are made of.
func (b *builder) sources(ctx context.Context) (string, error) {
	out, err := b.gotool(ctx, nil, "run", "./build/sources")
	return strings.TrimSpace(string(out)), err
}

// command adds the command for a platform, packed as people of that platform expect it,
// with the licenses of all that is in it.
func (b *builder) command(ctx context.Context, platform string, s made, all files) error {
	system, machine, _ := strings.Cut(platform, "/")
	program, err := b.compile(ctx, system, machine)
	if err != nil {
		return err
	}
	license, err := b.read("LICENSE")
	if err != nil {
		return err
	}
	folder := fmt.Sprintf("spillway-%s-%s-%s", s.release, system, machine)
	name := "spillway"
	if system == "windows" {
		name += ".exe"
	}
	entries := []entry{
		{path.Join(folder, "LICENSE"), license, 0o644},
		{path.Join(folder, "licenses.txt"), s.licenses, 0o644},
		{path.Join(folder, name), program, 0o755},
	}
	if system == "windows" {
		data, err := zipped(entries)
		return errors.Join(err, tree.Add(all, folder+".zip", data))
	}
	data, err := tarball(entries)
	return errors.Join(err, tree.Add(all, folder+".tar.gz", data))
}

// read reads a file of the copy.
func (b *builder) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
}

// npm adds the package for pages that are built with npm.
func (b *builder) npm(s made, all files) error {
	data, err := npmPackage(os.DirFS(b.root), s.release, s.version)
	return errors.Join(err, tree.Add(all, "spillway-figure-"+s.release+".tgz", data))
}

// wheel adds the package for Python.
func (b *builder) wheel(ctx context.Context, s made, all files) error {
	program, err := b.compile(ctx, "js", "wasm")
	if err != nil {
		return err
	}
	root, err := b.gotool(ctx, nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	starter, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	script, err := b.read("public/spillway.py")
	if err != nil {
		return err
	}
	license, err := b.read("LICENSE")
	if err != nil {
		return err
	}
	data, err := pythonWheel(s.release, wheelParts{script: script, program: program, starter: starter, license: license, licenses: s.licenses})
	return errors.Join(err, tree.Add(all, wheelName(s.release), data))
}
