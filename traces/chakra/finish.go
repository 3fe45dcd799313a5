package chakra

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spillway/sim/unit"
)

// resolution is that of durations.
const resolution = unit.Microsecond

func tooMany(what string, most int) error { return fmt.Errorf("more than %d %s", most, what) }

// finish makes the trace, or says what the file is instead.
func (b *builder) finish() (*Trace, error) {
	t := b.trace
	t.Storages = len(b.storages)
	if err := b.refuse(); err != nil {
		return nil, err
	}
	b.edges()
	t.Device = int32(b.device())
	b.lastWrites()
	if err := b.order(); err != nil {
		return nil, err
	}
	t.Kernels = make([]Kernel, len(b.kernels))
	for i := range b.kernels {
		k := &b.kernels[i]
		t.Kernels[i] = k.Kernel
		for _, u := range k.uses {
			to := &t.Tensors[u.tensor]
			to.Uses = append(to.Uses, Use{int32(i), u.read, u.write})
		}
	}
	b.notes()
	return t, nil
}

// refuse says why nothing can be made of a file.
func (b *builder) refuse() error {
	t := b.trace
	lone := true
	for i := range b.kernels {
		lone = lone && b.kernels[i].Type >= communicate
	}
	switch {
	case t.Nodes == 0:
		return errors.New("the Chakra trace has no nodes")
	case len(t.Tensors) > 0:
		return nil
	case len(b.kernels) == 0:
		return fmt.Errorf("none of the Chakra trace's %d nodes ran on a GPU; link the PyTorch execution trace with the profiler's trace before it is converted", t.Nodes)
	case lone:
		return fmt.Errorf("the Chakra trace holds collectives alone (%d), as the examples of ASTRA-sim do: there are no tensors, so there is nothing to simulate; convert a PyTorch trace instead", len(b.kernels))
	}
	return fmt.Errorf("none of the Chakra trace's %d GPU nodes names tensors of a GPU, so there is nothing to simulate; convert a PyTorch execution trace linked with the profiler's trace", len(b.kernels))
}

// edges counts dependencies that cannot be; none are needed.
func (b *builder) edges() {
	missing := map[uint64]struct{}{}
	for _, id := range b.wanted {
		if _, ok := b.ids[id]; !ok {
			missing[id] = struct{}{}
		}
	}
	b.trace.Unknown = len(missing)
	for i := range b.kernels {
		for _, id := range b.kernels[i].data {
			if _, ok := b.ids[id]; ok && id > b.kernels[i].id {
				b.trace.Forward++
			}
		}
	}
}

// device returns the GPU with most tensors.
func (b *builder) device() (most int16) {
	count := map[int16]int{}
	for i := range b.trace.Tensors {
		d := b.trace.Tensors[i].Device
		if count[d]++; count[d] > count[most] || count[d] == count[most] && d < most {
			most = d
		}
	}
	return most
}

// lastWrites, from the end, leaves an operator's new outputs to the last of its kernels. Kernels
// of one operator stand together and name the same inputs and outputs.
func (b *builder) lastWrites() {
	for i := range b.last {
		b.last[i].at = -1
	}
	for _, u := range b.kernels[len(b.kernels)-1].uses {
		b.last[u.tensor].at = int32(len(b.kernels) - 1)
	}
	for i := len(b.kernels) - 2; i >= 0; i-- {
		k, next := &b.kernels[i], &b.kernels[i+1]
		same := k.key == next.key && k.Op == next.Op
		k.uses = slices.DeleteFunc(k.uses, func(u use) bool {
			at := &b.last[u.tensor].at
			again := same && u.write && !u.read && *at == int32(i+1)
			*at = int32(i)
			return again
		})
	}
}

// order puts kernels into the order of their starts if they have any, and lets one
// follow the other if not.
func (b *builder) order() error {
	first, last := unit.Time(1<<62), unit.Time(0)
	for i := range b.kernels {
		if s := b.kernels[i].Start; s > 0 {
			first, last = min(first, s), max(last, s)
		} else {
			b.untimed++
		}
	}
	b.trace.Timed = b.untimed == 0
	var now unit.Time
	for i := range b.kernels {
		k := &b.kernels[i]
		if b.trace.Timed {
			if last-first > 90*24*3600e6 {
				return errors.New("the Chakra trace's kernels start months apart")
			}
			k.Start = (k.Start - first) * unit.Microsecond
			continue
		}
		k.Start = now
		length := k.Time
		if length == 0 {
			length = resolution / 2 // as whoever makes a workload of it will take it
		}
		if now += length; now > 1<<62 {
			return errors.New("the Chakra trace's kernels take weeks")
		}
	}
	slices.SortStableFunc(b.kernels, func(x, y gpuNode) int { return cmp.Compare(x.Start, y.Start) })
	return nil
}

// notes says what was found besides.
func (b *builder) notes() {
	t := b.trace
	note := func(n int, format string) {
		if n > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf(format, n))
		}
	}
	note(t.Unknown, "%d nodes that others depend on are not in the file; the order is the file's, dependencies are not used.")
	note(t.Forward, "%d dependencies of kernels are on nodes further down and are not used.")
	note(b.odd, "%d lists of inputs or outputs are not lists of tensors that can be, and count as far as they could be read.")
	note(b.again, "%d nodes have a number that another has.")
	note(b.long, "%d durations are longer than anything runs and count as unknown.")
	if !t.Timed && b.untimed < len(t.Kernels) {
		note(b.untimed, "%d kernels do not say when they start; all follow in the order of the file.")
	}
}
