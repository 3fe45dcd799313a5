// Package program holds what a system decides before the run: which tensors
// move where, and when. A program is data: it can be printed and compared
// without a clock.
package program

import (
	"bufio"
	"fmt"
	"io"

	"spillway/sim/train/machine"
	"spillway/sim/workload"
)

// Kind is what an Op does.
type Kind uint8

// The kinds of operation.
const (
	// Prefetch brings the tensor to the GPU; what is unallocated is allocated.
	Prefetch Kind = iota
	// Evict moves the tensor's GPU pages to Op.To.
	Evict
	// Free gives up the tensor's memory.
	Free
	// Recompute runs the kernel that wrote the tensor again: its value was freed.
	Recompute
	// Barrier waits until nothing moves any more; it has no tensor.
	Barrier
	// Copy copies the tensor to Op.To while it stays on the GPU.
	Copy
	// Forget gives up what was copied.
	Forget
)

// String returns the operation's name in printed programs.
func (k Kind) String() string {
	return [...]string{"prefetch", "evict", "free", "recompute", "barrier", "copy", "forget"}[k]
}

// An Op is a migration instruction, issued when kernel At is about to run.
type Op struct {
	// At is a kernel, or len(Kernels): before the first kernel of the next iteration.
	At     workload.KernelID
	Kind   Kind
	Tensor workload.TensorID
	To     machine.Tier // Evict and Copy only: Host or SSD
}

// A Program is a list of operations ordered by At. Operations of one kernel are
// issued in list order.
type Program struct {
	Ops []Op
	// Rounds is how many candidates the planner examined.
	Rounds int
}

// Count returns the number of operations of a kind; for Evict, of one destination.
func (p *Program) Count(k Kind, to machine.Tier) (n int) {
	for _, op := range p.Ops {
		if op.Kind == k && (k != Evict || op.To == to) {
			n++
		}
	}
	return n
}

// WriteText prints p, one line a kernel that has operations.
func (p *Program) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i, op := range p.Ops {
		if i == 0 || op.At != p.Ops[i-1].At {
			if i > 0 {
				fmt.Fprintln(b)
			}
			fmt.Fprintf(b, "%d:", op.At)
		}
		if op.Kind == Barrier {
			fmt.Fprintf(b, " %v", op.Kind)
			continue
		}
		fmt.Fprintf(b, " %v %d", op.Kind, op.Tensor)
		if op.Kind == Evict || op.Kind == Copy {
			fmt.Fprintf(b, "→%v", op.To)
		}
	}
	if len(p.Ops) > 0 {
		fmt.Fprintln(b)
	}
	return b.Flush()
}
