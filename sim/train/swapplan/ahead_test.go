package swapplan_test

import (
	"slices"
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// What leaves is copied from its last write on, once a value, and what nobody writes not at all.
func TestCopyAhead(t *testing.T) {
	type ids = []workload.TensorID
	kernel := func(in, out ids) workload.Kernel {
		return workload.Kernel{Time: unit.Millisecond, Inputs: in, Outputs: out}
	}
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: unit.MiB}, {Bytes: unit.MiB, Global: true}, {Bytes: unit.MiB, Global: true}},
		Kernels: []workload.Kernel{
			kernel(ids{1, 2}, ids{0}), kernel(ids{0}, nil), kernel(ids{1}, ids{0}), kernel(ids{2}, nil), kernel(ids{0}, nil), kernel(ids{0, 1}, ids{1}),
		},
	}
	op := func(at int, kind program.Kind, t int, to machine.Tier) program.Op {
		return program.Op{At: workload.KernelID(at), Kind: kind, Tensor: workload.TensorID(t), To: to}
	}
	p := &program.Program{Rounds: 7, Ops: []program.Op{
		op(1, program.Evict, 1, machine.Host), op(2, program.Prefetch, 1, machine.Nowhere), // written at the end of the iteration before
		op(3, program.Evict, 0, machine.SSD), op(4, program.Prefetch, 0, machine.Nowhere), // written by kernel 2
		op(5, program.Evict, 0, machine.SSD), op(5, program.Prefetch, 0, machine.Nowhere),
		op(5, program.Evict, 2, machine.Host), // nobody writes it
	}}
	got := swapplan.CopyAhead(w, p)
	want := []program.Op{
		op(0, program.Copy, 1, machine.Host),
		op(1, program.Evict, 1, machine.Host), op(2, program.Prefetch, 1, machine.Nowhere),
		op(3, program.Evict, 0, machine.SSD), op(3, program.Copy, 0, machine.SSD), op(4, program.Prefetch, 0, machine.Nowhere),
		op(5, program.Evict, 0, machine.SSD), op(5, program.Evict, 2, machine.Host), op(5, program.Prefetch, 0, machine.Nowhere),
	}
	if !slices.Equal(got.Ops, want) || got.Rounds != 7 {
		t.Errorf("%+v; want %+v", got.Ops, want)
	}
	if len(p.Ops) != 7 {
		t.Error("the plan itself has changed")
	}
}
