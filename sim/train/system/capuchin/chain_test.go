package capuchin_test

import (
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// chain returns a network of n forward and n backward kernels of 10 µs, each with an
// activation of a size and, if weights, a weight of that size.
func chain(n int, size unit.Bytes, weights bool) *workload.Workload {
	w := &workload.Workload{Name: "chain", Batch: 1}
	add := func(t workload.Tensor) workload.TensorID {
		t.Bytes = size
		w.Tensors = append(w.Tensors, t)
		return workload.TensorID(len(w.Tensors) - 1)
	}
	run := func(in, out []workload.TensorID) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "relu", Time: 10 * unit.Microsecond, Inputs: in, Outputs: out})
	}
	x := []workload.TensorID{add(workload.Tensor{Name: "x"})}
	run(nil, []workload.TensorID{x[0]})
	var weight []workload.TensorID
	with := func(i int, list ...workload.TensorID) []workload.TensorID {
		if weights {
			list = append(list, weight[i])
		}
		return list
	}
	for i := range n {
		if weights {
			weight = append(weight, add(workload.Tensor{Name: "w", Global: true, Kind: workload.Weight}))
		}
		x = append(x, add(workload.Tensor{Name: "x"}))
		run(with(i, x[i]), []workload.TensorID{x[i+1]})
	}
	g := x[n]
	for i := n - 1; i >= 0; i-- {
		next := add(workload.Tensor{Name: "g"})
		run(with(i, g, x[i]), []workload.TensorID{next})
		g = next
	}
	return w
}

// A plan that takes longer than passive mode is given up.
func TestGivenUp(t *testing.T) {
	r := run(t, chain(200, 16*unit.MiB, true), v100(800*unit.MiB))
	passive, planned, got := r.Iterations[0].Time, r.Iterations[2].Time, r.Time()
	if planned <= passive || got > passive {
		t.Errorf("%d cycles, %d with the plan, %d in passive mode", got, planned, passive)
	}
	if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "given up") {
		t.Errorf("notes: %s", notes)
	}
}

// Weights and activations together do not fit, and no swap is fast enough: what a
// recomputation reads has left as well, and has to come back for it. A plan of such
// recomputations would take 26 times as long as passive mode.
func TestSourcesLeave(t *testing.T) {
	r := run(t, chain(200, 64*unit.MiB, true), v100(8*unit.GiB))
	if passive, planned := r.Iterations[0].Time, r.Iterations[2].Time; planned > passive || r.Main().Swapping.Recomputed > 0 {
		t.Errorf("%d cycles with the plan, %d in passive mode; %+v", planned, passive, *r.Main().Swapping)
	}
	if notes := strings.Join(r.Notes, " "); strings.Contains(notes, "fit into") || strings.Contains(notes, "given up") {
		t.Errorf("notes: %s", notes)
	}
}

// Who waits for a long plan is told meanwhile, and can end the run there.
func TestTold(t *testing.T) {
	w, calls := chain(500, unit.MiB, true), 0
	o := system.Published()
	o.Quirks = quirk.Corrected()
	var last int
	_, err := train.Run(w, train.Request{System: "capuchin", Machine: v100(500 * unit.MiB), Options: o}, func(done, _ int) {
		if done < last {
			t.Errorf("%d done after %d", done, last)
		}
		if last = done; done == len(w.Kernels) {
			calls++
		}
	})
	if err != nil || calls < 2 {
		t.Errorf("told %d times after the measured iteration, %v", calls, err)
	}
}
