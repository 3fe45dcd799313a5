package engine

import (
	"fmt"
	"slices"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// LossKernel returns the kernel at which the backward pass begins: the one named
// makeLoss if there is one, as in the G10 artifact's workloads; else the first
// one that writes a gradient; else the one with most live bytes, because
// activations pile up until the forward pass ends.
func LossKernel(w *workload.Workload) workload.KernelID {
	gradient := -1
	for k := range w.Kernels {
		if w.Kernels[k].Name == "makeLoss" {
			return workload.KernelID(k)
		}
		if gradient < 0 && slices.ContainsFunc(w.Kernels[k].Outputs, func(t workload.TensorID) bool {
			return w.Tensors[t].Kind == workload.Gradient
		}) {
			gradient = k
		}
	}
	if gradient >= 0 {
		return workload.KernelID(gradient)
	}
	most, live := 0, liveBytes(w)
	for k := range live {
		if live[k] > live[most] {
			most = k
		}
	}
	return workload.KernelID(most)
}

// scratch returns the pages of the largest tensor that nobody reads. A
// FillAhead system reserves them; such tensors get no memory of their own.
func scratch(w *workload.Workload, life *vitality.Analysis) (pages int64) {
	for t := range w.Tensors {
		if life.Transient[t] {
			pages = max(pages, w.Tensors[t].Pages())
		}
	}
	return pages
}

// fillAhead is FlashNeuron's policy: offloads run during the forward pass, the
// backward pass waits for them and then prefetches in order of use as long as
// there is room.
type fillAhead struct {
	*arenaRun
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

func newFillAhead(r *arenaRun) *fillAhead {
	f := &fillAhead{arenaRun: r, loss: LossKernel(r.w)}
	for k, set := range r.sets.All {
		var pages int64
		for _, t := range set {
			if r.w.Tensors[t].Global {
				continue
			}
			pages += r.tensors[t].pages
			if k > int(f.loss) && r.tensors[t].offloaded && k < int(r.life.Death[t]) {
				f.uses = append(f.uses, use{workload.KernelID(k), t})
			}
		}
		f.spare = max(f.spare, pages)
	}
	return f
}

func (f *fillAhead) load() error {
	need := unit.Bytes(scratch(f.w, f.life)) * unit.Page
	for t := range f.w.Tensors {
		if f.w.Tensors[t].Global {
			need += f.w.Tensors[t].Bytes.Aligned()
		}
	}
	if have := unit.Bytes(f.pool.pages) * unit.Page; need > have {
		return &DoesNotFit{fmt.Sprintf(
			"weights and scratch memory need %v of GPU memory; %v are there; more GPU memory or a smaller batch would help", need, have)}
	}
	for t := range f.w.Tensors {
		if f.w.Tensors[t].Global {
			f.tensors[t].at, _ = f.pool.low(f.tensors[t].pages)
		}
	}
	if n := scratch(f.w, f.life); n > 0 {
		f.pool.low(n)
	}
	return nil
}

func (f *fillAhead) before(k workload.KernelID) {
	if k < f.loss {
		for ; f.op < len(f.p.Ops) && f.p.Ops[f.op].At <= k; f.op++ {
			if op := f.p.Ops[f.op]; op.Kind == program.Evict && !f.w.Tensors[op.Tensor].Global {
				f.enqueue(ssdOut, op.Tensor)
			}
		}
		return
	}
	// What was to leave at the loss kernel stays.
	for !f.channels[ssdOut].idle() {
		f.wait(result.Eviction)
	}
}

func (f *fillAhead) need(k workload.KernelID, t workload.TensorID) error {
	if f.w.Tensors[t].Global || f.life.Transient[t] {
		return nil
	}
	x := &f.tensors[t]
	cause := result.LatePrefetch
	if !f.resident(t) {
		if err := f.makeRoom(k, t); err != nil {
			return err
		}
		if x.offloaded && f.life.Birth[t] != k {
			f.fetch(ssdIn, t)
			cause = result.SSDRead
		}
	}
	for x.fetching {
		f.wait(cause)
	}
	return nil
}

func (f *fillAhead) after(k workload.KernelID) {
	for _, t := range f.sets.All[k] {
		if !f.w.Tensors[t].Global && f.life.Death[t] == k+1 {
			f.drop(t)
		}
	}
	if k >= f.loss {
		f.fill(k)
	}
}

// fill prefetches for the kernels after k, in order of use, until the next
// tensor does not fit.
func (f *fillAhead) fill(k workload.KernelID) {
	rest := f.pool.largest() - f.spare
	for ; len(f.uses) > 0; f.uses = f.uses[1:] {
		u := f.uses[0]
		if u.k <= k || f.resident(u.t) {
			continue // it stays until it dies
		}
		pages := f.tensors[u.t].pages
		if rest <= pages {
			return
		}
		f.place(u.t) // there is a hole of at least rest pages
		f.fetch(ssdIn, u.t)
		rest -= pages
	}
}

func (f *fillAhead) moved() {}

// asPlanned executes the program's own evictions and prefetches. A prefetch
// that finds no room waits in a list. It is how the published simulator runs
// G10-GDS and G10-Host, whose pool is so large that little ever waits.
type asPlanned struct {
	*arenaRun
	op      int
	waiting []workload.TensorID
}

func (a *asPlanned) load() error {
	for t := range a.w.Tensors {
		if a.w.Tensors[t].Global && !a.place(workload.TensorID(t)) {
			return &DoesNotFit{fmt.Sprintf(
				"weights need %v of GPU memory; %v are there; more GPU memory or a smaller batch would help",
				a.w.GlobalBytes(), unit.Bytes(a.pool.pages)*unit.Page)}
		}
	}
	return nil
}

func (a *asPlanned) before(k workload.KernelID) {
	for ; a.op < len(a.p.Ops) && a.p.Ops[a.op].At <= k; a.op++ {
		op := a.p.Ops[a.op]
		switch {
		case op.Kind == program.Free:
			a.drop(op.Tensor)
		case op.Kind == program.Prefetch:
			if a.resident(op.Tensor) && a.w.Tensors[op.Tensor].Global {
				continue
			}
			a.tensors[op.Tensor].waiting = true
			a.waiting = append(a.waiting, op.Tensor)
			a.moved()
		case op.To == machine.Host:
			a.enqueue(hostOut, op.Tensor)
			a.keepInHost(op.Tensor, true)
		default:
			a.enqueue(ssdOut, op.Tensor)
		}
	}
}

// moved starts the prefetch that waits longest, if there is room for it. A
// tensor that already has memory gets new memory and, as published, never gives
// back the old.
func (a *asPlanned) moved() {
	if len(a.waiting) == 0 {
		return
	}
	t := a.waiting[0]
	x := &a.tensors[t]
	at, ok := a.pool.high(x.pages)
	if !ok {
		return
	}
	x.at, x.waiting = at, false
	a.waiting = a.waiting[1:]
	if x.inHost {
		a.fetch(hostIn, t)
	} else {
		a.fetch(ssdIn, t)
	}
}

func (a *asPlanned) need(k workload.KernelID, t workload.TensorID) error {
	x := &a.tensors[t]
	switch {
	case a.resident(t):
		for x.fetching {
			a.wait(result.LatePrefetch)
		}
	case x.waiting:
		// As published, the kernel needs the memory but does not wait for the data.
		a.moved()
		for !a.resident(t) {
			if !a.wait(result.Eviction) {
				return a.tooLarge(k, t)
			}
		}
	default:
		if err := a.makeRoom(k, t); err != nil {
			return err
		}
		// As published, an evicted weight is there again at no cost, and any other
		// tensor comes from the SSD, even if it went to host memory.
		if x.offloaded && a.life.Birth[t] != k && !a.w.Tensors[t].Global {
			a.fetch(ssdIn, t)
			for x.fetching {
				a.wait(result.SSDRead)
			}
		}
	}
	return nil
}

func (a *asPlanned) after(k workload.KernelID) {
	for _, t := range a.sets.All[k] {
		if !a.w.Tensors[t].Global && (a.life.Transient[t] || a.life.Death[t] == k+1) {
			a.drop(t)
			a.keepInHost(t, false)
			a.tensors[t].dead = true
		}
	}
	a.moved()
}
