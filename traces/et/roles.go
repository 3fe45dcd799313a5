package et

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// A sight is how a block was seen in a window.
type sight uint16

const (
	seen        sight = 1 << iota
	inPasses          // in forward or backward
	inStep            // under Optimizer.step
	changed           // written outside of it
	updated           // written under it
	zeroed            // under Optimizer.zero_grad
	accumulated       // by AccumulateGrad
	fromHost          // target of a copy from the host
	asData            // where operators take activations
	asTable           // by a lookup: by its name, or as it takes little of it
	readTwice
	readOnce
)

// A role is what a block is to a window.
type role struct {
	kind     workload.Kind
	global   bool
	resident bool // it was there before
	buffer   bool // a weight that the optimizer does not update
	left     bool // born under Optimizer.step and left behind: state that begins here
}

// look returns how each block of a device was seen in w.
func (t *Trace) look(w Window, device int32) []sight {
	sights := make([]sight, len(t.Blocks))
	for n := w.From; n < w.To; n++ {
		node := &t.Nodes[n]
		accumulates := node.marks&accumulate != 0 && (t.Name(n) == accumulateGrad ||
			node.Parent >= 0 && t.Name(node.Parent) == accumulateGrad && (t.Name(n) == "aten::add_" || t.Name(n) == "aten::add"))
		host := t.reads(node, device)
		table, rest := t.largest(node)
		for i := node.In; i < node.End; i++ {
			m := &t.Mentions[i]
			if m.Block < 0 || t.Blocks[m.Block].Device != device {
				continue
			}
			s := sights[m.Block] | seen
			if accumulates {
				s |= accumulated
			}
			if i < node.Out && m.Block == table && m.flags&counted != 0 &&
				recording.LooksUp(t.Name(n), t.Blocks[table].Bytes, rest) {
				s |= asTable
			}
			if host && m.flags&(written|counted) == written|counted {
				s |= fromHost
			}
			sights[m.Block] = s | used(node.marks, m.flags, s)
		}
	}
	return sights
}

// largest returns the largest block that a node works on, -1 if there is none, and how large the
// largest other is.
func (t *Trace) largest(n *Node) (block int32, rest unit.Bytes) {
	block = -1
	for _, m := range t.Mentions[n.In:n.End] {
		switch {
		case m.Block < 0 || m.Block == block:
		case block < 0:
			block = m.Block
		case t.Blocks[m.Block].Bytes > t.Blocks[block].Bytes:
			block, rest = m.Block, t.Blocks[block].Bytes
		default:
			rest = max(rest, t.Blocks[m.Block].Bytes)
		}
	}
	return block, rest
}

// used returns what one mention adds to s.
func used(marks mark, f flag, s sight) sight {
	switch {
	case marks&optimizer != 0:
		s |= inStep
		if f&written != 0 {
			s |= updated
		}
		return s
	case marks&zeroing != 0:
		if f&written != 0 {
			s |= zeroed
		}
		return s
	}
	if marks&view == 0 {
		s |= inPasses
	}
	if f&data != 0 {
		s |= asData
	}
	if f&lookedUp != 0 {
		s |= asTable
	}
	if f&counted == 0 {
		return s
	}
	if f&written != 0 {
		return s | changed
	}
	if s&readOnce != 0 {
		s |= readTwice
	}
	return s | readOnce
}

// reads reports whether a node works on memory of the host besides that of device:
// then it copies.
func (t *Trace) reads(n *Node, device int32) bool {
	if t.Devices[device] == "cpu" || t.Strings[n.Name] != "aten::copy_" && t.Strings[n.Name] != "aten::_to_copy" {
		return false
	}
	for _, m := range t.Mentions[n.In:n.Out] {
		if m.Block >= 0 && t.Devices[t.Blocks[m.Block].Device] == "cpu" && m.flags&written == 0 {
			return true
		}
	}
	return false
}

// role decides what a block that was seen in w is.
func (t *Trace) role(w Window, block int32, s sight, training bool) role {
	r := t.guess(w, block, s, training)
	if n, ok := t.names[block]; ok {
		r.buffer = r.buffer && n.Kind == workload.Weight
		if r.kind != n.Kind && r.resident {
			r.global = n.Kind != workload.Gradient || s&zeroed == 0
		}
		r.kind = n.Kind
	}
	return r
}

// guess decides by what operators do with it.
func (t *Trace) guess(w Window, block int32, s sight, training bool) role {
	b := &t.Blocks[block]
	later := b.Last >= w.To
	if b.Born < w.From {
		r := role{kind: workload.Weight, global: true, resident: true}
		still := later || int(w.To) == len(t.Nodes)
		switch {
		case s&accumulated != 0:
			r.kind, r.global = workload.Gradient, s&zeroed == 0 && still
		case s&updated != 0 && s&inPasses != 0:
		case s&inStep != 0 && s&inPasses == 0:
			r.kind = workload.Optimizer
		case s&fromHost != 0:
			r.kind, r.global = workload.Input, still
		case s&(changed|updated) == 0 && (s&asData != 0 || training && s&(readOnce|readTwice|asTable) == readOnce):
			r.kind, r.global = workload.Input, still
		default:
			r.buffer = training
		}
		return r
	}
	inOptimizer := t.Nodes[b.Born].marks&optimizer != 0
	switch {
	case inOptimizer && later:
		return role{kind: workload.Optimizer, global: true, left: true}
	case inOptimizer && t.Nodes[b.Last].marks&optimizer != 0:
		return role{kind: workload.Workspace}
	case s&accumulated != 0 || s&inStep != 0:
		return role{kind: workload.Gradient}
	case s&fromHost != 0:
		return role{kind: workload.Input}
	}
	return role{kind: workload.Intermediate}
}

// levels returns what the blocks of a device took before w and at most in it, from
// first to last mention; through is memory that no node of w mentions.
func (t *Trace) levels(w Window, device int32, sights []sight) (before, peak, through unit.Bytes, births int) {
	change := make([]unit.Bytes, w.To-w.From+1)
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if b.Device != device || b.First >= w.To && b.Born >= w.To || b.Last < w.From {
			continue
		}
		switch {
		case b.Born >= w.From && b.Born < w.To:
			births++
			change[b.Born-w.From] += b.Bytes
			if b.Last+1 < w.To {
				change[b.Last+1-w.From] -= b.Bytes
			}
		case b.Born < w.From && sights[i]&seen != 0:
			before += b.Bytes
		case b.Born < w.From && b.First < w.From && b.Last >= w.To:
			through += b.Bytes
		}
	}
	before += through
	level := before
	peak = before
	for _, c := range change {
		level += c
		peak = max(peak, level)
	}
	return before, peak, through, births + t.hollow(w)
}

// hollow counts tensors without elements that operators make: they are allocated,
// and take nothing.
func (t *Trace) hollow(w Window) (count int) {
	for n := w.From; n < w.To; n++ {
		node := &t.Nodes[n]
		for i := node.Out; i < node.End; i++ {
			if t.Mentions[i].bytes == 0 && t.Name(n) == "aten::empty" {
				count++
			}
		}
	}
	return count
}
