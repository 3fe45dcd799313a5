package train

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/sim/train/result"
	"spillway/ui/lab"
)

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

// measured measures a run as a worker does, and describes it as in the golden files: its
// line is "model batch hash run", with the first half of its result's hash.
func measured(l *lab.Lab, p *study.Paper, r *study.Run) (golden.Run, error) {
	_, raw, err := l.Measure(p, r.Name, r.Set, nil, nil)
	if err != nil {
		return golden.Run{}, err
	}
	pairs, err := knob.Pairs(r.Workload)
	if err != nil {
		return golden.Run{}, err
	}
	text := map[string]string{}
	for _, p := range pairs {
		text[p.Key] = p.Text
	}
	return golden.Run{
		Line: fmt.Sprintf("%s %s %.32s %s", text["model"], text["batch"], l.Hash(raw), r.Name),
		Run:  change.Run{Name: r.Name, Values: known(raw.(*result.Result))},
	}, nil
}

// known is what people know of a result: of the iteration that figures show.
func known(r *result.Result) []change.Value {
	if !r.Fits {
		return []change.Value{change.Cannot(r.Reason)}
	}
	i := &r.Iterations[r.Reported]
	clock := float64(r.Clock)
	return []change.Value{
		change.Float("iteration_s", float64(i.Time)/clock),
		change.Float("stall_s", float64(i.Stall)/clock),
		change.Int("ssd_to_gpu_bytes", i.Traffic.SSDIn),
		change.Int("gpu_to_ssd_bytes", i.Traffic.SSDOut),
		change.Int("host_to_gpu_bytes", i.Traffic.HostIn),
		change.Int("gpu_to_host_bytes", i.Traffic.HostOut),
		change.Int("faulted_pages", i.Faults.Moving+i.Faults.Host+i.Faults.SSD+i.Faults.Unallocated),
		change.Int("planned_migrations", r.PlannedOps),
	}
}

// TestHashesOfRuns runs every published run of the G10 paper, on bundled workloads, and
// compares. The same hashes are compared with what the page's workers say in a
// browser, so a result is the same everywhere. With -short, as under Node, one in four
// runs, others with another commit.
func TestHashesOfRuns(t *testing.T) {
	some := testing.Short() && !golden.Update()
	l := New()
	_, runs := published(t, &l)
	list := make([]golden.Run, len(runs))
	for i := range runs {
		list[i].Name = runs[i].Name
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			l := New() // it keeps the workload at hand
			p, runs := published(t, &l)
			for i := range next {
				r, err := measured(&l, p, &runs[i])
				if err != nil {
					t.Errorf("%s: %v", runs[i].Name, err)
					continue
				}
				list[i] = r
			}
		})
	}
	for i := range runs {
		if !some || effort.Takes(i, 4) {
			next <- i
		}
	}
	close(next)
	wg.Wait()
	if !t.Failed() {
		golden.Runs(t, list)
	}
}

// BenchmarkReproduce does an eighth of what "Compute all of it here" does: every
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
