package job

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	study "spillway/sim/train/papers/g10"
	"spillway/sim/workload"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hashes lists every published run, on bundled workloads, with the first half
// of its result's hash: one line "model batch hash system config" a run.
const hashes = "testdata/hashes.golden"

// publishedJobs returns a job for every published run, on bundled workloads.
func publishedJobs() []Job {
	var jobs []Job
	seen := map[string]bool{}
	for _, p := range study.All() {
		if run := p.Run(); !seen[run] {
			seen[run] = true
			jobs = append(jobs, Job{ID: len(jobs) + 1, Study: run, Source: Source{Model: p.Model, Batch: p.Batch, Times: workload.ColdModel}})
		}
	}
	return jobs
}

// TestHashes runs all of them and compares. The same file is compared with what
// the page's workers say in a browser, so a result is the same everywhere. With
// -short, as under Node, only every fourth runs.
func TestHashes(t *testing.T) {
	every := 1
	if testing.Short() && !*update {
		every = 4
	}
	jobs := publishedJobs()
	lines := make([]string, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			b := &Bench{}
			for i := range next {
				j := &jobs[i]
				j.Hash = true
				a := b.Do(*j, nil)
				if a.Error != "" {
					t.Errorf("%s: %s", j.Study, a.Error)
					continue
				}
				lines[i] = fmt.Sprintf("%s %d %.32s %s", j.Source.Model, j.Source.Batch, a.Hash, j.Study)
			}
		})
	}
	for i := 0; i < len(jobs); i += every {
		next <- i
	}
	close(next)
	wg.Wait()
	if t.Failed() {
		return
	}
	if *update {
		if err := os.WriteFile(hashes, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(hashes)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(golden)), "\n")
	if len(want) != len(lines) {
		t.Fatalf("%d runs, %s has %d; if that is right: go test ./ui/job -update", len(lines), hashes, len(want))
	}
	wrong := 0
	for i := 0; i < len(lines); i += every {
		if lines[i] != want[i] {
			if wrong++; wrong <= 5 {
				t.Errorf("got  %s\nwant %s", lines[i], want[i])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d results are others than in %s on %s/%s; if that is right: go test ./ui/job -update",
			wrong, (len(lines)+every-1)/every, hashes, runtime.GOOS, runtime.GOARCH)
	}
}
