package swapplan

import (
	"fmt"
	"slices"

	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Verify returns what is wrong with a program of evictions, prefetches and barriers,
// whatever the links' rates: a kernel whose tensors are not on the GPU or on their way
// there, an eviction of a tensor that is not there, a prefetch of one that is, more on
// the GPU than fits. An eviction of a tensor that the kernel reads is a copy, which the
// tensor's eviction at the next kernel must make use of. It is for tests of planners.
func (l *Load) Verify(p *program.Program, memory unit.Bytes) error {
	v := verifier{l: l, away: make([]bool, len(l.Size)), copied: make([]workload.KernelID, len(l.Size))}
	for iteration := range 3 {
		next := 0
		for k := range len(l.Alive) + 1 {
			v.k = workload.KernelID(k)
			for ; next < len(p.Ops) && p.Ops[next].At == v.k; next++ {
				if err := v.op(p.Ops[next], iteration); err != nil {
					return err
				}
			}
			if k == len(l.Alive) {
				break
			}
			if err := v.kernel(memory, iteration); err != nil {
				return err
			}
		}
		if next < len(p.Ops) {
			return fmt.Errorf("operation %d is at kernel %d of %d, or out of order", next, p.Ops[next].At, len(l.Alive))
		}
	}
	return nil
}

// A verifier follows a program.
type verifier struct {
	l      *Load
	k      workload.KernelID
	away   []bool
	bytes  unit.Bytes          // away
	copied []workload.KernelID // one more than the kernel beside which a copy was made
}

func (v *verifier) op(op program.Op, iteration int) error {
	if op.Kind == program.Barrier {
		return nil
	}
	t := op.Tensor
	bad := func(what string) error {
		return fmt.Errorf("iteration %d, kernel %d: %v of tensor %d: %s", iteration, v.k, op.Kind, t, what)
	}
	used := int(v.k) < len(v.l.Sets) && slices.Contains(v.l.Sets[v.k], t)
	switch op.Kind {
	case program.Evict:
		switch {
		case v.away[t]:
			return bad("it is away")
		case used:
			if slices.Contains(v.l.Workload.Kernels[v.k].Outputs, t) {
				return bad("the kernel writes it")
			}
			v.copied[t] = v.k + 1
			return nil
		}
		if k := v.copied[t]; k != 0 && k != v.k {
			return bad(fmt.Sprintf("it was copied beside kernel %d and has not left after that", k-1))
		}
		v.copied[t] = 0
		v.away[t] = true
		v.bytes += v.l.Size[t]
	case program.Prefetch:
		if !v.away[t] {
			if iteration == 0 && v.l.Workload.Tensors[t].Global {
				return nil // it comes for the first time
			}
			return bad("it is not away")
		}
		v.away[t] = false
		v.bytes -= v.l.Size[t]
	default:
		return bad("not a move")
	}
	return nil
}

func (v *verifier) kernel(memory unit.Bytes, iteration int) error {
	for _, t := range v.l.Sets[v.k] {
		if v.away[t] {
			return fmt.Errorf("iteration %d: kernel %d needs tensor %d, which is away", iteration, v.k, t)
		}
	}
	if on := v.l.Alive[v.k] - v.bytes; on > memory && iteration > 0 {
		return fmt.Errorf("iteration %d: kernel %d has %v on the GPU, which has %v", iteration, v.k, on, memory)
	}
	return nil
}
