package g10

import (
	"fmt"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/workload"
)

// direct is how the published simulator runs G10-GDS and G10-Host (quirk
// arena-for-gds): the program's own evictions and prefetches, where a prefetch
// that finds no room waits in a list. Its pool is so large that little ever waits.
type direct struct {
	*pool.Run
	op    int // next operation of the program
	queue []workload.TensorID
	// waiting says by tensor whether its last prefetch has not begun.
	waiting []bool
}

// newDirect begins a run, with all weights on the GPU.
func newDirect(a *pool.Run) (pool.Policy, error) {
	w := a.Workload
	for t := range w.Tensors {
		if w.Tensors[t].Global && !a.Place(workload.TensorID(t)) {
			return nil, &engine.DoesNotFit{Reason: fmt.Sprintf(
				"weights need %v of GPU memory; %v are there; more GPU memory or a smaller batch would help",
				w.GlobalBytes(), a.Capacity())}
		}
	}
	return &direct{Run: a, waiting: make([]bool, len(w.Tensors))}, nil
}

func (d *direct) global(t workload.TensorID) bool { return d.Workload.Tensors[t].Global }

// Launch does what is planned for kernel k and makes its tensors ready.
func (d *direct) Launch(k workload.KernelID) error {
	ops := d.Program.Ops
	for ; d.op < len(ops) && ops[d.op].At <= k; d.op++ {
		d.execute(ops[d.op])
	}
	for _, t := range d.Sets.All[k] {
		if err := d.need(k, t); err != nil {
			return err
		}
	}
	return nil
}

func (d *direct) execute(op program.Op) {
	switch {
	case op.Kind == program.Free:
		d.Drop(op.Tensor)
	case op.Kind == program.Evict:
		d.Evict(op.Tensor, op.To)
	case !d.Resident(op.Tensor) || !d.global(op.Tensor):
		d.waiting[op.Tensor] = true
		d.queue = append(d.queue, op.Tensor)
		d.Moved()
	}
}

// Moved starts the prefetch that waits longest, if there is room for it. A
// tensor that already has memory gets new memory and, as published, never gives
// back the old.
func (d *direct) Moved() {
	if len(d.queue) == 0 {
		return
	}
	t := d.queue[0]
	if !d.PlaceHigh(t) {
		return
	}
	d.waiting[t] = false
	d.queue = d.queue[1:]
	if d.InHost(t) {
		d.Fetch(t, machine.Host)
	} else {
		d.Fetch(t, machine.SSD)
	}
}

// need makes t ready for kernel k.
func (d *direct) need(k workload.KernelID, t workload.TensorID) error {
	switch {
	case d.Resident(t):
		d.Await(t, result.LatePrefetch)
	case d.waiting[t]:
		// As published, the kernel needs the memory but does not wait for the data.
		d.Moved()
		for !d.Resident(t) {
			if !d.Wait(result.Eviction) {
				return d.TooLarge(k, t)
			}
		}
	default:
		if err := d.MakeRoom(k, t); err != nil {
			return err
		}
		// As published, an evicted weight is there again at no cost, and any other
		// tensor comes from the SSD, even if it went to host memory.
		if d.Offloaded(t) && d.Life.Birth[t] != k && !d.global(t) {
			d.Fetch(t, machine.SSD)
			d.Await(t, result.SSDRead)
		}
	}
	return nil
}

// Ended drops what dies, in host memory too.
func (d *direct) Ended(k workload.KernelID) {
	for _, t := range d.Sets.All[k] {
		if !d.global(t) && (d.Life.Transient[t] || d.Life.Death[t] == k+1) {
			d.Drop(t)
			d.Forget(t)
		}
	}
	d.Moved()
}
