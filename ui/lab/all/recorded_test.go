package all_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/sim/study"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// tried is of how many runs of a paper one is computed again, others with another commit. A
// paper that is not listed takes seconds.
var tried = map[string]int{"skybyte": 32, "g10": 16, "deepum": 32, "planner": 32, "bytefs": 16, "teraio": 16, "buddy": 16}

// What the site shows of every paper before anything has run is what runs say: recorded.txt
// beside each paper has their values, to the last bit. With -update all runs are made, which
// takes two minutes on two cores; one paper alone is written with
//
//	go test ./ui/lab/all -run '^TestRecorded$/^skybyte$' -update -timeout 60m
func TestRecorded(t *testing.T) {
	effort.Natively(t)
	for _, door := range all.Labs {
		l := door.New()
		for _, p := range l.Studies() {
			t.Run(p.Key, func(t *testing.T) { recorded(t, &door, p) })
		}
	}
}

func recorded(t *testing.T, door *all.Entry, p *study.Paper) {
	name := filepath.Join("..", door.Package, "papers", p.Key, "recorded.txt")
	runs := p.Runs()
	if golden.Update() {
		var list []int
		for i := range runs {
			list = append(list, i)
		}
		took.Store(0)
		got := measured(t, door, p, runs, list)
		head := fmt.Sprintf("What %d runs say of %s, to the last bit; without curves.\nWritten by: go test ./ui/lab/all -run '^TestRecorded$/^%s$' -update -timeout 60m\n%s", len(runs), p.Short, p.Key, study.WriteSeconds(time.Duration(took.Load()).Seconds()))
		text, err := p.WriteRecorded(head, got)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && effort.WithExamples() {
		t.Skip("an example of the documents")
	}
	if err != nil {
		t.Fatal(err)
	}
	was, err := p.ReadRecorded(name, string(text))
	if err != nil && effort.WithExamples() {
		t.Skip("an example of the documents has other points")
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(was) != len(runs) {
		t.Fatalf("%s has %d of %d runs", name, len(was), len(runs))
	}
	if golden.Update() {
		return
	}
	every := max(1, tried[p.Key])
	if testing.Short() {
		every *= 8
	}
	var list []int
	for i := range runs {
		if effort.Takes(i, every) {
			list = append(list, i)
		}
	}
	for k, o := range measured(t, door, p, runs, list) {
		if want := &was[list[k]]; !o.Same(want) {
			t.Errorf("%s: the run %q says %v %v, and in %s %v %v", p.Key, o.Run, o.Fits, o.Values, name, want.Fits, want.Values)
		}
	}
}

// measured makes some of a paper's runs on all processors.
func measured(t *testing.T, door *all.Entry, p *study.Paper, runs []study.Run, list []int) []study.Outcome {
	t.Helper()
	got, errs := make([]study.Outcome, len(list)), make([]error, len(list))
	// Runs of one workload follow each other, so that it is loaded once.
	order := make([]int, len(list))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(runs[list[a]].Workload, runs[list[b]].Workload) })
	feed := make(chan int)
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			l := door.New()
			own, err := l.Paper(p.Key)
			for k := range feed {
				if errs[k] = err; err == nil {
					got[k], errs[k] = measure(&l, own, &runs[list[k]])
				}
			}
		})
	}
	for _, k := range order {
		feed <- k
	}
	close(feed)
	done.Wait()
	for k, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", runs[list[k]].Name, err)
		}
	}
	return got
}

// took is how many nanoseconds runs have taken.
var took atomic.Int64

func measure(l *lab.Lab, p *study.Paper, run *study.Run) (study.Outcome, error) {
	defer func(begun time.Time) { took.Add(int64(time.Since(begun))) }(time.Now())
	o, _, err := l.Measure(p, run.Name, run.Set, nil, nil)
	if err != nil {
		return study.Outcome{}, err
	}
	o.Rebuilt = p.Standing != ""
	return *o, nil
}
