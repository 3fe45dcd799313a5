// Package chakra reads and writes execution traces of MLCommons Chakra, schema
// 0.0.4: a graph of computations, loads and stores that simulators such as
// ASTRA-sim read. A file is messages, each behind its length: first one about all,
// then a node each. What is read are traces that were converted from PyTorch.
//
// Source of the format: et_def.proto of mlcommons/chakra.
package chakra

import "encoding/binary"

// A Type says what a node does.
type Type uint64

// The types of node that are written.
const (
	Load    Type = 2 // MEM_LOAD_NODE: bytes come to the GPU
	Store   Type = 3 // MEM_STORE_NODE: bytes leave it
	Compute Type = 4 // COMP_NODE
)

// An Attr is what else is said: one of a text, a count or a truth.
type Attr struct {
	Name, Text string
	Count      uint64
	Kind       Kind
}

// A Kind says what an Attr holds.
type Kind uint8

// The kinds of attribute.
const (
	Text Kind = iota
	Count
	No // false
)

// A Node is one thing that is done. Nodes of a file depend only on those before.
type Node struct {
	ID       uint64
	Name     string
	Type     Type
	Control  []uint64 // nodes that must be over, for the order
	Data     []uint64 // nodes that must be over, for what they leave
	Start    uint64   // µs
	Duration uint64   // µs
	Attrs    []Attr
}

// version is that of the schema.
const version = "0.0.4"

// Head returns the beginning of a file.
func Head(about []Attr) []byte {
	m := appendText(nil, 1, version)
	for i := range about {
		m = appendAttr(m, 2, &about[i])
	}
	return framed(nil, m)
}

// Append adds a node to a file.
func Append(b []byte, n *Node) []byte {
	m := appendNumber(nil, 1, n.ID)
	m = appendText(m, 2, n.Name)
	m = appendNumber(m, 3, uint64(n.Type))
	m = appendList(m, 4, n.Control)
	m = appendList(m, 5, n.Data)
	m = appendNumber(m, 6, n.Start)
	m = appendNumber(m, 7, n.Duration)
	for i := range n.Attrs {
		m = appendAttr(m, 10, &n.Attrs[i])
	}
	return framed(b, m)
}

// Wire types of Protocol Buffers.
const (
	varint = 0
	length = 2
)

// framed appends a message behind its length.
func framed(b, m []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(m))), m...)
}

// appendNumber appends a field; one that is 0 is left out, as proto3 has it.
func appendNumber(b []byte, field int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field<<3|varint)), v)
}

func appendText(b []byte, field int, s string) []byte {
	return appendMessage(b, field, []byte(s))
}

func appendMessage(b []byte, field int, m []byte) []byte {
	return framed(binary.AppendUvarint(b, uint64(field<<3|length)), m)
}

// appendList appends numbers, packed.
func appendList(b []byte, field int, list []uint64) []byte {
	if len(list) == 0 {
		return b
	}
	var m []byte
	for _, v := range list {
		m = binary.AppendUvarint(m, v)
	}
	return appendMessage(b, field, m)
}

// appendAttr appends an attribute. Of a choice also what is 0 is written.
func appendAttr(b []byte, field int, a *Attr) []byte {
	m := appendText(nil, 1, a.Name)
	switch a.Kind {
	case Text:
		m = appendText(m, 29, a.Text)
	case Count:
		m = binary.AppendUvarint(binary.AppendUvarint(m, 13<<3|varint), a.Count)
	case No:
		m = binary.AppendUvarint(binary.AppendUvarint(m, 27<<3|varint), 0)
	}
	return appendMessage(b, field, m)
}
