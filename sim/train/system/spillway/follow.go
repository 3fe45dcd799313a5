package spillway

import (
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A follower follows a program while time passes. What is to come waits in a queue a tier,
// by next use, and nothing takes the room that a more urgent one waits for. Copies are made
// ahead while that way out is idle ([swap.Ahead]).
type follower struct {
	*swap.Run
	next  int
	want  [2]swap.Queue
	ahead *swap.Ahead
}

// tiers are those of the queues.
var tiers = [2]machine.Tier{machine.Host, machine.SSD}

// follow makes the follower of a run. Globals whose copies are
// not in the host begin on the SSD where the host has no room for everything.
func follow(r *swap.Run) (swap.Swapper, error) {
	f := &follower{Run: r, ahead: swap.NewAhead(r)}
	inHost := make([]bool, len(r.Workload.Tensors))
	for _, op := range r.Program.Ops {
		if op.Kind == program.Evict && op.To == machine.Host {
			inHost[op.Tensor] = true
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
		f.want[tierOf(f.CopyIn(t))].Add(f.Elapsed()+f.NextUse(t), t)
	case program.Copy:
		f.ahead.Ask(i)
	default:
		f.Do(op)
	}
}

// act brings what is urgent and has room, and copies ahead where nothing leaves.
func (f *follower) act() {
	for f.bring() {
	}
	f.ahead.Make()
}

// bring begins to bring one tensor, and reports whether it does.
func (f *follower) bring() bool {
	for q := range f.want {
		for len(f.want[q]) > 0 && !f.IsOffloaded(f.want[q].First()) {
			f.want[q].Take()
		}
	}
	first, other := 0, 1
	if len(f.want[0]) == 0 || len(f.want[1]) > 0 && f.want[1].Due() < f.want[0].Due() {
		first, other = 1, 0
	}
	if len(f.want[first]) == 0 {
		return false
	}
	if f.Idle(tiers[first], false) {
		return f.begin(first)
	}
	room := f.Size(f.want[first].First()) // for what is more urgent
	return len(f.want[other]) > 0 && f.Idle(tiers[other], false) &&
		f.FreeBytes() >= room+f.Size(f.want[other].First()) && f.begin(other)
}

// begin brings the first of a queue, if it has room.
func (f *follower) begin(q int) bool {
	if !f.Fetch(f.want[q].First()) {
		return false
	}
	f.want[q].Take()
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
