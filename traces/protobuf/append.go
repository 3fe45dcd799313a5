package protobuf

import "encoding/binary"

// Wire types of what is written.
const (
	varint = 0
	length = 2
)

// Framed appends a message behind its length.
func Framed(b, m []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(m))), m...)
}

// AppendNumber appends a field; one that is 0 is left out, as proto3 has it.
func AppendNumber(b []byte, field int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field<<3|varint)), v)
}

// AppendText appends a field that is a text.
func AppendText(b []byte, field int, s string) []byte {
	return AppendMessage(b, field, []byte(s))
}

// AppendMessage appends a field that is a message.
func AppendMessage(b []byte, field int, m []byte) []byte {
	return Framed(binary.AppendUvarint(b, uint64(field<<3|length)), m)
}

// AppendList appends a field of numbers, packed.
func AppendList(b []byte, field int, list []uint64) []byte {
	if len(list) == 0 {
		return b
	}
	var m []byte
	for _, v := range list {
		m = binary.AppendUvarint(m, v)
	}
	return AppendMessage(b, field, m)
}
