// Package chakra reads execution traces of MLCommons Chakra, schema
// 0.0.4: a graph of computations, loads and stores that simulators such as
// ASTRA-sim read. A file is messages, each behind its length: first one about all,
// then a node each. What is read are traces that were converted from PyTorch.
//
// Source of the format: et_def.proto of mlcommons/chakra.
package chakra

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"spillway/sim/unit"
	"spillway/traces/chakra/write"
	"spillway/traces/protobuf"
)

// A Trace is what is kept of a file that was converted from PyTorch.
type Trace struct {
	Nodes   int
	Kernels []Kernel // nodes of the GPU, in the order of the file or of their starts
	Tensors []Tensor // those of GPU memory that kernels use, in order of their first use
	// Storages counts different storages, of any memory, as the file numbers them.
	Storages int
	// Unknown counts different nodes that others depend on and that are not there,
	// Forward data dependencies of kernels on nodes further down.
	Unknown, Forward int
	Timed            bool // kernels say when they start
	Device           int32
	Notes            []string
}

// A Kernel is a node of the GPU.
type Kernel struct {
	Name, Op    string
	Start, Time unit.Time
	Stream      int32
	Type        write.Type
}

// Types of node besides those that are written.
const (
	communicate write.Type = 5 // COMM_SEND_NODE, and those after it, of all kinds
	lastKind    write.Type = 7 // COMM_COLL_NODE
)

// Limits of a file.
const (
	maxMessage  = 64 << 20
	maxNodes    = 4 << 20
	maxKernels  = 1 << 20
	maxMentions = 16 << 20
)

// Read reads a trace. tell may be nil; it is told now and then how many bytes are
// read. Traces without tensors are refused with what they are.
func Read(r io.Reader, tell func(bytes int64)) (*Trace, error) {
	f := framer{r: bufio.NewReaderSize(r, 64<<10), tell: tell}
	if head, _ := f.r.Peek(4 << 10); len(head) > 0 && head[0] == '{' && bytes.Contains(head, []byte(`"workload_graph"`)) {
		return nil, errors.New("a Chakra workload graph as JSON has no tensors, so there is nothing to simulate; convert the PyTorch traces to Chakra's protobuf (.et), or open them as they are")
	}
	b := builder{f: &f, trace: &Trace{}, hostOut: -1, names: map[string]string{}, storages: map[int64]int32{}, ids: map[uint64]struct{}{}}
	if _, err := f.next(); err != nil { // the metadata, of which nothing is needed
		if errors.Is(err, io.EOF) {
			err = errors.New("byte 0: the file is empty")
		}
		return nil, err
	}
	for {
		message, err := f.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = b.node(protobuf.New(message, f.begin))
		}
		if err != nil {
			return nil, err
		}
	}
	return b.finish()
}

// A framer takes messages that stand behind their lengths.
type framer struct {
	r        *bufio.Reader
	tell     func(int64)
	buf      []byte
	at, said int64 // bytes read; of which was told
	begin    int64 // byte where the last message begins
}

// next returns a message, until the next call, and io.EOF at the end of the file.
func (f *framer) next() ([]byte, error) {
	head, err := f.r.Peek(10)
	if len(head) == 0 || err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	n, size, err := protobuf.ReadVarint(head)
	switch {
	case err != nil:
		return nil, fmt.Errorf("byte %d: a message's length: %w", f.at, err)
	case n > maxMessage:
		return nil, fmt.Errorf("byte %d: a message of %d bytes; at most %d are read", f.at, n, maxMessage)
	}
	if _, err := f.r.Discard(size); err != nil {
		return nil, err
	}
	f.begin = f.at + int64(size)
	if cap(f.buf) < int(n) && n <= 1<<20 {
		f.buf = make([]byte, 2*n)
	}
	got, err := f.read(int(n))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d: a message of %d bytes, but the file ends after %d; it was cut off, or is no Chakra trace", f.at, n, got)
	}
	f.at = f.begin + int64(n)
	if f.tell != nil && f.at-f.said >= 256<<10 {
		f.said = f.at
		f.tell(f.at)
	}
	return f.buf[:n], nil
}

// read reads n bytes into the buffer, which grows only as they come.
func (f *framer) read(n int) (got int, err error) {
	for got < n {
		if got == cap(f.buf) {
			f.buf = append(f.buf[:got], make([]byte, max(got, 64<<10))...)
		}
		f.buf = f.buf[:cap(f.buf)]
		k, err := f.r.Read(f.buf[got:min(n, len(f.buf))])
		got += k
		if err != nil && got < n {
			return got, err
		}
	}
	f.buf = f.buf[:cap(f.buf)]
	return got, nil
}

// A node as it is read.
type raw struct {
	id              uint64
	name            string
	kind            write.Type
	start, duration uint64 // µs
	gpu             bool
	tid             int64
	inputs, outputs []mention
	key             uint64 // of inputs and outputs
	data            []uint64
}

// node reads a node.
func (b *builder) node(m protobuf.Message) error {
	if b.trace.Nodes++; b.trace.Nodes > maxNodes {
		return fmt.Errorf("byte %d: more than %d nodes", m.Offset(), maxNodes)
	}
	n := &b.one
	*n = raw{inputs: n.inputs[:0], outputs: n.outputs[:0], data: n.data[:0], key: 14695981039346656037}
	for m.Next() {
		switch m.Field {
		case 1:
			n.id = m.Number()
		case 2:
			n.name = b.intern(m.Bytes())
		case 3:
			n.kind = write.Type(m.Number())
		case 4:
			m.Numbers(b.depends)
		case 5:
			m.Numbers(func(id uint64) {
				b.depends(id)
				n.data = append(n.data, id)
			})
		case 6:
			n.start = m.Number()
		case 7:
			n.duration = m.Number()
		case 8:
			n.inputs = b.values(&m, n.inputs)
		case 9:
			n.outputs = b.values(&m, n.outputs)
		case 10:
			b.attribute(&m)
		}
	}
	if m.Err() != nil {
		return m.Err()
	}
	if b.mentions += len(n.inputs) + len(n.outputs); b.mentions > maxMentions {
		return fmt.Errorf("byte %d: tensors are mentioned more than %d times", m.Offset(), maxMentions)
	}
	return b.add(n)
}

// attribute reads one of a node's attributes.
func (b *builder) attribute(m *protobuf.Message) {
	a := m.Message()
	var name []byte
	var value uint64
	for a.Next() {
		if a.Field == 1 {
			name = a.Bytes()
		} else if a.Type != protobuf.Length {
			value = a.Number()
		}
	}
	m.Adopt(&a)
	switch string(name) {
	case "is_cpu_op":
		b.one.gpu = value == 0
	case "tid", "stream":
		b.one.tid = int64(value)
	}
}

// values reads the tensors of a list of inputs or outputs, which is text.
func (b *builder) values(m *protobuf.Message, list []mention) []mention {
	v := m.Message()
	for v.Next() {
		if v.Field != 1 {
			continue
		}
		for _, c := range v.Bytes() { // FNV-1a
			b.one.key = (b.one.key ^ uint64(c)) * 1099511628211
		}
		b.one.key = (b.one.key ^ 0xff) * 1099511628211
		var odd bool
		list, odd = b.tuples(v.Bytes(), list)
		if odd {
			b.odd++
		}
	}
	m.Adopt(&v)
	return list
}

// intern returns a name, of which each is held once.
func (b *builder) intern(name []byte) string {
	s, ok := b.names[string(name)]
	if !ok {
		s = strings.ToValidUTF8(string(name), "\uFFFD")
		b.names[string(name)] = s
	}
	return s
}
