// Release makes all that a release of Spillway has, twice in different folders, and compares
// both byte for byte:
//
//	go run ./build/release
//
// What it makes is in build/out/release: the command for Linux, macOS and Windows on amd64
// and arm64, the site as a zip and as one file, the npm package spillway-figure, the Python
// wheel, a list of all software in it (CycloneDX), and SHA256SUMS of all these.
//
// Each time the files that git knows are copied to a folder of their own, so that nothing else can
// get into a release. The second has another name and its own cache of the compiler; with -shared
// both have one, which is quicker and compares less. With -once there is no second.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spillway/build/tree"
)

func main() {
	var r release
	flag.StringVar(&r.out, "out", "build/out/release", "folder to write the release to")
	flag.BoolVar(&r.once, "once", false, "make it once, and compare nothing")
	flag.BoolVar(&r.shared, "shared", false, "let both share the compiler's cache")
	flag.BoolVar(&r.dist, "dist", false, "also compare dist/ with its compressed copies, which takes minutes more")
	flag.StringVar(&r.repository, "repository", "", "address of the repository, for CITATION.cff of the release")
	flag.StringVar(&r.doi, "doi", "", "DOI of the archived release, for the same")
	only := flag.String("platforms", strings.Join(platforms, ","), "what the command is compiled for")
	flag.Parse()
	r.platforms = strings.Split(*only, ",")
	r.say = &teller{to: os.Stdout, now: time.Now}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := r.make(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// platforms are what the command is compiled for, as Go calls them.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// A release is what is asked for.
type release struct {
	out                string
	once, shared, dist bool
	platforms          []string
	repository, doi    string
	say                *teller
}

// make makes the release, and writes it once it is known to be the same twice.
func (r *release) make(ctx context.Context) error {
	for _, p := range r.platforms {
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("-platforms %s: want some of %s", p, strings.Join(platforms, ","))
		}
	}
	temporary, err := os.MkdirTemp("", "spillway-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	begun := time.Now()
	first, err := r.build(ctx, filepath.Join(temporary, "one"), nil)
	if err != nil {
		return err
	}
	if !r.once {
		env := []string{"TZ=Asia/Tokyo", "LC_ALL=C"}
		if !r.shared {
			env = append(env, "GOCACHE="+filepath.Join(temporary, "cache"))
		}
		second, err := r.build(ctx, filepath.Join(temporary, "a second folder", "with a longer name"), env)
		if err != nil {
			return err
		}
		if differ := compare(first, second); len(differ) > 0 {
			return fmt.Errorf("two builds are not the same:\n  %s", strings.Join(differ, "\n  "))
		}
		r.say.line("both builds are the same: %d files, %d bytes", len(first), first.size())
	}
	if err := first.write(r.out, r.dist); err != nil {
		return err
	}
	fmt.Fprint(r.say.to, first.listing())
	r.say.line("%s is complete (%.0f s)", r.out, time.Since(begun).Seconds())
	return nil
}

// A step is what is done, and what it is called meanwhile.
type step struct {
	name string
	do   func() error
}

// build makes everything once in a new folder, in an environment with some variables more.
func (r *release) build(ctx context.Context, folder string, env []string) (files, error) {
	r.say.line("building in %s", folder)
	b := &builder{root: folder, env: env, say: r.say}
	all := files{}
	var site made
	steps := []step{
		{"copying the files that git knows", func() error { return copyTree(ctx, ".", folder) }},
		{"the site: pages, programs, zip and single file", func() (err error) {
			site, err = b.site(ctx, r.dist)
			return errors.Join(err, tree.Join(all, site.files))
		}},
	}
	for _, p := range r.platforms {
		steps = append(steps, step{"the command for " + p, func() error { return b.command(ctx, p, site, all) }})
	}
	steps = append(steps, []step{
		{"the npm package", func() error { return b.npm(site, all) }},
		{"the Python wheel, with the command as WebAssembly", func() error { return b.wheel(ctx, site, all) }},
		{"how to cite it", func() error { return b.citation(r.repository, r.doi, all) }},
		{"the list of all software in it", func() error { return b.bill(ctx, site, all) }},
	}...)
	for _, s := range steps {
		if err := r.say.do(s.name, s.do); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return all, tree.Add(all, sumsFile, []byte(all.sums()))
}

// A teller says what is done and how long it took.
type teller struct {
	to  io.Writer
	now func() time.Time
}

// line says something.
func (t *teller) line(format string, args ...any) {
	fmt.Fprintf(t.to, "release: "+format+"\n", args...)
}

// do does a step, and says so before and after.
func (t *teller) do(name string, f func() error) error {
	t.line("%s ...", name)
	begun := t.now()
	err := f()
	if err == nil {
		t.line("%s: done in %.1f s", name, t.now().Sub(begun).Seconds())
	}
	return err
}

// run runs a program in a folder and returns what it prints; what it says besides is in
// the error.
func run(ctx context.Context, folder string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), env...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, said.String())
	}
	return out, nil
}
