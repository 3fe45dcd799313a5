package xplane

import (
	"fmt"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/protobuf"
)

// Limits of a module.
const (
	maxCode    = 1 << 20
	maxBuffers = 1 << 20
)

// An instruction is one of a module's, in any of its computations.
type instruction struct {
	opcode      string
	id          uint64
	computation uint64
	operands    []uint64
	calls       []uint64
	element     uint64   // of a tuple, for get-tuple-element
	parameter   uint64   // number, for parameter
	defines     []define // the values that it makes
}

// A define is a value that an instruction makes; index is which element of its
// result it is, -1 for the whole.
type define struct {
	buffer int32
	index  int
}

// A moduleReader reads a module.
type moduleReader struct {
	*Module
	intern  func([]byte) string
	names   map[string]uint64 // instructions by computation and name, for old files
	byID    map[uint64]int32
	buffers map[uint64]int32 // by logical number
}

// readModule reads a module with its buffer assignment.
func readModule(m protobuf.Message, intern func([]byte) string) (*Module, error) {
	r := moduleReader{&Module{ops: map[string]int32{}, roots: map[uint64]uint64{}}, intern, map[string]uint64{}, map[uint64]int32{}, map[uint64]int32{}}
	for m.Next() {
		inner := m.Message()
		switch m.Field {
		case 1:
			r.program(&inner)
		case 3:
			r.assignment(&inner)
		}
		m.Adopt(&inner)
	}
	if m.Err() == nil && (len(r.code) > maxCode || len(r.Buffers) > maxBuffers) {
		return nil, fmt.Errorf("the module %s has %d instructions and %d buffers; at most %d of either are read", r.Name, len(r.code), len(r.Buffers), maxCode)
	}
	return r.Module, m.Err()
}

// program reads the computations.
func (r *moduleReader) program(m *protobuf.Message) {
	for m.Next() {
		switch m.Field {
		case 1:
			r.Name = r.intern(m.Bytes())
		case 3:
			c := m.Message()
			r.computation(&c)
			m.Adopt(&c)
		case 6:
			r.entry = m.Number()
		}
	}
}

// computation reads one computation's instructions.
func (r *moduleReader) computation(m *protobuf.Message) {
	var id, root uint64
	name, first := "", len(r.code)
	var names []string
	for m.Next() {
		switch m.Field {
		case 1:
			name = string(m.Bytes())
		case 5:
			id = m.Number()
		case 6:
			root = m.Number()
		case 2:
			if len(r.code) > maxCode {
				continue
			}
			one := m.Message()
			names = append(names, r.instruction(&one))
			m.Adopt(&one)
		}
	}
	r.roots[id] = root
	for i := first; i < len(r.code); i++ {
		r.code[i].computation = id
		r.byID[r.code[i].id] = int32(i)
		r.names[name+"/"+names[i-first]] = r.code[i].id
		if _, ok := r.ops[names[i-first]]; !ok {
			r.ops[names[i-first]] = int32(i)
		}
	}
}

// instruction reads an instruction and returns its name.
func (r *moduleReader) instruction(m *protobuf.Message) (name string) {
	var i instruction
	for m.Next() {
		switch m.Field {
		case 1:
			name = r.intern(m.Bytes())
		case 2:
			i.opcode = r.intern(m.Bytes())
		case 9:
			i.parameter = m.Number()
		case 13:
			i.element = m.Number()
		case 35:
			i.id = m.Number()
		case 36:
			m.Numbers(func(n uint64) { i.operands = append(i.operands, n) })
		case 38:
			m.Numbers(func(n uint64) { i.calls = append(i.calls, n) })
		}
	}
	r.code = append(r.code, i)
	return name
}

// assignment reads which memory values were given.
func (r *moduleReader) assignment(m *protobuf.Message) {
	again := *m
	sizes := map[uint64]unit.Bytes{}
	for m.Next() {
		if m.Field == 1 && len(r.Buffers) <= maxBuffers {
			one := m.Message()
			r.buffer(&one, sizes)
			m.Adopt(&one)
		}
	}
	for again.Next() {
		one := again.Message()
		switch again.Field {
		case 3:
			r.allocation(&one)
		case 4:
			r.heap(&one, sizes)
		}
		m.Adopt(&one)
	}
}

// buffer reads a value: its size, and which instruction makes it.
func (r *moduleReader) buffer(m *protobuf.Message, sizes map[uint64]unit.Bytes) {
	var id, size, instr uint64
	index := -1
	var computation, name string
	for m.Next() {
		switch m.Field {
		case 1:
			id = m.Number()
		case 2:
			size = m.Number()
		case 3:
			at := m.Message()
			for at.Next() {
				switch at.Field {
				case 1:
					computation = string(at.Bytes())
				case 2:
					name = string(at.Bytes())
				case 3:
					index = -1
					at.Numbers(func(n uint64) {
						if index < 0 && n < 1<<20 {
							index = int(n)
						}
					})
				case 4:
					instr = at.Number()
				}
			}
			m.Adopt(&at)
		}
	}
	if instr == 0 {
		instr = r.names[computation+"/"+name]
	}
	if size > uint64(workload.MaxTensor) {
		size = 0
	}
	sizes[id] = unit.Bytes(size)
	b := int32(len(r.Buffers))
	r.Buffers = append(r.Buffers, Buffer{Bytes: unit.Bytes(size), place: place{allocation: ^uint64(0), offset: id}})
	r.buffers[id] = b
	if at, ok := r.byID[instr]; ok {
		r.code[at].defines = append(r.code[at].defines, define{b, index})
	}
}

// allocation reads a piece of memory and the values in it.
func (r *moduleReader) allocation(m *protobuf.Message) {
	var index, size uint64
	var parameter, constant, local, out bool
	type assigned struct{ buffer, offset uint64 }
	var list []assigned
	for m.Next() {
		yes := m.Number() != 0
		switch m.Field {
		case 1:
			index = m.Number()
		case 2:
			size = m.Number()
		case 3:
			local = yes
		case 5:
			parameter = yes
		case 7:
			out = yes
		case 12:
			constant = yes
		case 9:
			one := m.Message()
			var a assigned
			for one.Next() {
				switch one.Field {
				case 1:
					a.buffer = one.Number()
				case 2:
					a.offset = one.Number()
				}
			}
			m.Adopt(&one)
			list = append(list, a)
		}
	}
	if !parameter && !constant && !local && !out && size <= uint64(workload.MaxTensor) {
		r.Temp += unit.Bytes(size)
	}
	for _, a := range list {
		if b, ok := r.buffers[a.buffer]; ok {
			to := &r.Buffers[b]
			to.place = place{index, a.offset}
			to.Parameter, to.Constant, to.Out = parameter, constant, out
		}
	}
}

// heap replays how the compiler gave memory to values.
func (r *moduleReader) heap(m *protobuf.Message, sizes map[uint64]unit.Bytes) {
	const (
		taken = iota
		freed
		shared
	)
	var level unit.Bytes
	for m.Next() {
		if m.Field != 1 {
			continue
		}
		e := m.Message()
		var kind, buffer uint64
		for e.Next() {
			switch e.Field {
			case 1:
				kind = e.Number()
			case 2:
				buffer = e.Number()
			}
		}
		m.Adopt(&e)
		switch kind {
		case taken:
			level = min(level+sizes[buffer], 1<<60)
		case freed:
			level = max(0, level-sizes[buffer])
		case shared: // takes nothing, and frees nothing later
			sizes[buffer] = 0
		}
		r.HeapPeak = max(r.HeapPeak, level)
	}
}
