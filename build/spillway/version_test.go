package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"spillway/ui/bundle"
	"spillway/ui/lab/all"
	"spillway/ui/model/output"
)

// versioned runs a command line of a command that knows what it is.
func versioned(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	s := shell{labs: all.Labs, out: &out, errs: &errs, version: "1.2.3+0123456789ab", program: output.Program("1.2.3+0123456789ab")}
	if code := s.command(args); code != exitOK || errs.Len() > 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, &errs)
	}
	return out.String()
}

// One text says what the command is: on the screen, in JSON, in bundles and in reports.
func TestVersion(t *testing.T) {
	want := "spillway 1.2.3+0123456789ab " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, name := range []string{"version", "--version", "-version", "-v"} {
		if got := versioned(t, name); got != want+"\n" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if code, _, errs := run(t, "version", "now"); code != exitUsage || !strings.Contains(errs, `unexpected argument "now"`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	dir := t.TempDir()
	file, html := filepath.Join(dir, "x"+bundle.Ext), filepath.Join(dir, "x.html")
	quick := []string{"lab=store", "workload=pairs", "pairs=2", "system=lru"}
	versioned(t, append([]string{"bundle", "-o", file}, quick...)...)
	if got := unzip(t, file)["environment.json"]; !strings.Contains(got, want) {
		t.Errorf("a bundle says %s", got)
	}
	versioned(t, "report", "--paper", "ravenstore", "-o", html)
	if text, err := os.ReadFile(html); err != nil || !strings.Contains(string(text), want) {
		t.Errorf("a report does not say %q (%v)", want, err)
	}
	for _, args := range [][]string{
		append([]string{"run", "--json"}, quick...),
		append([]string{"sweep", "--json", "--vary", "bytes=1"}, quick...),
		append([]string{"solve", "--json", "--smallest", "gpu_memory=1..2", "--fits"}, quick...),
		{"list", "store", "--json"},
		{"verify", "--paper", "ravenstore", "--json"},
		{"run", "bert-base@4", "--json"},
	} {
		text := []byte(versioned(t, args...))
		var one struct{ Program string }
		err := json.Unmarshal(text, &one)
		if text[0] == '[' {
			err = only1(string(text), &one)
		}
		if err != nil || one.Program != want {
			t.Errorf("%q: %q, %v", args, one.Program, err)
		}
	}
	var c checked
	if err := json.Unmarshal([]byte(versioned(t, "check", file, "--json")), &c); err != nil || c.Here != want || c.Version != "1.2.3+0123456789ab" {
		t.Errorf("check: %+v, %v", c, err)
	}
}

// A build by hand has a name that follows from it.
func TestBuildByHand(t *testing.T) {
	if got := version(); !regexp.MustCompile(`^` + regexp.QuoteMeta(output.Version) + `\+by-hand\.[0-9a-f]{12}$`).MatchString(got) {
		t.Errorf("version %q", got)
	}
	program := func(id, more string) string {
		return buildID(strings.NewReader("\x7fELF..." + id + more))
	}
	a, b := "\xff Go build ID: \"one/two\"\n \xff", "\xff Go build ID: \"one/three\"\n \xff"
	c, d := "\x04\x00\x00\x00Go\x00\x00one\x00", "\x04\x00\x00\x00Go\x00\x00two\x00"
	if program(c, "x") != program(c, "y") || program(c, "x") == program(d, "x") || program(a, "x") != program(a, "y") || program(a, "x") == program(b, "x") || program("", "x") == program("", "y") {
		t.Error("names of builds do not follow from them")
	}
	sources = "0123456789ab"
	defer func() { sources = "" }()
	if got := version(); got != output.Version+"+0123456789ab" {
		t.Errorf("version %q", got)
	}
}
