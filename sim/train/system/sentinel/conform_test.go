package sentinel_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/sentinel"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
)

func TestConformance(t *testing.T) { systemtest.Run(t, sentinel.System) }

// v100 is the machine of the DeepUM paper with so much GPU memory.
func v100(memory unit.Bytes) machine.Machine {
	m := machine.G10()
	m.GPUMemory, m.HostMemory = memory, 512*unit.GiB
	m.HostLink, m.GPULink = 12500*unit.MBps, 12500*unit.MBps
	return m
}

func build(tb testing.TB, model string, batch int) *workload.Workload {
	tb.Helper()
	m, err := eager.Find(model)
	if err != nil {
		tb.Fatal(err)
	}
	w, err := eager.Build(model, batch, 0, m.Optimizer, eager.AsDeepUM())
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

func run(tb testing.TB, w *workload.Workload, m machine.Machine, interval int64) *result.Result {
	tb.Helper()
	o := system.Published()
	o.Quirks = quirk.Corrected()
	sentinel.Interval.Set(&o, interval)
	r, err := train.Run(w, train.Request{System: "sentinel", Machine: m, Options: o}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// With memory for everything nothing moves once all is on the GPU.
func TestRoomy(t *testing.T) {
	for seed := range uint64(50) {
		w := systemtest.Workload(rand.New(rand.NewPCG(seed, 7)), 1)
		r := run(t, w, v100(unit.GiB), 0)
		if it := r.Main(); it.Time != r.Ideal || it.Traffic != (result.Traffic{}) {
			t.Fatalf("seed %d: %d cycles, ideal %d, moved %+v", seed, it.Time, r.Ideal, it.Traffic)
		}
		if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "reconstruction") || !strings.Contains(notes, "nothing moves") {
			t.Errorf("notes: %s", notes)
		}
	}
}

// The length that stays is the fastest of those tried.
func TestTrials(t *testing.T) {
	w := build(t, "gpt2-l-pytorch", 3)
	m := v100(28 * unit.GiB)
	r := run(t, w, m, 0)
	best := r.Iterations[1].Time
	tried := map[unit.Cycles]bool{}
	for _, it := range r.Iterations[1 : len(r.Iterations)-1] {
		best = min(best, it.Time)
		tried[it.Time] = true
	}
	if len(tried) < 2 {
		t.Errorf("all of %d trials take %d cycles", len(r.Iterations)-2, best)
	}
	if got := r.Time(); float64(got) > 1.02*float64(best) {
		t.Errorf("%d cycles at the end, %d at best", got, best)
	}
	// What is needed comes before, and little is left to passive fetches.
	it := r.Main()
	if it.Swapping.Early == 0 || it.Swapping.Demand > it.Swapping.Early/20 {
		t.Errorf("%+v", *it.Swapping)
	}
	if it.Time >= r.Iterations[0].Time {
		t.Errorf("%d cycles, %d while it was profiled", it.Time, r.Iterations[0].Time)
	}
	var notes [2]string
	for i, length := range []int64{3, 7} {
		notes[i] = strings.Join(run(t, w, m, length).Notes, " ")
		if want := fmt.Sprintf("Intervals have %d of", length); !strings.Contains(notes[i], want) {
			t.Errorf("%s does not say %q", notes[i], want)
		}
	}
}

// A length's second iteration counts: the first begins with what another length left.
func TestSecondCounts(t *testing.T) {
	r := run(t, build(t, "gpt2-l-pytorch", 3), v100(16*unit.GiB), 0)
	if len(r.Iterations) < 11 {
		t.Fatalf("%d iterations", len(r.Iterations))
	}
	best, transient := r.Iterations[2].Time, false
	for i := 2; i <= 10; i += 2 {
		best = min(best, r.Iterations[i].Time)
		transient = transient || r.Iterations[i].Time != r.Iterations[i-1].Time
	}
	if got := r.Time(); got != best || !transient {
		t.Errorf("%d cycles, %d at best; transient %v", got, best, transient)
	}
}

// What a layer needs and the pool must fit; the reason says what is missing.
func TestDoesNotFit(t *testing.T) {
	// Kernels 0, 1 and 2 use two tensors of 8 MiB that live on, kernel 3 makes one of 10 MiB
	// that nobody reads.
	type ids = []workload.TensorID
	w := &workload.Workload{Name: "layer", Batch: 1}
	for _, mib := range []unit.Bytes{8, 8, 8, 10} {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: "t", Bytes: mib * unit.MiB})
	}
	for _, k := range []struct{ in, out ids }{
		{nil, ids{0, 1}}, {ids{0}, ids{2}}, {ids{0, 2}, ids{0}}, {ids{2}, ids{3}}, {ids{1, 0}, ids{1}},
	} {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Millisecond, Inputs: k.in, Outputs: k.out})
	}
	o := system.Published()
	o.Quirks = quirk.Corrected()
	_, _, err := systemtest.Simulate(sentinel.System, w, v100(18*unit.MiB), o)
	var no *engine.DoesNotFit
	if !errors.As(err, &no) {
		t.Fatalf("%v, want a DoesNotFit", err)
	}
	for _, s := range []string{"the pool for short-lived tensors needs 10 MiB", "the layer at kernel 0 (k) uses 16 MiB", "18 MiB", "would help"} {
		if !strings.Contains(no.Reason, s) {
			t.Errorf("%q does not mention %q", no.Reason, s)
		}
	}
}

// ResNet-152 with batch 1280 on a V100 of 32 GB: everything goes over the link, as with
// DeepUM, whose 39 s are of less memory.
func TestResNet(t *testing.T) {
	if testing.Short() {
		t.Skip("a large network")
	}
	r := run(t, build(t, "resnet-152-pytorch", 1280), v100(32*unit.GiB), 0)
	it := r.Main()
	seconds := float64(it.Time) / float64(r.Clock)
	t.Logf("%.1f s, ideal %.1f s; %v in and %v out; %+v; %v", seconds, float64(r.Ideal)/float64(r.Clock), it.Traffic.HostIn, it.Traffic.HostOut, *it.Swapping, r.Notes)
	if seconds < 28 || seconds > 40 {
		t.Errorf("%.1f s; want about what the link takes both ways, 32 s", seconds)
	}
}

func BenchmarkResNet(b *testing.B) {
	w, m := build(b, "resnet-152-pytorch", 1280), v100(32*unit.GiB)
	for b.Loop() {
		run(b, w, m, 0)
	}
}

func BenchmarkGPT2(b *testing.B) {
	w, m := build(b, "gpt2-xl-pytorch", 5), v100(32*unit.GiB)
	for b.Loop() {
		run(b, w, m, 0)
	}
}
