package kineto

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spillway/build/artifact"
)

// samples returns the names of all sample recordings of this format.
func samples(t testing.TB) (names []string) {
	t.Helper()
	dir := artifact.Traces(t)
	for _, pattern := range []string{"kineto/*.json.gz", "hostile/kineto-*.json", "et-kineto-pair/*kineto*"} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel(dir, f)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

// tolerantly reads every event token by token.
func tolerantly(b []byte) (*Trace, error) {
	rd := newReading(bytes.NewReader(b), nil)
	rd.tolerant = true
	return rd.read()
}

// TestBothWays reads every sample with the fast way, which knows how the profiler
// writes, and without it: they must not differ.
func TestBothWays(t *testing.T) {
	for _, name := range samples(t) {
		if testing.Short() && !strings.Contains(name, "bert") {
			continue
		}
		b := artifact.Sample(t, name)
		fast, err := Read(bytes.NewReader(b), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slow, err := tolerantly(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fast.signatures, slow.signatures = nil, nil // white space
		if !reflect.DeepEqual(fast, slow) {
			t.Errorf("%s: differs", name)
		}
	}
}
