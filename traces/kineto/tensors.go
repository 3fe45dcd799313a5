package kineto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// placeBlocks makes tensors of the blocks of memory that are there in the step;
// false if the recording has none of this device.
func (b *builder) placeBlocks() bool {
	t := b.t
	any := false // this device's memory was recorded
	for i := range t.earlier {
		if x := &t.earlier[i]; x.Device == b.device {
			any = true
			if x.Free > b.span.from {
				b.placeBlock(x, i)
			}
		}
	}
	first := t.taken(b.span.from)
	for _, i := range t.aliveAt(b.span.from, first) {
		if x := &t.Blocks[i]; x.Device == b.device {
			b.placeBlock(x, int(i))
		}
	}
	for i := first; i < len(t.Blocks) && t.Blocks[i].Taken <= b.span.to; i++ {
		if x := &t.Blocks[i]; x.Device == b.device {
			b.placeBlock(x, i)
		}
	}
	for i := range t.levels {
		if !t.placed {
			break
		}
		if any = any || t.levels[i].device == b.device; any {
			break
		}
	}
	return any
}

// An alive is the blocks that are there at a time; those from next on are taken
// later.
type alive struct {
	at     unit.Time
	next   int
	blocks []int32
}

// aliveAt returns the blocks that were taken before a time and are freed after it.
// first is the first block taken later. Steps ask in order of time.
func (t *Trace) aliveAt(at unit.Time, first int) []int32 {
	a := &t.alive
	if at < a.at {
		*a = alive{}
	}
	for ; a.next < first; a.next++ {
		a.blocks = append(a.blocks, int32(a.next))
	}
	a.at = at
	a.blocks = slices.DeleteFunc(a.blocks, func(i int32) bool {
		return t.Blocks[i].Free >= 0 && t.Blocks[i].Free <= at
	})
	return a.blocks
}

// placeBlock makes a tensor of a block: it is written where it was taken and read
// last before it was freed.
func (b *builder) placeBlock(x *Block, number int) {
	free := x.Free
	if free < 0 {
		free = forever
	}
	n := recording.Tensor{Bytes: x.Bytes, From: recording.Measured, Kind: b.kindOf(x.Op), Name: b.blockName(x, number)}
	inside := x.Taken >= b.span.from
	n.Global = !inside && free > b.span.to
	if b.kindOf(x.Op) == workload.Workspace && free > b.span.to {
		n.Kind = workload.Optimizer // taken by the optimizer, which keeps it
	}
	id := b.add(n, life{from: x.Taken, to: free})
	if n.Global {
		return
	}
	first := int32(-1)
	if inside {
		first = b.born(id, x, free)
	}
	b.dies(id, first, min(free, b.span.to))
	if inside && x.Op >= 0 && free <= t0(b.t, b.birthplace(x, free)) {
		b.step.Tensors[id].Kind = workload.Workspace
	}
}

// t0 returns when an operator ends, before everything if there is none.
func t0(t *Trace, op int32) unit.Time {
	if op < 0 {
		return -1
	}
	return t.Ops[op].end()
}

// blockName names a block by where it was taken.
func (b *builder) blockName(x *Block, number int) string {
	if x.Op < 0 {
		return fmt.Sprintf("block %d", number)
	}
	name := b.t.Strings[b.t.Ops[x.Op].Name]
	if from := b.birthplace(x, forever); from >= 0 {
		name = b.t.Strings[b.t.Ops[from].Name]
	}
	if m, inner := b.t.module(x.Op); inner >= 0 {
		name = m + " " + name
	}
	return fmt.Sprintf("%s %d", name, number)
}

// birthplace returns the nearest operator around a block's allocation that launches
// a kernel then or later, before the block is freed; -1 if there is none.
func (b *builder) birthplace(x *Block, free unit.Time) int32 {
	for op := x.Op; op >= 0; op = b.t.Ops[op].Parent {
		o := &b.t.Ops[op]
		if o.Kind != Operator {
			continue
		}
		if first := b.place(o.Thread, max(x.Taken, o.Start)); first < len(b.byThread) {
			if k := b.byThread[first]; b.threadOf(k) == o.Thread && b.launched(k) <= o.end() && b.launched(k) <= free {
				return op
			}
		}
	}
	return -1
}

// born notes the uses where a block was taken and returns the first kernel, -1 if
// nothing was launched any more.
func (b *builder) born(id int32, x *Block, free unit.Time) int32 {
	op := b.birthplace(x, free)
	if op < 0 {
		n := b.after(x.Taken)
		if n == len(b.byLaunch) {
			return -1
		}
		k := b.byLaunch[n]
		b.touch(id, k, false, true)
		return k
	}
	o := &b.t.Ops[op]
	list := slices.Clone(b.byThread[b.place(o.Thread, max(x.Taken, o.Start)):b.place(o.Thread, min(o.end(), free)+1)])
	slices.Sort(list)
	for i, k := range list {
		b.touch(id, k, i > 0, true)
	}
	if b.step.Kernels[list[0]].Kind == recording.HostToDevice {
		b.step.Tensors[id].Kind = workload.Input
	}
	return list[0]
}

// dies notes the use before a block is freed: by the kernel launched last.
func (b *builder) dies(id, first int32, free unit.Time) {
	n := b.after(free)
	if n == 0 {
		return
	}
	k := b.byLaunch[n-1]
	if k < first || len(b.step.Tensors[id].Uses) == 0 && first >= 0 {
		return
	}
	b.touch(id, k, k != first, k == first)
}

// placeForward lists the operators of the step that backward ones can name.
func (b *builder) placeForward() {
	for op := range b.within() {
		b.learns = b.learns || b.t.order[op].backward
		if b.t.order[op].sequence >= 0 && b.t.phaseOf(op) == forward {
			b.forward = append(b.forward, op)
		}
	}
	slices.SortStableFunc(b.forward, func(x, y int32) int {
		return cmp.Compare(b.t.order[x].sequence, b.t.order[y].sequence)
	})
}

// within yields the operators that begin in the step, by thread.
func (b *builder) within() func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for thread := range b.t.Threads {
			n, _ := slices.BinarySearchFunc(b.t.Ops, b.span.from, func(o Op, from unit.Time) int {
				if c := cmp.Compare(o.Thread, int32(thread)); c != 0 {
					return c
				}
				if o.Start < from {
					return -1
				}
				return 1
			})
			for ; n < len(b.t.Ops) && b.t.Ops[n].Thread == int32(thread) && b.t.Ops[n].Start <= b.span.to; n++ {
				if !yield(int32(n)) {
					return
				}
			}
		}
	}
}

// counterparts returns the forward operators whose gradients an operator computes.
func (b *builder) counterparts(op int32) []int32 {
	for ; op >= 0; op = b.t.Ops[op].Parent {
		s := b.t.order[op].sequence
		if s < 0 {
			continue
		}
		find := func(s int64) int {
			n, _ := slices.BinarySearchFunc(b.forward, s, func(f int32, s int64) int {
				if int64(b.t.order[f].sequence) < s {
					return -1
				}
				return 1
			})
			return n
		}
		list := b.forward[find(int64(s)):find(int64(s)+1)]
		return list[max(0, len(list)-mostCounterparts):]
	}
	return nil
}

// mostCounterparts is how many forward operators with one number are looked at.
const mostCounterparts = 256

// A group is the kernels of one operator.
type group struct {
	op      int32
	kernels []int32
}

// groups returns the kernels by the operator whose tensors they use, in order of
// the operators' start.
func (b *builder) groups() (list []group) {
	type pair struct{ op, kernel int32 }
	var pairs []pair
	for k := range b.kernels {
		if b.t.replayed[b.kernels[k]] {
			continue // its launch's operator is that of a whole graph
		}
		if op := b.t.shaped(b.t.Kernels[b.kernels[k]].Op); op >= 0 {
			pairs = append(pairs, pair{op, int32(k)})
		}
	}
	slices.SortFunc(pairs, func(x, y pair) int {
		return cmp.Or(cmp.Compare(b.t.Ops[x.op].Start, b.t.Ops[y.op].Start), cmp.Compare(x.op, y.op), cmp.Compare(x.kernel, y.kernel))
	})
	for _, p := range pairs {
		if n := len(list); n == 0 || list[n-1].op != p.op {
			list = append(list, group{op: p.op})
		}
		g := &list[len(list)-1]
		g.kernels = append(g.kernels, p.kernel)
	}
	return list
}

// placeReaders finds what operators read by their shapes, and, where memory was not
// recorded, estimates what they write.
func (b *builder) placeReaders(blocks bool) {
	for _, g := range b.groups() {
		c := b.t.call(g.op)
		name := b.t.Strings[b.t.Ops[g.op].Name]
		ph := b.t.phaseOf(g.op)
		from := len(b.readers)
		largest := unit.Bytes(0) // that the step itself made
		pairs := b.pairs(g.op, ph)
		inPlace, fresh := inPlaceName(strings.TrimPrefix(name, "aten::")), b.fresh(g.op)
		for i := range c.inputs {
			in := &c.inputs[i]
			writes := inPlace && in.place == c.inputs[0].place
			if writes && fresh {
				continue // what it writes is not there yet
			}
			id := b.reader(g, in, ph, pairs, blocks)
			if id < 0 {
				continue
			}
			b.lives[id].mark = g.op + 1
			b.lives[id].given++
			if b.lives[id].from >= b.span.from {
				largest = max(largest, in.bytes)
			}
			b.readers = append(b.readers, id)
			for _, k := range g.kernels {
				b.touch(id, k, true, writes)
			}
		}
		b.reads[g.op] = [2]int{from, len(b.readers)}
		if !blocks {
			if largest == 0 {
				largest = c.smallest()
			}
			b.estimate(g, c, name, largest, len(b.readers) > from)
		}
	}
}

// pairs returns what the forward operators of a backward one read, and what they made if that is
// estimated: before what they read where autograd saves the result instead.
func (b *builder) pairs(op int32, ph phase) (tensors []int32) {
	if ph != backward {
		return nil
	}
	for _, f := range b.counterparts(op) {
		saved := savedBy(b.t.Strings[b.t.Ops[f].Name])
		if saved == savesResult {
			tensors = append(tensors, b.made[f]...)
		}
		if r, ok := b.reads[f]; ok {
			tensors = append(tensors, b.readers[r[0]:r[1]]...)
		}
		if saved != savesResult {
			tensors = append(tensors, b.made[f]...)
		}
		tensors = append(tensors, b.weightsOf(f)...)
	}
	return tensors
}

// reader returns the tensor that is an operator's input, -1 if it is not known.
func (b *builder) reader(g group, in *input, ph phase, pairs []int32, blocks bool) int32 {
	if in.bytes <= 0 && !in.list || in.count == 0 {
		return -1
	}
	at := b.t.Ops[g.op].Start
	size := in.bytes
	if size == 0 {
		size = unit.Bytes(in.count * b.commonItem())
	}
	if id := b.weightAt(g.op, in, ph); id >= 0 {
		return id
	}
	for _, id := range pairs { // weights, and what was kept for backward
		t := &b.step.Tensors[id]
		if b.lives[id].mark != g.op+1 && b.lives[id].to > at && (t.Bytes == size && (!blocks || t.Global)) {
			return id
		}
	}
	if blocks {
		return b.newest((size+511)/512*512, at, g.op, ph == backward)
	}
	if id := b.newest(size, at, g.op, ph == backward); id >= 0 {
		return id
	}
	if len(in.dims) == 0 || b.step.Kernels[g.kernels[0]].Kind == recording.HostToDevice {
		return -1 // a number, or on the host
	}
	// It was there before.
	op := b.t.Strings[b.t.Ops[g.op].Name]
	name := fmt.Sprintf("input of %s %d", op, len(b.step.Tensors))
	if ph == forward && recording.LooksUp(op, in.bytes, b.t.call(g.op).beside(op, in)) {
		return b.add(recording.Tensor{
			Name: "table of " + strings.TrimPrefix(name, "input of "), Bytes: size, From: recording.Estimated,
			Kind: workload.Weight, Global: true, Buffer: true,
		}, life{from: -1, to: forever})
	}
	kind := workload.Input
	if ph != forward {
		kind = b.kindOf(g.op)
	}
	return b.add(recording.Tensor{Name: name, Bytes: size, Kind: kind, From: recording.Estimated}, life{from: -1, to: forever, old: true})
}

// fresh reports whether an operator that writes its first input does so inside one
// that returns something new.
func (b *builder) fresh(op int32) bool {
	p := b.t.Ops[op].Parent
	if p < 0 || b.t.Ops[p].Kind != Operator {
		return false
	}
	name, ok := strings.CutPrefix(b.t.Strings[b.t.Ops[p].Name], "aten::")
	return ok && !inPlaceName(name)
}

// estimate makes tensors of what an operator writes: its last kernel, or all if
// nothing is known of what they read.
func (b *builder) estimate(g group, c *call, name string, largest unit.Bytes, reads bool) {
	sizes, inPlace := c.outputs(name, largest)
	last := g.kernels[len(g.kernels)-1]
	kind := b.kindOf(g.op)
	switch host := b.step.Kernels[last].Kind; {
	case host == recording.DeviceToHost:
		return
	case host == recording.HostToDevice:
		sizes, kind = []unit.Bytes{c.inputs[0].bytes}, workload.Input
	case inPlace && b.fresh(g.op):
		sizes = []unit.Bytes{c.inputs[0].bytes}
	}
	for _, size := range sizes {
		if size <= 0 {
			continue
		}
		label := fmt.Sprintf("%s %d", name, len(b.step.Tensors))
		if m, inner := b.t.module(g.op); inner >= 0 {
			label = m + " " + label
		}
		id := b.add(recording.Tensor{Name: label, Bytes: size, Kind: kind, From: recording.Estimated}, life{from: b.t.Ops[g.op].Start, to: forever, mark: g.op + 1})
		b.made[g.op] = append(b.made[g.op], id)
		for _, k := range g.kernels {
			if k == last || !reads {
				b.touch(id, k, false, true)
			}
		}
	}
}
