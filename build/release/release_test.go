package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"spillway/build/tree"
)

// A bill of the repository's own modules is what CycloneDX's schema wants; the excerpt in
// testdata has the parts that a bill of ours uses, closed against others.
func TestBill(t *testing.T) {
	b := &builder{root: "../..", say: &teller{to: io.Discard, now: time.Now}}
	all := files{"spillway-1.2.3.tgz": []byte("x"), "dist/index.html": []byte("y")}
	s := made{release: "1.2.3", version: "1.2.3+abcd"}
	if err := b.bill(context.Background(), s, all); err != nil {
		t.Fatal(err)
	}
	text := all["spillway-1.2.3.cdx.json"]
	again := files{"spillway-1.2.3.tgz": []byte("x"), "dist/index.html": []byte("z")}
	if err := b.bill(context.Background(), s, again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, again["spillway-1.2.3.cdx.json"]) {
		t.Error("the same release has another bill")
	}
	c := jsonschema.NewCompiler()
	schema, err := c.Compile("testdata/cyclonedx-1.6-excerpt.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	var got bill
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	names := map[string]component{}
	for _, c := range got.Components {
		names[c.Name] = c
	}
	for _, want := range []string{"std", "github.com/goccy/go-json", "github.com/vugu/vugu", "echarts", "zrender", "tslib"} {
		if names[want].Version == "" || names[want].Purl == "" {
			t.Errorf("the bill lacks %s, or its version", want)
		}
	}
	for _, unwanted := range []string{"spillway", "github.com/vugu/vjson", "golang.org/x/tools", "react"} {
		if _, ok := names[unwanted]; ok {
			t.Errorf("the bill has %s, of which nothing is in a release", unwanted)
		}
	}
	if h := names["github.com/vugu/vugu"].Hashes; len(h) != 1 || len(h[0].Content) != 64 {
		t.Errorf("vugu's hashes are %v", h)
	}
	refs := []string{"spillway"}
	for _, c := range got.Components {
		refs = append(refs, c.Ref)
	}
	for _, d := range got.Dependencies {
		for _, ref := range append(d.On, d.Ref) {
			if !slices.Contains(refs, ref) {
				t.Errorf("the bill has no component %s", ref)
			}
		}
	}
	if len(got.Metadata.Component.Components) != 1 {
		t.Errorf("files of the release: %v", got.Metadata.Component.Components)
	}
}

// RECORD lists every file of a wheel with its hash, but its own.
func TestWheel(t *testing.T) {
	script, err := os.ReadFile("../../public/spillway.py")
	if err != nil {
		t.Fatal(err)
	}
	parts := wheelParts{script: script, program: []byte("\x00asm"), starter: []byte("starter"), license: []byte("a"), licenses: []byte("b")}
	data, err := pythonWheel("1.2.3", parts)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := pythonWheel("1.2.3", parts); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the same wheel has other bytes, %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	rows, err := csv.NewReader(strings.NewReader(content(t, z, "spillway-1.2.3.dist-info/RECORD"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var recorded []string
	for _, row := range rows {
		recorded = append(recorded, row[0])
		if strings.HasSuffix(row[0], "/RECORD") {
			if row[1] != "" || row[2] != "" {
				t.Errorf("RECORD says of itself %q", row)
			}
			continue
		}
		text := content(t, z, row[0])
		s := sha256.Sum256([]byte(text))
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(s[:]); row[1] != want || row[2] != fmt.Sprint(len(text)) {
			t.Errorf("%s: %s, %s bytes; it has %s, %d", row[0], row[1], row[2], want, len(text))
		}
	}
	if !slices.Equal(names, recorded) {
		t.Errorf("RECORD lists %v, the wheel has %v", recorded, names)
	}
	about := content(t, z, "spillway-1.2.3.dist-info/METADATA")
	for _, want := range []string{"Name: spillway\nVersion: 1.2.3\n", "Requires-Python: >=3.9", "spillway.run("} {
		if !strings.Contains(about, want) {
			t.Errorf("METADATA lacks %q", want)
		}
	}
	if strings.Contains(about, "\nRequires-Dist: pandas\n") {
		t.Error("the wheel requires pandas")
	}
}

func content(t *testing.T, z fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(z, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The npm package has what its package.json lists, with the version, and the same bytes every time.
func TestNPM(t *testing.T) {
	data, err := npmPackage(os.DirFS("../.."), "1.2.3", "1.2.3+abcd")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := npmPackage(os.DirFS("../.."), "1.2.3", "1.2.3+abcd"); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the same package has other bytes, %v", err)
	}
	all := unpack(t, data)
	var about struct {
		Name, Version, Spillway string
		Files                   []string
	}
	if err := json.Unmarshal(all["package/package.json"].data, &about); err != nil {
		t.Fatal(err)
	}
	if about.Name != "spillway-figure" || about.Version != "1.2.3" || about.Spillway != "1.2.3+abcd" {
		t.Errorf("package.json says %+v", about)
	}
	want := []string{"package/package.json"}
	for _, name := range about.Files {
		want = append(want, "package/"+name)
	}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(want)
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("the package has %v, want %v", names, want)
	}
}

// unpack reads a packed tar.
func unpack(t *testing.T, data []byte) map[string]entry {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("gzip names a time or a file: %v %q", z.ModTime, z.Name)
	}
	all := map[string]entry{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(tarTime) || h.Uname != "" || h.Gname != "" || h.Uid != 0 {
			t.Errorf("%s has a time or an owner: %+v", h.Name, h)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[h.Name] = entry{h.Name, text, fs.FileMode(h.Mode)}
	}
}

func TestArchives(t *testing.T) {
	entries := []entry{{"a/LICENSE", []byte("free"), 0o644}, {"a/spillway", []byte("\x7fELF"), 0o755}}
	packed, err := tarball(entries)
	if err != nil {
		t.Fatal(err)
	}
	if got := unpack(t, packed)["a/spillway"]; got.mode != 0o755 || string(got.data) != "\x7fELF" {
		t.Errorf("the program came back as %+v", got)
	}
	data, err := zipped(entries)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if f := z.File[1]; f.Mode().Perm() != 0o755 || !f.Modified.Equal(zipTime) {
		t.Errorf("the program is %v of %v", f.Mode(), f.Modified)
	}
}

func TestCompare(t *testing.T) {
	a := files{"same": []byte("1"), "other": []byte("abc"), "less": nil}
	b := files{"same": []byte("1"), "other": []byte("abd"), "more": nil}
	want := []string{"less is only in the first", "more is only in the second", "other: 3 and 3 bytes, the same up to byte 2"}
	if got := compare(a, b); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := compare(a, a); len(got) != 0 {
		t.Errorf("a release differs from itself: %q", got)
	}
}

// What is written is the release; the site itself is only compared, and what was there of
// an earlier release goes.
func TestWrite(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "old.tgz"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	all := files{"a.zip": []byte("abc"), "dist/index.html": []byte("page")}
	if err := tree.Add(all, sumsFile, []byte(all.sums())); err != nil {
		t.Fatal(err)
	}
	if err := tree.Add(all, "a.zip", nil); err == nil {
		t.Error("a file is there twice without a word")
	}
	if err := all.write(out, false); err != nil {
		t.Fatal(err)
	}
	var names []string
	list, err := os.ReadDir(out)
	for _, d := range list {
		names = append(names, d.Name())
	}
	if err != nil || !slices.Equal(names, []string{sumsFile, "a.zip"}) {
		t.Errorf("%v is there, %v", names, err)
	}
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.zip\n"; string(all[sumsFile]) != want {
		t.Errorf("sums: %q", all[sumsFile])
	}
}

// The copy that is built has what git knows and nothing else, and works without git.
func TestCopyTree(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	for _, name := range []string{"go.mod", "build/site/main.go", "dist/index.html", "build/out/x", "build/node_modules/y/z.js"} {
		file := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyTree(context.Background(), from, to); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := fs.WalkDir(os.DirFS(to), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, name)
		}
		return err
	})
	if want := []string{"build/site/main.go", "go.mod"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
}

func TestSerial(t *testing.T) {
	form := regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if got := serial([]byte("x")); !form.MatchString(got) || got == serial([]byte("y")) {
		t.Errorf("%s", got)
	}
}

func TestCited(t *testing.T) {
	text, err := os.ReadFile("../../CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	got, err := cited(string(text), "https://example.org/s", "10.5281/zenodo.1")
	if err != nil || !strings.Contains(got, "\nrepository-code: \"https://example.org/s\"\n") || !strings.Contains(got, "\nidentifiers:\n  - type: doi\n    value: 10.5281/zenodo.1\n") {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := cited(string(text), "", ""); err != nil || got != string(text) {
		t.Errorf("without either it changes, %v", err)
	}
	for _, c := range [][2]string{{"nowhere", ""}, {"", "https://doi.org/10.1/x"}, {"https://a\"b", ""}} {
		if _, err := cited(string(text), c[0], c[1]); err == nil {
			t.Errorf("%q is taken", c)
		}
	}
}
