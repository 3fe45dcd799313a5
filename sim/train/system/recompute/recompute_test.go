package recompute_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/recompute"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestConformance(t *testing.T) { systemtest.Run(t, recompute.System) }

type ids = []workload.TensorID

// chain returns so many layers with tensors of a MiB: tensor 0 comes in, layer i reads
// tensor i and writes i+1, and again in the backward pass. Kernels take a millisecond.
func chain(names ...string) *workload.Workload {
	w := &workload.Workload{}
	tensor := func(kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.MiB, Kind: kind})
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
		kernel(names[i]+"_backward", ids{g, workload.TensorID(i)}, ids{gx})
		g = gx
	}
	return w
}

func options(p *system.Param, v int64) system.Options {
	o := system.Published()
	o.Quirks = quirk.Corrected()
	p.Set(&o, v)
	return o
}

func text(t *testing.T, w *workload.Workload, o system.Options) string {
	t.Helper()
	m := machine.G10()
	p, err := recompute.System.Plan(w, &m, &o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Nine layers are three segments. Kernels 0 to 8 are the layers, 9 is the loss, 10 to 18
// the backward pass. Tensors 3 and 6 cross boundaries, 0 came in; the last segment's
// stay.
func TestSegments(t *testing.T) {
	w := chain("a", "b", "c", "d", "e", "f", "g", "h", "i")
	want := `2: free 1
3: free 2
5: free 4
6: free 5
13: recompute 4 recompute 5
16: recompute 1 recompute 2
`
	if got := text(t, w, options(&recompute.Segments, 0)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := text(t, w, options(&recompute.Segments, 1)); got != "" {
		t.Errorf("one segment:\n%s", got)
	}
	// Four kernels run again: as many as give up what they have written.
	m := machine.G10()
	m.GPUMemory = 16 * unit.MiB
	_, r, err := systemtest.Simulate(recompute.System, w, m, options(&recompute.Segments, 3))
	if err != nil {
		t.Fatal(err)
	}
	ms := m.Clock.Cycles(unit.Millisecond)
	if it := r.Main(); r.Time() != r.Ideal+4*ms || it.Ledger.Recomputation != 4*ms || it.Swapping.Recomputed != 4 || it.Traffic.HostOut > 0 {
		t.Errorf("%d cycles beyond ideal, %+v, %+v; want %d, all of it recomputation", r.Time()-r.Ideal, it.Ledger, it.Swapping, 4*ms)
	}
}

// More segments up to the square root save memory, at the price of one more forward
// pass at most.
func TestSavesMemory(t *testing.T) {
	names := make([]string, 64)
	for i := range names {
		names[i] = "layer"
	}
	w, m := chain(names...), machine.G10()
	m.GPUMemory = 128 * unit.MiB
	peak := func(segments int64) unit.Bytes {
		_, r, err := systemtest.Simulate(recompute.System, w, m, options(&recompute.Segments, segments))
		if err != nil {
			t.Fatal(err)
		}
		if most := r.Ideal * 3 / 2; r.Time() > most {
			t.Errorf("%d segments: %d cycles, want at most %d", segments, r.Time(), most)
		}
		var most unit.Bytes
		for _, k := range r.Kernels {
			most = max(most, k.GPU)
		}
		return most
	}
	if one, two, eight := peak(1), peak(2), peak(8); one != 66*unit.MiB || two <= eight || eight > 20*unit.MiB {
		t.Errorf("peaks are %v, %v and %v with 1, 2 and 8 segments", one, two, eight)
	}
	// What needs 66 MiB runs in 20.
	m.GPUMemory = 20 * unit.MiB
	if _, _, err := systemtest.Simulate(recompute.System, w, m, options(&recompute.Segments, 0)); err != nil {
		t.Error(err)
	}
}

// A boundary moves to where less crosses it.
func TestBounds(t *testing.T) {
	w := chain("a", "b", "c", "d", "e", "f", "g", "h")
	for i := range w.Tensors {
		w.Tensors[i].Bytes = 4 * unit.MiB
	}
	w.Tensors[3].Bytes = unit.MiB // half of eight would be tensor 4
	want := `2: free 1
3: free 2
14: recompute 1 recompute 2
`
	if got := text(t, w, options(&recompute.Segments, 2)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Selective recomputation gives up what attention has: scores (1), softmax (2) and its
// dropout (3), but not another dropout (5).
func TestSelective(t *testing.T) {
	w := chain("bmm", "softmax_forward", "dropout", "linear", "dropout", "linear")
	want := "2: free 1\n3: free 2\n4: free 3\n"
	if got := text(t, w, options(&recompute.Selective, 1)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	m := machine.G10()
	_, r, err := systemtest.Simulate(recompute.System, w, m, options(&recompute.Selective, 1))
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Main().Swapping.Recomputed; n < 3 {
		t.Errorf("%d kernels ran again, want 3 at least", n)
	}
}

// In random networks with plenty of memory no more kernels run again than there are.
func TestNetworks(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		w, m := systemtest.Convolutional(r, float64(seed+1)/200), machine.G10()
		_, res, err := systemtest.Simulate(recompute.System, w, m, options(&recompute.Segments, 0))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if n := res.Main().Swapping.Recomputed; n > int64(len(w.Kernels)) {
			t.Errorf("seed %d: %d of %d kernels ran again", seed, n, len(w.Kernels))
		}
	}
}
