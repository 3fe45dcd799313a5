package swap

import (
	"container/heap"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/workload"
)

// Ahead makes a program's copies while nothing else leaves: they wait in a queue a tier, by
// when their tensor will leave, and each begins when that way out is idle.
type Ahead struct {
	run    *Run
	leave  []int // by operation that copies: kernels until the tensor leaves
	queues [len(tiers)]Queue
}

// tiers are those that copies go to.
var tiers = [...]machine.Tier{machine.Host, machine.SSD}

// NewAhead returns what makes the copies of r's program.
func NewAhead(r *Run) *Ahead {
	a := &Ahead{run: r, leave: make([]int, len(r.Program.Ops))}
	n := len(r.Workload.Kernels)
	leaves := make([]int, len(r.Workload.Tensors))
	for turn := 1; turn >= 0; turn-- { // what leaves in the next iteration first
		for i := len(r.Program.Ops) - 1; i >= 0; i-- {
			switch op := r.Program.Ops[i]; op.Kind {
			case program.Evict:
				leaves[op.Tensor] = int(op.At) + turn*n
			case program.Copy:
				a.leave[i] = max(0, leaves[op.Tensor]-int(op.At))
			}
		}
	}
	return a
}

// Ask puts operation i of the program, which copies, into its queue.
func (a *Ahead) Ask(i int) {
	op := a.run.Program.Ops[i]
	q := 0
	if op.To == machine.SSD {
		q = 1
	}
	a.queues[q].Add(a.run.Elapsed()+a.leave[i], op.Tensor)
}

// Make begins copies where nothing leaves.
func (a *Ahead) Make() {
	for q := range a.queues {
		for len(a.queues[q]) > 0 && a.run.Idle(tiers[q], true) {
			a.run.Copy(a.queues[q].Take(), tiers[q])
		}
	}
}

// Elapsed counts kernels since the run began.
func (r *Run) Elapsed() int { return r.Iteration()*len(r.Workload.Kernels) + int(r.kernel) }

// A Queue has tensors by the kernel at which each is due, counted as [Run.Elapsed].
type Queue []due

type due struct {
	kernel int
	tensor workload.TensorID
}

// Add puts a tensor into the queue.
func (q *Queue) Add(kernel int, t workload.TensorID) { heap.Push((*byDue)(q), due{kernel, t}) }

// Take takes the first out, which must be there.
func (q *Queue) Take() workload.TensorID { return heap.Pop((*byDue)(q)).(due).tensor }

// First returns the tensor that is due first, which must be there.
func (q Queue) First() workload.TensorID { return q[0].tensor }

// Due returns the kernel at which the first is due.
func (q Queue) Due() int { return q[0].kernel }

// byDue is a Queue as a heap.
type byDue []due

func (q byDue) Len() int { return len(q) }
func (q byDue) Less(i, j int) bool {
	return q[i].kernel < q[j].kernel || q[i].kernel == q[j].kernel && q[i].tensor < q[j].tensor
}
func (q byDue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *byDue) Push(x any)   { *q = append(*q, x.(due)) }
func (q *byDue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
