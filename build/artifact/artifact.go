// Package artifact finds the published G10 artifact for the tests that compare
// with it. It is not part of the repository: those tests are skipped without it.
package artifact

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// variable names the artifact's folder; a relative one starts at the
// repository's root, whichever package's tests read it.
const variable = "SPILLWAY_ARTIFACT"

// Dir returns the artifact's folder, the one that has src/configs, and skips
// the test where it is not.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := Find()
	if err != nil {
		t.Skip(err)
	}
	return dir
}

// Find is [Dir] for tests that go on without the artifact; the error says where
// it was looked for.
func Find() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir := os.Getenv(variable)
	switch {
	case dir == "":
		dir = filepath.Join(filepath.Dir(root), "shared", "artifacts", "g10")
	case !filepath.IsAbs(dir):
		dir = filepath.Join(root, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "src", "configs")); err != nil {
		return "", fmt.Errorf("skipped, as the G10 artifact is not in %s: set %s to its folder, the one with src/configs", dir, variable)
	}
	return dir, nil
}

// tracesVariable names the folder of sample recordings, as variable does the
// artifact's.
const tracesVariable = "SPILLWAY_TRACES"

// Traces returns the folder of recordings of training jobs, the one that has
// SOURCES.md, and skips the test where it is not.
func Traces(t testing.TB) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Skip(err)
	}
	dir := os.Getenv(tracesVariable)
	switch {
	case dir == "":
		dir = filepath.Join(filepath.Dir(root), "shared", "artifacts", "traces")
	case !filepath.IsAbs(dir):
		dir = filepath.Join(root, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "SOURCES.md")); err != nil {
		t.Skipf("skipped, as the sample recordings are not in %s: set %s to their folder, the one with SOURCES.md", dir, tracesVariable)
	}
	return dir
}

// Sample returns a sample recording, unpacked if it is gzipped. name is its path in
// the folder of [Traces], with slashes; without the folder the test is skipped.
func Sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Traces(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data // as it is
	}
	if data, err = io.ReadAll(z); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}

// dataVariable names the folder of published numbers and of tables computed from them,
// as variable does the artifact's.
const dataVariable = "SPILLWAY_DATA"

// Data returns the path of a file of published numbers; name has slashes and begins in
// the folder that has models and deepum. Without the file the test is skipped.
func Data(t testing.TB, name string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Skip(err)
	}
	dir := os.Getenv(dataVariable)
	switch {
	case dir == "":
		dir = filepath.Join(filepath.Dir(root), "shared", "data")
	case !filepath.IsAbs(dir):
		dir = filepath.Join(root, dir)
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped, as %s is not in %s: set %s to the folder of the published numbers", name, dir, dataVariable)
	}
	return path
}

// Table reads a file of comma-separated values, each row by its columns' names.
func Table(t testing.TB, path string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// moduleRoot is the folder with go.mod at or above the working directory, which
// for a test is its package's.
func moduleRoot() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod at or above %s", here)
		}
	}
}
