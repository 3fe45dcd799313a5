package store

import (
	"fmt"
	"slices"
	"testing"

	"spillway/build/effort"
	core "spillway/sim/store"
	"spillway/sim/store/ops"
	"spillway/sim/unit"
	"spillway/ui/lab/labtest"
)

// TestEngine: chance is when the second client comes. With prefetch as published more hardware is no
// law: what holds its room is evicted in another order with every change.
func TestEngine(t *testing.T) {
	type setup = core.Setup
	e := labtest.Engine[setup]{Chances: 9, Exact: func(s *setup) { // a KiB takes whole picoseconds
		s.Shared, s.Alloc, s.EvictCopy, s.Link = 0, 2125*15625, 9011*15625, 10_240*unit.MBps
	}, Better: []labtest.Better[setup]{
		{Name: "a quarter more GPU memory", Set: func(s *setup) { s.GPU += s.GPU / 4 }},
		{Name: "half the page tables", Set: func(s *setup) { s.Client /= 2 }},
		{Name: "twice the link", Set: func(s *setup) { s.Link *= 2 }},
		{Name: "allocation in half the time", Set: func(s *setup) { s.Alloc /= 2 }},
		{Name: "free in half the time", Set: func(s *setup) { s.Free /= 2 }},
		{Name: "calls in half the time", Set: func(s *setup) { s.IPC /= 2 }},
		{Name: "evictions in half the time", Set: func(s *setup) { s.EvictFixed, s.EvictCopy = s.EvictFixed/2, s.EvictCopy/2 }},
		{Name: "callback and copy at the same time", Set: func(s *setup) { s.Parallel = 1 }},
		{Name: "a GPU for each client", Set: func(s *setup) { s.Shared = 0 }},
	}}
	for _, mix := range core.Mixes() {
		traces := make([]*ops.Trace, e.Chances)
		for n := range traces {
			x := mix.Trace()
			x.Ops[slices.IndexFunc(x.Ops, func(o ops.Op) bool { return o.Client == 1 })].Think += unit.Time(n) * 7 * unit.Millisecond
			traces[n] = x
		}
		slow := mix.Trace()
		labtest.Twice(slow)
		for _, p := range append(core.Policies(), core.Oracle()) {
			for prefetch := range int64(2) {
				e.Cases = append(e.Cases, labtest.Case[setup]{Name: fmt.Sprintf("%s on %s, prefetch %d", p.Name, mix.Name, prefetch), Run: func(x labtest.Try[setup]) (unit.Time, unit.Time) {
					s, w := mix.Setup(), traces[x.Chance]
					s.Prefetch, s.Yields = prefetch, 1
					x.Change(&s)
					if x.Slow {
						labtest.Twice(&s)
						w = slow
					}
					got, err := core.Run(w, s, p)
					if err != nil || !got.Fits() {
						t.Fatal(err, got.Failure)
					}
					return got.Time, core.Bound(w, s)
				}})
			}
		}
	}
	labtest.Engines(t, e)
}

// TestPrefetchPays: what opens, prefetch that yields, is never slower than none with networks that
// train either, by the mean over times of arrival (of the mixes: TestYielding).
func TestPrefetchPays(t *testing.T) {
	l := New()
	time := l.Quantity("time_s")
	for i, set := range []string{
		"model=resnet-50 clients=2 gpu_memory=12", // what the page opens on
		"model=resnet-50 clients=1 gpu_memory=6", "model=resnet-50 clients=3 gpu_memory=16", "model=inception-v3 clients=3 gpu_memory=8",
		"model=bert-base batch=16 clients=4 gpu_memory=12", "model=resnet-50 other=bert-base batch=16 clients=2 gpu_memory=4",
	} {
		if !effort.Takes(i, 3) {
			continue
		}
		for _, p := range core.Policies() {
			var took [2]float64
			for _, offset := range []string{"20", "27", "34"} {
				for prefetch := range took {
					u := labtest.Setup(t, &l, fmt.Sprintf("workload=networks gpu=v100-32 %s offset=%s prefetch=%d"+yields, set, offset, prefetch))
					r, _, err := l.Run(u, p.Name, nil, nil)
					if err != nil || !r.Fits {
						t.Fatalf("%s, %s: %v, %s", set, p.Name, err, r.Reason)
					}
					took[prefetch] += r.Values[time] / 3
				}
			}
			t.Logf("%s, %-16s %.2f s, without prefetch %.2f s", set, p.Name, took[1], took[0])
			if took[1] > took[0] {
				t.Errorf("%s, %s: %v s with prefetch that yields, %v s without", set, p.Name, took[1], took[0])
			}
		}
	}
}
