package xplane

import "slices"

// A flow says which buffers instructions read and write. Values go through
// instructions that make none, such as bitcasts and tuples, and from a call into
// what is called.
type flow struct {
	m       *Module
	byID    map[uint64]int32
	callers map[uint64]int32 // computation to the instruction that calls it
	found   map[uint64][]define
	busy    map[uint64]bool
	steps   int
	held    int     // values in found
	same    []int32 // buffers that are one and the same, by buffer
}

// Limits of what would take too long or too much; no real module needs as many.
const (
	maxSteps = 1 << 28
	maxHeld  = 8 << 20
)

func newFlow(m *Module) *flow {
	f := &flow{m: m, byID: map[uint64]int32{}, callers: map[uint64]int32{}, found: map[uint64][]define{}, busy: map[uint64]bool{}}
	for i := range m.code {
		f.byID[m.code[i].id] = int32(i)
		for _, c := range m.code[i].calls {
			if _, ok := f.callers[c]; !ok {
				f.callers[c] = int32(i)
			}
		}
	}
	f.same = make([]int32, len(m.Buffers))
	at := map[place]int32{}
	for b := range m.Buffers {
		f.same[b] = int32(b)
		one := &m.Buffers[b]
		if !one.Parameter && !one.Constant {
			continue
		}
		// What is put in place of a parameter is the parameter's next value.
		if first, ok := at[one.place]; ok {
			f.same[b] = first
		} else {
			at[one.place] = int32(b)
		}
	}
	for i := range m.code {
		f.inPlace(&m.code[i])
	}
	return f
}

// inPlace joins what an instruction writes with what it reads at the same place.
func (f *flow) inPlace(i *instruction) {
	if len(i.defines) == 0 {
		return
	}
	reads := f.reads(i)
	if f.steps += len(reads) * len(i.defines); f.steps > maxSteps {
		return
	}
	for _, w := range i.defines {
		for _, r := range reads {
			if f.m.Buffers[w.buffer].place == f.m.Buffers[r].place && f.root(w.buffer) != f.root(r) {
				f.same[f.root(w.buffer)] = f.root(r)
			}
		}
	}
}

// root returns the one buffer that stands for all that are the same.
func (f *flow) root(b int32) int32 {
	for f.same[b] != b {
		f.same[b] = f.same[f.same[b]]
		b = f.same[b]
	}
	return b
}

// reads returns the buffers that an instruction reads.
func (f *flow) reads(i *instruction) (list []int32) {
	for _, o := range i.operands {
		for _, d := range f.values(o, 0) {
			list = append(list, d.buffer)
		}
		if f.steps += len(list); f.steps > maxSteps {
			return list
		}
	}
	return list
}

// values returns the buffers that an instruction's result consists of.
func (f *flow) values(id uint64, depth int) []define {
	if v, ok := f.found[id]; ok {
		return v
	}
	at, ok := f.byID[id]
	if f.steps++; !ok || f.busy[id] || depth > 500 || f.steps > maxSteps {
		return nil
	}
	f.busy[id] = true
	v := f.through(&f.m.code[at], depth+1)
	delete(f.busy, id)
	f.steps += len(v)
	if f.held += len(v); f.held > maxHeld {
		return nil
	}
	f.found[id] = v
	return v
}

// through is values of an instruction that is met for the first time.
func (f *flow) through(i *instruction, depth int) (list []define) {
	list = slices.Clone(i.defines)
	switch i.opcode {
	case "get-tuple-element":
		if len(i.operands) == 0 || len(list) > 0 {
			return list
		}
		whole := f.values(i.operands[0], depth)
		f.steps += len(whole)
		for _, d := range whole {
			if d.index == int(i.element) {
				list = append(list, define{d.buffer, -1})
			}
		}
	case "tuple":
		for at, o := range i.operands {
			for _, d := range f.values(o, depth) {
				list = append(list, define{d.buffer, at})
			}
		}
	case "call":
		if len(list) == 0 && len(i.calls) > 0 {
			return f.values(f.m.roots[i.calls[0]], depth)
		}
	case "parameter":
		if caller, ok := f.callers[i.computation]; ok && len(list) == 0 {
			if o := f.m.code[caller].operands; i.parameter < uint64(len(o)) {
				return f.values(o[i.parameter], depth)
			}
		}
	default:
		if len(list) > 0 {
			return list
		}
		for _, o := range i.operands { // bitcast, while, copy-done and what else hands on
			list = append(list, f.values(o, depth)...)
			if len(list) > 1<<12 {
				return list
			}
		}
	}
	return list
}
