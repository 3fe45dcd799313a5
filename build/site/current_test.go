package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// written is a repository and a site made of it, in the working folder.
func written(t *testing.T) *build {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range []string{
		"go.mod", "go.sum", "LICENSE", "sim/a.go", "sim/a.csv", "ui/0_a_gen.go", "ui/a.vugu", "public/a.js", "wasm/worker/default.pgo", "build/site/main.go", "build/package-lock.json", "build/spillway/main.go", "lab/new.go", // sources
		"README.md", "sim/a_test.go", "sim/testdata/a.json", "build/e2e/a.mjs", "build/arch/a.go", "build/node_modules/a.js", "build/e2e/node_modules/a.js", ".git/HEAD", "spillway", // not
		"dist/index.html", "dist/f/a/index.html", "dist/app.wasm", "build/out/spillway.html", "build/out/spillway-site-1.zip", "build/out/programs/spillway.wasm", "build/out/programs/train/main_js.go", // made
	} {
		put(t, name, name)
	}
	return &build{wanted: wanted{Out: "dist", Offline: true}}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(path.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// noted is the same with the stamp of a build.
func noted(t *testing.T) *build {
	t.Helper()
	b := written(t)
	if err := b.stamp(stampFile, sourcesOf(t, b)); err != nil {
		t.Fatal(err)
	}
	return b
}

func sourcesOf(t *testing.T, b *build) map[string]source {
	t.Helper()
	all, err := b.sources()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestUpToDate(t *testing.T) {
	b := noted(t)
	if why := b.stale(stampFile, sourcesOf(t, b)); why != "" {
		t.Errorf("built again at once, because %s", why)
	}
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes("sim/a.go", now, now); err != nil { // the same content: a switch of branches and back
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "sim/a_test.go", "sim/new_test.go", "sim/testdata/a.json", "build/e2e/a.mjs", "build/arch/a.go", "build/node_modules/a.js", ".git/HEAD", "spillway", "build/out/x"} {
		put(t, name, "other")
	}
	if why := b.stale(stampFile, sourcesOf(t, b)); why != "" {
		t.Errorf("built again for nothing, because %s", why)
	}
	if b.Offline = false; b.stale(stampFile, sourcesOf(t, b)) != "" {
		t.Error("a site with more than is asked for is built again")
	}
}

// Whatever of the sources or of what was made is another, new or gone: the site is
// built again, and it is said why.
func TestStale(t *testing.T) {
	change := func(name string) func(*testing.T, *build) {
		return func(t *testing.T, _ *build) { put(t, name, "other") }
	}
	remove := func(name string) func(*testing.T, *build) {
		return func(t *testing.T, _ *build) {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	const asked = "asked for something else"
	for _, tt := range []struct {
		what string
		do   func(*testing.T, *build)
		why  string
	}{
		{"a Go file", change("sim/a.go"), "sim/a.go has changed"},
		{"a table", change("sim/a.csv"), "sim/a.csv has changed"},
		{"generated", change("ui/0_a_gen.go"), "has changed"},
		{"the page", change("ui/a.vugu"), "has changed"},
		{"a script", change("public/a.js"), "has changed"},
		{"a profile", change("wasm/worker/default.pgo"), "has changed"},
		{"the builder", change("build/site/main.go"), "has changed"},
		{"the command, which has the same version", change("build/spillway/main.go"), "has changed"},
		{"the packages", change("build/package-lock.json"), "has changed"},
		{"the modules", change("go.mod"), "has changed"},
		{"the license", change("LICENSE"), "has changed"},
		{"a folder that came later", change("lab/new.go"), "has changed"},
		{"a new source", change("traces/x.go"), "traces/x.go is new"},
		{"a source less", remove("sim/a.csv"), "sim/a.csv is missing"},
		{"a file of the site", change("dist/app.wasm"), "dist/app.wasm has changed"},
		{"a file less", remove("dist/f/a/index.html"), "dist/f/a/index.html is missing"},
		{"a file more", change("dist/x.js"), "dist/x.js is new"},
		{"the single file", change("build/out/spillway.html"), "has changed"},
		{"no single file", remove("build/out/spillway.html"), "spillway.html"},
		{"no zip", remove("build/out/spillway-site-1.zip"), "is missing"},
		{"no program of the single file", remove("build/out/programs/spillway.wasm"), "spillway.wasm"},
		{"no site", func(t *testing.T, _ *build) {
			if err := os.RemoveAll("dist"); err != nil {
				t.Fatal(err)
			}
		}, "dist"},
		{"no stamp", remove(stampFile), "no build has been noted"},
		{"a broken stamp", change(stampFile), "no build has been noted"},
		{"another folder", func(_ *testing.T, b *build) { b.Out = "other" }, asked},
		{"another address", func(_ *testing.T, b *build) { b.Origin = "https://example.org/" }, asked},
		{"copies, too", func(_ *testing.T, b *build) { b.Compress = true }, asked},
	} {
		t.Run(tt.what, func(t *testing.T) {
			b := noted(t)
			tt.do(t, b)
			if why := b.stale(stampFile, sourcesOf(t, b)); !strings.Contains(why, tt.why) || why == "" {
				t.Errorf("it is built again, because %q; want %q", why, tt.why)
			}
		})
	}
}

// What is no file of the repository counts, too.
func TestStaleTools(t *testing.T) {
	b := noted(t)
	for _, name := range []string{"the compiler", "the program that builds"} {
		now := sourcesOf(t, b)
		now[name] = source{sum: "other"}
		if why := b.stale(stampFile, now); why != name+" has changed" {
			t.Errorf("%s: %q", name, why)
		}
	}
	was, err := readTools()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWASM", "satconv")
	if is, err := readTools(); err != nil || differ(sums(was), sums(is)) != "the compiler has changed" {
		t.Errorf("%v, %v", is, err)
	}
}

// A plain site has nothing to do with what needs no host.
func TestPlainSite(t *testing.T) {
	b := written(t)
	b.Offline = false
	if err := b.stamp(stampFile, sourcesOf(t, b)); err != nil {
		t.Fatal(err)
	}
	put(t, "build/out/spillway.html", "other")
	if why := b.stale(stampFile, sourcesOf(t, b)); why != "" {
		t.Error(why)
	}
	if b.Offline = true; b.stale(stampFile, sourcesOf(t, b)) == "" {
		t.Error("a site without the single file is enough")
	}
}

// A source that is saved while the site is built, even if it is as before in the end,
// leaves no stamp.
func TestNoStampOfMovedSources(t *testing.T) {
	b := noted(t)
	before := sourcesOf(t, b)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes("sim/a.go", later, later); err != nil {
		t.Fatal(err)
	}
	if err := b.stamp(stampFile, before); err != nil {
		t.Fatal(err)
	}
	if why := b.stale(stampFile, sourcesOf(t, b)); why != "no build has been noted" {
		t.Errorf("%q", why)
	}
}

// All that this program and those of the site are compiled of is among the sources.
func TestSourcesAreAll(t *testing.T) {
	t.Chdir("../..")
	if err := writeSources(); err != nil {
		t.Fatal(err)
	}
	all, err := sourcesBelow(".", "dist")
	if err != nil {
		t.Fatal(err)
	}
	wasm := []string{"./wasm"}
	for _, p := range list()[1:] {
		wasm = append(wasm, p.folder)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ env, folders []string }{{nil, []string{"./build/site", "./build/spillway"}}, {[]string{"GOOS=js", "GOARCH=wasm"}, wasm}} {
		text, err := run(context.Background(), of.env, "go", append([]string{"list", "-deps", "-json=Dir,Standard,Module,GoFiles,EmbedFiles,OtherFiles"}, of.folders...)...)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(strings.NewReader(string(text)))
		n := 0
		for {
			var p struct {
				Dir                             string
				Standard                        bool
				Module                          struct{ Main bool }
				GoFiles, EmbedFiles, OtherFiles []string
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.Rel(root, p.Dir)
			if p.Standard || !p.Module.Main || err != nil || strings.HasPrefix(filepath.ToSlash(folder), programs) {
				continue
			}
			for _, list := range [][]string{p.GoFiles, p.EmbedFiles, p.OtherFiles} {
				for _, name := range list {
					n++
					if name := filepath.ToSlash(filepath.Join(folder, name)); all[name].sum == "" {
						t.Errorf("%s is read, but is not among the sources", name)
					}
				}
			}
		}
		if n < 100 {
			t.Errorf("%d files", n)
		}
	}
	for _, name := range []string{"public/index.html", "build/package-lock.json", profile, "build/site/echarts.mjs"} {
		if all[name].sum == "" {
			t.Errorf("%s is not among the sources", name)
		}
	}
}
