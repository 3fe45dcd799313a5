package swap_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// restless is a swapper that draws what it does.
type restless struct {
	r    *swap.Run
	rand *rand.Rand
}

func (s *restless) any() workload.TensorID {
	return workload.TensorID(s.rand.IntN(len(s.r.Workload.Tensors)))
}

func (s *restless) Launch(k workload.KernelID) {
	for range s.rand.IntN(4) {
		t := s.any()
		switch s.rand.IntN(11) {
		case 8:
			s.r.Copy(t, machine.Host)
		case 9:
			s.r.Copy(t, machine.SSD)
		case 10:
			s.r.Forget(t)
		case 0, 1:
			s.r.Offload(t)
		case 2:
			s.r.OffloadTo(t, machine.SSD)
		case 3:
			s.r.Fetch(t)
		case 4:
			s.r.Want(t)
		case 5:
			s.r.Discard(t)
		case 6:
			s.r.Recompute(t)
		case 7:
			if s.rand.IntN(3) == 0 {
				s.r.Barrier()
			}
		}
	}
}

func (s *restless) NoRoom(need unit.Bytes) []workload.TensorID {
	if s.rand.IntN(2) == 0 {
		return s.r.Furthest(need)
	}
	return s.r.LeastRecent(need)
}

func (s *restless) Used(t workload.TensorID) {
	switch s.rand.IntN(6) {
	case 0:
		s.r.Offload(t)
	case 1:
		s.r.Discard(t)
	}
}

func (s *restless) Late(workload.TensorID, unit.Cycles) {}

func (s *restless) Moved(workload.TensorID) {
	if s.rand.IntN(4) == 0 {
		s.r.Want(s.any())
	}
}

func restlessSystem(rules swap.Rules) system.System {
	return system.System{
		Name: "restless", Title: "restless",
		Runtime: func(o *system.Options) engine.Runtime {
			return swap.Memory{Rules: rules, Swapper: func(r *swap.Run) (swap.Swapper, error) {
				return &restless{r, rand.New(rand.NewPCG(uint64(o.Seed), uint64(len(r.Workload.Tensors))))}, nil
			}}
		},
	}
}

// follow draws a program and follows it, with victims by next use.
var follow = system.System{
	Name: "follow", Title: "follow",
	Plan: func(w *workload.Workload, _ *machine.Machine, o *system.Options) (*program.Program, error) {
		r, p := rand.New(rand.NewPCG(uint64(o.Seed), 1)), &program.Program{}
		for k := range len(w.Kernels) + 1 {
			for range r.IntN(4) {
				p.Ops = append(p.Ops, program.Op{
					At: workload.KernelID(k), Kind: program.Kind(r.IntN(7)), Tensor: workload.TensorID(r.IntN(len(w.Tensors))),
					To: []machine.Tier{machine.SSD, machine.Host}[r.IntN(2)],
				})
			}
		}
		return p, nil
	},
	Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{Swapper: func(r *swap.Run) (swap.Swapper, error) {
			f := swap.NewFollower(r)
			f.Room = r.Furthest
			return f, nil
		}}
	},
}

// Whatever a swapper does, the laws hold.
func TestLaws(t *testing.T) {
	t.Run("bytes", func(t *testing.T) { systemtest.Run(t, restlessSystem(swap.Rules{})) })
	t.Run("copies", func(t *testing.T) { systemtest.Run(t, restlessSystem(swap.Rules{Copies: true, Warm: 2})) })
	t.Run("pytorch", func(t *testing.T) {
		systemtest.Run(t, restlessSystem(swap.Rules{Allocator: swap.PyTorch, Reserve: 990_000, Trim: 3}))
	})
	t.Run("reclaim", func(t *testing.T) {
		systemtest.Run(t, restlessSystem(swap.Rules{Allocator: swap.PyTorch, Reclaim: true, Limit: 400_000, Copies: true}))
	})
	t.Run("program", func(t *testing.T) { systemtest.Run(t, follow) })
}

// follower returns the runtime of a system that follows its program, with victims by
// next use.
func follower(s swap.Rules) swap.Memory {
	return swap.Memory{Rules: s, Swapper: func(r *swap.Run) (swap.Swapper, error) {
		f := swap.NewFollower(r)
		f.Room = r.Furthest
		return f, nil
	}}
}

// Small runs, computed by hand: a page takes 50 cycles to or from the host, 100 to or
// from the SSD, a kernel 100.
func TestToys(t *testing.T) {
	const a, b, weight = 0, 1, 6
	at := func(k workload.KernelID, kind program.Kind, t workload.TensorID) program.Op {
		return program.Op{At: k, Kind: kind, Tensor: t, To: machine.Host}
	}
	tests := []struct {
		name  string
		pages int64 // of every tensor
		gpu   int64
		ops   []program.Op
		swap  swap.Rules
		// What the first and the second iteration are to be.
		time   [2]unit.Cycles
		ledger [2]result.Ledger
		counts [2]result.Swapping
		moved  [2]unit.Bytes // out and in
	}{
		{
			name: "all fits", pages: 1, gpu: 8,
			time:   [2]unit.Cycles{650, 600},
			ledger: [2]result.Ledger{{HostRead: 50}},
			counts: [2]result.Swapping{{Demand: 1}},
			moved:  [2]unit.Bytes{4096, 0},
		}, {
			name: "leaves and comes in time", pages: 1, gpu: 8,
			ops:    []program.Op{at(2, program.Evict, a), at(4, program.Prefetch, a)},
			time:   [2]unit.Cycles{650, 600},
			ledger: [2]result.Ledger{{HostRead: 50}},
			counts: [2]result.Swapping{{Demand: 1, Early: 1, Ahead: 1}, {Early: 1, Ahead: 1}},
			moved:  [2]unit.Bytes{3 * 4096, 2 * 4096},
		}, {
			name: "comes too late", pages: 4, gpu: 64, // its kernel begins when it is asked for
			ops:    []program.Op{at(2, program.Evict, a), at(5, program.Prefetch, a)},
			time:   [2]unit.Cycles{850, 800},
			ledger: [2]result.Ledger{{HostRead: 50, LatePrefetch: 200}, {LatePrefetch: 200}},
			counts: [2]result.Swapping{{Demand: 1, Early: 1, Late: 1, Ahead: 1}, {Early: 1, Late: 1, Ahead: 1}},
			moved:  [2]unit.Bytes{9 * 4096, 8 * 4096},
		}, {
			name: "copied ahead, gone at once, back in time", pages: 4, gpu: 64, // a copy and its way back are 200 each
			ops:    []program.Op{at(1, program.Copy, a), at(3, program.Evict, a), at(3, program.Prefetch, a)},
			time:   [2]unit.Cycles{650, 600},
			ledger: [2]result.Ledger{{HostRead: 50}},
			counts: [2]result.Swapping{{Demand: 1, Early: 1, Ahead: 1}, {Early: 1, Ahead: 1}},
			moved:  [2]unit.Bytes{9 * 4096, 8 * 4096},
		}, {
			name: "copied and forgotten", pages: 1, gpu: 8, // and copied again when it leaves
			ops:    []program.Op{at(1, program.Copy, a), at(2, program.Forget, a), at(3, program.Evict, a), at(4, program.Prefetch, a)},
			time:   [2]unit.Cycles{650, 600},
			ledger: [2]result.Ledger{{HostRead: 50}},
			counts: [2]result.Swapping{{Demand: 1, Early: 1, Ahead: 1}, {Early: 1, Ahead: 1}},
			moved:  [2]unit.Bytes{4 * 4096, 3 * 4096},
		}, {
			name: "called back before its copy begins", pages: 4, gpu: 64, // behind that of b
			ops:    []program.Op{at(3, program.Evict, b), at(3, program.Evict, a), at(3, program.Prefetch, a)},
			time:   [2]unit.Cycles{650, 600},
			ledger: [2]result.Ledger{{HostRead: 50}},
			counts: [2]result.Swapping{{Demand: 1, Ahead: 2}, {Ahead: 2}}, // b is needed while its copy is made
			moved:  [2]unit.Bytes{5 * 4096, 4 * 4096},
		}, {
			name: "given up", pages: 1, gpu: 8,
			ops:    []program.Op{at(2, program.Free, a)},
			time:   [2]unit.Cycles{750, 700},
			ledger: [2]result.Ledger{{HostRead: 50, Recomputation: 100}, {Recomputation: 100}},
			counts: [2]result.Swapping{{Demand: 1, Recomputed: 1}, {Recomputed: 1}},
			moved:  [2]unit.Bytes{4096, 0},
		}, {
			name: "a chain given up", pages: 1, gpu: 8, // a comes back for b's sake and stays
			ops:    []program.Op{at(3, program.Free, a), at(3, program.Free, b), at(4, program.Recompute, b)},
			time:   [2]unit.Cycles{850, 800},
			ledger: [2]result.Ledger{{HostRead: 50, Recomputation: 200}, {Recomputation: 200}},
			counts: [2]result.Swapping{{Demand: 1, Recomputed: 2}, {Recomputed: 2}},
			moved:  [2]unit.Bytes{4096, 0},
		}, {
			name: "barrier", pages: 4, gpu: 64, // a begins to leave with f2, that waits for the weight at first
			ops:    []program.Op{at(2, program.Evict, a), at(3, program.Barrier, 0), at(4, program.Prefetch, a), at(5, program.Barrier, 0)},
			time:   [2]unit.Cycles{800, 800},
			ledger: [2]result.Ledger{{HostRead: 50, Eviction: 50, LatePrefetch: 100}, {Eviction: 100, LatePrefetch: 100}},
			counts: [2]result.Swapping{{Demand: 1, Early: 1, Ahead: 1}, {Early: 1, Ahead: 1}},
			moved:  [2]unit.Bytes{9 * 4096, 8 * 4096},
		}, {
			name: "what is copied is not written", pages: 1, gpu: 8, // the weight leaves when its kernel begins
			ops:    []program.Op{at(5, program.Evict, weight)},
			time:   [2]unit.Cycles{700, 650}, // at first it has a copy, is gone at once and comes again
			ledger: [2]result.Ledger{{HostRead: 100}, {Eviction: 50}},
			counts: [2]result.Swapping{{Demand: 2, Ahead: 1}, {Ahead: 1}},
			moved:  [2]unit.Bytes{2 * 4096, 4096},
		}, {
			name: "the same where all is copied", pages: 1, gpu: 8, swap: swap.Rules{Copies: true},
			ops:    []program.Op{at(5, program.Evict, weight)},
			time:   [2]unit.Cycles{700, 650},
			ledger: [2]result.Ledger{{HostRead: 50, Eviction: 50}, {Eviction: 50}},
			counts: [2]result.Swapping{{Demand: 1, Ahead: 1}, {Ahead: 1}},
			moved:  [2]unit.Bytes{2 * 4096, 4096},
		}, {
			name: "no room", pages: 1, gpu: 4, // dc takes a's place. In the second iteration the weight is not older than a
			time:   [2]unit.Cycles{750, 700},
			ledger: [2]result.Ledger{{HostRead: 100, Eviction: 50}, {HostRead: 50, Eviction: 50}},
			counts: [2]result.Swapping{{Demand: 2, Forced: 1}, {Demand: 1, Forced: 1}},
			moved:  [2]unit.Bytes{3 * 4096, 2 * 4096},
		}, {
			name: "to the SSD", pages: 1, gpu: 8, // both of its channels at the same time
			ops:    []program.Op{{At: 2, Kind: program.Evict, Tensor: a, To: machine.SSD}, at(5, program.Prefetch, a)},
			time:   [2]unit.Cycles{750, 700},
			ledger: [2]result.Ledger{{HostRead: 50, LatePrefetch: 100}, {LatePrefetch: 100}},
			counts: [2]result.Swapping{{Demand: 1, Early: 1, Late: 1, Ahead: 1, SSD: unit.Page}, {Early: 1, Late: 1, Ahead: 1, SSD: unit.Page}},
			moved:  [2]unit.Bytes{3 * 4096, 2 * 4096},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, m := enginetest.Workload(test.pages), enginetest.Machine(test.gpu)
			m.HostMemory = unit.GiB
			r, err := engine.Run(w, &program.Program{Ops: test.ops}, engine.Config{Machine: m, Runtime: follower(test.swap), Iterations: 2})
			if err != nil {
				t.Fatal(err)
			}
			for i, it := range r.Iterations {
				got := *it.Swapping
				got.Reserved = 0
				if it.Time != test.time[i] || it.Ledger != test.ledger[i] || got != test.counts[i] {
					t.Errorf("iteration %d takes %d: %+v, %+v, want %d: %+v, %+v", i, it.Time, it.Ledger, got, test.time[i], test.ledger[i], test.counts[i])
				}
				if n := it.Traffic.HostIn + it.Traffic.HostOut + it.Traffic.SSDIn + it.Traffic.SSDOut; n != test.moved[i] {
					t.Errorf("iteration %d moves %v, want %v", i, n, test.moved[i])
				}
			}
		})
	}
}

// What does not fit says what is missing, and calls fragmentation by its name.
func TestDoesNotFit(t *testing.T) {
	const mib = unit.MiB
	ids := func(ts ...workload.TensorID) []workload.TensorID { return ts }
	// Segments of 20 MiB: the second tensor stays in the middle of the first one.
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: 6 * mib}, {Bytes: 6 * mib}, {Bytes: 6 * mib}, {Bytes: 14 * mib}},
		Kernels: []workload.Kernel{
			{Name: "three", Time: unit.Millisecond, Outputs: ids(0, 1, 2)},
			{Name: "large", Time: unit.Millisecond, Inputs: ids(1), Outputs: ids(3)},
		},
	}
	m := machine.G10()
	m.GPUMemory = 28 * mib
	run := func(s swap.Rules) error {
		_, err := engine.Run(w, &program.Program{}, engine.Config{Machine: m, Runtime: follower(s), Iterations: 1})
		return err
	}
	if err := run(swap.Rules{}); err != nil {
		t.Error("in bytes alone it fits:", err)
	}
	var no *engine.DoesNotFit
	err := run(swap.Rules{Allocator: swap.PyTorch})
	if want := "kernel 1 (large) needs 14 MiB for tensor 3, but 22 MiB of 28 MiB are free, the largest free piece has 8 MiB, and no segment of 14 MiB fits beside the 20 MiB that are reserved (fragmentation)"; !errors.As(err, &no) || !strings.Contains(no.Reason, want) {
		t.Errorf("%v; want %q", err, want)
	}
	m.GPUMemory = 36 * mib
	if err := run(swap.Rules{Allocator: swap.PyTorch}); err != nil {
		t.Error("with room for one more segment it fits:", err)
	}
	if err := run(swap.Rules{Allocator: swap.PyTorch, Reserve: 800_000}); err == nil {
		t.Error("the reserve takes it away, and it fits")
	}
	if err := run(swap.Rules{Reserve: 500_000}); !errors.As(err, &no) {
		t.Errorf("a kernel larger than the reserve: %v", err)
	}
}

// With memory for everything only weights come, once; then a run is as fast as Ideal,
// with either allocator, and its memory is that which the allocator mapped at first.
func TestLargeMemory(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		w, m := systemtest.Workload(r, float64(seed)/100), systemtest.Machine(r)
		m.GPUMemory, m.HostMemory = 4*unit.GiB, unit.GiB
		for _, s := range []swap.Rules{{}, {Allocator: swap.PyTorch, Copies: true}} {
			res, err := engine.Run(w, &program.Program{}, engine.Config{Machine: m, Runtime: follower(s), Iterations: 3, Quirks: quirk.Corrected()})
			if err != nil {
				t.Fatal(err)
			}
			var weights unit.Bytes
			for i, held := range w.Held() {
				if w.Tensors[i].Global && !held {
					weights += w.Tensors[i].Bytes.Aligned()
				}
			}
			want := result.Traffic{HostIn: weights}
			for i, it := range res.Iterations {
				if it.Traffic != want {
					t.Fatalf("seed %d: iteration %d moves %+v, want %+v", seed, i, it.Traffic, want)
				}
				if want = (result.Traffic{}); i > 1 && it.Time != res.Ideal {
					t.Fatalf("seed %d: iteration %d takes %d, ideal is %d: %+v", seed, i, it.Time, res.Ideal, it.Ledger)
				}
			}
		}
	}
}

// BenchmarkRun is a run of a long chain in a tenth of its memory, every tensor out and
// in again.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		for _, s := range []struct {
			name string
			swap swap.Rules
		}{{"bytes", swap.Rules{}}, {"pytorch", swap.Rules{Allocator: swap.PyTorch}}} {
			b.Run(fmt.Sprint(s.name, "/", n), func(b *testing.B) {
				w := &workload.Workload{}
				kernel := func(in, out []workload.TensorID) {
					w.Kernels = append(w.Kernels, workload.Kernel{Time: unit.Millisecond, Inputs: in, Outputs: out})
				}
				for i := range n {
					w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(8+i%16) * unit.MiB})
					if t := workload.TensorID(i); i > 0 {
						kernel([]workload.TensorID{t - 1}, []workload.TensorID{t})
					}
				}
				for i := n - 1; i > 0; i-- {
					kernel([]workload.TensorID{workload.TensorID(i), workload.TensorID(i - 1)}, nil)
				}
				m := machine.G10()
				m.GPUMemory = unit.Bytes(n) * 3 * unit.MiB / 2
				rt := follower(s.swap)
				rt.Swapper = func(r *swap.Run) (swap.Swapper, error) {
					f := swap.NewFollower(r)
					f.Room = r.LeastRecent
					return f, nil
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := engine.Run(w, &program.Program{}, engine.Config{Machine: m, Runtime: rt, Iterations: 2}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
