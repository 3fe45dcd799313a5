package g10_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"spillway/build/artifact"
	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/sim/train"
	"spillway/sim/train/result"
	"spillway/sim/workload"
	"spillway/traces/g10"
	paper "spillway/ui/lab/train/papers/g10"
)

// share is one in how many of the runs that a test here makes it takes when it does not
// take all of them, as it does at night.
const share = 4

// TestPublished runs configurations of the published evaluation, at night all of them,
// and compares their published numbers. The golden table lists each point that is
// not exact: one that gets better or worse must be looked at. What every one of them
// gives on bundled workloads the laboratory's TestHashesOfRuns compares.
func TestPublished(t *testing.T) {
	artifact.Dir(t) // or skip
	all := effort.Nightly() || golden.Update()
	points := paper.All()
	if !all {
		number := map[string]int{}
		points = slices.DeleteFunc(points, func(p paper.Point) bool {
			if _, ok := number[p.Run()]; !ok {
				number[p.Run()] = len(number)
			}
			return !effort.Takes(number[p.Run()], share) || testing.Short() && p.Figure > "14"
		})
	}
	rows := compare(t, points, runAll(t, points))
	judged := make([]study.Row, len(rows))
	for i := range rows {
		judged[i] = rows[i].Row
	}
	if bad := study.Unexpected(judged); len(bad) > 0 {
		t.Errorf("%d points are off by more than %v %% and not among the known: %v", len(bad), 100*paper.Tolerance, bad[0].String())
	}
	if all {
		golden.Compare(t, "VALIDATION.md", validation(rows))
		return
	}
	document, err := os.ReadFile("VALIDATION.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		r := &rows[i]
		published, ours := inexact(r)
		if exact := !strings.Contains(string(document), "\n"+published); exact != (r.Status == study.Exact) {
			t.Errorf("VALIDATION.md takes it for exact: %v; it is %s: %s%s", exact, r.Status, published, ours)
		} else if !exact && !strings.Contains(string(document), "\n"+published+ours) {
			t.Errorf("VALIDATION.md has no row that begins with %s%s; read what changed, then run with -update", published, ours)
		}
	}
}

// A row is a judged point and what it is measured on.
type row struct {
	study.Row
	on paper.Point
}

// compare judges the points by the results of their runs.
func compare(t *testing.T, points []paper.Point, results map[string]*result.Result) []row {
	t.Helper()
	p := paper.Paper()
	var outcomes []study.Outcome
	for name, r := range results {
		o, err := paper.Reader.Outcome(p, name, &report.Report{Fits: r.Fits, Reason: r.Reason}, nil, r)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, *o)
	}
	all, err := p.Rows(study.AllClaims, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]row, 0, len(points))
	for i, on := range paper.All() {
		if all[i].Status != "" && slices.Contains(points, on) {
			rows = append(rows, row{all[i], on})
		}
	}
	if len(rows) != len(points) {
		t.Fatalf("%d of %d points are judged", len(rows), len(points))
	}
	return rows
}

func runAll(t *testing.T, points []paper.Point) map[string]*result.Result {
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
			w, err := load(p.Source)
			if err != nil {
				t.Error(err)
				return
			}
			r, err := train.Run(w, p.Request(), nil)
			if err != nil {
				t.Errorf("%s: %v", p.Source, err)
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
