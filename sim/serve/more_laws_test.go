package serve

import (
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/unit"
)

// TestNothingIsLeft: when all is answered nobody has memory, in whatever tier, and tiers hold no more than they have room for.
func TestNothingIsLeft(t *testing.T) {
	for seed := range effort.Seeds(600) {
		w, given := random(t, seed)
		s, sys, eng, err := given.resolve()
		if err != nil {
			t.Fatal(err)
		}
		longest := int64(0)
		for i := range w.Requests {
			longest = max(longest, int64(w.Requests[i].Prompt)+int64(w.Requests[i].Output))
		}
		r := &Result{Replicas: s.replicas(), Memory: s.footprint(eng, sys, longest)}
		if s.refuse(&r.Memory, sys, longest) != "" || sys.Free {
			continue
		}
		e, err := s.start(w, sys, eng, r)
		if err != nil {
			t.Fatal(err)
		}
		e.serve()
		for i := range e.replicas {
			x := &e.replicas[i]
			if x.private != 0 || x.pinned != 0 || x.swapped != 0 || x.present != 0 || x.context != 0 || len(x.decode)+len(x.fill)+len(x.load)+x.waitsFor() > 0 {
				t.Errorf("seed %d (%s): %d tokens are private, %d shared, %d in host memory, %d requests there, %d tokens read", seed, s.System, x.private, x.pinned, x.swapped, x.present, x.context)
			}
			for b, n := range x.refs {
				if n != 0 {
					t.Fatalf("seed %d (%s): block %d has %d", seed, s.System, b, n)
				}
			}
			for of, room := range map[*blocks]int64{x.cached: e.capacity, x.host: r.Memory.Host, x.drive: r.Memory.Drive} {
				if of == nil {
					continue
				}
				count := int64(0)
				for b := range of.ready {
					if of.has(int32(b)) {
						count++
					}
				}
				if count != of.count || count*e.block > room {
					t.Errorf("seed %d (%s): %d blocks of %d tokens, counted as %d, in room for %d", seed, s.System, count, e.block, of.count, room)
				}
			}
		}
	}
}

// TestNames: what blocks are called changes nothing.
func TestNames(t *testing.T) {
	for seed := range effort.Seeds(300) {
		w, s := random(t, seed)
		a, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		other := *w
		other.Requests = slices.Clone(w.Requests)
		for i := range other.Requests {
			q := &other.Requests[i]
			q.Blocks = slices.Clone(q.Blocks)
			for k := range q.Blocks {
				q.Blocks[k] = ^(q.Blocks[k] * 2_654_435_761) // odd, so that no two become one
			}
		}
		b, err := Run(&other, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d (%s): another result with other names", seed, s.System)
		}
	}
}

// TestFuture: who comes when all are answered changes nothing for them.
func TestFuture(t *testing.T) {
	for seed := range effort.Seeds(300) {
		w, s := random(t, seed)
		a, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !a.Ran() || w.Users > 0 || s.System == free() {
			continue
		}
		end := unit.Time(0)
		for i := range a.Requests {
			end = max(end, a.Requests[i].Done)
		}
		later := *w
		last := w.Requests[0]
		last.At = end + unit.Second
		later.Requests = append(slices.Clone(w.Requests), last)
		b, err := Run(&later, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Requests, b.Requests[:len(a.Requests)]) {
			t.Errorf("seed %d (%s): who comes later changes what was", seed, s.System)
		}
	}
}

// TestLoadOrCompute: of requests one at a time none has its first token later where the cheaper of loading and computing is
// taken, and drives that are written on second use are not written more.
func TestLoadOrCompute(t *testing.T) {
	for seed := range effort.Seeds(40) {
		w, s := plain(t, int64(seed))
		s.HostKV, s.DriveKV, s.Activations = 2*unit.GiB, 8*unit.GiB, 55*unit.GiB
		for _, link := range []unit.Bandwidth{unit.GBps, 10 * unit.GBps, 60 * unit.GBps} {
			s.Node.HostPath = link
			s.System = "host-ssd"
			load := served(t, w, s)
			s.System = "no-prefix"
			compute := served(t, w, s)
			s.System = "recompute-or-load"
			best := served(t, w, s)
			for i := range best.Requests {
				v := best.Requests[i].First
				if v > load.Requests[i].First || v > compute.Requests[i].First {
					t.Fatalf("seed %d, %v: request %d has its first token at %v, loaded %v, computed %v", seed, link, i, v, load.Requests[i].First, compute.Requests[i].First)
				}
			}
			s.System, s.WriteOnSecond = "host-ssd", true
			if second := served(t, w, s); second.Write.Bytes > load.Write.Bytes {
				t.Errorf("seed %d: on second use %v are written, through %v", seed, second.Write.Bytes, load.Write.Bytes)
			}
			s.WriteOnSecond = false
		}
	}
}

// TestTwiceAsSlow: a machine of half the rates, with an engine of twice the times, takes twice as long for what comes half as
// often, but for picoseconds.
func TestTwiceAsSlow(t *testing.T) {
	ran := 0
	for seed := range effort.Seeds(200) {
		w, given := random(t, seed)
		given.Node = Server(given.Node.GPU, given.Node.GPUs/given.Tensor)
		given.Tensor = 1 // collectives have a time of their own
		if given.System = []string{"hbm", "no-prefix", "host", "static"}[seed%4]; w.Users > 0 {
			continue
		}
		run := func(w *Workload, given *Setting, by unit.Time) *Result {
			s, sys, eng, err := given.resolve()
			if err != nil {
				t.Fatal(err)
			}
			eng.Step, eng.Each = eng.Step*by, eng.Each*by
			s.Front *= by
			r := &Result{Replicas: s.replicas(), Memory: s.footprint(eng, sys, 1)}
			for i := range w.Requests {
				if int64(w.Requests[i].Prompt)+int64(w.Requests[i].Output) > r.Memory.KVTokens {
					return nil
				}
			}
			e, err := s.start(w, sys, eng, r)
			if err != nil {
				t.Fatal(err)
			}
			e.serve()
			e.measure()
			return r
		}
		a := run(w, given, 1)
		slow, later := *given, *w
		n := &slow.Node
		n.GPU.HBM, n.GPU.BF16, n.GPU.FP8, n.GPU.FP4, n.GPU.Link = n.GPU.HBM/2, n.GPU.BF16/2, n.GPU.FP8/2, n.GPU.FP4/2, n.GPU.Link/2
		n.HostPath, n.HostRate, n.Pinned = n.HostPath/2, n.HostRate/2, n.Pinned/2
		later.Requests = slices.Clone(w.Requests)
		for i := range later.Requests {
			later.Requests[i].At *= 2
			later.Requests[i].Think *= 2
		}
		b := run(&later, &slow, 2)
		if a == nil || b == nil {
			continue
		}
		ran++
		for name, x := range map[string][2]unit.Time{"time": {a.Time, b.Time}, "first token": {a.TTFT.Mean, b.TTFT.Mean}, "request": {a.E2E.Mean, b.E2E.Mean}} {
			if off := x[1] - 2*x[0]; off > x[0]/1000 || -off > x[0]/1000 {
				t.Errorf("seed %d (%s): %s %v, twice as slow %v", seed, given.System, name, x[0], x[1])
			}
		}
	}
	t.Logf("%d ran", ran)
}
