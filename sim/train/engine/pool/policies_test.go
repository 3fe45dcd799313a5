package pool_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/flashneuron"
	"spillway/sim/train/system/g10"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// arena returns the runtime of FlashNeuron, which fetches ahead, or of the
// published G10-Host, in a pool of the GPU's memory times scale.
func arena(ahead bool, scale int64) engine.Runtime {
	s := g10.Host
	if ahead {
		s = flashneuron.System
	}
	o := system.Published()
	r := s.Runtime(&o).(pool.Memory)
	r.Scale = scale
	return r
}

func evict(at workload.KernelID, t workload.TensorID, to machine.Tier) program.Op {
	return program.Op{At: at, Kind: program.Evict, Tensor: t, To: to}
}

func prefetch(at workload.KernelID, t workload.TensorID) program.Op {
	return program.Op{At: at, Kind: program.Prefetch, Tensor: t}
}

func TestToys(t *testing.T) {
	tests := []struct {
		name   string
		pages  int64 // of every tensor
		gpu    int64 // pages
		ahead  bool
		ops    []program.Op
		time   unit.Cycles
		busy   unit.Cycles // stall + overlap
		ledger result.Ledger
		in     unit.Bytes // pages fetched
	}{
		{name: "nothing moves", pages: 10, gpu: 100, ahead: true, time: 600},
		{
			// a leaves from 200 to 1200; loss runs from 1200 to 1300; a comes
			// back until 2300 and b1 runs until 2400.
			name: "offload and prefetch", pages: 10, gpu: 100, ahead: true, ops: []program.Op{evict(2, 0, machine.SSD)},
			time: 2400, busy: 2000, in: 10,
			ledger: result.Ledger{Eviction: 900, LatePrefetch: 900},
		},
		{
			// After the loss 10 pages are free, no more than the 30 that the next
			// kernels may need. b1 fetches a from 1400 to 2400.
			name: "on demand", pages: 10, gpu: 41, ahead: true, ops: []program.Op{evict(2, 0, machine.SSD)},
			time: 2500, busy: 2000, in: 10,
			ledger: result.Ledger{Eviction: 900, SSDRead: 1000},
		},
		{
			// What is due at the loss kernel never leaves.
			name: "too late to leave", pages: 10, gpu: 100, ahead: true, ops: []program.Op{evict(3, 0, machine.SSD)}, time: 600,
		},
		{
			// The loss waits until b has left too, at 2200. b2 fetches b from 2300
			// to 3300, b1 fetches a from 3400 to 4400.
			name: "two on demand", pages: 10, gpu: 41, ahead: true,
			ops:  []program.Op{evict(2, 0, machine.SSD), evict(2, 1, machine.SSD)},
			time: 4500, busy: 4000, in: 20,
			ledger: result.Ledger{Eviction: 1900, SSDRead: 2000},
		},
		{
			// a leaves from 200 to 1200. Its prefetch begins at kernel 3, at
			// 300, while it is still there: its copy is dropped at 1200. b1 waits
			// from 500 for the prefetch until 1300.
			name: "planned, host", pages: 10, gpu: 100,
			ops:  []program.Op{evict(2, 0, machine.Host), prefetch(3, 0)},
			time: 1400, busy: 1100, in: 10,
			ledger: result.Ledger{LatePrefetch: 800},
		},
		{
			// An evicted weight comes back for free: only the copy out is seen.
			name: "planned, weight", pages: 10, gpu: 100,
			ops: []program.Op{evict(3, 6, machine.SSD)}, time: 600, busy: 100,
		},
		{
			// a leaves from 200 to 1200, but b1 uses it at 500: it waits for nothing.
			name: "planned, still there", pages: 10, gpu: 100,
			ops: []program.Op{evict(2, 0, machine.SSD)}, time: 600, busy: 400,
		},
		{
			// Tensors of one page: a leaves from 200 to 300; b1 fetches it from 500 to 600.
			name: "planned, no prefetch", pages: 1, gpu: 100,
			ops: []program.Op{evict(2, 0, machine.SSD)}, time: 700, busy: 200, in: 1,
			ledger: result.Ledger{SSDRead: 100},
		},
		{
			// As before, but the prefetch runs from 300 to 400, beside the loss.
			// The copy out ends in the cycle in which f2 ends, and counts first.
			name: "planned, in time", pages: 1, gpu: 100,
			ops: []program.Op{evict(2, 0, machine.SSD), prefetch(3, 0)}, time: 600, busy: 200, in: 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.Workload(tt.pages)
			r, err := engine.Run(w, &program.Program{Ops: tt.ops}, engine.Config{
				Machine: enginetest.Machine(tt.gpu), Runtime: arena(tt.ahead, 1),
			})
			if err != nil {
				t.Fatal(err)
			}
			it := r.Main()
			if it.Time != tt.time || it.Stall+it.Overlap != tt.busy || it.Ledger != tt.ledger {
				t.Errorf("time %d busy %d ledger %v, want %d %d %v", it.Time, it.Stall+it.Overlap, it.Ledger, tt.time, tt.busy, tt.ledger)
			}
			if in := it.Traffic.SSDIn + it.Traffic.HostIn; in != tt.in*unit.Page {
				t.Errorf("fetched %v, want %v", in, tt.in*unit.Page)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	var last [2]int
	_, err := engine.Run(enginetest.Workload(1), &program.Program{}, engine.Config{
		Machine: enginetest.Machine(100), Runtime: arena(false, 1),
		Progress: func(done, total int) { last = [2]int{done, total} },
	})
	if err != nil || last != [2]int{6, 6} {
		t.Errorf("progress ends at %v (%v), want 6 of 6", last, err)
	}
}

func TestDoesNotFit(t *testing.T) {
	tests := []struct {
		name string
		gpu  int64
		ops  []program.Op
		host bool // no bandwidth for the host
		want []string
	}{
		{"weights", 0, nil, false, []string{"weights", "1 page"}},
		{"memory", 21, nil, false, []string{"needs 40 KiB in one piece", "largest free piece of GPU memory is 0 B"}},
		{"host link", 100, []program.Op{evict(2, 0, machine.Host)}, true, []string{"host link"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := enginetest.Machine(tt.gpu)
			if tt.host {
				m.HostLink = m.SSDRead
			}
			for _, ahead := range []bool{true, false} {
				_, err := engine.Run(enginetest.Workload(10), &program.Program{Ops: tt.ops}, engine.Config{
					Machine: m, Runtime: arena(ahead, 1),
				})
				var no *engine.DoesNotFit
				if !errors.As(err, &no) {
					t.Fatalf("error is %v, want a DoesNotFit", err)
				}
				for _, s := range tt.want {
					if s = strings.ReplaceAll(s, "1 page", "4 KiB"); !strings.Contains(no.Reason, s) {
						t.Errorf("reason %q does not mention %q", no.Reason, s)
					}
				}
			}
		})
	}
}

// Two halves of the free memory, apart from each other, hold no tensor of 10 pages.
func TestFragmentation(t *testing.T) {
	page := func(n int64) workload.Tensor { return workload.Tensor{Bytes: unit.Bytes(n) * unit.Page} }
	ids := func(ts ...workload.TensorID) []workload.TensorID { return ts }
	w := &workload.Workload{
		// From the low end: dies, stays, dies, stays, needs 10.
		Tensors: []workload.Tensor{page(5), page(5), page(5), page(5), page(10)},
		Kernels: []workload.Kernel{
			{Name: "k0", Outputs: ids(0, 1, 2, 3)},
			{Name: "k1", Inputs: ids(0, 2)},
			{Name: "k2", Inputs: ids(1), Outputs: ids(4)},
			{Name: "makeLoss", Inputs: ids(1, 3, 4)},
		},
	}
	for k := range w.Kernels {
		w.Kernels[k].Time = 100 * unit.Nanosecond
	}
	run := func(gpu int64, ops ...program.Op) (*result.Result, error) {
		return engine.Run(w, &program.Program{Ops: ops}, engine.Config{
			Machine: enginetest.Machine(gpu), Runtime: arena(true, 1),
		})
	}
	_, err := run(20)
	var no *engine.DoesNotFit
	if !errors.As(err, &no) || !strings.Contains(no.Reason, "largest free piece of GPU memory is 20 KiB (40 KiB are free in all)") {
		t.Errorf("error is %v, want a DoesNotFit about two pieces of 20 KiB", err)
	}
	if r, err := run(25); err == nil {
		t.Errorf("25 pages: took %d cycles, want no room", r.Time())
	}
	r, err := run(30)
	if err != nil || r.Time() != 400 {
		t.Errorf("30 pages: %v, %v, want 400 cycles", r, err)
	}
	// 3 sits at the high end and leaves from 100 to 600; then 4 fits above 1.
	// The last kernel fetches 3 into the place of 0 from 700 to 1200.
	r, err = run(20, evict(1, 3, machine.SSD))
	if err != nil {
		t.Fatal(err)
	}
	if want := (result.Ledger{Eviction: 400, SSDRead: 500}); r.Time() != 1300 || r.Main().Ledger != want {
		t.Errorf("20 pages: took %d cycles, stalls %v, want 1300, %v", r.Time(), r.Main().Ledger, want)
	}
}

// randomCase returns a small forward and backward pass with a few weights, and
// a program that moves tensors about without much sense.
func randomCase(rnd *rand.Rand) (*workload.Workload, *program.Program) {
	w := &workload.Workload{}
	add := func(global bool) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(1 + rnd.IntN(8*int(unit.Page))), Global: global})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	var ids []workload.TensorID
	for range rnd.IntN(4) {
		ids = append(ids, add(true))
	}
	n := 3 + rnd.IntN(20)
	loss := rnd.IntN(n)
	for k := range n {
		kn := workload.Kernel{Name: "k", Time: unit.Time(1+rnd.IntN(2000)) * unit.Nanosecond}
		if k == loss && rnd.IntN(4) > 0 {
			kn.Name = "makeLoss"
		}
		for range rnd.IntN(3) {
			if len(ids) > 0 {
				kn.Inputs = append(kn.Inputs, ids[rnd.IntN(len(ids))])
			}
		}
		slices.Sort(kn.Inputs)
		kn.Inputs = slices.Compact(kn.Inputs)
		for range rnd.IntN(3) {
			ids = append(ids, add(false))
			kn.Outputs = append(kn.Outputs, ids[len(ids)-1])
		}
		if len(kn.Inputs) > 0 && rnd.IntN(3) == 0 {
			kn.Outputs = append(kn.Outputs, kn.Inputs[0])
		}
		if len(kn.Inputs)+len(kn.Outputs) == 0 {
			ids = append(ids, add(false))
			kn.Outputs = append(kn.Outputs, ids[len(ids)-1])
		}
		w.Kernels = append(w.Kernels, kn)
	}
	p := &program.Program{}
	for at := range n + 1 {
		for range rnd.IntN(3) {
			op := program.Op{At: workload.KernelID(at), Tensor: workload.TensorID(rnd.IntN(len(w.Tensors)))}
			op.Kind = program.Kind(rnd.IntN(2))
			if op.Kind == program.Evict {
				op.To = machine.SSD + machine.Tier(rnd.IntN(2))
			}
			p.Ops = append(p.Ops, op)
		}
	}
	return w, p
}

func TestProperties(t *testing.T) {
	ran, unfit := 0, 0
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		w, p := randomCase(rnd)
		if err := w.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c := engine.Config{
			Machine: enginetest.Machine(int64(8 + rnd.IntN(120))),
			Runtime: arena(rnd.IntN(2) == 0, 1+int64(rnd.IntN(2))),
		}
		if rnd.IntN(2) == 0 {
			c.Quirks = quirk.Published()
		}
		w2, p2 := randomCase(rand.New(rand.NewPCG(seed, 2)))
		got, err := pool.RunChecked(t, seed, w, p, c)
		again, err2 := engine.Run(w, p, c)
		if !reflect.DeepEqual(got, again) || !reflect.DeepEqual(err, err2) {
			t.Fatalf("seed %d: two runs differ:\n%+v %v\n%+v %v", seed, got, err, again, err2)
		}
		if !reflect.DeepEqual(w, w2) || !reflect.DeepEqual(p, p2) {
			t.Fatalf("seed %d: the run changed its input", seed)
		}
		if err != nil {
			unfit++
			if !errors.As(err, new(*engine.DoesNotFit)) {
				t.Fatalf("seed %d: error is %v, want a DoesNotFit", seed, err)
			}
			continue
		}
		ran++
		checkResult(t, seed, w, got)
	}
	t.Logf("%d ran, %d do not fit", ran, unfit)
	if ran < 1000 || unfit < 100 {
		t.Errorf("%d ran and %d do not fit; the generator is lopsided", ran, unfit)
	}
}

func checkResult(t *testing.T, seed uint64, w *workload.Workload, r *result.Result) {
	t.Helper()
	it := r.Main()
	if it.Ledger.Total() != it.Time-r.Ideal || it.Time < r.Ideal {
		t.Fatalf("seed %d: stalls %v do not make up time %d − ideal %d", seed, it.Ledger, it.Time, r.Ideal)
	}
	for c := range result.NumCauses {
		if n := *it.Ledger.At(c); n < 0 {
			t.Fatalf("seed %d: %v is %d cycles", seed, c, n)
		}
	}
	if it.Stall < 0 || it.Overlap < 0 || it.Compute < 0 || it.Stall+it.Overlap+it.Compute != it.Time {
		t.Fatalf("seed %d: stall %d, overlap %d, compute %d, time %d", seed, it.Stall, it.Overlap, it.Compute, it.Time)
	}
	at := unit.Cycles(0)
	for k, n := range r.Kernels {
		if n.Start != at || n.End < n.Start+n.Ideal {
			t.Fatalf("seed %d: kernel %d runs from %d to %d, want from %d for at least %d", seed, k, n.Start, n.End, at, n.Ideal)
		}
		if n.Host < 0 {
			t.Fatalf("seed %d: kernel %d: %v in host memory", seed, k, n.Host)
		}
		at = n.End
	}
	if len(r.Kernels) != len(w.Kernels) || at != it.Time {
		t.Fatalf("seed %d: %d kernels end at %d, want %d at %d", seed, len(r.Kernels), at, len(w.Kernels), it.Time)
	}
}
