package tree_test

import (
	"os"
	"path/filepath"
	"testing"

	"spillway/build/tree"
)

// The hash is the same in any folder, and whatever tests, generated files and what else lies
// there say; another when a source is another: of the site, of the command, or of both.
func TestHash(t *testing.T) {
	files := []string{
		"go.mod", "sim/a.go", "sim/a_windows.go", "ui/a.vugu", "traces/a.csv", "public/a.css", "wasm/main.go", "build/site/a.go", "build/spillway/a.go",
		"build/package-lock.json", "LICENSE", // sources
		"sim/a_test.go", "ui/a_gen.go", "sim/testdata/a.json", "build/e2e/a.mjs", "build/node_modules/a.js", "venv/a.py", ".git/HEAD", "spillway", "dist/a.js", // not
	}
	const sources = 11
	sum := func(change string) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "somewhere")
		for _, name := range files {
			text := name
			if name == change {
				text += ", changed"
			}
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := tree.Hash(dir)
		if err != nil || len(got) != 12 {
			t.Fatal(got, err)
		}
		return got
	}
	is := sum("")
	seen := map[string]string{is: "nothing"}
	for i, name := range files {
		got := sum(name)
		if other, ok := seen[got]; i < sources && ok {
			t.Errorf("%s changes it no more than %s", name, other)
		} else if i >= sources && got != is {
			t.Errorf("%s changes it", name)
		}
		seen[got] = name
	}
	if _, err := tree.Hash(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a hash of no folder")
	}
}
