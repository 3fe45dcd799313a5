package swap_test

import (
	"fmt"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// forgetful gives up every activation of a chain after its last forward use.
type forgetful struct {
	r      *swap.Run
	layers workload.KernelID
}

func (f *forgetful) Launch(workload.KernelID)              {}
func (f *forgetful) NoRoom(unit.Bytes) []workload.TensorID { return nil }
func (f *forgetful) Late(workload.TensorID, unit.Cycles)   {}
func (f *forgetful) Used(t workload.TensorID) {
	// The kernel that is next may be in the backward pass, whose values stay.
	if k := f.r.Kernel(); t > 0 && int(t) < int(f.layers) && int(k) == int(t)+2 {
		f.r.Discard(t)
	}
}

// A chain of layers adds each activation to the one before, whose backward kernels read
// them. All but the first are given up. The kernels back to it run again, in their
// order, so that a few tensors' memory is enough for any length; what has been computed
// again stays as long as there is room.
func TestRecomputeChain(t *testing.T) {
	const layers = 30
	type ids = []workload.TensorID
	w := &workload.Workload{Name: "chain", Batch: 1}
	add := func() workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: fmt.Sprint("t", len(w.Tensors)), Bytes: unit.MiB})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	run := func(in, out ids) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Millisecond, Inputs: in, Outputs: out})
	}
	run(nil, ids{add()})
	for i := range layers {
		run(ids{workload.TensorID(i)}, ids{add()})
	}
	g := add()
	run(ids{layers}, ids{g})
	for i := layers - 1; i >= 0; i-- {
		next := add()
		run(ids{g, workload.TensorID(i)}, ids{next})
		g = next
	}
	s := system.System{Name: "forgetful", Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{Swapper: func(r *swap.Run) (swap.Swapper, error) {
			return &forgetful{r, layers}, nil
		}}
	}}
	o := system.Published()
	o.Quirks, o.Iterations = quirk.Corrected(), 1
	runs := map[int]int64{}
	for _, mib := range []int{6, 16, 64} {
		m := machine.G10()
		m.GPUMemory = unit.Bytes(mib) * unit.MiB
		_, r, err := systemtest.Simulate(s, w, m, o)
		if err != nil {
			t.Fatalf("%d MiB: %v", mib, err)
		}
		it := r.Main()
		runs[mib] = it.Swapping.Recomputed
		if it.Traffic.HostOut != 0 || it.Ledger.Total() != it.Ledger.Recomputation {
			t.Errorf("%d MiB: moved %v, stalls %+v", mib, it.Traffic.HostOut, it.Ledger)
		}
	}
	// With room for all each of the 29 that are given up runs once.
	if runs[64] != layers-1 {
		t.Errorf("%d kernels run again with room for all, want %d", runs[64], layers-1)
	}
	if runs[6] <= runs[16] || runs[16] <= runs[64] {
		t.Errorf("kernels that run again by memory: %v", runs)
	}
}
