// Package enginetest has what the tests of several memory models run. Only tests import it.
package enginetest

import (
	"math/rand/v2"

	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Machine has so many pages of GPU memory, and moves a page in 100 cycles on each channel.
func Machine(pages int64) machine.Machine {
	const rate = 40960 * unit.MBps // 4096 B in 100 ns
	return machine.Machine{
		GPUMemory: unit.Bytes(pages) * unit.Page, Clock: unit.GHz,
		GPULink: 2 * rate, HostLink: 2 * rate, SSDRead: rate, SSDWrite: rate,
	}
}

// Workload has two activations, a and b, that the backward pass uses again.
// Every kernel takes 100 cycles, every tensor is pages long.
func Workload(pages int64) *workload.Workload {
	const a, b, c, dc, db, da, weight = 0, 1, 2, 3, 4, 5, 6
	w := &workload.Workload{Tensors: make([]workload.Tensor, 7)}
	for t := range w.Tensors {
		w.Tensors[t].Bytes = unit.Bytes(pages) * unit.Page
	}
	w.Tensors[weight] = workload.Tensor{Bytes: 1, Global: true}
	ids := func(ts ...workload.TensorID) []workload.TensorID { return ts }
	w.Kernels = []workload.Kernel{
		{Name: "load", Outputs: ids(a)},
		{Name: "f1", Inputs: ids(a), Outputs: ids(b)},
		{Name: "f2", Inputs: ids(b, weight), Outputs: ids(c)},
		{Name: "makeLoss", Inputs: ids(c), Outputs: ids(dc)},
		{Name: "b2", Inputs: ids(dc, b), Outputs: ids(db)},
		{Name: "b1", Inputs: ids(db, a), Outputs: ids(da, weight)},
	}
	for k := range w.Kernels {
		w.Kernels[k].Time = 100 * unit.Nanosecond
	}
	return w
}

// UpTo draws from 1 to most, small and large numbers alike.
func UpTo(r *rand.Rand, most int64) int64 {
	for r.IntN(3) > 0 {
		most = max(1, most/10)
	}
	return 1 + r.Int64N(most)
}
