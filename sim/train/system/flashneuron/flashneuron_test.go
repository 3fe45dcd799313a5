package flashneuron_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/flashneuron"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// chain returns a network of n layers: layer i makes activation i from
// activation i-1 with weight i, and its backward kernel reads both again.
// sizes are in MiB. With named, the loss kernel is called makeLoss; otherwise
// gradients are marked as such.
func chain(sizes []int, weight int, named bool) *workload.Workload {
	w := &workload.Workload{Name: "chain"}
	add := func(mib int, global bool, kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(mib) * unit.MiB, Global: global, Kind: kind})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	run := func(name string, in, out []workload.TensorID) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: unit.Millisecond, Inputs: in, Outputs: out})
	}
	type ids = []workload.TensorID
	gradient := workload.Gradient
	if named {
		gradient = workload.Intermediate
	}
	n := len(sizes)
	acts, weights := make(ids, n), make(ids, n)
	for i, size := range sizes {
		acts[i] = add(size, false, workload.Intermediate)
	}
	for i := range weights {
		weights[i] = add(weight, true, workload.Weight)
	}
	run("load", nil, ids{acts[0]})
	for i := 1; i < n; i++ {
		run("forward", ids{acts[i-1], weights[i]}, ids{acts[i]})
	}
	d := add(sizes[n-1], false, gradient)
	name := "softmax"
	if named {
		name = "makeLoss"
	}
	run(name, ids{acts[n-1]}, ids{d})
	for i := n - 1; i > 0; i-- {
		next := add(sizes[i-1], false, gradient)
		run("backward", ids{d, acts[i-1], weights[i]}, ids{next, weights[i]})
		d = next
	}
	return w
}

func gpu(mib int) machine.Machine {
	m := machine.G10()
	m.GPUMemory = unit.Bytes(mib) * unit.MiB
	return m
}

// The largest kernel of the chain needs 2 activations, 2 of their size as
// gradients, and a weight.
func TestPlan(t *testing.T) {
	even := []int{10, 10, 10, 10, 10} // all 50 MiB are saved; 4 has no time to leave
	tests := []struct {
		name string
		gpu  int // MiB; weights take 5, the largest kernel 10 + 10 + 10 + 1
		want string
	}{
		{"all fit", 5 + 31 + 51, ""},
		{"exactly full", 5 + 31 + 50, "2: evict 0→ssd\n"}, // the scan goes on until something is to spare
		{"two leave", 5 + 31 + 35, "2: evict 0→ssd\n3: evict 1→ssd\n"},
		{"four leave", 5 + 31 + 11, "2: evict 0→ssd\n3: evict 1→ssd\n4: evict 2→ssd\n5: evict 3→ssd\n"},
	}
	for _, tt := range tests {
		for _, named := range []bool{true, false} {
			o, m := system.Published(), gpu(tt.gpu)
			p, err := flashneuron.System.Plan(chain(even, 1, named), &m, &o)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			var got strings.Builder
			if err := p.WriteText(&got); err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("%s: planned\n%swant\n%s", tt.name, got.String(), tt.want)
			}
		}
	}
}

func TestPlanDoesNotFit(t *testing.T) {
	tests := []struct {
		name string
		w    *workload.Workload
		gpu  int
		want []string
	}{
		{"no room at all", chain([]int{10, 10, 10}, 1, true), 34, []string{"weights", "3 MiB", "31 MiB", "34 MiB", "would help"}},
		// Activation 0 is used by every kernel, so that it cannot leave, and 2 is used by the loss.
		{"nothing can leave", alwaysUsed(), 45, []string{"always in use need 11 MiB", "would help"}},
	}
	for _, tt := range tests {
		o, m := system.Published(), gpu(tt.gpu)
		p, err := flashneuron.System.Plan(tt.w, &m, &o)
		var no *system.DoesNotFit
		if !errors.As(err, &no) {
			t.Errorf("%s: planned %v, error %v, want a DoesNotFit", tt.name, p, err)
			continue
		}
		for _, s := range tt.want {
			if !strings.Contains(no.Reason, s) {
				t.Errorf("%s: reason %q does not mention %q", tt.name, no.Reason, s)
			}
		}
	}
}

func alwaysUsed() *workload.Workload {
	w := chain([]int{10, 1, 1}, 1, true)
	for k := range w.Kernels[2:] {
		in := &w.Kernels[k+2].Inputs
		if (*in)[0] != 0 && (len(*in) < 2 || (*in)[1] != 0) {
			*in = append(*in, 0)
		}
	}
	// One kernel needs 33 MiB beside the 3 MiB of weights.
	w.Tensors = append(w.Tensors, workload.Tensor{Bytes: 20 * unit.MiB})
	w.Kernels[4].Outputs = append(w.Kernels[4].Outputs, workload.TensorID(len(w.Tensors)-1))
	return w
}

// ViT with batch 1024 is given 0.7 % less memory in as-published mode only.
func TestHandTuned(t *testing.T) {
	// 100 MiB of weights, 50 for the largest kernel, 50 to save.
	w := chain([]int{10, 10, 10, 10, 10}, 20, true)
	w.Graph, w.Batch = workload.Graph{Transformer: true, WeightIDs: 184}, 1024
	m := gpu(201)
	for q, want := range map[quirk.Set]int{quirk.Published(): 1, quirk.Corrected(): 0} {
		o := system.Published()
		o.Quirks = q
		p, err := flashneuron.System.Plan(w, &m, &o)
		if err != nil || len(p.Ops) != want {
			t.Errorf("%v: planned %v (%v), want %d offloads", q, p, err, want)
		}
	}
}

func TestLossKernel(t *testing.T) {
	named, marked := chain([]int{3, 2, 1}, 1, true), chain([]int{3, 2, 1}, 1, false)
	neither := chain([]int{3, 2, 1}, 1, false)
	for i := range neither.Tensors {
		neither.Tensors[i].Kind = workload.Intermediate
	}
	// Without a hint: the most is live during the first backward kernel.
	for _, tt := range []struct {
		w    *workload.Workload
		want workload.KernelID
	}{{named, 3}, {marked, 3}, {neither, 4}} {
		if got := flashneuron.LossKernel(tt.w); got != tt.want {
			t.Errorf("loss kernel is %d, want %d", got, tt.want)
		}
	}
}

func TestRandomChains(t *testing.T) {
	ran := 0
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		sizes := make([]int, 2+rnd.IntN(30))
		for i := range sizes {
			sizes[i] = 1 + rnd.IntN(20)
		}
		q := train.Request{System: "flashneuron", Machine: gpu(60 + rnd.IntN(400)), Options: system.Published()}
		if rnd.IntN(2) == 0 {
			q.Options.Quirks = quirk.Corrected()
		}
		build := func() *workload.Workload { return chain(sizes, 1+int(seed%3), seed%2 == 0) }
		w := build()
		got, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := train.Run(w, q, nil)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: two runs differ (%v):\n%+v\n%+v", seed, err, got, again)
		}
		if !reflect.DeepEqual(w, build()) {
			t.Fatalf("seed %d: the run changed the workload", seed)
		}
		if !got.Fits {
			continue
		}
		ran++
		it := got.Main()
		if it.Time < got.Ideal || it.Ledger.Total() != it.Time-got.Ideal {
			t.Fatalf("seed %d: time %d, ideal %d, stalls %v", seed, it.Time, got.Ideal, it.Ledger)
		}
		if it.Traffic.SSDIn > it.Traffic.SSDOut {
			t.Fatalf("seed %d: read %v, wrote %v", seed, it.Traffic.SSDIn, it.Traffic.SSDOut)
		}
		for k, n := range got.Kernels {
			if n.GPU > q.Machine.GPUMemory {
				t.Fatalf("seed %d: kernel %d: %v in use", seed, k, n.GPU)
			}
		}
	}
	if ran < 100 {
		t.Errorf("only %d of 400 ran", ran)
	}
}

// With room for everything there is nothing to plan, and the run is ideal.
func TestRoomy(t *testing.T) {
	r, err := train.Run(chain([]int{5, 5, 5}, 1, true), train.Request{System: "flashneuron", Machine: machine.G10(), Options: system.Published()}, nil)
	if err != nil || !r.Fits || r.Time() != r.Ideal || r.PlannedOps != 0 {
		t.Errorf("%+v, %v; want the ideal time", r, err)
	}
}

// TestLatency checks that a transfer waits for the SSD once, unless others were
// under way: two tensors of the chain leave one by one and come back.
func TestLatency(t *testing.T) {
	w, m := chain([]int{10, 10, 10, 10, 10}, 1, true), gpu(5+31+35)
	run := func(latency unit.Time, q quirk.Set) *result.Result {
		m.SSDLatency = latency
		o := system.Published()
		o.Quirks = q
		r, err := train.Run(w, train.Request{System: "flashneuron", Machine: m, Options: o}, nil)
		if err != nil || !r.Fits {
			t.Fatal(err, r)
		}
		return r
	}
	const latency = 5 * unit.Millisecond
	fast, slow := run(0, quirk.Corrected()), run(latency, quirk.Corrected())
	more := m.Clock.Time(slow.Time() - fast.Time())
	if slow.Iterations[0].Traffic != fast.Iterations[0].Traffic || more < latency || more > 4*latency {
		t.Errorf("a latency of %v costs %v in at most 4 transfers", latency, more)
	}
	if a, b := run(0, quirk.Published()).Time(), run(latency, quirk.Published()).Time(); a != b {
		t.Errorf("as published the latency costs %d cycles", b-a)
	}
}
