package engine

import (
	"fmt"
	"slices"

	"spillway/sim/train/result"
	"spillway/sim/workload"
)

// mostReruns is how many kernels one value may make run again, in iterations.
const mostReruns = 4

// writer returns the last kernel before the given one that writes t, or -1.
func (r *SwapRun) writer(t workload.TensorID, before workload.KernelID) workload.KernelID {
	uses := r.Life.Uses(t)
	i, _ := slices.BinarySearch(uses, before)
	for i--; i >= 0; i-- {
		if slices.Contains(r.Workload.Kernels[uses[i]].Outputs, t) {
			return uses[i]
		}
	}
	return -1
}

// recompute gives t, which was discarded, the value again that it has before kernel k.
// What comes back besides is lent: dead values until this is done, others until
// somebody uses them or needs the room.
func (r *SwapRun) recompute(t workload.TensorID, k workload.KernelID) error {
	r.reruns = 0
	if err := r.rerun(t, k); err != nil {
		return err
	}
	r.tensors[t].lent = false
	kept := r.lent[:0]
	for _, u := range r.lent {
		switch x := &r.tensors[u]; {
		case !x.lent: // dropped, or in use
		case r.deadBefore(u, r.kernel):
			r.drop(u, swapNowhere)
		default:
			kept = append(kept, u)
		}
	}
	r.lent = kept
	return nil
}

// deadBefore reports whether nobody needs t's value when kernel k starts.
func (r *SwapRun) deadBefore(t workload.TensorID, k workload.KernelID) bool {
	return !r.tensors[t].global && r.Life.Death[t] <= k
}

// rerun runs the last kernel again that wrote t before the given one, after those of
// its inputs that are gone. Other values count as what they were then. What else the
// kernel writes, and is gone, comes back as well.
func (r *SwapRun) rerun(t workload.TensorID, before workload.KernelID) error {
	p := r.writer(t, before)
	if p < 0 { // a batch of data: it is there as it was at first
		return r.reborn(t, before)
	}
	if r.reruns++; r.reruns > mostReruns*len(r.exec) {
		return &DoesNotFit{fmt.Sprintf("to compute tensor %d again that was given up, more than %d kernels would run; give up fewer tensors",
			t, mostReruns*len(r.exec))}
	}
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
		x := &r.tensors[u]
		var err error
		switch gone := x.state == swapNowhere || x.state == swapDiscarded; {
		case gone && i < inputs:
			err = r.rerun(u, p)
		case gone:
			err = r.reborn(u, p)
		case i < inputs:
			err = r.ask(u, p, true)
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
	r.pay()
	r.stall(r.exec[p], result.Recomputation)
	r.swapping.Recomputed++
	for _, u := range set {
		if s := r.tensors[u].state; s == swapHere || s == swapLeaving {
			r.use(u)
		}
	}
	return nil
}

// reborn is birth of a value that was there before.
func (r *SwapRun) reborn(t workload.TensorID, k workload.KernelID) error {
	if err := r.birth(t, k); err != nil {
		return err
	}
	r.tensors[t].lent = true
	r.lent = append(r.lent, t)
	return nil
}

// dropLent gives up a value that is lent and not in use, and reports whether there was
// one.
func (r *SwapRun) dropLent() bool {
	for i, t := range r.lent {
		x := &r.tensors[t]
		if !x.lent || x.pins > 0 || x.state != swapHere {
			continue
		}
		state := swapDiscarded
		if r.deadBefore(t, r.kernel) {
			state = swapNowhere
		}
		r.drop(t, state)
		r.lent = slices.Delete(r.lent, i, i+1)
		return true
	}
	return false
}
