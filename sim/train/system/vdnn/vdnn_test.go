package vdnn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/train/system/vdnn"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestConformance(t *testing.T) { systemtest.Run(t, vdnn.System) }

func TestPlansHold(t *testing.T) {
	for _, policy := range []int64{vdnn.All, vdnn.Conv, vdnn.Dyn} {
		s := vdnn.System
		s.Plan = func(w *workload.Workload, m *machine.Machine, o *system.Options) (*program.Program, error) {
			vdnn.Policy.Set(o, policy)
			return vdnn.System.Plan(w, m, o)
		}
		systemtest.Swaps(t, s, 400)
	}
}

type ids = []workload.TensorID

// A net is a workload under construction. Tensors have a MiB, kernels take a
// millisecond, which is also what a MiB takes over the link.
type net struct{ workload.Workload }

func (n *net) tensor(kind workload.Kind) workload.TensorID {
	n.Tensors = append(n.Tensors, workload.Tensor{Bytes: unit.MiB, Kind: kind, Global: kind == workload.Weight})
	return workload.TensorID(len(n.Tensors) - 1)
}

func (n *net) kernel(name string, in, out ids) workload.KernelID {
	n.Kernels = append(n.Kernels, workload.Kernel{Name: name, Time: unit.Millisecond, Inputs: in, Outputs: out})
	return workload.KernelID(len(n.Kernels) - 1)
}

// chain returns a network of layers with the given names, each of which reads what the
// one before has written, and again in the backward pass. Tensor i is what layer i
// reads; the kernels are the layers, the loss, and the layers in reverse.
func chain(layers ...string) *net {
	n := &net{}
	x := n.tensor(workload.Input)
	for _, name := range layers {
		y := n.tensor(workload.Intermediate)
		n.kernel(name, ids{x}, ids{y})
		x = y
	}
	g := n.tensor(workload.Gradient)
	n.kernel("loss", ids{x}, ids{g})
	for i := len(layers) - 1; i >= 0; i-- {
		gx := n.tensor(workload.Gradient)
		n.kernel(layers[i]+"_backward", ids{g, workload.TensorID(i)}, ids{gx})
		g = gx
	}
	return n
}

func small(memory unit.Bytes) machine.Machine {
	m := machine.G10()
	m.GPUMemory, m.HostMemory = memory, unit.GiB
	rate := unit.Bandwidth(unit.MiB) * 1000
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate, rate, rate, rate
	return m
}

func planned(w *workload.Workload, m machine.Machine, policy int64) (*program.Program, error) {
	o := system.Published()
	o.Quirks = quirk.Corrected()
	vdnn.Policy.Set(&o, policy)
	return vdnn.System.Plan(w, &m, &o)
}

func check(t *testing.T, w *workload.Workload, policy int64, want string) {
	t.Helper()
	p, err := planned(w, small(64*unit.MiB), policy)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("policy %d:\n%swant\n%s", policy, b.String(), want)
	}
}

// Kernels 0 to 4 are the forward pass, 5 is the loss, 6 to 10 the backward pass. The
// pooling's X is the last feature map.
func TestChain(t *testing.T) {
	w := &chain("conv", "norm", "conv", "norm", "pool").Workload
	// X of layer i leaves beside layer i and is gone after it; that of layer 0, which
	// nobody has written, beside layer 1. The loss fetches for the
	// normalisation and the pooling for the convolution. So the normalisation (7) finds
	// a convolution that needs nothing any more, which ends its search.
	check(t, w, vdnn.All, `1: barrier evict 1→host evict 0→host
2: barrier evict 1→host evict 2→host
3: barrier evict 2→host evict 3→host
4: barrier evict 3→host
5: prefetch 3
6: barrier prefetch 2
7: barrier
8: prefetch 1
9: barrier prefetch 0
10: barrier
`)
	// Inputs and outputs of convolutions are all there is here: tensor 3 is what the
	// second one writes. The last feature map, 4, is neither.
	check(t, w, vdnn.Conv, `1: barrier evict 1→host evict 0→host
2: barrier evict 1→host evict 2→host
3: barrier evict 2→host evict 3→host
4: barrier evict 3→host
5: prefetch 3
6: barrier prefetch 2
7: barrier
8: prefetch 1
9: barrier prefetch 0
10: barrier
`)
}

// The search for what to prefetch passes over layers that need nothing, and stops at a
// convolution that needs nothing.
func TestFindPrefetch(t *testing.T) {
	// The convolution is followed by layers that policy conv leaves alone but for the
	// first, which reads what it writes: the loss's search (5) passes over 6, 7 and 8.
	check(t, &chain("conv", "relu", "norm", "pool", "fc").Workload, vdnn.Conv, `1: barrier evict 1→host evict 0→host
2: barrier evict 1→host
5: prefetch 1
6: barrier prefetch 0
7: barrier
`)
	// A convolution whose X stays, here because nobody reads it in the backward pass,
	// ends the search for what is behind it.
	n := chain("conv", "norm", "conv", "pool")
	back := &n.Kernels[6] // of the second convolution
	if back.Name != "conv_backward" {
		t.Fatal(back.Name)
	}
	back.Inputs = back.Inputs[:1]
	check(t, &n.Workload, vdnn.All, `1: barrier evict 1→host evict 0→host
2: barrier evict 1→host
6: prefetch 1
7: barrier prefetch 0
8: barrier
`)
}

// A feature map that two layers read leaves beside the second, and two that leave
// beside the same layer do so one after the other.
func TestBranches(t *testing.T) {
	n := &net{}
	x := n.tensor(workload.Input)
	a, b, c, d := n.tensor(workload.Intermediate), n.tensor(workload.Intermediate), n.tensor(workload.Intermediate), n.tensor(workload.Intermediate)
	n.kernel("conv", ids{x}, ids{a})
	n.kernel("conv", ids{a}, ids{b})
	n.kernel("add", ids{a, b}, ids{c})
	n.kernel("pool", ids{c}, ids{d})
	g, h := n.tensor(workload.Gradient), n.tensor(workload.Gradient)
	n.kernel("loss", ids{d}, ids{g})
	n.kernel("pool_backward", ids{g, c}, ids{h})
	n.kernel("mul_backward", ids{h, b}, ids{g})
	n.kernel("conv_backward", ids{g, a}, ids{h})
	n.kernel("conv_backward", ids{h, x}, ids{g})
	check(t, &n.Workload, vdnn.All, `1: barrier evict 0→host
2: barrier evict 2→host
3: barrier evict 2→host evict 1→host
4: barrier prefetch 2
5: barrier prefetch 1
6: barrier
7: prefetch 0
8: barrier
`)
}

// The two backward kernels of a convolution are one layer, and what the optimizer does
// between layers is none.
func TestBackwardLayers(t *testing.T) {
	n := &net{}
	x, w1, w2 := n.tensor(workload.Input), n.tensor(workload.Weight), n.tensor(workload.Weight)
	a, b := n.tensor(workload.Intermediate), n.tensor(workload.Intermediate)
	n.kernel("conv", ids{x, w1}, ids{a})
	n.kernel("conv", ids{a, w2}, ids{b})
	n.kernel("pool", ids{b}, ids{b})
	g, ga, dw, gx := n.tensor(workload.Gradient), n.tensor(workload.Gradient), n.tensor(workload.Gradient), n.tensor(workload.Gradient)
	n.kernel("loss", ids{b}, ids{g})
	n.kernel("pool_backward", ids{g, b}, ids{g})
	n.kernel("conv_backward", ids{g, w2}, ids{ga})
	n.kernel("conv_backward", ids{g, a}, ids{dw})
	n.kernel("conv_update", ids{dw, w2}, ids{w2})
	n.kernel("conv_backward", ids{ga, w1}, ids{gx})
	n.kernel("conv_backward", ids{ga, x}, ids{dw})
	check(t, &n.Workload, vdnn.All, `1: barrier evict 3→host evict 0→host
2: barrier evict 3→host
3: prefetch 3
4: barrier
5: prefetch 0
7: barrier
`)
}

// dyn takes the first that fits of nothing, convolutions and all, if all would fit.
func TestDyn(t *testing.T) {
	w := &chain("conv", "norm", "tanh", "tanh", "conv", "norm", "tanh", "pool").Workload
	for _, tt := range []struct {
		memory  unit.Bytes
		rounds  int // how many were tried
		evicted int // 0: it does not fit
	}{
		{10 * unit.MiB, 1, 0}, // nine tensors and a gradient while the loss runs
		{10*unit.MiB - 1, 2, 4},
		{8 * unit.MiB, 2, 4}, // 0, 1, 4 and 5 leave; 4 and 5 are back when the last feature map goes
		{8*unit.MiB - 1, 3, 7},
		{5 * unit.MiB, 3, 7}, // 7 and two gradients, 6 and what comes beside them
		{5*unit.MiB - 1, 0, 0},
	} {
		p, err := planned(w, small(tt.memory), vdnn.Dyn)
		if tt.rounds == 0 {
			var no *system.DoesNotFit
			if !errors.As(err, &no) {
				t.Errorf("%v: %v, want a *DoesNotFit", tt.memory, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", tt.memory, err)
			continue
		}
		evicted := map[workload.TensorID]bool{}
		for _, op := range p.Ops {
			if op.Kind == program.Evict {
				evicted[op.Tensor] = true
			}
		}
		if p.Rounds != tt.rounds || len(evicted) != tt.evicted {
			t.Errorf("%v: %d tensors leave after %d trials; want %d and %d", tt.memory, len(evicted), p.Rounds, tt.evicted, tt.rounds)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		kernels []string
		want    string
	}{
		{[]string{"conv", "softmax"}, ""},
		{[]string{"Conv2d_Forward", "Linear_Forward"}, ""},
		{[]string{"first", "second"}, ""},
		{[]string{"first", "Softmax_Forward"}, "of these 4 kernels none is a convolution (there is Softmax_Forward)"},
		{[]string{"convert_element_type", "matmul"}, "(there is matmul)"},
		{[]string{"embedding_forward", "layer_norm"}, "(there is embedding_forward)"},
	} {
		n := &net{}
		for range 2 {
			for _, k := range tt.kernels {
				n.kernel(k, ids{n.tensor(workload.Input)}, nil)
			}
		}
		_, err := planned(&n.Workload, small(unit.GiB), vdnn.Dyn)
		if fmt.Sprint(err) != "<nil>" != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.kernels, err, tt.want)
		}
	}
}

// A layer and its copy, which takes as long, happen at the same time: with nothing else
// to do a chain of them takes what computing takes.
func TestOverlap(t *testing.T) {
	w := &chain("conv", "conv", "conv", "conv", "pool").Workload
	m := small(64 * unit.MiB)
	o := system.Published()
	o.Quirks = quirk.Corrected()
	vdnn.Policy.Set(&o, vdnn.All)
	_, r, err := systemtest.Simulate(vdnn.System, w, m, o)
	if err != nil {
		t.Fatal(err)
	}
	// What the first layer reads is copied beside the second.
	ms := m.Clock.Cycles(unit.Millisecond)
	if r.Time() != r.Ideal+ms || r.Main().Traffic.HostOut != 4*unit.MiB || r.Main().Traffic.HostIn != 4*unit.MiB {
		t.Errorf("%d cycles beyond ideal and %+v; want %d and 4 MiB each way", r.Time()-r.Ideal, r.Main().Traffic, ms)
	}
	for i := range w.Tensors {
		w.Tensors[i].Bytes = 2 * unit.MiB
	}
	if _, r, err = systemtest.Simulate(vdnn.System, w, m, o); err != nil {
		t.Fatal(err)
	}
	// The second layer waits 3 ms for two copies of 2 ms, two others 1 ms for one, and four
	// on the way back; the ledger says for what.
	if x := r.Main().Ledger; r.Time() != r.Ideal+9*ms || x.Eviction != 5*ms || x.LatePrefetch != 4*ms {
		t.Errorf("%d cycles beyond ideal, %+v; want %d, of which %d for what leaves and the rest for what comes", r.Time()-r.Ideal, x, 9*ms, 5*ms)
	}
}
