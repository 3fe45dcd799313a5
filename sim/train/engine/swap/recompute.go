package swap

import (
	"slices"

	"spillway/sim/train/result"
	"spillway/sim/workload"
)

// writer returns the last kernel before the given one that writes t, or -1.
func (r *Run) writer(t workload.TensorID, before workload.KernelID) workload.KernelID {
	uses := r.Life.Uses(t)
	i, _ := slices.BinarySearch(uses, before)
	for i--; i >= 0; i-- {
		if slices.Contains(r.Workload.Kernels[uses[i]].Outputs, t) {
			return uses[i]
		}
	}
	return -1
}

// recompute gives t, which was discarded, the value again that it has before kernel k:
// the kernels of its lineage run again, in their order, back to values that are not
// gone. Those count as what they were then. What comes back besides is lent: dead
// values until the last of these kernels that uses them, others until somebody uses
// them or needs the room.
func (r *Run) recompute(t workload.TensorID, k workload.KernelID) error {
	list := r.lineage(t, k)
	r.rerunning = true
	defer func() { r.rerunning = false }()
	for i, p := range list {
		for _, u := range r.sets[p] {
			x := &r.tensors[u]
			if x.last = int32(i); x.lent && !x.held {
				x.held = true
				x.pins++
			}
		}
	}
	for i, p := range list {
		if err := r.rerun(p); err != nil {
			return err
		}
		for _, u := range r.sets[p] {
			x := &r.tensors[u]
			if !x.lent || int(x.last) > i || u == t {
				continue
			}
			if x.held {
				x.held = false
				x.pins--
			}
			if r.deadBefore(u, r.kernel) {
				r.drop(u, absent)
			}
		}
	}
	x := &r.tensors[t]
	if x.held {
		x.held = false
		x.pins--
	}
	x.lent = false
	r.lent = slices.DeleteFunc(r.lent, func(u workload.TensorID) bool { return !r.tensors[u].lent })
	return nil
}

// lineage returns the kernels that must run again, in their order, for t to have the
// value that it has before kernel k.
func (r *Run) lineage(t workload.TensorID, k workload.KernelID) []workload.KernelID {
	r.walk++
	list := r.again[:0]
	add := func(t workload.TensorID, before workload.KernelID) {
		if p := r.writer(t, before); p >= 0 && r.walked[p] != r.walk {
			r.walked[p] = r.walk
			list = append(list, p)
		}
	}
	add(t, k)
	for i := 0; i < len(list); i++ {
		for _, u := range r.Workload.Kernels[list[i]].Inputs {
			if r.hasNoValue(u) {
				add(u, list[i])
			}
		}
	}
	slices.Sort(list)
	r.again = list
	return list
}

// hasNoValue reports whether t has no value anywhere.
func (r *Run) hasNoValue(t workload.TensorID) bool {
	s := r.tensors[t].state
	return s == absent || s == discarded
}

// deadBefore reports whether nobody needs t's value when kernel k starts.
func (r *Run) deadBefore(t workload.TensorID, k workload.KernelID) bool {
	return !r.tensors[t].global && r.Life.Death[t] <= k
}

// rerun runs kernel p again, whose inputs are there or have been computed again. An
// input that is gone is a batch of data, which is there as it was at first. What else
// the kernel writes, and is gone, comes back as well, and is held while it is needed.
func (r *Run) rerun(p workload.KernelID) error {
	set := r.sets[p]
	for _, u := range set {
		r.tensors[u].pins++
	}
	defer func() {
		for _, u := range set {
			r.tensors[u].pins--
		}
	}()
	inputs := len(r.Workload.Kernels[p].Inputs)
	for i, u := range set {
		var err error
		switch {
		case r.hasNoValue(u):
			if err = r.create(u, p); err == nil {
				x := &r.tensors[u]
				x.lent, x.held = true, true
				x.pins++
				r.lent = append(r.lent, u)
			}
		case i < inputs:
			err = r.request(u, p, true)
		}
		if err != nil {
			return err
		}
	}
	for i, u := range set {
		if i < inputs {
			r.await(u)
		}
	}
	r.waitForMapping()
	r.stall(r.exec[p], result.Recomputation)
	r.swapping.Recomputed++
	if r.replayed[p] == int32(r.count) {
		r.repeated++
	}
	r.replayed[p] = int32(r.count)
	for _, u := range set {
		if s := r.tensors[u].state; s == resident || s == leaving {
			r.use(u)
		}
	}
	return nil
}

// dropLent gives up a value that is lent and not in use, and reports whether there was
// one.
func (r *Run) dropLent() bool {
	for i, t := range r.lent {
		x := &r.tensors[t]
		if !x.lent || x.pins > 0 || x.state != resident {
			continue
		}
		r.drop(t, discarded)
		r.lent = slices.Delete(r.lent, i, i+1)
		return true
	}
	return false
}

// Repeated returns how often kernels ran again, in this iteration or the one that has just
// ended, that had done so in it before: what they wrote was given up once more.
func (r *Run) Repeated() int64 { return r.repeated }
