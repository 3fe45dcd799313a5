package swap

import (
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Follower is a Swapper that follows its run's Program: Evict makes a tensor leave,
// Prefetch brings it as soon as there is room and the copy engine comes to it, Free
// gives its value up, Recompute computes that again, Barrier waits. Copies are made while
// nothing else leaves ([Ahead]). What is before the first kernel of the next iteration
// happens when that begins.
type Follower struct {
	Run *Run
	// Room, if not nil, says what leaves when the program leaves too little room. Without
	// it the workload does not fit.
	Room func(need unit.Bytes) []workload.TensorID

	next  int
	ahead *Ahead
}

// NewFollower returns a Swapper that follows r's Program.
func NewFollower(r *Run) *Follower { return &Follower{Run: r, ahead: NewAhead(r)} }

// Launch does what the program has before kernel k.
func (p *Follower) Launch(k workload.KernelID) {
	ops, r := p.Run.Program.Ops, p.Run
	if k == 0 {
		for ; r.Iteration() > 0 && p.next < len(ops); p.next++ {
			p.do(p.next)
		}
		p.next = 0
	}
	for ; p.next < len(ops) && ops[p.next].At <= k; p.next++ {
		p.do(p.next)
	}
	p.ahead.Make()
}

// do does operation i.
func (p *Follower) do(i int) {
	if op := p.Run.Program.Ops[i]; op.Kind == program.Copy {
		p.ahead.Ask(i)
	} else {
		p.Run.Do(op)
	}
}

// Moved goes on with copies.
func (p *Follower) Moved(workload.TensorID) { p.ahead.Make() }

// Do does what op says, at once or as soon as it can. Only Launch may call it with
// Barrier or Recompute.
func (r *Run) Do(op program.Op) {
	switch op.Kind {
	case program.Prefetch:
		r.Want(op.Tensor)
	case program.Evict:
		r.OffloadTo(op.Tensor, op.To)
	case program.Free:
		if !r.Discard(op.Tensor) {
			r.Offload(op.Tensor)
		}
	case program.Recompute:
		r.Recompute(op.Tensor)
	case program.Barrier:
		r.Barrier()
	case program.Copy:
		r.Copy(op.Tensor, op.To)
	case program.Forget:
		r.Forget(op.Tensor)
	}
}

// NoRoom returns what Room does.
func (p *Follower) NoRoom(need unit.Bytes) []workload.TensorID {
	if p.Room == nil {
		return nil
	}
	return p.Room(need)
}

// Used does nothing: what leaves is in the program.
func (p *Follower) Used(workload.TensorID) {}

// Late does nothing: the program stays as it is.
func (p *Follower) Late(workload.TensorID, unit.Cycles) {}

// Furthest returns tensors to make need bytes of room with whose next use is furthest
// away (Belady's choice), at equal distance those that were used longest ago. It knows
// the future: only for systems that plan.
func (r *Run) Furthest(need unit.Bytes) []workload.TensorID {
	best, far := none, -1
	for t := range r.Oldest() {
		if d := r.NextUse(t); d > far {
			best, far = t, d
		}
	}
	if best == none {
		return nil
	}
	return []workload.TensorID{best}
}

// LeastRecent returns tensors to make need bytes of room with that were used longest
// ago.
func (r *Run) LeastRecent(need unit.Bytes) (leave []workload.TensorID) {
	free := r.FreeBytes()
	for t := range r.Oldest() {
		leave = append(leave, t)
		if free += r.Block(t); free >= need {
			break
		}
	}
	return leave
}
