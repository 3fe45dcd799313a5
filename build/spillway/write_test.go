package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteWhole(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "out.zip")
	link := filepath.Join(folder, "link")
	full := errors.New("no space left on device")
	fails := func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		return full
	}
	content := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s: got %.40q, %v; want %q", file, got, err, want)
		}
		if list, err := os.ReadDir(folder); err != nil || len(list) > 2 {
			t.Errorf("left behind: %v, %v", list, err)
		}
	}

	if err := writeWhole(file, fails); !errors.Is(err, full) {
		t.Errorf("a write that fails: got %v, want %v", err, full)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a write that fails leaves a file: %v", err)
	}
	if err := replace(file, []byte("first")); err != nil {
		t.Error(err)
	}
	content("first")
	if err := writeWhole(file, fails); !errors.Is(err, full) || !errors.As(err, &failed{}) {
		t.Errorf("a write that fails over a file: got %v, want %v as a failed run", err, full)
	}
	content("first")
	if err := errors.Join(os.Chmod(file, 0o640), os.Symlink(file, link), replace(link, []byte("second"))); err != nil {
		t.Error(err)
	}
	content("second")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("a link that is written to is no link any more: %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode after writing: %v, %v; want 0640", info.Mode(), err)
	}
	missing := filepath.Join(folder, "none", "x.zip")
	var path *os.PathError
	if err := replace(missing, nil); !errors.As(err, &path) || path.Path != missing {
		t.Errorf("into a folder that is not there: got %v, want an error that names %s", err, missing)
	}
	if err := replace(os.DevNull, []byte("x")); err != nil {
		t.Errorf("to a device: %v", err)
	}
}
