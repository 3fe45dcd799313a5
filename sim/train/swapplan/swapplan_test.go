package swapplan_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

type ids = []workload.TensorID

// chain is a workload of kernels of a millisecond and tensors of so many MiB; the
// first globals of them are global.
func chain(globals int, mib []int64, kernels ...[2]ids) *workload.Workload {
	w := &workload.Workload{}
	for i, n := range mib {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(n) * unit.MiB, Global: i < globals})
	}
	for _, k := range kernels {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Millisecond, Inputs: k[0], Outputs: k[1]})
	}
	return w
}

// link is a machine that moves a MiB in a millisecond.
func link(memory, host unit.Bytes) machine.Machine {
	m := machine.G10()
	m.GPUMemory, m.HostMemory = memory, host
	rate := unit.Bandwidth(unit.MiB) * 1000
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate, rate, rate, rate
	return m
}

func mib(n ...int64) (b []unit.Bytes) {
	for _, n := range n {
		b = append(b, unit.Bytes(n)*unit.MiB)
	}
	return b
}

func TestLoad(t *testing.T) {
	// Tensor 0 is global, 1 lives in kernels 0 to 2, 2 dies in kernel 1 and is written
	// again in kernel 3, 3 is held.
	w := chain(1, []int64{1, 2, 4, 8}, [2]ids{{0}, {1, 2}}, [2]ids{{2}, {2}}, [2]ids{{1}, {0}}, [2]ids{{0}, {2}})
	w.Tensors[3].Global = true
	l := swapplan.LoadOf(w)
	if want := mib(15, 15, 11, 13); !slices.Equal(l.Alive, want) {
		t.Errorf("alive %v, want %v", l.Alive, want)
	}
	if want := mib(15, 12, 11, 13); !slices.Equal(l.Own, want) {
		t.Errorf("own %v, want %v", l.Own, want)
	}
	if want := []bool{true, true, true, false}; !slices.Equal(l.Used, want) {
		t.Errorf("used %v, want %v", l.Used, want)
	}
	var no *engine.DoesNotFit
	if err := l.Fits(15 * unit.MiB); err != nil {
		t.Errorf("what fits: %v", err)
	}
	if err := l.Fits(15*unit.MiB - 1); !errors.As(err, &no) || !strings.Contains(no.Reason, "kernel 0 (k) needs 15 MiB") {
		t.Errorf("what does not fit: %v", err)
	}
}

func TestStays(t *testing.T) {
	w := chain(1, []int64{1, 2}, [2]ids{{}, {1}}, [2]ids{{0}, {}}, [2]ids{{0}, {}}, [2]ids{{1}, {}})
	l := swapplan.LoadOf(w)
	stays := []swapplan.Stay{{Tensor: 0, Out: 3, In: 1}, {Tensor: 1, Out: 1, In: 3}}
	if !stays[0].Wraps() || stays[1].Wraps() {
		t.Error("the first goes on into the next iteration, the second does not")
	}
	gpu, host := l.With(stays)
	if want := mib(2, 1, 1, 2); !slices.Equal(gpu, want) {
		t.Errorf("GPU %v, want %v", gpu, want)
	}
	if want := mib(1, 2, 2, 1); !slices.Equal(host, want) {
		t.Errorf("host %v, want %v", host, want)
	}
	for _, tt := range []struct {
		gpu, host int64
		want      string
	}{
		{2, 2, ""},
		{1, 2, "while kernel 0 (k) runs, the plan leaves 2 MiB on the GPU, which has 1 MiB"},
		{2, 1, "while kernel 1 (k) runs, the plan has 2 MiB in host memory, which has 1 MiB"},
	} {
		m := link(unit.Bytes(tt.gpu)*unit.MiB, unit.Bytes(tt.host)*unit.MiB)
		err := l.Check(stays, &m)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d and %d MiB: %v, want %q", tt.gpu, tt.host, err, tt.want)
		}
	}
	var b strings.Builder
	if err := swapplan.Program(stays, []workload.KernelID{3}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if want := "1: evict 1→host prefetch 0\n3: barrier evict 0→host prefetch 1\n"; b.String() != want {
		t.Errorf("program\n%swant\n%s", b.String(), want)
	}
}

func TestBackward(t *testing.T) {
	w := chain(0, []int64{1, 1, 4, 1}, [2]ids{{}, {0}}, [2]ids{{0}, {1}}, [2]ids{{1}, {2}}, [2]ids{{2, 0}, {3}})
	check := func(what string, want ...bool) {
		t.Helper()
		if got := swapplan.LoadOf(w).Backward(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("most is alive in the last two kernels", false, false, true, true)
	w.Kernels[1].Name = "MakeLoss"
	check("a kernel is named after the loss", false, true, true, true)
	w.Tensors[2].Kind, w.Tensors[1].Kind = workload.Gradient, workload.Intermediate
	check("a gradient is known", false, false, true, true)
	w.Kernels[0].Outputs = ids{0, 2}
	check("setting it to zero is not the backward pass", false, false, true, true)
}

func TestConvolution(t *testing.T) {
	for name, want := range map[string]bool{
		"conv2d_backward": true, "ConvolutionForward": true, "cudnn_convert_then_conv": true,
		"convert_element_type": false, "fused_Convert": false, "conversion": false, "matmul": false,
	} {
		if got := swapplan.Convolution(name); got != want {
			t.Errorf("%s is a convolution: %v, want %v", name, got, want)
		}
	}
}

// TestTimer checks times that can be worked out by hand: a MiB moves in a millisecond,
// as long as a kernel takes.
func TestTimer(t *testing.T) {
	const ms = unit.Cycles(1_200_000)
	// Kernel 0 writes tensor 1 (3 MiB), which kernel 5 reads; the others use a weight.
	w := chain(1, []int64{1, 3, 2}, [2]ids{{0}, {1}}, [2]ids{{0}, {}}, [2]ids{{0}, {}}, [2]ids{{0}, {2}}, [2]ids{{0, 2}, {}}, [2]ids{{0, 1}, {}})
	l := swapplan.LoadOf(w)
	for _, tt := range []struct {
		name    string
		memory  int64
		stays   []swapplan.Stay
		barrier int // kernel, 0: none
		want    unit.Cycles
	}{
		{"nothing moves", 6, nil, 0, 6 * ms},
		{"it does not fit", 5, nil, 0, swapplan.Never},
		{"back too early", 4, []swapplan.Stay{{Tensor: 1, Out: 1, In: 4}}, 0, swapplan.Never},
		// The copy ends 4 ms after the start: kernel 3, which needs 2 MiB, waits a millisecond.
		{"back when needed", 4, []swapplan.Stay{{Tensor: 1, Out: 1, In: 5}}, 0, 6*ms + ms + 3*ms},
		{"back beside a kernel", 6, []swapplan.Stay{{Tensor: 1, Out: 1, In: 4}}, 0, 6*ms + 2*ms},
		{"wait for the copy", 6, []swapplan.Stay{{Tensor: 1, Out: 1, In: 4}}, 2, 6*ms + 2*ms + 2*ms},
		{"stays while it leaves", 6, []swapplan.Stay{{Tensor: 1, Out: 1, In: 3}}, 0, 6 * ms},
		{"waits for room", 4, []swapplan.Stay{{Tensor: 1, Out: 2, In: 5}}, 0, 6*ms + 2*ms + 3*ms},
	} {
		m := link(unit.Bytes(tt.memory)*unit.MiB, unit.GiB)
		x := swapplan.NewTimer(l, &m)
		var before []bool
		if tt.barrier > 0 {
			before = make([]bool, len(w.Kernels))
			before[tt.barrier] = true
		}
		if got := x.Run(tt.stays, before); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
		if again := x.Run(tt.stays, before); again != tt.want {
			t.Errorf("%s: %d cycles the second time, want %d", tt.name, again, tt.want)
		}
	}
}

// draw returns stays over random idle periods of a random workload: out at once, back
// some time before the use.
func draw(r *rand.Rand, l *swapplan.Load) (stays []swapplan.Stay) {
	n := workload.KernelID(len(l.Alive))
	for _, p := range l.Life.Periods {
		if r.IntN(2) > 0 {
			continue
		}
		end := p.End
		if p.Wraps {
			end += n
		}
		in := end - workload.KernelID(r.IntN(int(end-p.Start)))
		if in == p.Start {
			in++
		}
		stays = append(stays, swapplan.Stay{Tensor: p.Tensor, Out: p.Start, In: in % n})
	}
	slices.SortStableFunc(stays, func(a, b swapplan.Stay) int { return int(a.In - b.In) })
	return stays
}

// TestTimerIsLikeTheEngine runs random stays that fit in both, many of them too short to
// leave. Times differ where a tensor is called back whose room a prefetch counts on; where both
// directions of the link share it, which the timer does not know of, too.
func TestTimerIsLikeTheEngine(t *testing.T) {
	ran, exact, far := 0, 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		w, m := systemtest.Workload(r, 0.3+float64(seed)/900), systemtest.Machine(r)
		m.HostMemory, m.HostLink, m.DuplexLoss = unit.GiB, m.GPULink, 0
		l := swapplan.LoadOf(w)
		stays := draw(r, l)
		if l.Check(stays, &m) != nil {
			continue
		}
		ran++
		p := swapplan.Program(stays, nil)
		if err := l.Verify(p, m.GPUMemory); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		res, err := engine.Run(w, p, engine.Config{
			Machine: m, Quirks: quirk.Corrected(), Iterations: 3,
			Runtime: swap.Memory{Rules: swap.Rules{Copies: true}, Swapper: swapplan.Follow},
		})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, want := swapplan.NewTimer(l, &m).Run(stays, nil), res.Iterations[1].Time
		if got == want {
			exact++
		}
		if d := float64(got-want) / float64(want); d > 0.1 || d < -0.1 {
			far++
		}
	}
	t.Logf("%d of %d times are the same, %d differ by more than a tenth", exact, ran, far)
	if ran < 300 || exact < ran*3/4 || far > ran/6 {
		t.Errorf("%d of %d times are the same, %d differ by more than a tenth", exact, ran, far)
	}
}

// TestVerifyFinds breaks a good program in every way that Verify knows.
func TestVerifyFinds(t *testing.T) {
	w := chain(1, []int64{1, 2}, [2]ids{{}, {1}}, [2]ids{{0, 1}, {}}, [2]ids{{0}, {}}, [2]ids{{0}, {}}, [2]ids{{1}, {}})
	l := swapplan.LoadOf(w)
	type op = program.Op
	evict, fetch := program.Evict, program.Prefetch
	for _, tt := range []struct {
		want string
		ops  []op
	}{
		{"", []op{{At: 2, Kind: evict, Tensor: 1}, {At: 3, Kind: program.Barrier}, {At: 4, Kind: fetch, Tensor: 1}}},
		{"", []op{{At: 1, Kind: evict, Tensor: 1}, {At: 2, Kind: evict, Tensor: 1}, {At: 3, Kind: fetch, Tensor: 1}}},
		{"kernel 4 needs tensor 1", []op{{At: 2, Kind: evict, Tensor: 1}}},
		{"it is away", []op{{At: 2, Kind: evict, Tensor: 1}, {At: 3, Kind: evict, Tensor: 1}, {At: 4, Kind: fetch, Tensor: 1}}},
		{"it is not away", []op{{At: 4, Kind: fetch, Tensor: 1}}},
		{"the kernel writes it", []op{{At: 0, Kind: evict, Tensor: 1}}},
		{"has not left", []op{{At: 1, Kind: evict, Tensor: 1}, {At: 3, Kind: evict, Tensor: 1}, {At: 4, Kind: fetch, Tensor: 1}}},
		{"not a move", []op{{At: 4, Kind: program.Free, Tensor: 1}}},
		{"out of order", []op{{At: 4, Kind: program.Barrier}, {At: 3, Kind: program.Barrier}}},
	} {
		err := l.Verify(&program.Program{Ops: tt.ops}, unit.GiB)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.ops, err, tt.want)
		}
	}
	if err := l.Verify(&program.Program{}, 3*unit.MiB-1); err == nil {
		t.Error("what does not fit is not found")
	}
	if err := l.Verify(&program.Program{}, 3*unit.MiB); err != nil {
		t.Error(err)
	}
}
