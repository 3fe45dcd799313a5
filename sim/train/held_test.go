package train_test

import (
	"fmt"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// chain is a workload of n kernels, forward and back, of which each leaves 8 MiB
// for its mirror; held bytes belong to nobody.
func chain(n int, held unit.Bytes) *workload.Workload {
	w := &workload.Workload{Name: "chain", Times: workload.Measured, Tensors: []workload.Tensor{{Name: "weight", Bytes: unit.MiB, Global: true, Kind: workload.Weight}}}
	id := func(i int) workload.TensorID { return workload.TensorID(i + 1) }
	for i := range n {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: fmt.Sprint("x", i), Bytes: 8 * unit.MiB})
		k := workload.Kernel{Name: "forward", Time: unit.Millisecond, Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{id(i)}}
		if i > 0 {
			k.Inputs = append(k.Inputs, id(i-1))
		}
		w.Kernels = append(w.Kernels, k)
	}
	for i := n - 1; i >= 0; i-- {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "backward", Time: unit.Millisecond, Inputs: []workload.TensorID{0, id(i)}, Outputs: []workload.TensorID{0}})
	}
	if held > 0 {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: "resident, unknown", Bytes: held, Global: true, Kind: workload.Workspace})
	}
	return w
}

// TestHeld: what no kernel uses takes GPU memory in every system, as if the GPU had
// so much less, and a GPU that it fills can run nothing.
func TestHeld(t *testing.T) {
	const held = 64*unit.MiB + 1
	for _, mode := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		for _, s := range train.Systems {
			q := train.Request{System: s.Name, Machine: machine.G10(), Options: system.Published()}
			q.Options.Quirks = mode
			run := func(memory, held unit.Bytes) (time unit.Cycles, least, most unit.Bytes, fits bool) {
				q.Machine.GPUMemory = memory
				r, err := train.Run(chain(24, held), q, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Fits {
					return 0, 0, 0, false
				}
				least = 1 << 60
				for _, k := range r.Kernels {
					least, most = min(least, k.GPU), max(most, k.GPU)
				}
				return r.Time(), least, most, true
			}
			with, least, _, fits := run(192*unit.MiB, held)
			without, _, _, _ := run(192*unit.MiB, 0)
			if !fits || least < held {
				t.Errorf("%s, %v: it fits: %v; %v of GPU memory are in use at least, %v are held", s.Name, mode, fits, least, held)
			}
			less, _, _, _ := run(192*unit.MiB-held.Aligned(), 0)
			paged := s.Name == "uvm" || s.Name == "deepum+" // they know nothing but how much memory there is
			if with < without || paged && with != less {
				t.Errorf("%s, %v: %d cycles, without what is held %d, with so much less memory %d", s.Name, mode, with, without, less)
			}
			if _, _, _, fits := run(64*unit.MiB, held); fits != (s.Name == "ideal") {
				t.Errorf("%s, %v: it fits: %v", s.Name, mode, fits)
			}
		}
	}
}
