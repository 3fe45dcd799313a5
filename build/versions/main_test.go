package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// siteOf writes a small site of a version to a folder.
func siteOf(t *testing.T, version string) string {
	t.Helper()
	folder := t.TempDir()
	put(t, filepath.Join(folder, "index.html"), `<span id="version">`+version+`</span>`)
	put(t, filepath.Join(folder, "f", "a", "index.html"), "a figure of "+version)
	put(t, filepath.Join(folder, "v", "0.1.0", "index.html"), "an older one")
	put(t, filepath.Join(folder, "versions.json"), "{}")
	return folder
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// zipOf packs a folder as the zip of a site is packed.
func zipOf(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.zip")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, name := range []string{"index.html", "f/a/index.html"} {
		w, err := z.Create("spillway-site/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(read(t, folder, name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLay(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if err := lay(out, []string{siteOf(t, "0.10.0+aaaa"), zipOf(t, siteOf(t, "0.9.0+bbbb")), siteOf(t, "0.9.0+cccc"), siteOf(t, "0.9.0+bbbb")}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"f/a/index.html":              "a figure of 0.10.0+aaaa",
		"v/0.10.0/f/a/index.html":     "a figure of 0.10.0+aaaa",
		"v/0.9.0-bbbb/f/a/index.html": "a figure of 0.9.0+bbbb",
		"v/0.9.0/f/a/index.html":      "a figure of 0.9.0+cccc",
	} {
		if got := read(t, out, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"v/0.1.0", "v/0.10.0/v", "v/0.10.0/versions.json"} {
		if _, err := os.Stat(filepath.Join(out, name)); err == nil {
			t.Errorf("%s of a site with versions was taken over", name)
		}
	}
	want := `{
  "versions": [
    {
      "version": "0.10.0+aaaa",
      "path": "v/0.10.0/"
    },
    {
      "version": "0.9.0+bbbb",
      "path": "v/0.9.0-bbbb/"
    },
    {
      "version": "0.9.0+cccc",
      "path": "v/0.9.0/"
    }
  ]
}
`
	if got := read(t, out, "versions.json"); got != want {
		t.Errorf("versions.json:\n%s", got)
	}
}

func TestLayRefuses(t *testing.T) {
	one := siteOf(t, "0.9.0+aaaa")
	nameless := t.TempDir()
	put(t, filepath.Join(nameless, "index.html"), "a page")
	for _, c := range []struct {
		what  string
		sites []string
		want  string
	}{
		{"nothing", nil, "name the newest"},
		{"a folder that is no site", []string{t.TempDir()}, "index.html"},
		{"a page without a version", []string{nameless}, "names no version"},
	} {
		err := lay(filepath.Join(t.TempDir(), "out"), c.sites)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	if err := lay(t.TempDir(), []string{one}); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("a folder that is there: %v", err)
	}
}
