// Package vitality analyses when tensors are alive and when they are idle
// (G10 paper, §4.2).
package vitality

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Period is an inactive period: kernels Start to End-1 do not use the tensor,
// the kernels just before and at End do. A period that wraps goes from Start to
// the end of the iteration and on to End in the next; then End < Start.
type Period struct {
	Tensor     workload.TensorID
	Start, End workload.KernelID
	// Wraps marks the period of a global tensor from its last use to its first
	// use in the next iteration, when the last use is not the last kernel.
	Wraps bool
}

// Span returns how many kernels of an iteration of n the period covers.
func (p Period) Span(n int) int {
	if p.Wraps {
		return int(p.End-p.Start) + n
	}
	return int(p.End - p.Start)
}

// An Analysis holds lifetimes and idle periods, by tensor ID.
type Analysis struct {
	// Birth is the first kernel that uses the tensor, -1 for globals and unused tensors.
	Birth []workload.KernelID
	// Death is one past the last kernel that reads the tensor. A tensor that
	// nobody reads lives during its birth kernel only: Transient is true and
	// Death is Birth+1. For globals and unused tensors it is -1.
	Death     []workload.KernelID
	Transient []bool
	// Periods are ordered by tensor, then by time, the wrapping one last.
	Periods []Period

	uses  []workload.KernelID // all uses, tensor by tensor, ascending
	first []int32             // uses[first[t]:first[t+1]] belong to t
}

// Uses returns the kernels that use t, ascending. The slice is shared.
func (a *Analysis) Uses(t workload.TensorID) []workload.KernelID {
	return a.uses[a.first[t]:a.first[t+1]]
}

// Alive reports whether t holds a value that is still needed while kernel k
// runs. Globals always do.
func (a *Analysis) Alive(w *workload.Workload, t workload.TensorID, k workload.KernelID) bool {
	return w.Tensors[t].Global || a.Birth[t] <= k && k < a.Death[t]
}

// Analyze walks the kernels of w once.
func Analyze(w *workload.Workload) *Analysis {
	n := len(w.Tensors)
	a := &Analysis{
		Birth:     make([]workload.KernelID, n),
		Death:     make([]workload.KernelID, n),
		Transient: make([]bool, n),
		first:     make([]int32, n+1),
	}
	for t := range n {
		a.Birth[t], a.Death[t] = -1, -1
	}
	var set []workload.TensorID
	for k := range w.Kernels {
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			a.first[t+1]++
		}
	}
	for t := range n {
		a.first[t+1] += a.first[t]
	}
	a.uses = make([]workload.KernelID, a.first[n])
	next := append([]int32(nil), a.first[:n]...)
	for k := range w.Kernels {
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			a.uses[next[t]] = workload.KernelID(k)
			next[t]++
		}
		for _, t := range w.Kernels[k].Inputs {
			if !w.Tensors[t].Global {
				a.Death[t] = workload.KernelID(k) + 1
			}
		}
	}
	for t := range n {
		uses := a.Uses(workload.TensorID(t))
		if !w.Tensors[t].Global && len(uses) > 0 {
			a.Birth[t] = uses[0]
			if a.Death[t] < 0 {
				a.Transient[t], a.Death[t] = true, uses[0]+1
			}
		}
		a.addPeriods(workload.TensorID(t), uses, w.Tensors[t].Global, workload.KernelID(len(w.Kernels)))
	}
	return a
}

// addPeriods appends the gaps between uses. For intermediates only uses before
// death count: a later write starts a new value that nobody reads.
func (a *Analysis) addPeriods(t workload.TensorID, uses []workload.KernelID, global bool, end workload.KernelID) {
	if len(uses) == 0 {
		return
	}
	for i := 1; i < len(uses) && (global || uses[i] < a.Death[t]); i++ {
		if uses[i] > uses[i-1]+1 {
			a.Periods = append(a.Periods, Period{Tensor: t, Start: uses[i-1] + 1, End: uses[i]})
		}
	}
	if !global {
		return
	}
	switch first, last := uses[0], uses[len(uses)-1]; {
	case last < end-1:
		a.Periods = append(a.Periods, Period{Tensor: t, Start: last + 1, End: first, Wraps: true})
	case first > 0:
		a.Periods = append(a.Periods, Period{Tensor: t, Start: 0, End: first})
	}
}

// Live returns, per kernel, the page-aligned bytes of tensors alive while it runs.
func (a *Analysis) Live(w *workload.Workload) []unit.Bytes {
	live := make([]unit.Bytes, len(w.Kernels)+1)
	for t := range w.Tensors {
		size := w.Tensors[t].Bytes.Aligned()
		switch {
		case w.Tensors[t].Global:
			live[0] += size
		case a.Birth[t] >= 0:
			live[a.Birth[t]] += size
			live[a.Death[t]] -= size
		}
	}
	for k := 1; k < len(live); k++ {
		live[k] += live[k-1]
	}
	return live[:len(w.Kernels)]
}

// Needed returns, per kernel, the page-aligned bytes on the GPU while it runs if nothing
// moves: of tensors that are alive, and of those that it uses.
func (a *Analysis) Needed(w *workload.Workload) []unit.Bytes {
	need := a.Live(w)
	for t := range w.Tensors {
		for _, k := range a.Uses(workload.TensorID(t)) {
			if !a.Alive(w, workload.TensorID(t), k) { // written again after its last reader
				need[k] += w.Tensors[t].Bytes.Aligned()
			}
		}
	}
	return need
}

// Active returns, per kernel, the page-aligned bytes of the tensors it uses.
func (a *Analysis) Active(w *workload.Workload) []unit.Bytes {
	active := make([]unit.Bytes, len(w.Kernels))
	for t := range w.Tensors {
		for _, k := range a.Uses(workload.TensorID(t)) {
			active[k] += w.Tensors[t].Bytes.Aligned()
		}
	}
	return active
}
