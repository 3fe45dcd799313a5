package swapadvisor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

type ids = []workload.TensorID

// work is a workload of kernels of a millisecond and tensors of so many MiB, the first
// globals of them global, on a machine that moves a MiB in a millisecond.
func work(mib []int64, globals int, memory unit.Bytes, kernels ...[2]ids) *planner {
	w := &workload.Workload{}
	for i, n := range mib {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(n) * unit.MiB, Global: i < globals})
	}
	for _, k := range kernels {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Millisecond, Inputs: k[0], Outputs: k[1]})
	}
	m := machine.G10()
	m.GPUMemory = memory
	rate := unit.Bandwidth(unit.MiB) * 1000
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate, rate, rate, rate
	m.HostMemory = unit.GiB
	return newPlanner(swapplan.LoadOf(w), &m)
}

func (p *planner) even(a *allocation, ahead int32) ([]swapplan.Stay, unit.Cycles) {
	return p.plan(a, make([]int8, len(p.sizeOf)), ahead)
}

// Four tensors of one class and three chunks: kernel 3 takes that of the tensor whose
// next use is furthest away.
func TestBelady(t *testing.T) {
	kernels := [][2]ids{{nil, {0}}, {nil, {1}}, {nil, {2}}, {nil, {3}}, {{1, 3}, nil}, {{0}, nil}, {{2}, nil}}
	p := work([]int64{1, 1, 1, 1}, 0, 3*unit.MiB, kernels...)
	a := &allocation{cuts: []int32{0}, chunks: []int32{3}}
	stays, _ := p.even(a, 0)
	// Its way out began when its last use was over, though nobody needed the chunk then.
	if want := []swapplan.Stay{{Tensor: 2, Out: 3, In: 6}}; !slices.Equal(stays, want) {
		t.Errorf("stays %v, want %v", stays, want)
	}
	// With a priority tensor 2 counts as near, tensor 0 is next.
	weight := make([]int8, 4)
	weight[2] = -even / 2
	stays, _ = p.plan(a, weight, 0)
	if want := []swapplan.Stay{{Tensor: 0, Out: 1, In: 5}}; !slices.Equal(stays, want) {
		t.Errorf("with a priority: stays %v, want %v", stays, want)
	}
	// With a class of its own for the others nothing changes for four tensors of a size.
	if _, time := p.even(&allocation{cuts: []int32{0}, chunks: []int32{1}}, 0); time != swapplan.Never {
		t.Errorf("one chunk is enough for kernel 4: %d cycles", time)
	}
}

// Tensors of different classes do not take each other's chunks.
func TestClasses(t *testing.T) {
	// 0 and 1 have 1 MiB, 2 and 3 have 2.
	kernels := [][2]ids{{nil, {0}}, {nil, {2}}, {nil, {3}}, {{3}, nil}, {{2}, nil}, {nil, {1}}, {{1}, nil}, {{0}, nil}}
	p := work([]int64{1, 1, 2, 2}, 0, 4*unit.MiB, kernels...)
	stays, _ := p.even(&allocation{cuts: []int32{0, 1}, chunks: []int32{2, 1}}, 0)
	if want := []swapplan.Stay{{Tensor: 2, Out: 2, In: 4}}; !slices.Equal(stays, want) {
		t.Errorf("one chunk of 2 MiB: stays %v, want %v", stays, want)
	}
	stays, _ = p.even(&allocation{cuts: []int32{0}, chunks: []int32{2}}, 0)
	if want := []swapplan.Stay{{Tensor: 0, Out: 1, In: 7}}; !slices.Equal(stays, want) {
		t.Errorf("two chunks for all: stays %v, want %v", stays, want)
	}
}

// A tensor comes back as early as there is a chunk from then on, after its way out, and
// at most so far ahead.
func TestEarly(t *testing.T) {
	// Tensors 1 and 2 need both chunks in kernel 2; tensor 0 is needed in kernel 9.
	kernels := [][2]ids{{nil, {0}}, {nil, {2}}, {{2}, {1}}, {{1}, nil}, {nil, {3}}, {nil, {3}}, {nil, {3}}, {nil, {3}}, {nil, {3}}, {{0}, nil}}
	p := work([]int64{1, 1, 1, 1}, 0, 2*unit.MiB, kernels...)
	a := &allocation{cuts: []int32{0}, chunks: []int32{2}}
	for _, tt := range []struct {
		ahead int32
		in    workload.KernelID
	}{{0, 9}, {1, 8}, {3, 6}, {100, 3}} {
		stays, _ := p.even(a, tt.ahead)
		if want := []swapplan.Stay{{Tensor: 0, Out: 1, In: tt.in}}; !slices.Equal(stays, want) {
			t.Errorf("at most %d kernels ahead: stays %v, want %v", tt.ahead, stays, want)
		}
	}
	// With more to move, its way out ends later: 6 MiB out from kernel 1 on.
	for i := range p.load.Workload.Tensors {
		p.load.Workload.Tensors[i].Bytes = 6 * unit.MiB
	}
	m := machine.G10()
	m.GPUMemory, m.HostMemory = 12*unit.MiB, unit.GiB
	rate := unit.Bandwidth(unit.MiB) * 1000
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate, rate, rate, rate
	p = newPlanner(swapplan.LoadOf(p.load.Workload), &m)
	stays, _ := p.even(a, 100)
	if len(stays) != 1 || p.start(int32(stays[0].In)) < p.timer.Ended[0] {
		t.Errorf("stays %v: it comes back at %d, its way out ends at %d", stays, p.start(int32(stays[0].In)), p.timer.Ended[0])
	}
}

// Weights that need not leave around the end of an iteration are there when it begins;
// the others come for their first use and leave after their last.
func TestWeights(t *testing.T) {
	// Globals 0 and 1 are used at the beginning and at the end, 2 in the middle by a kernel
	// that needs two more tensors.
	kernels := [][2]ids{{{0}, nil}, {{1}, nil}, {{2}, {3, 4}}, {{3, 4}, nil}, {{1}, nil}, {{0}, nil}, {nil, {5}}}
	p := work([]int64{1, 1, 1, 1, 1, 1}, 3, 3*unit.MiB, kernels...)
	stays, time := p.even(&allocation{cuts: []int32{0}, chunks: []int32{3}}, 0)
	if time == swapplan.Never {
		t.Fatal("it does not fit")
	}
	want := []swapplan.Stay{{Tensor: 2, Out: 3, In: 2}, {Tensor: 1, Out: 2, In: 4}, {Tensor: 0, Out: 1, In: 5}}
	slices.SortFunc(stays, func(a, b swapplan.Stay) int { return int(b.Tensor - a.Tensor) })
	if !slices.Equal(stays, want) {
		t.Errorf("stays %v, want %v", stays, want)
	}
	if !p.initial[0] || !p.initial[1] || p.initial[2] {
		t.Errorf("at the start there are %v", p.initial[:3])
	}
}

// A searching is a search and what it is over.
type searching struct {
	*geneticSearch
	machine machine.Machine
}

// searchOver returns a search over a random network, its first generation judged.
func searchOver(seed uint64) searching {
	r := rand.New(rand.NewPCG(seed, 2))
	w, m := systemtest.Convolutional(r, 0.3+0.7*r.Float64()), machine.G10()
	systemtest.Squeeze(r, w, &m)
	s := newSearch(newPlanner(swapplan.LoadOf(w), &m), 12, seed)
	s.begin()
	return searching{s, m}
}

// No generation is worse than the one before; some are better.
func TestGenerations(t *testing.T) {
	better := 0
	for seed := range uint64(20) {
		s := searchOver(seed)
		first := s.all[0].time
		was := first
		for i := range 10 {
			s.generation()
			if len(s.all) != 12 || !slices.IsSortedFunc(s.all, func(a, b individual) int { return int(min(1, max(-1, a.time-b.time))) }) {
				t.Fatalf("seed %d, generation %d: the population is not 12 in order", seed, i)
			}
			if s.all[0].time > was {
				t.Fatalf("seed %d, generation %d: %d cycles after %d", seed, i, s.all[0].time, was)
			}
			was = s.all[0].time
		}
		if was < first {
			better++
		}
		if again := s.all[0]; again.time != swapplan.Never {
			if _, time := s.plan(&again); time != again.time {
				t.Errorf("seed %d: the plan of the best takes %d cycles, then %d", seed, again.time, time)
			}
		}
	}
	if better < 5 {
		t.Errorf("in %d of 20 searches the last generation is better than the first", better)
	}
}

// A search ends when nothing is left to hide, or when nothing better is found for long.
func TestDone(t *testing.T) {
	p := work([]int64{1, 1}, 0, 16*unit.MiB, [2]ids{nil, {0}}, [2]ids{{0}, {1}})
	s := newSearch(p, 4, 1)
	if s.begin(); !s.done() || s.all[0].time != s.ideal {
		t.Errorf("what fits takes %d cycles, kernels %d; done is %v", s.all[0].time, s.ideal, s.done())
	}
	x := searchOver(3)
	x.ideal = 0
	for n := 0; !x.done(); n++ {
		was := x.all[0].time
		if x.generation(); (x.still == 0) != (x.all[0].time < was) || n > 300 {
			t.Fatalf("after generation %d, from %d to %d cycles: %d without a better plan", n, was, x.all[0].time, x.still)
		}
	}
	if x.still != patience {
		t.Errorf("it ends after %d generations without a better plan, want %d", x.still, patience)
	}
}

// TestBudget: a search ends when its work is used up, in the middle of a generation.
func TestBudget(t *testing.T) {
	x := searchOver(3)
	x.ideal = 0
	x.worth = x.work
	if was := x.tried; !x.done() {
		t.Error("it is not done")
	} else if x.generation(); x.tried != was || len(x.all) != 2 {
		t.Errorf("a generation without a budget judges %d and leaves %d", x.tried-was, len(x.all))
	}
	was := x.tried
	x.worth = x.work + 1
	if x.generation(); x.tried != was+1 {
		t.Errorf("%d are judged, want one", x.tried-was)
	}
	s := newSearch(x.planner, 1000, 3)
	s.worth = 0
	if s.begin(); s.tried != 1 || len(s.all) != 1 {
		t.Errorf("%d are judged without a budget, %d live", s.tried, len(s.all))
	}
}

// TestFitness: an individual is as fit as its plan is fast in the engine.
func TestFitness(t *testing.T) {
	exact, far := 0, 0
	for seed := range uint64(100) {
		s := searchOver(seed)
		best := &s.all[0]
		if best.time == swapplan.Never {
			t.Fatalf("seed %d: no plan", seed)
		}
		stays, _ := s.plan(best)
		r, err := engine.Run(s.load.Workload, swapplan.Program(stays, nil), engine.Config{
			Machine: s.machine, Runtime: System.Runtime(nil), Quirks: quirk.Corrected(), Iterations: 3,
		})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Iterations[1].Time == best.time {
			exact++
		}
		if d := float64(r.Iterations[1].Time-best.time) / float64(best.time); d < -0.05 || d > 0.05 {
			far++
		}
	}
	t.Logf("%d of 100 times are the same, %d differ by more than 5 %%", exact, far)
	if exact < 50 || far > 10 {
		t.Errorf("%d of 100 times are the same, %d differ by more than 5 %%", exact, far)
	}
}

// TestDivide: chunks take no more than there is, cover what single kernels need, and do
// not exceed what is ever used.
func TestDivide(t *testing.T) {
	divided := 0
	for seed := range uint64(60) {
		s := searchOver(seed)
		for i := range s.all {
			x := &s.all[i]
			if !s.divide(x) {
				continue
			}
			divided++
			var sum unit.Bytes
			for c, n := range s.alloc.chunks {
				end := len(s.sizes)
				if c+1 < len(x.cuts) {
					end = int(x.cuts[c+1])
				}
				sum += unit.Bytes(n) * s.sizes[end-1]
			}
			if sum > s.capacity || x.cuts[0] != 0 || !slices.IsSorted(x.cuts) {
				t.Fatalf("seed %d: cuts %v, chunks %v take %v of %v", seed, x.cuts, s.alloc.chunks, sum, s.capacity)
			}
			if _, time := s.plan(x); time == swapplan.Never {
				t.Fatalf("seed %d: cuts %v, chunks %v are not enough", seed, x.cuts, s.alloc.chunks)
			}
		}
	}
	if divided < 100 {
		t.Errorf("%d allocations fit; the test shows little", divided)
	}
}

// TestDivisions compares with every division of few sizes.
func TestDivisions(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 6))
		w, m := systemtest.Workload(r, 0.3), systemtest.Machine(r)
		s := newSearch(newPlanner(swapplan.LoadOf(w), &m), 4, 1)
		for _, cost := range []func(from, to int) unit.Bytes{s.needs(), s.wastes()} {
			total := func(cuts []int32) (sum unit.Bytes) {
				for c, from := range cuts {
					end := len(s.sizes)
					if c+1 < len(cuts) {
						end = int(cuts[c+1])
					}
					sum += cost(int(from), end)
				}
				return sum
			}
			best := map[int]unit.Bytes{}
			for mask := range 1 << (len(s.sizes) - 1) {
				cuts := []int32{0}
				for i := 1; i < len(s.sizes); i++ {
					if mask>>(i-1)&1 != 0 {
						cuts = append(cuts, int32(i))
					}
				}
				if x, ok := best[len(cuts)]; !ok || total(cuts) < x {
					best[len(cuts)] = total(cuts)
				}
			}
			list := s.divisions(cost)
			if len(list) != min(mostClasses, len(s.sizes)) {
				t.Fatalf("seed %d: %d divisions of %d sizes", seed, len(list), len(s.sizes))
			}
			for _, cuts := range list {
				if total(cuts) != best[len(cuts)] {
					t.Errorf("seed %d: cuts %v cost %d, others %d", seed, cuts, total(cuts), best[len(cuts)])
				}
			}
		}
	}
}

// Of many sizes neighbours count as one, none of them an eighth smaller than it counts.
func TestGroup(t *testing.T) {
	var sizes []unit.Bytes
	for i := range unit.Bytes(1 << 20) {
		sizes = append(sizes, (i*i+1)*unit.Page)
	}
	few := group(slices.Clone(sizes))
	if len(few) > 300 || few[len(few)-1] != sizes[len(sizes)-1] || !slices.IsSorted(few) {
		t.Fatalf("%d sizes up to %v", len(few), few[len(few)-1])
	}
	for _, size := range sizes {
		i, _ := slices.BinarySearch(few, size)
		if few[i] < size || size <= few[i]/8*7 && i > 0 && few[i-1] >= size {
			t.Fatalf("%v counts as %v", size, few[i])
		}
	}
	if same := group([]unit.Bytes{3, 1, 2, 2}); !slices.Equal(same, []unit.Bytes{1, 2, 3}) {
		t.Errorf("few sizes become %v", same)
	}
}
