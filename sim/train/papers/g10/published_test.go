package g10_test

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/train"
	study "spillway/sim/train/papers/g10"
	"spillway/sim/train/result"
	"spillway/sim/workload"
	"spillway/traces/g10"
)

var update = flag.Bool("update", false, "rewrite the golden tables; read the diff before you commit it")

// TestPublished runs every configuration of the published evaluation and
// compares all published numbers. The golden table lists each point that is
// not exact: one that gets better or worse must be looked at.
func TestPublished(t *testing.T) {
	artifact.Dir(t) // or skip
	points := study.All()
	if testing.Short() {
		points = slices.DeleteFunc(points, func(p study.Point) bool { return p.Figure > "14" })
	}
	results := runAll(t, points)
	rows := make([]study.Row, len(points))
	for i, p := range points {
		rows[i] = study.Compare(p, results[p.Run()])
	}
	if bad := study.Unexpected(rows); len(bad) > 0 {
		t.Errorf("%d points are off by more than %v %% and not among the known: %v", len(bad), 100*study.Tolerance, bad[0].String())
	}
	if testing.Short() {
		return
	}
	golden(t, "VALIDATION.md", validation(rows))
}

func runAll(t *testing.T, points []study.Point) map[string]*result.Result {
	t.Helper()
	results := map[string]*result.Result{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	started := map[string]bool{}
	for _, p := range points {
		if started[p.Run()] {
			continue
		}
		started[p.Run()] = true
		slots <- true
		wg.Go(func() {
			defer func() { <-slots }()
			w, err := load(p.Config)
			if err != nil {
				t.Error(err)
				return
			}
			r, err := train.Run(w, p.Request(), nil)
			if err != nil {
				t.Errorf("%s: %v", p.Config, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			results[p.Run()] = r
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return results
}

func load(config string) (*workload.Workload, error) {
	dir, err := artifact.Find()
	if err != nil {
		return nil, err
	}
	_, w, err := g10.Load(os.DirFS(dir), config)
	return w, err
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range max(len(g), len(w)) {
			if i >= len(g) || i >= len(w) || g[i] != w[i] {
				t.Fatalf("%s:%d differs; read the difference, then run with -update\ngot  %s\nwant %s", path, i+1, at(g, i), at(w, i))
			}
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
