package main

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is compressed once is not compressed again: not in this build, nor in the next.
func TestPackerKeeps(t *testing.T) {
	dir := t.TempDir()
	data := bytes.Repeat([]byte("spill"), 1000)
	first := newPacker(dir)
	made, err := first.pack(data, ".gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(made))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := io.ReadAll(r); err != nil || !bytes.Equal(back, data) {
		t.Errorf("%d bytes come back, %v", len(back), err)
	}
	// A file with another content shows who is asked.
	for _, name := range files(t, dir) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := first.pack(data, ".gz"); err != nil || !bytes.Equal(again, made) {
		t.Errorf("the same build has %q, %v", again, err)
	}
	next := newPacker(dir)
	if again, err := next.pack(data, ".gz"); err != nil || string(again) != "kept" {
		t.Errorf("the next build has %.20q, %v", again, err)
	}
	if other, err := next.pack(data, ".br"); err != nil || string(other) == "kept" {
		t.Errorf("another encoder has %.20q, %v", other, err)
	}
	if other, err := next.pack(data[1:], ".gz"); err != nil || string(other) == "kept" {
		t.Errorf("another content has %.20q, %v", other, err)
	}
}

// What the site no longer has does not stay, nor what another version made.
func TestPackerForgets(t *testing.T) {
	dir := t.TempDir()
	old := newPacker(dir)
	for _, text := range []string{"stays", "goes"} {
		for _, ext := range packed {
			if _, err := old.pack([]byte(text), ext); err != nil {
				t.Fatal(err)
			}
		}
	}
	was := files(t, dir)
	next := newPacker(dir)
	stays, err := next.pack([]byte("stays"), ".gz") // its other copy is not asked for this time
	if err != nil {
		t.Fatal(err)
	}
	var content string
	for _, name := range was {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Equal(data, stays) {
			content, _, _ = strings.Cut(name, ".")
		}
	}
	for _, name := range []string{content + ".gzip-9-go1.1", content + "." + encoders()[".gz"] + ".half"} {
		if err := os.WriteFile(filepath.Join(dir, name), stays, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := next.prune(); err != nil {
		t.Fatal(err)
	}
	got := files(t, dir)
	if len(was) != 4 || len(got) != 2 || !strings.HasPrefix(got[0], content+".") || !strings.HasPrefix(got[1], content+".") {
		t.Errorf("of %q there are still %q", was, got)
	}
}

// Of many tasks all are done, and a failure is told.
func TestPackAll(t *testing.T) {
	dir := t.TempDir()
	var all []task
	total := int64(0)
	for i := range 8 {
		for _, ext := range packed {
			all = append(all, task{bytes.Repeat([]byte{byte(i % 5)}, 100*(i%5)), ext}) // some are twice
			total += all[len(all)-1].cost()
		}
	}
	say := &progress{now: time.Now}
	said := say.begin("", 0)
	if err := newPacker(dir).packAll(all, said); err != nil || said.done != total {
		t.Errorf("%d of %d are done, %v", said.done, total, err)
	}
	if n := len(files(t, dir)); n != 10 {
		t.Errorf("%d files", n)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if newPacker(file).packAll(all, nil) == nil {
		t.Error("a folder that cannot be is no failure")
	}
}

// The end and the head of a gzip file are as long as the zip takes them to be.
func TestDeflated(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("spill "), 100_000)} {
		var want, got bytes.Buffer
		w, err := flate.NewWriter(&want, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Write(data)
		d := deflated{&got, newPacker(t.TempDir())}
		_, wrong := d.Write(data)
		if err := errors.Join(err, wrong, w.Close(), d.Close()); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d bytes: %v, other bytes than without gzip", len(data), err)
		}
	}
}

// files lists a folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		names = append(names, d.Name())
	}
	return names
}
