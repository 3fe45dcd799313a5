package lms_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/lms"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
)

func TestLaws(t *testing.T) { systemtest.Run(t, lms.System) }

// The laws hold with any parameters.
func TestLawsWithParameters(t *testing.T) {
	for _, params := range []system.Params{
		"lms_limit=1000000", "lms_limit=1000000 lms_size=0", "lms_limit=500000 lms_trim=2", "lms_speculative=0 lms_warmup=0",
	} {
		t.Run(string(params), func(t *testing.T) {
			s := lms.System
			s.Runtime = func(o *system.Options) engine.Runtime {
				with := *o
				with.Params = params
				return lms.System.Runtime(&with)
			}
			systemtest.RunOn(t, s, 60, func(w *workload.Workload) *workload.Workload { return w })
		})
	}
}

// run runs w with 4 iterations besides warm-up.
func run(t *testing.T, w *workload.Workload, m machine.Machine, params system.Params) (*result.Result, error) {
	t.Helper()
	o := system.Published()
	o.Quirks, o.Params = quirk.Corrected(), params
	return engine.Run(w, &program.Program{}, engine.Config{Machine: m, Runtime: lms.System.Runtime(&o), Quirks: o.Quirks, Iterations: 4})
}

// chain has n activations of so many bytes that the backward pass uses in reverse.
func chain(n int, size unit.Bytes) *workload.Workload {
	w := &workload.Workload{}
	for i := range n {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: size})
		k := workload.Kernel{Name: fmt.Sprint("f", i), Time: 10 * unit.Millisecond, Outputs: []workload.TensorID{workload.TensorID(i)}}
		if i > 0 {
			k.Inputs = []workload.TensorID{workload.TensorID(i - 1)}
		}
		w.Kernels = append(w.Kernels, k)
	}
	for i := n - 1; i >= 0; i-- {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: fmt.Sprint("b", i), Time: 10 * unit.Millisecond, Inputs: []workload.TensorID{workload.TensorID(i)}})
	}
	return w
}

// With limit 0 memory is reused before any is taken: the third activation takes the
// place of the first, whatever memory there is. Two of three leave, and come back.
func TestReclaimFirst(t *testing.T) {
	m := machine.G10()
	r, err := run(t, chain(4, 32*unit.MiB), m, "lms_speculative=0")
	if err != nil {
		t.Fatal(err)
	}
	it := r.Main()
	if want := (result.Swapping{Demand: 2, Forced: 2, Reserved: 64 * unit.MiB}); *it.Swapping != want {
		t.Errorf("%+v, want %+v", *it.Swapping, want)
	}
	if want := (result.Traffic{HostOut: 64 * unit.MiB, HostIn: 64 * unit.MiB}); it.Traffic != want {
		t.Errorf("%+v, want %+v", it.Traffic, want)
	}
	if it.Overlap != 0 {
		t.Errorf("%d cycles of copies under kernels; every operator waits", it.Overlap)
	}
	// With a limit there is room.
	large, err := run(t, chain(4, 32*unit.MiB), m, "lms_limit=1000000")
	if err != nil {
		t.Fatal(err)
	}
	if got := large.Main(); got.Time != large.Ideal || got.Swapping.Reserved != 128*unit.MiB {
		t.Errorf("with a limit of all memory %+v %+v", *got, *got.Swapping)
	}
}

// With speculation what had to leave in the iteration before leaves under kernels.
func TestSpeculative(t *testing.T) {
	m := machine.G10()
	m.GPUMemory = 128 * unit.MiB // four of six
	waits, err := run(t, chain(6, 32*unit.MiB), m, "lms_limit=1000000 lms_speculative=0")
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := run(t, chain(6, 32*unit.MiB), m, "lms_limit=1000000")
	if err != nil {
		t.Fatal(err)
	}
	a, b := waits.Main(), leaves.Main()
	if a.Swapping.Forced != 2 || a.Swapping.Ahead != 0 || a.Ledger.Eviction == 0 || a.Overlap != 0 {
		t.Errorf("without speculation %+v %+v", *a, *a.Swapping)
	}
	if b.Swapping.Forced != 0 || b.Swapping.Ahead != 2 || b.Ledger.Eviction != 0 || b.Overlap != a.Ledger.Eviction || b.Traffic != a.Traffic {
		t.Errorf("with speculation %+v %+v", *b, *b.Swapping)
	}
	// The first iteration knows nothing.
	if x, y := *waits.Iterations[0].Swapping, *leaves.Iterations[0].Swapping; x != y {
		t.Errorf("the first iteration: %+v, %+v", x, y)
	}
}

// Tensors below 1 MiB stay, and take new segments.
func TestSmallStay(t *testing.T) {
	r, err := run(t, chain(40, 600*unit.KiB), machine.G10(), "")
	if err != nil {
		t.Fatal(err)
	}
	if it := r.Main(); it.Time != r.Ideal || it.Swapping.Reserved < 24*unit.MB {
		t.Errorf("%+v %+v", *it, *it.Swapping)
	}
	if r, err = run(t, chain(40, 600*unit.KiB), machine.G10(), "lms_size=0"); err != nil {
		t.Fatal(err)
	}
	if it := r.Main(); it.Traffic.HostOut == 0 || it.Swapping.Reserved > 4*unit.MiB {
		t.Errorf("with lms_size=0 %+v %+v", *it, *it.Swapping)
	}
}

// Where no tensor is large enough, neighbours leave together.
func TestFragments(t *testing.T) {
	ids := func(ts ...workload.TensorID) []workload.TensorID { return ts }
	w := &workload.Workload{ // four in one segment of 20 MiB, then one that needs three of their places
		Tensors: []workload.Tensor{{Bytes: 5 * unit.MiB}, {Bytes: 5 * unit.MiB}, {Bytes: 5 * unit.MiB}, {Bytes: 5 * unit.MiB}, {Bytes: 9 * unit.MiB}},
		Kernels: []workload.Kernel{
			{Name: "four", Time: unit.Millisecond, Outputs: ids(0, 1, 2, 3)},
			{Name: "large", Time: unit.Millisecond, Outputs: ids(4)},
			{Name: "all", Time: unit.Millisecond, Inputs: ids(0, 1, 2, 3)},
		},
	}
	r, err := run(t, w, machine.G10(), "lms_speculative=0")
	if err != nil {
		t.Fatal(err)
	}
	if it := r.Main(); it.Swapping.Forced != 2 || it.Swapping.Reserved != 20*unit.MiB || it.Traffic.HostOut != 10*unit.MiB {
		t.Errorf("%+v %+v; want two to leave", *it, *it.Swapping)
	}
}

// LMS-mod maps again what it has given back.
func TestTrim(t *testing.T) {
	r, err := run(t, chain(8, 32*unit.MiB), machine.G10(), "lms_trim=4")
	if err != nil {
		t.Fatal(err)
	}
	if r.Main().Ledger.Allocation == 0 {
		t.Errorf("%+v", r.Main().Ledger)
	}
}

// Where not even all that may leave makes room, the reason names what is missing.
func TestDoesNotFit(t *testing.T) {
	m := machine.G10()
	m.GPUMemory = 64 * unit.MiB
	w := chain(3, 40*unit.MiB)
	_, err := run(t, w, m, "")
	if no := (*engine.DoesNotFit)(nil); !errors.As(err, &no) {
		t.Error(err)
	}
}

// deepum is the DeepUM paper's machine: a V100 with 32 GB, PCIe 3 of 12.5 GB/s each way
// in effect, 512 GB in the host (Table 1).
func deepum() machine.Machine {
	m := machine.G10()
	m.GPUMemory, m.HostMemory = 32*unit.GiB, 512*unit.GiB
	m.GPULink, m.HostLink = 12500*unit.MBps, 12500*unit.MBps
	return m
}

// Figure 9(b) of the DeepUM paper in seconds an iteration, and how far off a run may
// be. Nothing in this package is fitted to it but the choice of limit: 0 for
// transformers; all of memory, and no least size, for CNNs.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	const ibm, cnn = "lms_limit=0", "lms_limit=1000000 lms_size=0"
	for _, row := range []struct {
		model, optimizer string
		batch            int
		params           system.Params
		seconds, within  float64
	}{
		{"gpt2-xl-pytorch", "adam", 3, ibm, 17.47, 0.08},
		{"gpt2-l-pytorch", "adam", 3, ibm, 8.85, 0.08},
		{"bert-large-pytorch", "adam", 14, ibm, 6.11, 0.08},
		{"bert-base-pytorch", "adam", 29, ibm, 4.50, 0.12},
		{"resnet-152-pytorch", "momentum", 1280, cnn, 39.26, 0.05},
		{"resnet-152-pytorch", "momentum", 1536, cnn, 47.54, 0.05},
		{"resnet-200-pytorch", "momentum", 1024, cnn, 45.60, 0.10},
		{"resnet-200-pytorch", "momentum", 1280, cnn, 54.70, 0.06},
		{"resnet-200-pytorch", "momentum", 1536, cnn, 71.87, 0.06},
	} {
		w, err := eager.Build(row.model, row.batch, 0, row.optimizer, eager.AsDeepUM())
		if err != nil {
			t.Fatal(err)
		}
		r, err := run(t, w, deepum(), row.params)
		if err != nil {
			t.Fatal(err)
		}
		var sum unit.Time
		for _, it := range r.Iterations[2:] {
			sum += r.Clock.Time(it.Time)
		}
		got := float64(sum) / 4 / float64(unit.Second)
		t.Logf("%s, batch %d: %.2f s, published %.2f (%+.1f %%)", row.model, row.batch, got, row.seconds, 100*(got/row.seconds-1))
		if math.Abs(got/row.seconds-1) > row.within {
			t.Errorf("%s, batch %d: %.2f s, published %.2f", row.model, row.batch, got, row.seconds)
		}
	}
}

// BenchmarkLMS is six iterations of the largest ResNet-152 that DeepUM's figure has.
func BenchmarkLMS(b *testing.B) {
	w, err := eager.Build("resnet-152-pytorch", 1536, 0, "momentum", eager.AsDeepUM())
	if err != nil {
		b.Fatal(err)
	}
	o := system.Published()
	o.Quirks = quirk.Corrected()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Run(w, &program.Program{}, engine.Config{Machine: deepum(), Runtime: lms.System.Runtime(&o), Iterations: 4}); err != nil {
			b.Fatal(err)
		}
	}
}
