package autotm

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// work is a workload of kernels that take so many milliseconds and tensors of so many
// MiB, on a machine that moves a MiB in a millisecond.
func work(mib []int64, globals int, ms []int64, kernels ...[2][]workload.TensorID) (*workload.Workload, machine.Machine) {
	w := &workload.Workload{}
	for i, n := range mib {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(n) * unit.MiB, Global: i < globals})
	}
	for i, k := range kernels {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Time(ms[i]) * unit.Millisecond, Inputs: k[0], Outputs: k[1]})
	}
	m := machine.G10()
	rate := unit.Bandwidth(unit.MiB) * 1000
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate, rate, rate, rate
	m.HostMemory = unit.GiB
	return w, m
}

type ids = []workload.TensorID

const ms unit.Cycles = 1_200_000 // of the machine's clock

func solved(w *workload.Workload, m machine.Machine) *problem {
	p := newProblem(swapplan.LoadOf(w), &m)
	p.solve(nil)
	return p
}

func text(p *problem) string {
	var b strings.Builder
	if err := p.program().WriteText(&b); err != nil {
		panic(err)
	}
	return b.String()
}

// Tensor 0 (3 MiB) is written by kernel 0 and read by kernel 6; tensor 1 (2 MiB) is what
// kernels 3 and 4 need.
func TestHides(t *testing.T) {
	kernels := [][2]ids{{nil, {0}}, {nil, {2}}, {nil, {2}}, {nil, {1}}, {{1}, nil}, {nil, {2}}, {{0}, nil}}
	for _, tt := range []struct {
		name   string
		memory int64
		ms     []int64
		want   string
		time   unit.Cycles
	}{
		{"it fits", 5, []int64{1, 1, 1, 1, 1, 1, 1}, "", 7 * ms},
		// Kernels 2 and 5 take as long as a move.
		{"beside long kernels", 4, []int64{1, 1, 3, 1, 1, 3, 1}, "2: evict 0→host\n3: barrier\n5: prefetch 0\n6: barrier\n", 11 * ms},
		{"beside what is nearest in the gap of equals", 4, []int64{1, 3, 3, 1, 1, 3, 1}, "1: evict 0→host\n2: barrier\n5: prefetch 0\n6: barrier\n", 13 * ms},
		// No kernel hides more than a millisecond of the three.
		{"beside short kernels", 4, []int64{1, 1, 1, 1, 1, 1, 1}, "1: evict 0→host\n2: barrier\n5: prefetch 0\n6: barrier\n", 11 * ms},
	} {
		w, m := work([]int64{3, 2, 1}, 0, tt.ms, kernels...)
		m.GPUMemory = unit.Bytes(tt.memory) * unit.MiB
		p := solved(w, m)
		if p.over > 0 || text(p) != tt.want || p.objective() != tt.time {
			t.Errorf("%s: %d cycles, %d kernels do not fit, program\n%swant %d and\n%s", tt.name, p.objective(), p.over, text(p), tt.time, tt.want)
		}
	}
}

// Between two kernels that need all memory a tensor moves while everything waits.
func TestMovesBetweenKernels(t *testing.T) {
	w, m := work([]int64{3, 4}, 0, []int64{1, 1, 1}, [2]ids{nil, {0}}, [2]ids{nil, {1}}, [2]ids{{0}, nil})
	m.GPUMemory = 16 * unit.MiB / 4
	p := solved(w, m)
	want := "1: evict 0→host barrier\n2: prefetch 0 barrier\n"
	if text(p) != want || p.objective() != 9*ms {
		t.Errorf("%d cycles, program\n%swant %d and\n%s", p.objective(), text(p), 9*ms, want)
	}
}

// A tensor that leaves twice is written back once; a weight that no kernel writes never.
func TestWrittenOnce(t *testing.T) {
	for _, tt := range []struct {
		globals int
		time    unit.Cycles
	}{
		{0, (5 + 3*3) * ms}, // out, in, in
		{1, (5 + 2*3) * ms},
	} {
		kernels := [][2]ids{{nil, {0}}, {nil, {1}}, {{0}, nil}, {nil, {1}}, {{0}, nil}}
		if tt.globals == 1 {
			kernels[0] = [2]ids{{0}, nil}
		}
		w, m := work([]int64{3, 4}, tt.globals, []int64{1, 1, 1, 1, 1}, kernels...)
		m.GPUMemory = 4 * unit.MiB
		if p := solved(w, m); p.objective() != tt.time || p.over > 0 {
			t.Errorf("%d globals: %d cycles, want %d", tt.globals, p.objective(), tt.time)
		}
	}
}

// drawn is a random problem.
func drawn(seed uint64, size float64) (*workload.Workload, machine.Machine) {
	r := rand.New(rand.NewPCG(seed, 3))
	w, m := systemtest.Workload(r, size), systemtest.Machine(r)
	if seed%2 == 0 {
		w = systemtest.Convolutional(r, size)
	}
	systemtest.Squeeze(r, w, &m)
	m.HostMemory = unit.GiB
	return w, m
}

// TestState compares what is kept up to date with what follows from the choices.
func TestState(t *testing.T) {
	moved := 0
	for seed := range uint64(200) {
		w, m := drawn(seed, 0.2+float64(seed)/250)
		p := solved(w, m)
		fresh := newProblem(swapplan.LoadOf(w), &m)
		for i, c := range p.chosen {
			if c.moved {
				moved++
				fresh.set(int32(i), c)
			}
		}
		if !slices.Equal(p.beside, fresh.beside) || !slices.Equal(p.excess, fresh.excess) || p.between != fresh.between || p.over != fresh.over {
			t.Fatalf("seed %d: %v %v %d %d, want %v %v %d %d", seed, p.beside, p.excess, p.between, p.over, fresh.beside, fresh.excess, fresh.between, fresh.over)
		}
		if p.over > 0 {
			t.Errorf("seed %d: %d kernels do not fit, though each would alone", seed, p.over)
		}
	}
	if moved < 200 {
		t.Errorf("%d gaps are moved; the test shows little", moved)
	}
}

// TestObjectiveBoundsTheEngine runs what was solved: the engine's two directions work at
// the same time, so that an iteration takes at most the objective.
func TestObjectiveBoundsTheEngine(t *testing.T) {
	for seed := range uint64(300) {
		w, m := drawn(seed, 0.2+float64(seed)/400)
		p := solved(w, m)
		o := system.Published()
		o.Quirks = quirk.Corrected()
		r, err := engine.Run(w, p.program(), engine.Config{Machine: m, Runtime: System.Runtime(&o), Quirks: o.Quirks, Iterations: 3})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Time() > p.objective() {
			t.Errorf("seed %d: %d cycles, the objective is %d", seed, r.Time(), p.objective())
		}
	}
}

// exact finds the least objective by branch and bound over every choice for every gap.
func (p *problem) exact(i int, best unit.Cycles) unit.Cycles {
	if i == len(p.gaps) {
		if p.over > 0 {
			return best
		}
		return min(best, p.objective())
	}
	// What is charged only grows, but that an earlier copy may replace a later one: gaps
	// of one value follow each other, so that later ones are not charged yet.
	if p.objective() >= best {
		return best
	}
	best = p.exact(i+1, best)
	g := &p.gaps[i]
	for out := g.at - 1; out < g.end; out++ {
		c := choice{moved: true, syncOut: out < g.at, out: max(out, g.at)}
		for in := g.end; in > c.from(); in-- {
			c.syncIn, c.in = in == g.end, in
			p.set(int32(i), c)
			best = p.exact(i+1, best)
			p.set(int32(i), choice{})
		}
	}
	return best
}

// TestExact compares with the optimum of small problems.
func TestExact(t *testing.T) {
	problems, same := 0, 0
	worst, sum := 1.0, 0.0
	for seed := uint64(0); problems < 120 && seed < 8000; seed++ {
		r := rand.New(rand.NewPCG(seed, 4))
		w, m := systemtest.Workload(r, 0.2+0.3*r.Float64()), systemtest.Machine(r)
		systemtest.Squeeze(r, w, &m)
		m.HostMemory = unit.GiB
		l := swapplan.LoadOf(w)
		least, most := slices.Max(l.Own), slices.Max(l.Alive)
		m.GPUMemory = least + (most-least)/4
		p := newProblem(l, &m)
		if len(p.gaps) < 3 || p.over == 0 {
			continue
		}
		choices := 1.0
		for i := range p.gaps {
			n := float64(p.gaps[i].end - p.gaps[i].at)
			choices *= 1 + (n+1)*(n+2)/2
		}
		if choices > 3e6 {
			continue
		}
		problems++
		best := p.exact(0, swapplan.Never)
		p.solve(nil)
		got := p.objective()
		if got < best {
			t.Fatalf("seed %d: %d cycles, the optimum is %d", seed, got, best)
		}
		if got == best {
			same++
		}
		gap := float64(got) / float64(best)
		worst, sum = max(worst, gap), sum+gap
	}
	mean := sum / float64(problems)
	t.Logf("%d problems: %d solved exactly, in the mean %.2f %% more, at most %.1f %%", problems, same, 100*(mean-1), 100*(worst-1))
	if problems < 60 || mean > 1.02 || worst > 1.2 {
		t.Errorf("%d problems, %d solved exactly, in the mean %.3f of the optimum, at most %.3f", problems, same, mean, worst)
	}
}

// chain is a network whose n layers' outputs all wait for the backward pass, on a GPU
// with room for an eighth of them.
func chain(n int) (*workload.Workload, machine.Machine) {
	mib, times, kernels := []int64{1}, []int64{}, [][2]ids{}
	for i := range n {
		mib, times = append(mib, int64(1+i%3)), append(times, int64(1+i%5))
		kernels = append(kernels, [2]ids{{workload.TensorID(i)}, {workload.TensorID(i + 1)}})
	}
	for i := range n {
		times = append(times, int64(1+i%5))
		kernels = append(kernels, [2]ids{{workload.TensorID(n - i)}, nil})
	}
	w, m := work(mib, 0, times, kernels...)
	m.GPUMemory, m.HostMemory = unit.Bytes(n/4)*unit.MiB, 1024*unit.GiB
	return w, m
}

// However many kernels there are, work ends: what patience leaves is little more than
// looking at every gap once or twice.
func TestPatience(t *testing.T) {
	w, m := chain(1000)
	all := solved(w, m)
	p := newProblem(swapplan.LoadOf(w), &m)
	once := 0
	for i := range p.gaps {
		once += int(p.gaps[i].end - p.gaps[i].at)
	}
	p.patience = once
	p.solve(nil)
	if p.over > 0 || p.work > 6*once || all.work < 2*p.work {
		t.Errorf("%d kernels do not fit after work %d; gaps have %d kernels, work without an end is %d", p.over, p.work, once, all.work)
	}
	t.Logf("%d cycles instead of %d, work %d instead of %d", p.objective(), all.objective(), p.work, all.work)
	if best := all.objective(); p.objective() > 2*best {
		t.Errorf("%d cycles, with patience %d", p.objective(), best)
	}
}

// Progress is told often, from the first gaps on.
func TestTells(t *testing.T) {
	w, m := chain(800)
	p := newProblem(swapplan.LoadOf(w), &m)
	last, calls, was := 0, 0, 0
	p.solve(func(done, total int) {
		if calls++; p.work-last > 2*often || done < was || done > total {
			t.Errorf("call %d is after work of %d; %d of %d after %d", calls, p.work-last, done, total, was)
		}
		last, was = p.work, done
	})
	if calls < 20 || p.over > 0 {
		t.Errorf("%d calls, %d kernels do not fit", calls, p.over)
	}
}

// BenchmarkLong solves a problem of 40 000 kernels.
func BenchmarkLong(b *testing.B) {
	w, m := chain(20000)
	for b.Loop() {
		solved(w, m)
	}
}
