package train

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/ui/lab"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hashes lists every published run of the G10 paper, on bundled workloads, with
// the first half of its result's hash: one line "model batch hash run" a run.
const hashes = "testdata/hashes.golden"

// published returns the G10 paper of a laboratory and its runs, without analyses.
func published(t testing.TB, l *lab.Lab) (*study.Paper, []study.Run) {
	t.Helper()
	p, err := l.Paper("g10")
	if err != nil {
		t.Fatal(err)
	}
	var runs []study.Run
	for _, r := range p.Runs() {
		if r.System != "" {
			runs = append(runs, r)
		}
	}
	return p, runs
}

// line measures a run as a worker does, and describes it as in the golden file.
func line(l *lab.Lab, p *study.Paper, r *study.Run) (string, error) {
	_, raw, err := l.Measure(p, r.Name, r.Set, nil, nil)
	if err != nil {
		return "", err
	}
	pairs, err := knob.Pairs(r.Is)
	if err != nil {
		return "", err
	}
	text := map[string]string{}
	for _, p := range pairs {
		text[p.Key] = p.Text
	}
	return fmt.Sprintf("%s %s %.32s %s", text["model"], text["batch"], l.Hash(raw), r.Name), nil
}

// TestHashes runs all of them and compares. The same file is compared with what
// the page's workers say in a browser, so a result is the same everywhere. With
// -short, as under Node, only every fourth runs.
func TestHashes(t *testing.T) {
	every := 1
	if testing.Short() && !*update {
		every = 4
	}
	l := New()
	_, runs := published(t, &l)
	lines := make([]string, len(runs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			l := New() // it keeps the workload at hand
			p, runs := published(t, &l)
			for i := range next {
				var err error
				if lines[i], err = line(&l, p, &runs[i]); err != nil {
					t.Errorf("%s: %v", runs[i].Name, err)
				}
			}
		})
	}
	for i := 0; i < len(runs); i += every {
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
		t.Fatalf("%d runs, %s has %d; if that is right: go test ./ui/lab/train -update", len(lines), hashes, len(want))
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
		t.Errorf("%d of %d results are others than in %s on %s/%s; if that is right: go test ./ui/lab/train -update",
			wrong, (len(lines)+every-1)/every, hashes, runtime.GOOS, runtime.GOARCH)
	}
}

// BenchmarkReproduce does an eighth of what "Reproduce everything" does: every
// eighth published run, on bundled workloads. The laboratories' programs are
// compiled with its profile (make profile).
func BenchmarkReproduce(b *testing.B) {
	for b.Loop() {
		l := New()
		p, runs := published(b, &l)
		for i := 7; i < len(runs); i += 8 {
			if _, _, err := l.Measure(p, runs[i].Name, runs[i].Set, nil, nil); err != nil {
				b.Fatalf("%s: %v", runs[i].Name, err)
			}
		}
	}
}
