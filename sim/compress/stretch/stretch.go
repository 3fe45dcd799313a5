// Package stretch makes of a training iteration the one that runs on GPU memory
// which Buddy Compression enlarges: tensors take the slots of their targets, and
// kernels wait for what comes from the buddy memory. Whatever runs the one runs the
// other, so it goes together with every system that moves tensors.
//
// Departures and decisions, numbered; those of package buddy hold too:
//
//  1. Kernel times of a trace contain their traffic to GPU memory, and nobody knows
//     how much of them that is: compression, which makes this traffic less, never
//     makes a kernel shorter. The paper measures a mean gain of 5.5 % there.
//  2. What comes from or goes to the buddy memory is added to the kernel's time, not
//     hidden behind it, reads and writes alike. The link's two directions would allow
//     both at once; the paper's two points for AlexNet then need 3.5 sectors of an
//     entry that overflows, but entries of a 2x target have two in the buddy memory.
//  3. A kernel reads each input once and writes each output once, as a whole. But it
//     cannot have moved more than GPU memory delivers in its time: one that is too
//     short for its tensors, as a look-up in a table, touched that share of each.
//  4. Times with page faults grow by as much as those without. Fewer pages fault
//     because tensors are smaller; what a fault costs is not changed.
//  5. The buddy memory is a device of its own behind a link of its own: it takes
//     nothing of the host's memory or of the links to it. A tensor that is moved out
//     of GPU memory leaves its slots; what overflowed stays where it is.
//  6. Metadata, 4 bits an entry of all compressed tensors that are alive at once,
//     stays in GPU memory. Its cache's misses, at most 0.4 % of the traffic, cost no
//     time.
package stretch

import (
	"fmt"
	"math"
	"slices"

	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// Metadata is the name of the tensor that is added for it.
const Metadata = "compression metadata"

// A Stretched is an iteration on compressed memory.
type Stretched struct {
	*workload.Workload
	// Link is what each kernel moves to and from the buddy memory.
	Link []unit.Bytes
	// Live is what is alive during each kernel, in pages, with metadata; Plain the same
	// uncompressed, the most at once.
	Live  []unit.Bytes
	Plain unit.Bytes
	// Buddy and Metadata are the most at once of places in the buddy memory and of
	// metadata, Bytes and Device the sums over all tensors, uncompressed and in slots.
	buddy.Capacity
}

// Moved returns what an iteration moves to and from the buddy memory.
func (s *Stretched) Moved() (n unit.Bytes) {
	for _, b := range s.Link {
		n += b
	}
	return n
}

// Stretch returns w with the targets and contents of its tensors, of which there are
// as many as tensors. Memory is the rate of the GPU's memory whose kernel times these
// are, 0 if nobody knows; link is that of the buddy memory. Tensors and kernels keep
// their numbers; w stays as it is. The error says which kernel would take longer than
// a workload's may.
func Stretch(w *workload.Workload, targets []buddy.Target, profiles []*buddy.Histogram, memory, link unit.Bandwidth) (*Stretched, error) {
	s := &Stretched{Workload: new(workload.Workload), Link: make([]unit.Bytes, len(w.Kernels))}
	*s.Workload = *w
	s.Tensors = make([]workload.Tensor, len(w.Tensors), len(w.Tensors)+1)
	remote := make([]unit.Bytes, len(w.Tensors)) // of a tensor, when all of it is moved
	for t := range w.Tensors {
		s.Tensors[t] = w.Tensors[t]
		n := entries(w.Tensors[t].Bytes)
		s.Bytes += w.Tensors[t].Bytes
		if targets[t] != buddy.X1 {
			s.Tensors[t].Bytes = min(s.Tensors[t].Bytes, n*targets[t].Slot())
			remote[t] = unit.Bytes(math.Round(float64(n*buddy.EntryBytes) * profiles[t].Remote(targets[t])))
		}
		s.Device += s.Tensors[t].Bytes
	}
	s.alive(w, targets)
	if s.Capacity.Metadata > 0 {
		s.Tensors = append(s.Tensors, workload.Tensor{Name: Metadata, Bytes: s.Capacity.Metadata, Global: true, Kind: workload.Workspace})
	}
	s.Kernels = make([]workload.Kernel, len(w.Kernels))
	for i := range w.Kernels {
		k := w.Kernels[i] // shares its lists of tensors
		k.Rows = slices.Clone(k.Rows)
		for j := range k.Rows { // as many rows, in less memory
			x := &k.Rows[j]
			x.Row = max(1, unit.Bytes(unit.MulDiv(int64(x.Row), int64(s.Tensors[x.Tensor].Bytes), int64(w.Tensors[x.Tensor].Bytes))))
		}
		s.Link[i] = touched(w, &k, remote, memory)
		more := link.Time(s.Link[i])
		if more > workload.MaxTime-max(k.Time, k.InputFault, k.Fault) {
			return nil, fmt.Errorf("kernel %d (%s) would wait %v for %v of buddy memory, and a kernel may take %v; a faster link would help",
				i, k.Name, more, s.Link[i], workload.MaxTime)
		}
		k.Time += more
		if k.InputFault > 0 { // 0 is not profiled
			k.InputFault += more
		}
		if k.Fault > 0 {
			k.Fault += more
		}
		s.Kernels[i] = k
	}
	return s, nil
}

// entries is how many entries a tensor has.
func entries(b unit.Bytes) unit.Bytes { return unit.Bytes(buddy.Entries(b)) }

// touched returns what a kernel moves to and from the buddy memory, given what that
// is of each tensor as a whole.
func touched(w *workload.Workload, k *workload.Kernel, remote []unit.Bytes, memory unit.Bandwidth) unit.Bytes {
	var all, over unit.Bytes
	for _, list := range [2][]workload.TensorID{k.Inputs, k.Outputs} {
		for _, t := range list {
			all += w.Tensors[t].Bytes
			over += remote[t]
		}
	}
	if memory == 0 || over == 0 {
		return over
	}
	most := unit.Bytes(unit.MulDiv(int64(memory), int64(k.Time), int64(unit.Second)))
	if all > most {
		over = unit.Bytes(unit.MulDiv(int64(over), int64(most), int64(all)))
	}
	return over
}

// An amount is memory of tensors that are alive.
type amount struct{ places, metadata, slots, plain unit.Bytes }

func (a *amount) add(x *amount, times unit.Bytes) {
	a.places += times * x.places
	a.metadata += times * x.metadata
	a.slots += times * x.slots
	a.plain += times * x.plain
}

// alive finds the most at once of places in the buddy memory and of metadata, and
// what is alive.
func (s *Stretched) alive(w *workload.Workload, targets []buddy.Target) {
	a := vitality.Analyze(w)
	n := len(w.Kernels)
	change := make([]amount, n+1)
	for t := range w.Tensors {
		from, to := 0, n
		if !w.Tensors[t].Global {
			from, to = int(a.Birth[t]), int(a.Death[t])
		}
		if from < 0 {
			continue // nobody uses it
		}
		x := amount{plain: w.Tensors[t].Bytes.Aligned(), slots: s.Tensors[t].Bytes.Aligned()}
		if targets[t] != buddy.X1 {
			count := entries(w.Tensors[t].Bytes)
			x.places, x.metadata = count*targets[t].Buddy(), (count+1)/2
		}
		change[from].add(&x, 1)
		change[to].add(&x, -1)
	}
	s.Live = make([]unit.Bytes, n)
	var now amount
	for k := range s.Live {
		now.add(&change[k], 1)
		s.Live[k] = now.slots
		s.Buddy, s.Capacity.Metadata = max(s.Buddy, now.places), max(s.Capacity.Metadata, now.metadata)
		s.Plain = max(s.Plain, now.plain)
	}
	for k := range s.Live {
		s.Live[k] += s.Capacity.Metadata.Aligned()
	}
}
