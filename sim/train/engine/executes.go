package engine

import (
	"fmt"
	"slices"

	"spillway/sim/train/program"
	"spillway/sim/workload"
)

// Executes are the kinds of operation that a run of this behaviour executes. With a
// Policy it is the policy that reads the program.
func (r *Runtime) Executes() []program.Kind {
	switch {
	case r.Memory == Arena && r.Swapper != nil:
		return []program.Kind{program.Prefetch, program.Evict, program.Free, program.Recompute, program.Barrier, program.Copy, program.Forget}
	case r.Memory == Arena, r.Memory == Paged:
		return []program.Kind{program.Prefetch, program.Evict, program.Free}
	}
	return nil // Unlimited moves nothing; InBlocks decides while it runs
}

// String says what a memory model is.
func (m Memory) String() string {
	return [...]string{"unlimited memory", "unified memory in pages", "an arena", "unified memory in blocks"}[m]
}

// refused returns an error where p has an operation that is not executed, or one of a
// kernel or a tensor that is not there: a mistake in a system's plan.
func (r *Runtime) refused(w *workload.Workload, p *program.Program) error {
	can := r.Executes()
	for i := range p.Ops {
		switch op := &p.Ops[i]; {
		case !slices.Contains(can, op.Kind):
			return fmt.Errorf("operation %d of the program is %v, before kernel %d; %v executes none: plan for another memory model (engine.Runtime.Executes)", i, op.Kind, op.At, r.Memory)
		case op.At < 0 || int(op.At) > len(w.Kernels):
			return fmt.Errorf("operation %d of the program is before kernel %d; there are %d", i, op.At, len(w.Kernels))
		case op.Kind != program.Barrier && (op.Tensor < 0 || int(op.Tensor) >= len(w.Tensors)):
			return fmt.Errorf("operation %d of the program is about tensor %d; there are %d", i, op.Tensor, len(w.Tensors))
		}
	}
	return nil
}
