package capuchin_test

import (
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/capuchin"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Twelve layers, whose activations each backward kernel reads; the GPU has room for one
// tensor less than it takes. The copy of a weight that nobody writes takes all host memory, so
// that the swapped tensor comes from the SSD, five times as slowly as the plan reckons: it is
// late, until its in-trigger has moved far enough.
func TestFeedback(t *testing.T) {
	type ids = []workload.TensorID
	const layers, size = 12, 16 * unit.MiB
	w := &workload.Workload{Name: "layers", Batch: 1}
	add := func() workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: "t", Bytes: size})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	x, weight := add(), add()
	w.Tensors[weight].Global = true
	run := func(in, out ids) { // all read the weight
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Millisecond, Inputs: append(in, weight), Outputs: out})
	}
	run(nil, ids{x})
	for i := range layers {
		from := x
		if i > 0 {
			from = weight + workload.TensorID(i)
		}
		run(ids{from}, ids{add()})
	}
	g := add()
	run(ids{weight + layers}, ids{g})
	for i := layers - 1; i >= 0; i-- {
		from := x
		if i > 0 {
			from = weight + workload.TensorID(i)
		}
		next := add()
		run(ids{g, from}, ids{next})
		g = next
	}
	m := v100((layers + 2) * size)
	m.HostMemory, m.HostLink, m.GPULink = size, 20*unit.GBps, 20*unit.GBps
	m.SSDRead, m.SSDWrite = 4*unit.GBps, 4*unit.GBps
	simulate := func(percent int64) (late []int64, stalls []unit.Cycles) {
		o := system.Published()
		o.Quirks, o.Iterations = quirk.Corrected(), 8
		capuchin.Feedback.Set(&o, percent)
		r, err := train.Run(w, train.Request{System: "capuchin", Machine: m, Options: o}, nil)
		if err != nil || !r.Fits {
			t.Fatal(err, r)
		}
		for i := range r.Iterations[1:] {
			it := &r.Iterations[i+1]
			late, stalls = append(late, it.Swapping.Late), append(stalls, it.Time-r.Ideal)
		}
		return late, stalls
	}
	late, stalls := simulate(100)
	last := len(late) - 1
	if late[0] == 0 || late[last] != 0 || stalls[0] == 0 || stalls[last] != 0 {
		t.Errorf("late %v, stalls %v; want them to end", late, stalls)
	}
	for i := 1; i <= last; i++ {
		if stalls[i] > stalls[i-1] {
			t.Errorf("stalls grow: %v", stalls)
		}
	}
	if late, stalls = simulate(0); late[last] != late[0] || stalls[last] != stalls[0] {
		t.Errorf("without feedback: late %v, stalls %v; want the same always", late, stalls)
	}
}
