package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Limits of what is held at once, and of a text.
const (
	maxHeld = 320 << 20
	maxText = 1 << 20
)

// Decode reads a pickle. Errors say at which byte, counted from 0. What stands
// behind the end of the pickle is not read; [Doc.Rest] says whether there is any.
func Decode(r io.Reader) (*Doc, error) { return decode(r, maxHeld) }

func decode(r io.Reader, limit int64) (*Doc, error) { return newMachine(r, limit).decode() }

func newMachine(r io.Reader, limit int64) *machine {
	m := &machine{
		in: input{r: r, buf: make([]byte, 64<<10)}, doc: &Doc{Rest: -1},
		left: limit, known: map[string]Value{}, small: make([]Value, 1<<16),
	}
	m.add(None, 0) // value 0
	m.add(False, 0)
	m.add(True, 0)
	return m
}

func (m *machine) decode() (*Doc, error) {
	if err := m.run(); err != nil {
		return nil, fmt.Errorf("byte %d: %w", m.at, err)
	}
	if b, err := m.in.take(1); err == nil && len(b) > 0 {
		m.doc.Rest = m.in.pos() - 1
	}
	return m.doc, nil
}

// A machine carries out a pickle's opcodes.
type machine struct {
	in    input
	doc   *Doc
	at    int64 // byte of the opcode
	count int64 // opcodes so far
	frame int64 // end of the frame, 0 outside of frames
	begun int64 // byte of the frame's opcode
	left  int64 // bytes that may still be held
	stack []Value
	high  int // the most that was on the stack
	marks []int
	memo  []Value // noValue where nothing was put
	known map[string]Value
	small []Value          // numbers from 0 to 65535, by number; 0 if not met yet
	named map[string]Value // names of classes and functions; nil where these are refused
}

const noValue = Value(math.MaxUint32)

// errEnd is that the file ends inside the pickle.
var errEnd = errors.New("the file ends inside the pickle; it was cut off, or is not whole yet")

func (m *machine) run() error {
	for {
		m.at = m.in.pos()
		b, err := m.in.take(1)
		if err != nil {
			return m.ended(err)
		}
		op := b[0]
		if m.count++; m.count == 1 && op != opProto {
			return errors.New("this is no pickle of protocol 2 to 5, which begins with the byte 0x80")
		}
		if op == opStop {
			return m.stop()
		}
		if err := m.step(op); err != nil {
			return m.ended(err)
		}
		if m.frame > 0 && m.in.pos() >= m.frame {
			if m.in.pos() > m.frame {
				return fmt.Errorf("this crosses the end of the frame of byte %d, at byte %d", m.begun, m.frame)
			}
			m.frame = 0
		}
		if m.left < 0 && m.named != nil {
			return errors.New("the values up to here would take more memory than is allowed")
		}
		if m.left < 0 {
			return errors.New("the values up to here would take more memory than is allowed; record less at a time, or without call stacks (stacks=\"python\")")
		}
	}
}

// ended names the frame that promised more than the file has.
func (m *machine) ended(err error) error {
	if errors.Is(err, errEnd) && m.frame > 0 {
		return fmt.Errorf("%w: the frame of byte %d should go on to byte %d", err, m.begun, m.frame)
	}
	return err
}

// stop ends the pickle.
func (m *machine) stop() error {
	if len(m.marks) > 0 || len(m.stack) != 1 {
		return fmt.Errorf("STOP with %d values on the stack and %d marks; want one value and no mark", len(m.stack), len(m.marks))
	}
	m.doc.Root = m.stack[0]
	return nil
}

// step carries out any opcode but STOP.
func (m *machine) step(op byte) error {
	switch op {
	case opProto, opFrame:
		return m.head(op)
	case opNone:
		return m.push(0)
	case opNewFalse:
		return m.push(1)
	case opNewTrue:
		return m.push(2)
	case opBinInt, opBinInt1, opBinInt2, opLong1, opBinFloat:
		return m.number(op)
	case opShortBinUnicode, opBinUnicode:
		return m.text(op)
	case opBinPut, opLongBinPut, opMemoize, opBinGet, opLongBinGet:
		return m.remember(op)
	case opMark:
		if len(m.marks) == MaxDepth {
			return fmt.Errorf("nested more than %d deep", MaxDepth)
		}
		m.left -= 8
		m.marks = append(m.marks, len(m.stack))
		return nil
	case opEmptyList:
		return m.push(m.container(List))
	case opEmptyDict:
		return m.push(m.container(Dict))
	case opEmptyTuple, opTuple, opTuple1, opTuple2, opTuple3:
		return m.tuple(op)
	case opAppend, opAppends, opSetItem, opSetItems:
		return m.fill(op)
	}
	if m.named != nil {
		if done, err := m.inert(op); done {
			return err
		}
	}
	if no, ok := refused[op]; ok {
		return fmt.Errorf("the opcode %s (0x%02x) is refused, because %s; nothing of a pickle is ever executed here", no.name, op, no.why)
	}
	return fmt.Errorf("0x%02x is no opcode of a pickle", op)
}

// head reads the protocol or the beginning of a frame.
func (m *machine) head(op byte) error {
	if op == opProto {
		b, err := m.in.take(1)
		if err == nil && (b[0] < 2 || b[0] > 5) {
			err = fmt.Errorf("protocol %d; protocols 2 to 5 are read", b[0])
		}
		return err
	}
	b, err := m.in.take(8)
	if err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(b)
	switch {
	case m.frame > 0:
		return fmt.Errorf("a frame inside the frame of byte %d", m.begun)
	case n > math.MaxInt64/2:
		return fmt.Errorf("a frame of %d bytes", n)
	case n > 0:
		m.begun, m.frame = m.at, m.in.pos()+int64(n)
	}
	return nil
}

func (m *machine) number(op byte) error {
	n := 1
	switch op {
	case opBinInt2:
		n = 2
	case opBinInt:
		n = 4
	case opBinFloat:
		n = 8
	}
	b, err := m.in.take(n)
	if err != nil {
		return err
	}
	switch op {
	case opBinInt1:
		return m.push(m.unsigned(uint16(b[0])))
	case opBinInt2:
		return m.push(m.unsigned(binary.LittleEndian.Uint16(b)))
	case opBinInt:
		return m.push(m.add(Int, uint64(int64(int32(binary.LittleEndian.Uint32(b))))))
	case opBinFloat:
		return m.push(m.add(Float, 0))
	}
	return m.long(int(b[0]))
}

// long reads a number of n bytes, the sign in the last.
func (m *machine) long(n int) error {
	if n > 9 {
		return fmt.Errorf("LONG1 of %d bytes; at most 9 are read", n)
	}
	b, err := m.in.take(n)
	if err != nil {
		return err
	}
	var full [9]byte
	if n > 0 && b[n-1] >= 0x80 {
		for i := range full {
			full[i] = 0xff
		}
	}
	copy(full[:], b)
	v := binary.LittleEndian.Uint64(full[:])
	switch negative := int64(v) < 0; {
	case full[8] == 0 && negative:
		return m.push(m.add(Uint, v))
	case full[8] == 0, full[8] == 0xff && negative:
		return m.push(m.add(Int, v))
	}
	return errors.New("LONG1 of a number that does not fit into 64 bits")
}

// unsigned returns the value of a small number; each is held once.
func (m *machine) unsigned(n uint16) Value {
	if m.small[n] == 0 {
		m.small[n] = m.add(Int, uint64(n))
	}
	return m.small[n]
}

func (m *machine) text(op byte) error {
	n := uint32(0)
	if op == opShortBinUnicode {
		b, err := m.in.take(1)
		if err != nil {
			return err
		}
		n = uint32(b[0])
	} else {
		b, err := m.in.take(4)
		if err != nil {
			return err
		}
		n = binary.LittleEndian.Uint32(b)
	}
	if n > maxText {
		return fmt.Errorf("a text of %d bytes; at most %d are read", n, maxText)
	}
	b, err := m.in.take(int(n))
	if err != nil {
		return err
	}
	v, ok := m.known[string(b)]
	if !ok {
		s := string(b)
		v = m.add(Text, uint64(len(m.doc.texts)))
		m.doc.texts = append(m.doc.texts, s)
		m.known[s] = v
		m.left -= int64(len(s)) + 96
	}
	return m.push(v)
}

// remember puts what is on top of the stack into the memo, or gets from it.
func (m *machine) remember(op byte) error {
	at := uint32(len(m.memo))
	switch op {
	case opBinPut, opBinGet:
		b, err := m.in.take(1)
		if err != nil {
			return err
		}
		at = uint32(b[0])
	case opLongBinPut, opLongBinGet:
		b, err := m.in.take(4)
		if err != nil {
			return err
		}
		at = binary.LittleEndian.Uint32(b)
	}
	if op == opBinGet || op == opLongBinGet {
		if int64(at) >= int64(len(m.memo)) || m.memo[at] == noValue {
			return fmt.Errorf("memo entry %d is asked for, but nothing was put there", at)
		}
		return m.push(m.memo[at])
	}
	if len(m.stack) == m.floor() {
		return errors.New("the stack is empty, and nothing can be put into the memo")
	}
	if int64(at) >= m.count {
		return fmt.Errorf("memo entry %d is put after only %d opcodes", at, m.count)
	}
	for int64(at) >= int64(len(m.memo)) {
		m.memo = append(m.memo, noValue)
		m.left -= 8
	}
	m.memo[at] = m.stack[len(m.stack)-1]
	return nil
}

// floor is how much of the stack is below the last mark.
func (m *machine) floor() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

// tuple makes a tuple of what is on top of the stack.
func (m *machine) tuple(op byte) error {
	n := 0
	switch op {
	case opTuple:
		if len(m.marks) == 0 {
			return errors.New("TUPLE without a mark")
		}
		n = len(m.stack) - m.floor()
		m.marks = m.marks[:len(m.marks)-1]
	case opTuple1, opTuple2, opTuple3:
		n = int(op-opTuple1) + 1
		if len(m.stack)-m.floor() < n {
			return fmt.Errorf("a tuple of %d, but there are %d on the stack", n, len(m.stack)-m.floor())
		}
	}
	t := m.container(Tuple)
	if err := m.put(t, m.stack[len(m.stack)-n:]); err != nil {
		return err
	}
	m.stack = m.stack[:len(m.stack)-n]
	return m.push(t)
}

// fill appends what is on top of the stack to the list or dictionary below it.
func (m *machine) fill(op byte) error {
	base, kind, step := len(m.stack), List, 1
	if op == opSetItem || op == opSetItems {
		kind, step = Dict, 2
	}
	if op == opAppends || op == opSetItems {
		if len(m.marks) == 0 {
			return fmt.Errorf("%c (0x%02x) without a mark", op, op)
		}
		base = m.floor()
		m.marks = m.marks[:len(m.marks)-1]
	} else {
		base -= step
	}
	if base-1 < m.floor() {
		return errors.New("there is too little on the stack: want what is put, and before it where it is put")
	}
	items := m.stack[base:]
	to := m.stack[base-1]
	call := m.doc.Kind(to) == Call // what it would make is filled
	switch {
	case m.doc.Kind(to) != kind && !call:
		return fmt.Errorf("something is put into %v; want %v", m.doc.Kind(to), kind)
	case len(items)%step != 0:
		return errors.New("a key without a value")
	case kind == Dict && !m.hashable(items):
		return errors.New("a key is a list or a dictionary")
	}
	if call {
		to = m.container(kind)
	}
	if err := m.put(to, items); err != nil {
		return err
	}
	m.stack = m.stack[:base]
	if call {
		return m.more(to)
	}
	return nil
}

// hashable reports whether the keys of pairs can be keys in Python, more or less.
func (m *machine) hashable(pairs []Value) bool {
	for i := 0; i < len(pairs); i += 2 {
		if k := m.doc.Kind(pairs[i]); k == List || k == Dict {
			return false
		}
	}
	return true
}

// put puts items into a list, tuple or dictionary. Nothing may be put into what
// is in something else already: so no circle comes about, and depths stay.
func (m *machine) put(to Value, items []Value) error {
	meta := m.doc.metas.at(uint32(to))
	if slices.Contains(items, to) {
		return fmt.Errorf("%v contains itself; no recording does", m.doc.Kind(to))
	}
	if *meta&placedBit != 0 {
		return fmt.Errorf("%v is changed that is part of another already, as of one that contains itself; no recording does so", m.doc.Kind(to))
	}
	depth := *meta >> depthAt
	for _, v := range items {
		item := m.doc.metas.at(uint32(v))
		*item |= placedBit
		depth = max(depth, *item>>depthAt+1)
	}
	if depth > MaxDepth {
		return fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	*meta = *meta&(1<<depthAt-1) | depth<<depthAt
	m.extend(to, items)
	return nil
}

// extend adds slots to a container.
func (m *machine) extend(to Value, items []Value) {
	if len(items) == 0 {
		return
	}
	d := m.doc
	first := d.slots.n
	for _, v := range items {
		d.slots.add(v)
	}
	m.left -= 4 * int64(len(items))
	word := d.words.at(uint32(to))
	last := uint32(*word)
	if last != noRun {
		if r := d.runs.at(last); r.first+r.n == first {
			r.n += uint32(len(items))
			return
		}
	}
	m.left -= 12
	at := d.runs.add(run{first, uint32(len(items)), noRun})
	if last == noRun {
		*word = uint64(at)<<32 | uint64(at)
		return
	}
	d.runs.at(last).next = at
	*word = *word&^(1<<32-1) | uint64(at)
}

// container returns a new list, tuple or dictionary.
func (m *machine) container(k Kind) Value { return m.add(k, noRun<<32|noRun) }

// add returns a new value.
func (m *machine) add(k Kind, word uint64) Value {
	m.left -= 10
	m.doc.words.add(word)
	return Value(m.doc.metas.add(uint16(k)))
}

func (m *machine) push(v Value) error {
	m.stack = append(m.stack, v)
	if len(m.stack) > m.high {
		m.high = len(m.stack)
		m.left -= 8
	}
	return nil
}
