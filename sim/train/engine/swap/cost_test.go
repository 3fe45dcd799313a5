package swap_test

import (
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Twice as many tensors of half the size take their cost longer each, and what a swapper is
// told of a transfer has it.
func TestTransferCost(t *testing.T) {
	const pages, cost = 64, 700
	time := func(tensors int) unit.Cycles {
		w := &workload.Workload{Kernels: []workload.Kernel{{Time: 100 * unit.Nanosecond}}}
		for range tensors {
			w.Kernels[0].Inputs = append(w.Kernels[0].Inputs, workload.TensorID(len(w.Tensors)))
			w.Tensors = append(w.Tensors, workload.Tensor{Bytes: pages * unit.Page / unit.Bytes(tensors), Global: true})
		}
		c := engine.Config{Machine: enginetest.Machine(2 * pages), Iterations: 1}
		c.Machine.HostMemory, c.Machine.TransferCost = unit.GiB, cost*unit.Nanosecond
		c.Runtime = swap.Memory{Swapper: func(r *swap.Run) (swap.Swapper, error) {
			for _, to := range []machine.Tier{machine.Host, machine.SSD} {
				page, none := r.TransferTime(unit.Page, to, true), r.TransferTime(0, to, true)
				if none != cost || page <= cost {
					t.Errorf("nothing takes %d cycles to %v, and a page %d", none, to, page)
				}
			}
			return swap.NewFollower(r), nil
		}}
		r, err := engine.Run(w, &program.Program{}, c)
		if err != nil {
			t.Fatal(err)
		}
		return r.Main().Time
	}
	for n := 1; n < pages; n *= 2 {
		if few, many := time(n), time(2*n); many-few != unit.Cycles(n)*cost {
			t.Errorf("%d tensors take %d cycles, %d of half the size %d; the difference should be %d times %d", n, few, 2*n, many, n, cost)
		}
	}
}
