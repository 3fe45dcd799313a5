package llm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// openedFiles opens samples of models.
func openedFiles(t *testing.T, names ...string) (lab.Files, error) {
	t.Helper()
	l := New()
	var files []lab.File
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "traces", "hf", "testdata", filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, lab.File{Name: name, Data: data})
	}
	return reader.Open(&l, files)
}

// TestOpened: every sample of a model opens and trains, with fewer layers.
func TestOpened(t *testing.T) {
	l := New()
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "traces", "hf", "testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, ".index.json") || name == "mamba-2.8b.json" {
			continue
		}
		f, err := openedFiles(t, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		entries := f.Entries()
		if len(entries) != 1 || !strings.HasPrefix(entries[0].Name, strings.TrimSuffix(name, ".json")+", ") || entries[0].Error != "" {
			t.Errorf("%s: %+v", name, entries)
			continue
		}
		text := entries[0].Set + " layers=2 batch=2 micro=1 sequence=128"
		if strings.Contains(name, "t5") {
			text += " encoder=2"
		}
		u := labtest.Setup(t, &l, text)
		if err := u.Set("entry", entries[0].Name); err != nil {
			t.Fatal(err)
		}
		if r, _, err := l.Run(u, "ideal", f, nil); err != nil || !r.Fits {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		ran++
	}
	if ran < 17 {
		t.Errorf("%d samples ran", ran)
	}
}

// TestOpenedNotes: what a file lacks or has too much is said, and an index is compared.
func TestOpenedNotes(t *testing.T) {
	f, err := openedFiles(t, "a/mistral-7b.json", "b/llama-3-8b.json", "b/llama-3-8b.index.json", "mamba-2.8b.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a/mistral-7b.json: sliding_window", `mamba-2.8b.json: line 3, column 17 (byte 59): architecture "mamba"`} {
		if !slices.ContainsFunc(f.Notes(), func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("notes %q, want %q", f.Notes(), want)
		}
	}
	entries := f.Entries()
	if len(entries) != 2 || !strings.Contains(entries[1].Info, "exactly those of llama-3-8b") || strings.Contains(entries[0].Info, "exactly") {
		t.Errorf("%+v", entries)
	}
	for _, tt := range []struct{ name, want string }{
		{"llama-3-8b.index.json", "drop its config.json too"},
		{"mamba-2.8b.json", "its layers without attention"},
	} {
		if _, err := openedFiles(t, tt.name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
