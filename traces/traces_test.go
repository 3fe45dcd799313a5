package traces

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const artifactDir = "../../shared/artifacts/g10"

func artifactFiles(t testing.TB) []File {
	t.Helper()
	if _, err := os.Stat(artifactDir); err != nil {
		t.Skipf("skipped: the G10 artifact's files are not in %s, so opening them was not tested", artifactDir)
	}
	var files []File
	err := filepath.WalkDir(artifactDir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		name, _ := filepath.Rel(artifactDir, p)
		files = append(files, File{"G10-main/" + filepath.ToSlash(name), data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestArtifact(t *testing.T) {
	files := artifactFiles(t)
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, f := range files {
		w, err := z.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]File{"folder": files, "zip": {{"G10-main.zip", buf.Bytes()}}} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(files)
			if err != nil {
				t.Fatal(err)
			}
			bare, configs := 0, 0
			for _, e := range s.Entries {
				if e.Config != nil {
					configs++
				} else {
					bare++
				}
			}
			t.Log(s.Format, bare, configs, strings.Join(s.Notes, "\n"))
			for i, e := range s.Entries {
				if e.Config != nil && i%20 != 0 {
					continue
				}
				t.Log(e.Name, "|", e.Detail, "|", e.Model, e.Batch)
				w, err := e.Load()
				if err != nil {
					t.Fatal(err)
				}
				if w.Name != e.Name && e.Config == nil || w.Batch != e.Batch || w.Model != e.Model {
					t.Errorf("%v != %v", w.Name, e)
				}
			}
		})
	}
}
