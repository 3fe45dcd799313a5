package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The hash is that of what a program is built from: the same in any folder, and without
// git; another when a file, an embedded one, one of another platform or a version differs;
// and the same whatever tests and other packages say.
func TestHash(t *testing.T) {
	files := map[string]string{
		"go.mod":               "module m\n\ngo 1.26\n",
		"cmd/main.go":          "package main\n\nimport \"m/part\"\n\nfunc main() { part.Do() }\n",
		"part/part.go":         "package part\n\nimport _ \"embed\"\n\n//go:embed data.txt\nvar data string\n\n// Do does it.\nfunc Do() { println(data) }\n",
		"part/data.txt":        "one",
		"part/part_windows.go": "package part\n",
		"part/part_test.go":    "package part\n",
		"other/other.go":       "package other\n",
	}
	sum := func(change, to string) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "somewhere")
		for name, text := range files {
			if name == change {
				text += to
			}
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := hash(dir, "./cmd")
		if err != nil || len(got) != digits {
			t.Fatal(got, err)
		}
		return got
	}
	is := sum("", "")
	for _, name := range []string{"part/part_test.go", "other/other.go", "none"} {
		if got := sum(name, "\n// changed\n"); got != is {
			t.Errorf("%s changes it", name)
		}
	}
	seen := map[string]string{is: "nothing"}
	for _, name := range []string{"go.mod", "cmd/main.go", "part/part.go", "part/data.txt", "part/part_windows.go"} {
		got := sum(name, "\n// changed\n")
		if other, ok := seen[got]; ok {
			t.Errorf("%s changes it no more than %s", name, other)
		}
		seen[got] = name
	}
	if _, err := hash(t.TempDir(), "./cmd"); err == nil || !strings.Contains(err.Error(), "go list") {
		t.Errorf("no module: %v", err)
	}
}
