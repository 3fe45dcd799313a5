package flashneuron

import (
	"fmt"
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// lossKernel returns the kernel at which the backward pass begins: the one named
// makeLoss if there is one, as in the G10 artifact's workloads; else the first one
// that writes a gradient and reads something else, which setting gradients to zero
// before the forward pass does not; else the one with most live bytes, because
// activations pile up until the forward pass ends.
func lossKernel(w *workload.Workload, life *vitality.Analysis) workload.KernelID {
	gradient := -1
	is := func(t workload.TensorID) bool { return w.Tensors[t].Kind == workload.Gradient }
	for k := range w.Kernels {
		if w.Kernels[k].Name == "makeLoss" {
			return workload.KernelID(k)
		}
		if gradient < 0 && slices.ContainsFunc(w.Kernels[k].Outputs, is) &&
			slices.ContainsFunc(w.Kernels[k].Inputs, func(t workload.TensorID) bool { return !is(t) }) {
			gradient = k
		}
	}
	if gradient >= 0 {
		return workload.KernelID(gradient)
	}
	most, live := 0, life.Live(w)
	for k := range live {
		if live[k] > live[most] {
			most = k
		}
	}
	return workload.KernelID(most)
}

// A policy offloads during the forward pass. The backward pass waits for that
// and then prefetches in order of use as long as there is room.
type policy struct {
	*pool.Run
	loss  workload.KernelID
	op    int   // next operation of the program
	spare int64 // pages that prefetches leave free: the largest kernel's tensors
	uses  []use // of offloaded tensors after loss, in order; not yet prefetched
}

// A use says that kernel k needs tensor t.
type use struct {
	k workload.KernelID
	t workload.TensorID
}

// newPolicy begins a run, with all weights on the GPU.
func newPolicy(a *pool.Run) (pool.Policy, error) {
	f := &policy{Run: a, loss: lossKernel(a.Workload, a.Life)}
	if err := f.load(); err != nil {
		return nil, err
	}
	for k, set := range a.Sets.All {
		var pages int64
		for _, t := range set {
			if f.global(t) {
				continue
			}
			pages += a.Pages(t)
			if k > int(f.loss) && a.Offloaded(t) && k < int(a.Life.Death[t]) {
				f.uses = append(f.uses, use{workload.KernelID(k), t})
			}
		}
		f.spare = max(f.spare, pages)
	}
	return f, nil
}

func (f *policy) global(t workload.TensorID) bool { return f.Workload.Tensors[t].Global }

// load places the weights, and scratch memory for the largest tensor that nobody
// reads; such tensors get no memory of their own.
func (f *policy) load() error {
	w := f.Workload
	var scratch, weights int64 // pages
	for t := range w.Tensors {
		switch {
		case f.Life.Transient[t]:
			scratch = max(scratch, w.Tensors[t].Pages())
		case w.Tensors[t].Global:
			weights += w.Tensors[t].Pages()
		}
	}
	if need := unit.Bytes(weights+scratch) * unit.Page; need > f.Capacity() {
		return &engine.DoesNotFit{Reason: fmt.Sprintf(
			"weights and scratch memory need %v of GPU memory; %v are there; more GPU memory or a smaller batch would help", need, f.Capacity())}
	}
	for t := range w.Tensors {
		if w.Tensors[t].Global {
			f.Place(workload.TensorID(t))
		}
	}
	if scratch > 0 {
		f.Reserve(scratch)
	}
	return nil
}

// Launch offloads during the forward pass, and from the loss on waits until
// everything has left: what was to leave at the loss kernel stays.
func (f *policy) Launch(k workload.KernelID) error {
	if k < f.loss {
		ops := f.Program.Ops
		for ; f.op < len(ops) && ops[f.op].At <= k; f.op++ {
			if op := ops[f.op]; op.Kind == program.Evict && !f.global(op.Tensor) {
				f.Evict(op.Tensor, machine.SSD)
			}
		}
	} else {
		for f.Leaving() {
			f.Wait(result.Eviction)
		}
	}
	for _, t := range f.Sets.All[k] {
		if err := f.need(k, t); err != nil {
			return err
		}
	}
	return nil
}

// need makes t ready for kernel k.
func (f *policy) need(k workload.KernelID, t workload.TensorID) error {
	if f.global(t) || f.Life.Transient[t] {
		return nil
	}
	cause := result.LatePrefetch
	if !f.Resident(t) {
		if err := f.MakeRoom(k, t); err != nil {
			return err
		}
		if f.Offloaded(t) && f.Life.Birth[t] != k {
			f.Fetch(t, machine.SSD)
			cause = result.SSDRead
		}
	}
	f.Await(t, cause)
	return nil
}

// Ended drops what dies and, in the backward pass, prefetches.
func (f *policy) Ended(k workload.KernelID) {
	for _, t := range f.Sets.All[k] {
		if !f.global(t) && f.Life.Death[t] == k+1 {
			f.Drop(t)
		}
	}
	if k >= f.loss {
		f.fill(k)
	}
}

// fill prefetches for the kernels after k, in order of use, until the next
// tensor does not fit.
func (f *policy) fill(k workload.KernelID) {
	rest := f.Largest() - f.spare
	for ; len(f.uses) > 0; f.uses = f.uses[1:] {
		u := f.uses[0]
		if u.k <= k || f.Resident(u.t) {
			continue // it stays until it dies
		}
		pages := f.Pages(u.t)
		if rest <= pages {
			return
		}
		f.Place(u.t) // there is a hole of at least rest pages
		f.Fetch(u.t, machine.SSD)
		rest -= pages
	}
}

// Moved does nothing: prefetches begin when a kernel ends.
func (f *policy) Moved() {}
