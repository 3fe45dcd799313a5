package spillway

import (
	"container/heap"

	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A follower follows a program while time passes. What is to come waits in a queue a tier,
// by next use, and nothing takes the room that a more urgent one waits for. What is to be
// copied ahead waits in a queue a tier, by when it will leave, and is copied while that way
// out is idle.
type follower struct {
	*swap.Run
	leave  []int // by operation that copies: kernels until the tensor leaves
	next   int
	want   [2]queue
	copies [2]queue
}

// tiers are those of the queues.
var tiers = [2]machine.Tier{machine.Host, machine.SSD}

// follow makes the follower of a run. Globals whose copies are
// not in the host begin on the SSD where the host has no room for everything.
func follow(r *swap.Run) (swap.Swapper, error) {
	f := &follower{Run: r, leave: make([]int, len(r.Program.Ops))}
	n := len(r.Workload.Kernels)
	inHost, leaves := make([]bool, len(r.Workload.Tensors)), make([]int, len(r.Workload.Tensors))
	for turn := 1; turn >= 0; turn-- { // what leaves in the next iteration first
		for i := len(r.Program.Ops) - 1; i >= 0; i-- {
			switch op := r.Program.Ops[i]; op.Kind {
			case program.Evict:
				leaves[op.Tensor] = int(op.At) + turn*n
				inHost[op.Tensor] = inHost[op.Tensor] || op.To == machine.Host
			case program.Copy:
				f.leave[i] = max(0, leaves[op.Tensor]-int(op.At))
			}
		}
	}
	if len(r.Program.Ops) > 0 && !r.HostHolds() {
		for t := range inHost {
			if !inHost[t] {
				r.Begin(workload.TensorID(t), machine.SSD)
			}
		}
	}
	return f, nil
}

// now counts kernels since the run began.
func (f *follower) now() int {
	return f.Iteration()*len(f.Workload.Kernels) + int(f.Kernel())
}

// Launch does what the program has before kernel k.
func (f *follower) Launch(k workload.KernelID) {
	ops := f.Program.Ops
	if k == 0 {
		f.next = 0
	}
	for ; f.next < len(ops) && ops[f.next].At <= k; f.next++ {
		f.do(f.next)
	}
	f.act()
}

func (f *follower) do(i int) {
	op := f.Program.Ops[i]
	switch t := op.Tensor; op.Kind {
	case program.Prefetch:
		if !f.IsOffloaded(t) {
			f.Fetch(t) // what is leaving stays
			return
		}
		heap.Push(&f.want[tierOf(f.CopyIn(t))], waiting{f.now() + f.NextUse(t), t})
	case program.Copy:
		heap.Push(&f.copies[tierOf(op.To)], waiting{f.now() + f.leave[i], t})
	default:
		f.Do(op)
	}
}

// act brings what is urgent and has room, and copies ahead where nothing leaves.
func (f *follower) act() {
	for f.bring() {
	}
	for q := range f.copies {
		for len(f.copies[q]) > 0 && f.Idle(tiers[q], true) {
			f.Copy(heap.Pop(&f.copies[q]).(waiting).tensor, tiers[q])
		}
	}
}

// bring begins to bring one tensor, and reports whether it does.
func (f *follower) bring() bool {
	for q := range f.want {
		for len(f.want[q]) > 0 && !f.IsOffloaded(f.want[q][0].tensor) {
			heap.Pop(&f.want[q])
		}
	}
	first, other := 0, 1
	if len(f.want[0]) == 0 || len(f.want[1]) > 0 && f.want[1][0].due < f.want[0][0].due {
		first, other = 1, 0
	}
	if len(f.want[first]) == 0 {
		return false
	}
	if f.Idle(tiers[first], false) {
		return f.begin(first)
	}
	room := f.Size(f.want[first][0].tensor) // for what is more urgent
	return len(f.want[other]) > 0 && f.Idle(tiers[other], false) &&
		f.FreeBytes() >= room+f.Size(f.want[other][0].tensor) && f.begin(other)
}

// begin brings the first of a queue, if it has room.
func (f *follower) begin(q int) bool {
	if !f.Fetch(f.want[q][0].tensor) {
		return false
	}
	heap.Pop(&f.want[q])
	return true
}

// NoRoom gives up what is used furthest in the future.
func (f *follower) NoRoom(need unit.Bytes) []workload.TensorID { return f.Furthest(need) }

// Used does nothing: what leaves is in the program.
func (f *follower) Used(workload.TensorID) {}

// Late does nothing: the program stays as it is.
func (f *follower) Late(workload.TensorID, unit.Cycles) {}

// Moved goes on with what waits.
func (f *follower) Moved(workload.TensorID) { f.act() }

func tierOf(t machine.Tier) int {
	if t == machine.Host {
		return 0
	}
	return 1
}

// A waiting tensor, and the kernel by which it is due, counted from the beginning of the run.
type waiting struct {
	due    int
	tensor workload.TensorID
}

// A queue is a heap of waiting tensors.
type queue []waiting

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].due < q[j].due || q[i].due == q[j].due && q[i].tensor < q[j].tensor
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(waiting)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
