package kineto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// A builder makes one step of a recording.
type builder struct {
	t       *Trace
	device  int32
	span    span
	kernels []int32 // of the trace, by number in the step
	step    *recording.Step

	byLaunch []int32 // numbers in the step, by when they were launched
	byThread []int32 // the same, of those with an operator of their own, by its thread first
	lives    []life  // of the step's tensors
	bySize   map[unit.Bytes][]int32
	claimed  map[unit.Bytes]int // how many of bySize are weights, or cannot be
	weights  []weight
	reads    map[int32][2]int  // ranges of readers, by operator
	readers  []int32           // tensors
	made     map[int32][]int32 // what operators wrote anew, where memory was not recorded
	learns   bool              // the step computes gradients
	forward  []int32           // operators with a sequence number outside of backward, by that number
	callers  []caller          // weights that operators take
	turns    map[turn]int      // of the optimizer's operators
	shapes   map[deed]*kerneltime.Kernel
}

// A life is when a tensor is there, and what is not said of it elsewhere.
type life struct {
	from, to unit.Time
	mark     int32 // the last operator that was given it, plus one
	claimed  bool  // by a weight
	old      bool  // it was there before, as far as one can tell
	given    int   // to how many operators
}

// build makes the step of a span.
func (t *Trace) build(device int32, s span, kernels []int32) *builder {
	b := &builder{
		t: t, device: device, span: s, kernels: kernels,
		step:   &recording.Step{Name: s.name, Complete: s.complete},
		bySize: map[unit.Bytes][]int32{}, claimed: map[unit.Bytes]int{}, reads: map[int32][2]int{}, made: map[int32][]int32{}, shapes: map[deed]*kerneltime.Kernel{},
	}
	b.placeKernels()
	blocks := b.placeBlocks()
	if t.Shapes {
		b.placeForward()
		b.placeWeights(blocks)
		b.placeReaders(blocks)
		if !blocks && !b.learns {
			b.keep()
		}
	}
	b.count(blocks)
	b.gradients()
	b.tidy()
	return b
}

// launched returns when a kernel of the step was launched.
func (b *builder) launched(k int32) unit.Time {
	if at := b.t.launched[b.kernels[k]]; at >= 0 {
		return at
	}
	return b.t.Kernels[b.kernels[k]].Start
}

// threadOf returns the thread that launched a kernel of the step, -1 if unknown.
func (b *builder) threadOf(k int32) int32 {
	if op := b.t.Kernels[b.kernels[k]].Op; op >= 0 {
		return b.t.Ops[op].Thread
	}
	return -1
}

func (b *builder) placeKernels() {
	b.step.Kernels = make([]recording.Kernel, len(b.kernels))
	b.byLaunch = make([]int32, len(b.kernels))
	for i, n := range b.kernels {
		k := &b.t.Kernels[n]
		to := &b.step.Kernels[i]
		*to = recording.Kernel{
			Name: b.t.Strings[k.Name], Start: k.Start, Time: k.Time, Least: b.t.least, Stream: k.Stream, Kind: k.Kind,
		}
		if k.Op >= 0 {
			to.Op = b.t.Strings[b.t.Ops[k.Op].Name]
			if k.Kind == recording.Compute && collective(to.Op) {
				to.Kind = recording.Communication
			}
			switch {
			case b.t.estimated:
				w := b.t.workOf(k.Op)
				to.Class, to.Element, to.Flops, to.Bytes, to.Shape = w.class, w.element, w.flops, w.bytes, w.shape
			case b.t.Shapes && to.Kind == recording.Compute:
				to.Shape = b.lawShape(to.Name, k.Op)
			}
		}
		b.byLaunch[i] = int32(i)
	}
	slices.SortStableFunc(b.byLaunch, func(x, y int32) int { return cmp.Compare(b.launched(x), b.launched(y)) })
	for _, k := range b.byLaunch {
		if b.threadOf(k) >= 0 && !b.t.replayed[b.kernels[k]] {
			b.byThread = append(b.byThread, k)
		}
	}
	slices.SortStableFunc(b.byThread, func(x, y int32) int { return cmp.Compare(b.threadOf(x), b.threadOf(y)) })
}

// collective reports whether an operator is one of communication between devices.
func collective(op string) bool {
	return strings.HasPrefix(op, "c10d::") || strings.HasPrefix(op, "nccl:") || op == "record_param_comms"
}

// under returns the kernels that were launched inside an operator.
func (b *builder) under(op int32) []int32 {
	o := &b.t.Ops[op]
	first := b.place(o.Thread, o.Start)
	return b.byThread[first:b.place(o.Thread, o.end()+1)]
}

// place returns where kernels that a thread launched at or after a time begin.
func (b *builder) place(thread int32, at unit.Time) int {
	n, _ := slices.BinarySearchFunc(b.byThread, at, func(k int32, at unit.Time) int {
		if c := cmp.Compare(b.threadOf(k), thread); c != 0 {
			return c
		}
		if b.launched(k) < at {
			return -1
		}
		return 1
	})
	return n
}

// after returns where kernels launched at or after a time begin in byLaunch.
func (b *builder) after(at unit.Time) int {
	n, _ := slices.BinarySearchFunc(b.byLaunch, at, func(k int32, at unit.Time) int {
		if b.launched(k) < at {
			return -1
		}
		return 1
	})
	return n
}

// add makes a tensor and returns its number.
func (b *builder) add(t recording.Tensor, l life) int32 {
	n := int32(len(b.step.Tensors))
	b.step.Tensors = append(b.step.Tensors, t)
	b.lives = append(b.lives, l)
	b.bySize[t.Bytes] = append(b.bySize[t.Bytes], n)
	return n
}

// touch notes a use.
func (b *builder) touch(tensor, kernel int32, read, write bool) {
	t := &b.step.Tensors[tensor]
	if n := len(t.Uses); n > 0 && t.Uses[n-1].Kernel == kernel {
		t.Uses[n-1].Read = t.Uses[n-1].Read || read
		t.Uses[n-1].Write = t.Uses[n-1].Write || write
		return
	}
	t.Uses = append(t.Uses, recording.Use{Kernel: kernel, Read: read, Write: write})
}

// newest returns the newest tensor of a size that is there at a time and that the
// operator was not given yet, -1 if there is none. Weights are told by their places;
// only what computes them again for backward may take one by its size.
func (b *builder) newest(size unit.Bytes, at unit.Time, op int32, weights bool) int32 {
	list := b.bySize[size]
	for i := len(list) - 1; i >= max(0, len(list)-512); i-- {
		if l := &b.lives[list[i]]; l.from <= at && l.to > at && l.mark != op+1 && (weights || !l.claimed) {
			return list[i]
		}
	}
	return -1
}

// A phase is the part of an iteration in which an operator is.
type phase uint8

const (
	forward phase = iota
	backward
	optimizing
)

// phaseOf returns the part of the iteration in which an operator is.
func (t *Trace) phaseOf(op int32) phase {
	for ; op >= 0; op = t.Ops[op].Parent {
		if t.order[op].backward {
			return backward
		}
		if strings.HasPrefix(t.Strings[t.Ops[op].Name], "Optimizer.step#") {
			return optimizing
		}
	}
	return forward
}

// module returns the names of the innermost module around an operator and of the one
// around that, "Bert_3.Linear_12", and the module's own number; -1 if there is none.
func (t *Trace) module(op int32) (name string, inner int32) {
	inner = -1
	for ; op >= 0; op = t.Ops[op].Parent {
		if t.Ops[op].Kind != Module {
			continue
		}
		if inner >= 0 {
			return t.Strings[t.Ops[op].Name] + "." + name, inner
		}
		name, inner = t.Strings[t.Ops[op].Name], op
	}
	return name, inner
}

// call returns an operator's arguments, nil if it has no tensors or none are known.
func (t *Trace) call(op int32) *call {
	s := t.order[op].signature
	if s < 0 {
		return nil
	}
	if t.calls == nil {
		t.calls = make([]*call, len(t.signatures))
	}
	if t.calls[s] == nil {
		t.calls[s] = parseCall(t.signatures[s])
	}
	if len(t.calls[s].inputs) == 0 {
		return nil
	}
	return t.calls[s]
}

// shaped returns the nearest operator around a kernel whose tensors' shapes are
// known, -1 if there is none.
func (t *Trace) shaped(op int32) int32 {
	for ; op >= 0; op = t.Ops[op].Parent {
		if t.Ops[op].Kind == Operator && t.call(op) != nil {
			return op
		}
	}
	return -1
}

// gradients tells the gradients of weights from those of activations, which backward makes and
// uses up: they are as large as a weight, where weights are known, and the optimizer uses them, or
// they outlive backward.
func (b *builder) gradients() {
	sizes := map[unit.Bytes]bool{}
	for i := range b.weights {
		if w := &b.weights[i]; !strings.HasPrefix(w.parameter, "running") {
			bytes := unit.Bytes(w.count * max(w.item, 1))
			sizes[bytes], sizes[(bytes+511)/512*512], sizes[2*bytes] = true, true, true // of half precision, in single
		}
	}
	phases := make([]phase, len(b.kernels))
	last := int32(-1) // kernel of backward
	for k, n := range b.kernels {
		if op := b.t.Kernels[n].Op; op >= 0 {
			phases[k] = b.t.phaseOf(op)
		}
		if phases[k] == backward {
			last = int32(k)
		}
	}
	optimizes := slices.Contains(phases, optimizing)
	for i := range b.step.Tensors {
		t := &b.step.Tensors[i]
		if t.Kind != workload.Gradient {
			continue
		}
		later := b.lives[i].to > b.span.to && t.From == recording.Measured // it is not freed
		for _, u := range t.Uses {
			later = later || u.Kernel > last || phases[u.Kernel] == optimizing
		}
		if len(sizes) > 0 && !sizes[t.Bytes] || !later && (optimizes || t.From == recording.Measured) {
			t.Kind = workload.Intermediate
		}
	}
}

// tidy orders uses, and leaves out tensors of which nothing is known but that they
// are there all the time: they are resident.
func (b *builder) tidy() {
	kept := b.step.Tensors[:0]
	for i, t := range b.step.Tensors {
		if l := &b.lives[i]; l.old && l.given > 1 && t.Kind == workload.Input {
			t.Kind, t.Global, t.Buffer = workload.Weight, true, true // what is read again and again stays
		}
		if len(t.Uses) == 0 {
			if t.Global && t.From == recording.Measured {
				b.step.Resident += t.Bytes
			}
			continue
		}
		slices.SortStableFunc(t.Uses, func(x, y recording.Use) int { return cmp.Compare(x.Kernel, y.Kernel) })
		uses := t.Uses[:1]
		for _, u := range t.Uses[1:] {
			if last := &uses[len(uses)-1]; last.Kernel == u.Kernel {
				last.Read, last.Write = last.Read || u.Read, last.Write || u.Write
			} else {
				uses = append(uses, u)
			}
		}
		t.Uses = uses
		kept = append(kept, t)
	}
	b.step.Tensors = slices.Clone(kept) // without room for those left out
}

// count fills in the step's memory.
func (b *builder) count(blocks bool) {
	m := &b.step.Memory
	if !blocks {
		b.measure(m)
		return
	}
	known := unit.Bytes(0)
	for i, t := range b.step.Tensors {
		if t.From == recording.Measured && b.lives[i].from < b.span.from || t.Global {
			known += t.Bytes
		}
	}
	b.measure(m)
	if m.AtLeast {
		return
	}
	b.step.Resident = max(0, m.LevelBefore-known)
	if known > m.LevelBefore {
		b.step.Notes = append(b.step.Notes, fmt.Sprintf("Tensors of %v were found to be there before the step, %v more than the counter says.", known, known-m.LevelBefore))
	}
}

// measure fills in what the device's counter says of the step.
func (b *builder) measure(m *recording.Memory) {
	levels := b.t.levels
	m.AtLeast = len(levels) > 0 && !b.t.totals
	first, _ := slices.BinarySearchFunc(levels, b.span.from, func(l level, from unit.Time) int { return cmp.Compare(l.at, from) })
	for i := first - 1; i >= 0 && !m.Known; i-- {
		if levels[i].device == b.device {
			m.Known, m.LevelBefore, m.Peak = true, levels[i].bytes, levels[i].bytes
		}
	}
	for ; first < len(levels) && levels[first].at <= b.span.to; first++ {
		l := &levels[first]
		switch {
		case l.device != b.device:
		case !m.Known:
			m.Known, m.LevelBefore, m.Peak = true, l.bytes, l.bytes
		default:
			m.Peak = max(m.Peak, l.bytes)
		}
	}
	for i := b.t.taken(b.span.from); i < len(b.t.Blocks) && b.t.Blocks[i].Taken <= b.span.to; i++ {
		if b.t.Blocks[i].Device == b.device {
			m.Allocations++
		}
	}
}

// taken returns the first block that was taken at or after a time.
func (t *Trace) taken(at unit.Time) int {
	n, _ := slices.BinarySearchFunc(t.Blocks, at, func(x Block, at unit.Time) int {
		if x.Taken < at {
			return -1
		}
		return 1
	})
	return n
}

// kindOf returns what a tensor born in an operator is.
func (b *builder) kindOf(op int32) workload.Kind {
	if op < 0 {
		return workload.Intermediate
	}
	switch b.t.phaseOf(op) {
	case backward:
		return workload.Gradient
	case optimizing:
		return workload.Workspace
	}
	return workload.Intermediate
}
