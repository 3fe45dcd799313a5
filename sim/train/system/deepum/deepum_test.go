package deepum_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/deepum"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestConformance(t *testing.T) { systemtest.Run(t, deepum.System) }

// options returns corrected mode, with a look-ahead and memory ready that suit small
// workloads and machines.
func options() system.Options {
	o := system.Published()
	o.Quirks = quirk.Corrected()
	deepum.Degree.Set(&o, 3)
	deepum.Ready.Set(&o, 2)
	return o
}

func simulate(t *testing.T, w *workload.Workload, m machine.Machine, o system.Options, rt engine.Runtime) *result.Result {
	t.Helper()
	r, err := engine.Run(w, &program.Program{}, engine.Config{
		Machine: m, Runtime: rt, Quirks: o.Quirks, Iterations: int(o.Iterations), Seed: o.Seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plain returns unified memory that brings whole blocks.
func plain(o *system.Options) engine.Runtime {
	return blocks.Memory{Rules: deepum.System.Runtime(o).(blocks.Memory).Rules}
}

// tight draws a workload of many blocks, and a machine that holds about half of them.
func tight(r *rand.Rand) (*workload.Workload, machine.Machine) {
	w, m := systemtest.Workload(r, 1), systemtest.Machine(r)
	var largest, all unit.Bytes
	for i := range w.Tensors {
		w.Tensors[i].Bytes *= 4
		all += w.Tensors[i].Bytes
	}
	for k := range w.Kernels {
		var set unit.Bytes
		for _, t := range w.WorkingSet(nil, workload.KernelID(k)) {
			set += w.Tensors[t].Bytes
		}
		largest = max(largest, set)
	}
	m.GPUMemory = max(largest, all/2).Aligned() + 16*unit.MiB
	m.HostMemory = 64 * unit.GiB
	return w, m
}

// With all its parts switched off DeepUM is unified memory that brings whole blocks.
// A window of several victims would be drawn from otherwise, because a pager's begins
// anew at each launch.
func TestSwitchedOff(t *testing.T) {
	stalled := 0
	for seed := range uint64(60) {
		w, m := tight(rand.New(rand.NewPCG(seed, 10)))
		o := options()
		system.UMVictims.Set(&o, 1)
		for _, p := range []*system.Param{&deepum.Prefetch, &deepum.PreEvict, &deepum.Invalidate} {
			p.Set(&o, 0)
		}
		off, um := simulate(t, w, m, o, deepum.System.Runtime(&o)), simulate(t, w, m, o, plain(&o))
		if !reflect.DeepEqual(off, um) {
			t.Fatalf("seed %d: switched off\n%+v\nunified memory\n%+v", seed, off, um)
		}
		if um.Main().Paging.Missed > 0 {
			stalled++
		}
	}
	if stalled < 30 {
		t.Errorf("only %d cases have faults", stalled)
	}
}

// When all of memory fits nothing faults and nothing takes longer than Ideal, once
// every block has been touched.
func TestEnoughMemoryIsIdeal(t *testing.T) {
	for seed := range uint64(60) {
		w, m := tight(rand.New(rand.NewPCG(seed, 11)))
		m.GPUMemory = 4 * unit.GiB
		o := options()
		r := simulate(t, w, m, o, deepum.System.Runtime(&o))
		for i := int(system.UMWarmup.Default); i < len(r.Iterations); i++ {
			if it := &r.Iterations[i]; it.Time != r.Ideal || it.Paging.Missed+it.Paging.Late+it.Paging.Prefetched != 0 {
				t.Fatalf("seed %d: iteration %d takes %d cycles, ideal is %d: %+v", seed, i, it.Time, r.Ideal, it.Paging)
			}
		}
	}
}

// Where an iteration repeats DeepUM has learned it: from the seventh on far fewer
// blocks are missed than by unified memory, and in the sum over all cases it is
// faster.
func TestLearns(t *testing.T) {
	var missed, missedUM int64
	var time, timeUM, ideal unit.Cycles
	for seed := range uint64(60) {
		w, m := tight(rand.New(rand.NewPCG(seed, 12)))
		o := options()
		got, um := simulate(t, w, m, o, deepum.System.Runtime(&o)).Main(), simulate(t, w, m, o, plain(&o))
		missed += got.Paging.Missed
		missedUM += um.Main().Paging.Missed
		time += got.Time
		timeUM += um.Main().Time
		ideal += um.Ideal
	}
	t.Logf("%d blocks missed, unified memory %d; time beyond ideal %d, unified memory %d", missed, missedUM, time-ideal, timeUM-ideal)
	if missedUM < 1000 || missed*10 > missedUM {
		t.Errorf("%d blocks are missed, by unified memory %d; want less than a tenth", missed, missedUM)
	}
	if time-ideal > (timeUM-ideal)*9/10 {
		t.Errorf("time beyond ideal is %d, of unified memory %d", time-ideal, timeUM-ideal)
	}
}

// Blocks are dropped only with invalidation, and memory is prefetched only with
// prefetching.
func TestSwitchesShowInResult(t *testing.T) {
	var dropped, prefetched int64
	for seed := range uint64(30) {
		w, m := tight(rand.New(rand.NewPCG(seed, 13)))
		for _, on := range []int64{0, 1} {
			o := options()
			deepum.Invalidate.Set(&o, on)
			deepum.Prefetch.Set(&o, 1-on)
			p := simulate(t, w, m, o, deepum.System.Runtime(&o)).Main().Paging
			if on == 0 && p.Dropped != 0 || on == 1 && p.Prefetched+p.Late != 0 {
				t.Fatalf("seed %d: invalidation %d, prefetching %d: %+v", seed, on, 1-on, p)
			}
			dropped += p.Dropped
			prefetched += p.Prefetched
			if p.Tables%(80*unit.KiB) != 0 || p.Tables == 0 && p.Missed > 0 {
				t.Fatalf("seed %d: tables take %v", seed, p.Tables)
			}
		}
	}
	if dropped == 0 || prefetched == 0 {
		t.Errorf("%d blocks dropped, %d prefetched in all cases", dropped, prefetched)
	}
}

// What a record shows of the chain is possible: no more blocks are on the GPU than fit,
// and what is queued is not there.
func TestInspect(t *testing.T) {
	steps, tables := 0, 0
	for seed := range uint64(20) {
		w, m := tight(rand.New(rand.NewPCG(seed, 14)))
		o := options()
		memory := deepum.System.Runtime(&o).(blocks.Memory)
		memory.Inspect = func(r *blocks.Run, p blocks.Pager, k workload.KernelID) {
			d := p.(*deepum.Pager)
			if d.Kernel(d.Running()) != k {
				t.Fatalf("seed %d: kernel %d runs, shown is %d", seed, k, d.Kernel(d.Running()))
			}
			if r.Iteration() < 6 {
				return
			}
			c := d.Chain()
			steps += len(c.Steps) - 1
			n := 0
			for range r.Oldest() {
				n++
			}
			if c.Protected+c.Free+c.Inactive != n {
				t.Fatalf("seed %d: %d protected, %d free to leave and %d inactive are not %d on the GPU", seed, c.Protected, c.Free, c.Inactive, n)
			}
			for _, s := range c.Steps {
				for _, b := range s.Blocks {
					if there := b.State == deepum.Resident || b.State == deepum.InFlight; b.State != deepum.Queued && there != r.Resident(b.Block) {
						t.Fatalf("seed %d: block %d is %v", seed, b.Block, b.State)
					}
				}
			}
			if y, ok := d.Table(d.Running()); ok {
				tables++
				if len(y.Entries) == 0 || len(y.Start) == 0 || y.RowsUsed > len(y.Entries) {
					t.Fatalf("seed %d: table %+v", seed, y)
				}
			}
		}
		with := simulate(t, w, m, o, memory)
		if without := simulate(t, w, m, o, deepum.System.Runtime(&o)); !reflect.DeepEqual(with, without) {
			t.Fatalf("seed %d: looking changes the result", seed)
		}
	}
	if steps == 0 || tables == 0 {
		t.Errorf("%d kernels predicted, %d tables", steps, tables)
	}
}
