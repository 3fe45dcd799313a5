// Package protobuf reads the wire format of Protocol Buffers, field by field,
// without a schema. Errors say at which byte of the file.
//
// Source of the format: https://protobuf.dev/programming-guides/encoding
package protobuf

import (
	"errors"
	"fmt"
)

// A Type is how a field is written.
type Type uint8

// The types of field.
const (
	Varint  Type = 0
	Fixed64 Type = 1
	Length  Type = 2 // bytes, text or a message
	Fixed32 Type = 5
)

// A Message reads the fields of one message in their order. After an error it has
// no more fields.
type Message struct {
	// Field is the number of the field that Next found, and Type how it is written.
	Field int
	Type  Type

	data  []byte
	at    int   // of the next field in data
	first int64 // byte of the file where data begins
	field int   // where the field begins in data
	num   uint64
	val   []byte
	valAt int
	err   error
}

// New returns a reader of a message that begins at a byte of the file.
func New(data []byte, first int64) Message { return Message{data: data, first: first} }

// Err returns why there are no more fields, nil if the message was read to its end.
func (m *Message) Err() error { return m.err }

// Offset returns the byte of the file where the field begins that Next found.
func (m *Message) Offset() int64 { return m.first + int64(m.field) }

// Next goes to the next field and reports whether there is one.
func (m *Message) Next() bool {
	if m.err != nil || m.at == len(m.data) {
		return false
	}
	m.field = m.at
	tag, ok := m.varint()
	if !ok {
		return false
	}
	m.val, m.num = nil, 0
	m.Field, m.Type = int(tag>>3&(1<<29-1)), Type(tag&7)
	if tag>>3 == 0 || tag>>3 >= 1<<29 {
		return m.fail(m.field, "field number %d; they are from 1 to 2^29-1", tag>>3)
	}
	switch m.Type {
	case Varint:
		m.num, ok = m.varint()
		return ok
	case Fixed64:
		return m.fixed(8)
	case Fixed32:
		return m.fixed(4)
	case Length:
		n, ok := m.varint()
		if !ok {
			return false
		}
		if n > uint64(len(m.data)-m.at) {
			return m.fail(m.field, "field %d is %d bytes long, but its message ends after %d", m.Field, n, len(m.data)-m.at)
		}
		m.valAt = m.at
		m.val = m.data[m.at : m.at+int(n)]
		m.at += int(n)
		return true
	case 3, 4:
		return m.fail(m.field, "field %d is a group, which no trace has", m.Field)
	}
	return m.fail(m.field, "field %d is of the wire type %d, which does not exist", m.Field, m.Type)
}

// Number returns a field's number, 0 if it is none.
func (m *Message) Number() uint64 { return m.num }

// Bytes returns a field's bytes, nil if it has none. They are the message's own.
func (m *Message) Bytes() []byte { return m.val }

// Message returns a reader of the message that the field is; of one without fields
// if it is none.
func (m *Message) Message() Message { return New(m.val, m.first+int64(m.valAt)) }

// Adopt ends this message with the error of one inside it, if that has one.
func (m *Message) Adopt(inner *Message) {
	if m.err == nil {
		m.err = inner.err
	}
}

// Numbers calls yield with each number of a field that may have several: packed,
// or the one of a field that is a number itself.
func (m *Message) Numbers(yield func(uint64)) {
	if m.Type != Length {
		yield(m.num)
		return
	}
	packed := m.Message()
	for packed.err == nil && packed.at < len(packed.data) {
		if n, ok := packed.varint(); ok {
			yield(n)
		}
	}
	m.Adopt(&packed)
}

// fixed reads a number of n bytes, the least first.
func (m *Message) fixed(n int) bool {
	if len(m.data)-m.at < n {
		return m.fail(m.field, "field %d is %d bytes long, but its message ends after %d", m.Field, n, len(m.data)-m.at)
	}
	for i := range n {
		m.num |= uint64(m.data[m.at+i]) << (8 * i)
	}
	m.at += n
	return true
}

func (m *Message) varint() (uint64, bool) {
	n, size, err := ReadVarint(m.data[m.at:])
	if err != nil {
		return 0, m.fail(m.at, "%v", err)
	}
	m.at += size
	return n, true
}

func (m *Message) fail(at int, format string, a ...any) bool {
	m.err = fmt.Errorf("byte %d: %s", m.first+int64(at), fmt.Sprintf(format, a...))
	return false
}

// Errors of ReadVarint.
var (
	ErrCut  = errors.New("the number is cut off")
	errLong = errors.New("a number (varint) that does not end within 10 bytes, or does not fit into 64 bits")
)

// ReadVarint returns the number with which b begins, and how many bytes it has. The
// error is [ErrCut] if b ends inside it.
func ReadVarint(b []byte) (n uint64, size int, err error) {
	for i, c := range b {
		if i == 9 && c > 1 {
			return 0, 0, errLong
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return n, i + 1, nil
		}
	}
	return 0, 0, ErrCut
}
