package swap

import (
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Copy begins to copy t to a tier, Host or SSD, while it stays on the GPU: once that is done
// t leaves without traffic, until a kernel writes it. It reports whether it does: t's value is
// on the GPU, not on its way out, no kernel writes it now, and no copy of it is there or being
// made.
func (r *Run) Copy(t workload.TensorID, to machine.Tier) bool {
	x := &r.tensors[t]
	if x.state != resident || x.copy != machine.Nowhere || x.dest != machine.Nowhere || r.writing(t) {
		return false
	}
	x.dest = r.place(x.size, to)
	r.enqueue(link.Between(x.dest, true), t, engine.Planned)
	return true
}

// writing reports whether a kernel may write t now.
func (r *Run) writing(t workload.TensorID) bool {
	return r.tensors[t].pins > 0 && (r.rerunning || slices.Contains(r.Workload.Kernels[r.kernel].Outputs, t))
}

// Forget gives up the copy of t, whose value is on the GPU, so that its place is free. It
// reports whether there was one, and none that is under way.
func (r *Run) Forget(t workload.TensorID) bool {
	x := &r.tensors[t]
	if x.state != resident || x.moving >= 0 || x.copy == machine.Nowhere && x.dest == machine.Nowhere {
		return false
	}
	r.forget(t)
	return true
}

// overwritten gives up copies that have not begun of what a kernel is about to write.
func (r *Run) overwritten(k workload.KernelID) {
	for _, t := range r.Workload.Kernels[k].Outputs {
		if x := &r.tensors[t]; x.dest != machine.Nowhere && x.moving < 0 && x.state == resident {
			r.forget(t)
		}
	}
}

// Begin says in which tier a global tensor's value is at the start of the run: the SSD, or
// the host, if it has room. Only who makes the Swapper may call it.
func (r *Run) Begin(t workload.TensorID, tier machine.Tier) {
	x := &r.tensors[t]
	if r.count == 0 && x.state == offloaded {
		r.forget(t)
		x.copy = r.place(x.size, tier)
	}
}

// Idle reports whether nothing moves between the GPU and a tier in one direction, out being
// away from the GPU.
func (r *Run) Idle(tier machine.Tier, out bool) bool {
	return r.channels[link.Between(tier, out)].idle()
}

// HostHolds reports whether the host has room for all tensors at once.
func (r *Run) HostHolds() bool {
	var all unit.Bytes
	for t := range r.tensors {
		all += r.tensors[t].size
	}
	return all <= r.hostSize
}

// CopyIn returns the tier in which there is a copy of t, or Nowhere.
func (r *Run) CopyIn(t workload.TensorID) machine.Tier { return r.tensors[t].copy }
