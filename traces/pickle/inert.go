package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxName is how long a line of GLOBAL may be.
const maxName = 1 << 10

// DecodeInert reads a pickle that also names classes and functions, calls them and
// refers to what lies outside, as those of objects do. All of this is only written
// down, as values of the kinds Name, Call and Outside: nothing is looked up, called or
// fetched. At most so many bytes are held.
func DecodeInert(r io.Reader, held int64) (*Doc, error) {
	m := newMachine(r, held)
	m.named = map[string]Value{}
	return m.decode()
}

// inert carries out an opcode that only DecodeInert reads; done is false of others.
func (m *machine) inert(op byte) (done bool, err error) {
	switch op {
	case 'c':
		return true, m.global()
	case 0x93: // STACK_GLOBAL
		pair, err := m.pop(2)
		if err != nil {
			return true, err
		}
		if m.doc.Kind(pair[0]) != Text || m.doc.Kind(pair[1]) != Text {
			return true, errors.New("a name that is no text")
		}
		return true, m.name(m.doc.Text(pair[0]), m.doc.Text(pair[1]))
	case 'R', 0x81: // REDUCE, NEWOBJ
		return true, m.gather(Call, 2)
	case 0x92: // NEWOBJ_EX
		return true, m.gather(Call, 3)
	case 'Q': // BINPERSID
		return true, m.gather(Outside, 1)
	case 'b': // BUILD
		state, err := m.pop(1)
		if err != nil {
			return true, err
		}
		return true, m.more(state[0])
	case 'B', 'C', 0x8d: // BINBYTES, SHORT_BINBYTES, BINUNICODE8
		return true, m.bytes(op)
	}
	return false, nil
}

// global reads two lines, module and name.
func (m *machine) global() error {
	module, err := m.line()
	if err != nil {
		return err
	}
	name, err := m.line()
	if err != nil {
		return err
	}
	return m.name(module, name)
}

func (m *machine) line() (string, error) {
	var text []byte
	for {
		b, err := m.in.take(1)
		switch {
		case err != nil:
			return "", err
		case b[0] == '\n':
			return string(text), nil
		case len(text) == maxName:
			return "", fmt.Errorf("a name of more than %d bytes", maxName)
		}
		text = append(text, b[0])
	}
}

// name pushes the name of a class or function; each is held once.
func (m *machine) name(module, name string) error {
	full := module + "." + name
	v, ok := m.named[full]
	if !ok {
		v = m.add(Name, uint64(len(m.doc.texts)))
		m.doc.texts = append(m.doc.texts, full)
		m.named[full] = v
		m.left -= int64(len(full)) + 96
	}
	return m.push(v)
}

// pop takes n values off the stack.
func (m *machine) pop(n int) ([]Value, error) {
	at := len(m.stack) - n
	if at < m.floor() {
		return nil, fmt.Errorf("%d values are wanted, but there are %d on the stack", n, len(m.stack)-m.floor())
	}
	list := m.stack[at:]
	m.stack = m.stack[:at]
	return list, nil
}

// gather pushes a value of a kind that contains the n topmost.
func (m *machine) gather(k Kind, n int) error {
	list, err := m.pop(n)
	if err != nil {
		return err
	}
	v := m.container(k)
	if err := m.put(v, list); err != nil {
		return err
	}
	return m.push(v)
}

// more adds something to the call on top of the stack: its state, or what is put into
// the object that it would make.
func (m *machine) more(v Value) error {
	if len(m.stack) == m.floor() {
		return errors.New("there is too little on the stack: want what is put, and before it where it is put")
	}
	to := m.stack[len(m.stack)-1]
	if k := m.doc.Kind(to); k != Call {
		return fmt.Errorf("something is put into %v; want what a call returns", k)
	}
	return m.put(to, []Value{v})
}

// bytes reads bytes, whose value is not kept, or a long text.
func (m *machine) bytes(op byte) error {
	width := map[byte]int{'C': 1, 'B': 4, 0x8d: 8}[op]
	b, err := m.in.take(width)
	if err != nil {
		return err
	}
	var full [8]byte
	copy(full[:], b)
	n := binary.LittleEndian.Uint64(full[:])
	if n > maxText {
		return fmt.Errorf("a text of %d bytes; at most %d are read", n, maxText)
	}
	if _, err := m.in.take(int(n)); err != nil {
		return err
	}
	return m.push(m.add(Bytes, 0))
}
