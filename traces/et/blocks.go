package et

import "strings"

// An identifier tells blocks apart. Nodes are entered in order of their ids and left
// after all that is inside of them.
type identifier struct {
	t       *Trace
	devices []int32 // of storages
	now     []int32 // of storages: the block that they are, -1 for none yet
	due     []int32 // of storages: the innermost promise, -1 for none
	// promises are storages that open nodes return without having been given them: a
	// mention inside is of what is born there.
	promises []promise
	before   []int32 // of open nodes: blocks when they began
	worked   []int32 // of blocks: the last node that worked on them
	views    map[int64]bool
	inputs   []input // of storages
}

// An input says what the last node that was looked at is given of a storage.
type input struct {
	node     int32 // one more than the node, 0 for none
	expanded uint8 // how many different tensors have more elements than memory: 0, 1 or 2 for more
	tensor   int64 // the first of them
}

// A promise is a storage that a node returns.
type promise struct {
	storage, node, outer int32
}

// identify finds the blocks of a trace whose storages are in Blocks.
func (t *Trace) identify(storages int) {
	d := &identifier{t: t, devices: make([]int32, storages), now: make([]int32, storages), due: make([]int32, storages), views: map[int64]bool{}, inputs: make([]input, storages)}
	for s := range storages {
		d.devices[s], d.now[s], d.due[s] = t.Blocks[s].Device, -1, -1
	}
	t.Blocks = make([]Block, 0, storages)
	d.before = make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		d.enter(int32(i))
		for n := int32(i); n >= 0 && t.Nodes[n].Last == int32(i); n = t.Nodes[n].Parent {
			d.leave(n)
		}
	}
}

// look notes which storages a node has among its inputs.
func (d *identifier) look(n int32) {
	node := &d.t.Nodes[n]
	for i := node.In; i < node.Out; i++ {
		m := &d.t.Mentions[i]
		if m.storage < 0 {
			continue
		}
		in := &d.inputs[m.storage]
		if in.node != n+1 {
			*in = input{node: n + 1}
		}
		switch {
		case m.flags&expanded == 0:
		case in.expanded == 0:
			in.expanded, in.tensor = 1, m.tensor
		case in.tensor != m.tensor:
			in.expanded = 2
		}
	}
}

// given reports whether the node that was looked at last has a storage among its
// inputs.
func (d *identifier) given(n, storage int32) bool { return d.inputs[storage].node == n+1 }

func (d *identifier) enter(n int32) {
	node := &d.t.Nodes[n]
	d.before[n] = int32(len(d.t.Blocks))
	for i := node.In; i < node.Out; i++ {
		m := &d.t.Mentions[i]
		if !m.sized() {
			continue
		}
		if p := d.promised(m.storage, n); p >= 0 && d.now[m.storage] < d.before[p] {
			d.birth(m.storage, p)
		} else if d.now[m.storage] < 0 {
			d.birth(m.storage, -1)
		}
		d.mention(m, n)
	}
	if node.Last == n {
		return // nothing is inside
	}
	d.look(n)
	for i := node.Out; i < node.End; i++ {
		if s := d.t.Mentions[i].storage; s >= 0 && !d.given(n, s) {
			d.promises = append(d.promises, promise{s, n, d.due[s]})
			d.due[s] = int32(len(d.promises) - 1)
		}
	}
}

// promised returns the innermost node around n that returns the storage, -1 for
// none.
func (d *identifier) promised(storage, n int32) int32 {
	for p := d.due[storage]; p >= 0; p = d.promises[p].outer {
		if o := d.promises[p].node; o < n && d.t.Nodes[o].Last >= n && d.t.Nodes[o].Thread == d.t.Nodes[n].Thread {
			return o
		}
	}
	return -1
}

// birth begins a block.
func (d *identifier) birth(storage, born int32) {
	d.now[storage] = int32(len(d.t.Blocks))
	d.t.Blocks = append(d.t.Blocks, Block{Device: d.devices[storage], Born: born, First: -1})
	d.worked = append(d.worked, -1)
}

// mention gives a mention its block and the block what is known by it.
func (d *identifier) mention(m *Mention, n int32) {
	m.Block = d.now[m.storage]
	b := &d.t.Blocks[m.Block]
	if b.First < 0 {
		b.First, b.Last = n, n
	}
	b.First, b.Last = min(b.First, n), max(b.Last, n)
	if m.flags&expanded != 0 || d.views[m.tensor] {
		m.flags |= expanded
		return
	}
	b.Bytes = max(b.Bytes, m.extent)
}

func (d *identifier) leave(n int32) {
	t := d.t
	node := &t.Nodes[n]
	d.look(n)
	for i := node.Out; i < node.End; i++ {
		m := &t.Mentions[i]
		if !m.sized() {
			continue
		}
		had := d.given(n, m.storage)
		if d.now[m.storage] < 0 || !had && d.now[m.storage] < d.before[n] {
			d.birth(m.storage, n)
		}
		d.expand(m, had)
		d.mention(m, n)
		if !had || node.marks&unruled != 0 {
			m.flags |= written
		}
	}
	d.work(n)
	if node.Last == n {
		return
	}
	for i := node.Out; i < node.End; i++ {
		if s := t.Mentions[i].storage; s >= 0 {
			d.unpromise(s, n)
		}
	}
	for len(d.promises) > 0 && d.promises[len(d.promises)-1].storage < 0 {
		d.promises = d.promises[:len(d.promises)-1]
	}
}

// unpromise takes the promise of a node out of its storage's list.
func (d *identifier) unpromise(storage, n int32) {
	for at := &d.due[storage]; *at >= 0; {
		p := &d.promises[*at]
		if p.node == n {
			p.storage = -1
			*at = p.outer
		} else {
			at = &p.outer
		}
	}
}

// expand notes whether a result has more elements than memory, as expanded views
// and views of those have.
func (d *identifier) expand(m *Mention, given bool) {
	if given && m.flags&expanded == 0 {
		in := &d.inputs[m.storage]
		if in.expanded > 1 || in.expanded == 1 && in.tensor != m.tensor {
			m.flags |= expanded
		}
	}
	if m.flags&expanded != 0 && given {
		d.views[m.tensor] = true
		return
	}
	m.flags &^= expanded
	if len(d.views) > 0 {
		delete(d.views, m.tensor)
	}
}

// work decides which of a node's mentions are work of its own: those of blocks that
// no operator inside works on.
func (d *identifier) work(n int32) {
	t := d.t
	node := &t.Nodes[n]
	if node.marks&view != 0 {
		return
	}
	if node.marks&wrapper != 0 && node.marks&triton == 0 && node.Last > n && !d.unwritten(node, n) {
		return
	}
	for i := node.In; i < node.End; i++ {
		m := &t.Mentions[i]
		if m.Block < 0 || d.worked[m.Block] > n {
			continue
		}
		m.flags |= counted
		if node.marks&triton != 0 && i < node.Out && d.worked[m.Block] < 0 && t.Blocks[m.Block].First == n {
			m.flags |= written
			if t.Blocks[m.Block].Born < 0 {
				t.Blocks[m.Block].Born = n // the compiler's allocations are not recorded
			}
		}
	}
	for i := node.In; i < node.End; i++ {
		if m := &t.Mentions[i]; m.flags&counted != 0 {
			d.worked[m.Block] = n
		}
	}
}

// unwritten reports whether an annotation returns memory that was taken inside of it
// and that nothing inside wrote: then it must have done so itself.
func (d *identifier) unwritten(node *Node, n int32) bool {
	if strings.HasPrefix(d.t.Strings[node.Name], "ProfilerStep") {
		return false
	}
	for i := node.Out; i < node.End; i++ {
		if m := &d.t.Mentions[i]; m.Block >= 0 && d.t.Blocks[m.Block].Born >= n && d.worked[m.Block] < 0 {
			return true
		}
	}
	return false
}
