package superneurons_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/superneurons"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestConformance(t *testing.T) { systemtest.Run(t, superneurons.System) }

type ids = []workload.TensorID

// chain returns layers with tensors of so many MiB: tensor 0 comes in, layer i reads
// tensor i and writes i+1, and its backward kernel reads both again.
func chain(mib int64, names ...string) *workload.Workload {
	w := &workload.Workload{}
	tensor := func(kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(mib) * unit.MiB, Kind: kind})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	kernel := func(name string, in, out ids) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: unit.Millisecond, Inputs: in, Outputs: out})
	}
	x := tensor(workload.Input)
	for _, name := range names {
		y := tensor(workload.Intermediate)
		kernel(name, ids{x}, ids{y})
		x = y
	}
	g := tensor(workload.Gradient)
	kernel("loss", ids{x}, ids{g})
	for i := len(names) - 1; i >= 0; i-- {
		gx := tensor(workload.Gradient)
		kernel(names[i]+"_backward", ids{g, workload.TensorID(i), workload.TensorID(i + 1)}, ids{gx})
		g = gx
	}
	return w
}

func text(t *testing.T, w *workload.Workload) string {
	t.Helper()
	m, o := machine.G10(), system.Published()
	p, err := superneurons.System.Plan(w, &m, &o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Kernels 0 to 6 are the layers, 7 is the loss, 8 to 14 the backward pass.
func TestPlan(t *testing.T) {
	// Each segment has one or two cheap tensors, and a backward kernel needs four: all are
	// replayed at once. 1, 4 and 6 are convolutions', and come back a convolution before.
	// That before the first in the backward pass is none.
	want := `3: free 2
4: free 3
6: free 5
9: prefetch 4 recompute 5
11: prefetch 1 recompute 2 recompute 3
`
	if got := text(t, chain(1, "conv", "norm", "relu", "conv", "relu", "conv", "pool")); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// A conversion of numbers is no convolution before which something comes back.
	if got := text(t, chain(1, "convert_element_type", "norm", "convert_element_type")); strings.Contains(got, "prefetch") {
		t.Errorf("with conversions got\n%s", got)
	}
	// Five cheap tensors in a row are more than the four of a backward kernel: each is
	// given up again between its two uses, which follow each other here, so never.
	want = `3: free 2
4: free 3
5: free 4
6: free 5
7: free 6
8: prefetch 1
`
	if got := text(t, chain(1, "conv", "norm", "relu", "norm", "relu", "pool", "conv")); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What a normalisation writes besides, its statistics, is not given up.
func TestSmall(t *testing.T) {
	w := chain(1, "conv", "norm", "conv")
	w.Tensors = append(w.Tensors, workload.Tensor{Bytes: 64*unit.KiB - 4096})
	stats := workload.TensorID(len(w.Tensors) - 1)
	w.Kernels[1].Outputs = append(w.Kernels[1].Outputs, stats)
	w.Kernels[5].Inputs = append(w.Kernels[5].Inputs, stats) // its backward kernel
	want := "3: free 2\n4: prefetch 1 recompute 2\n"
	if got := text(t, w); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What does not fit is recomputed and moved; what fits is only recomputed.
func TestCache(t *testing.T) {
	w := chain(2, "conv", "relu", "conv", "relu", "conv", "relu", "conv", "relu", "conv", "relu", "conv", "fc")
	m, o := machine.G10(), system.Published()
	o.Quirks = quirk.Corrected()
	_, r, err := systemtest.Simulate(superneurons.System, w, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if it := r.Main(); it.Traffic.HostOut > 0 || it.Swapping.Recomputed == 0 || it.Time != r.Ideal+it.Ledger.Recomputation {
		t.Errorf("with memory: %+v", *it)
	}
	m.GPUMemory = 16 * unit.MiB
	if _, r, err = systemtest.Simulate(superneurons.System, w, m, o); err != nil {
		t.Fatal(err)
	}
	if it := r.Main(); it.Traffic.HostOut == 0 || it.Swapping.Forced == 0 || it.Swapping.Early == 0 || it.Swapping.Recomputed == 0 {
		t.Errorf("without: %+v %+v", *it, *it.Swapping)
	}
}

// Random networks run in memory that holds all weights and the largest kernels.
func TestNetworks(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		w, m, o := systemtest.Convolutional(r, float64(seed+1)/200), machine.G10(), system.Published()
		o.Quirks = quirk.Corrected()
		systemtest.Squeeze(r, w, &m)
		m.GPUMemory = max(m.GPUMemory, 128*unit.MiB)
		_, res, err := systemtest.Simulate(superneurons.System, w, m, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if it := res.Main(); it.Ledger.Total() != it.Time-res.Ideal {
			t.Errorf("seed %d: %+v", seed, *it)
		}
	}
}
