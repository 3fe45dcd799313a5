package flashneuron_test

import (
	"testing"

	"spillway/sim/train/system/flashneuron"
	"spillway/sim/workload"
)

// Gradients that are set to zero before the forward pass do not begin the backward
// pass, as recordings of training jobs have it.
func TestLossAfterZeroing(t *testing.T) {
	ids := func(list ...workload.TensorID) []workload.TensorID { return list }
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: 1, Global: true, Kind: workload.Weight}, {Bytes: 1, Kind: workload.Gradient}, {Bytes: 1}, {Bytes: 1, Kind: workload.Gradient}},
		Kernels: []workload.Kernel{
			{Name: "zero", Time: 1, Outputs: ids(1)},
			{Name: "forward", Time: 1, Inputs: ids(0), Outputs: ids(2)},
			{Name: "ones", Time: 1, Inputs: ids(3), Outputs: ids(3)},
			{Name: "backward", Time: 1, Inputs: ids(2, 3), Outputs: ids(1)},
			{Name: "update", Time: 1, Inputs: ids(0, 1), Outputs: ids(0)},
		},
	}
	if k := flashneuron.LossKernel(w); k != 3 {
		t.Errorf("the backward pass begins at kernel %d, want 3", k)
	}
}
