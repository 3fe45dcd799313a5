// Package write writes execution traces of MLCommons Chakra, schema 0.0.4, as package chakra
// reads them: a message about all, then a node each, every one behind its length. It is
// apart so that a program that writes such traces has no reader of them.
//
// Source of the format: et_def.proto of mlcommons/chakra.
package write

import (
	"encoding/binary"

	"spillway/traces/protobuf"
)

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
	m := protobuf.AppendText(nil, 1, version)
	for i := range about {
		m = appendAttr(m, 2, &about[i])
	}
	return protobuf.Framed(nil, m)
}

// Append adds a node to a file.
func Append(b []byte, n *Node) []byte {
	m := protobuf.AppendNumber(nil, 1, n.ID)
	m = protobuf.AppendText(m, 2, n.Name)
	m = protobuf.AppendNumber(m, 3, uint64(n.Type))
	m = protobuf.AppendList(m, 4, n.Control)
	m = protobuf.AppendList(m, 5, n.Data)
	m = protobuf.AppendNumber(m, 6, n.Start)
	m = protobuf.AppendNumber(m, 7, n.Duration)
	for i := range n.Attrs {
		m = appendAttr(m, 10, &n.Attrs[i])
	}
	return protobuf.Framed(b, m)
}

// appendAttr appends an attribute. Of a choice also what is 0 is written.
func appendAttr(b []byte, field int, a *Attr) []byte {
	m := protobuf.AppendText(nil, 1, a.Name)
	switch a.Kind {
	case Text:
		m = protobuf.AppendText(m, 29, a.Text)
	case Count:
		m = binary.AppendUvarint(binary.AppendUvarint(m, 13<<3), a.Count)
	case No:
		m = binary.AppendUvarint(binary.AppendUvarint(m, 27<<3), 0)
	}
	return protobuf.AppendMessage(b, field, m)
}
