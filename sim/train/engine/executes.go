package engine

import (
	"fmt"
	"slices"

	"spillway/sim/train/program"
	"spillway/sim/workload"
)

// Executes are no kinds: nothing moves.
func (Unlimited) Executes() []program.Kind { return nil }

// Executes are the kinds of operation that move pages.
func (Paged) Executes() []program.Kind { return moves() }

// Executes are the kinds of operation that a policy reads.
func (Pool) Executes() []program.Kind { return moves() }

// Executes are all kinds of operation.
func (Swap) Executes() []program.Kind {
	return append(moves(), program.Recompute, program.Barrier, program.Copy, program.Forget)
}

// Executes are no kinds: a pager decides while the program runs.
func (Blocks) Executes() []program.Kind { return nil }

// moves are the operations that move a tensor.
func moves() []program.Kind {
	return []program.Kind{program.Prefetch, program.Evict, program.Free}
}

// NoHost says that nothing is kept from host memory: nothing goes there.
func (Unlimited) NoHost() bool { return false }

// NoHost reports whether pages that leave go to the SSD alone.
func (m Paged) NoHost() bool { return m.SSDOnly }

// NoHost reports whether tensors that leave go to the SSD alone.
func (m Pool) NoHost() bool { return m.SSDOnly }

// NoHost reports whether tensors that leave go to the SSD alone.
func (Swap) NoHost() bool { return false }

// NoHost says that blocks that leave go to host memory.
func (Blocks) NoHost() bool { return false }

func (Unlimited) String() string { return "unlimited memory" }
func (Paged) String() string     { return "unified memory in pages" }
func (Pool) String() string      { return "an arena" }
func (Swap) String() string      { return "an arena" }
func (Blocks) String() string    { return "unified memory in blocks" }

// refused returns an error where p has an operation that is not executed, or one of a
// kernel or a tensor that is not there: a mistake in a system's plan.
func refused(r Runtime, w *workload.Workload, p *program.Program) error {
	can := r.Executes()
	for i := range p.Ops {
		switch op := &p.Ops[i]; {
		case !slices.Contains(can, op.Kind):
			return fmt.Errorf("operation %d of the program is %v, before kernel %d; %v executes none: plan for another memory model (engine.Runtime.Executes)", i, op.Kind, op.At, r)
		case op.At < 0 || int(op.At) > len(w.Kernels):
			return fmt.Errorf("operation %d of the program is before kernel %d; there are %d", i, op.At, len(w.Kernels))
		case op.Kind != program.Barrier && (op.Tensor < 0 || int(op.Tensor) >= len(w.Tensors)):
			return fmt.Errorf("operation %d of the program is about tensor %d; there are %d", i, op.Tensor, len(w.Tensors))
		}
	}
	return nil
}
