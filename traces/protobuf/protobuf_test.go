package protobuf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// shown is a message as text: "1=5 2=[..]".
func shown(data string) string {
	m := New([]byte(data), 100)
	var b strings.Builder
	for m.Next() {
		if m.Type == Length {
			fmt.Fprintf(&b, "%d=%q@%d ", m.Field, m.Bytes(), m.Offset())
		} else {
			fmt.Fprintf(&b, "%d=%d ", m.Field, m.Number())
		}
	}
	if m.Err() != nil {
		fmt.Fprint(&b, m.Err())
	}
	return b.String()
}

func TestMessage(t *testing.T) {
	for in, want := range map[string]string{
		"":         "",
		"\x08\x05": "1=5 ",
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01":     "1=18446744073709551615 ",
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02":     "byte 101: a number (varint) that does not end",
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": "byte 101: a number (varint) that does not end",
		"\x08":                                 "byte 101: the number is cut off",
		"\x08\x80":                             "byte 101: the number is cut off",
		"\x80":                                 "byte 100: the number is cut off",
		"\x12\x02hi\x08\x01":                   `2="hi"@100 1=1 `,
		"\x12\x03hi":                           "byte 100: field 2 is 3 bytes long, but its message ends after 2",
		"\x08\x01\x12\xff\xff\xff\xff\x0f":     "1=1 byte 102: field 2 is 4294967295 bytes long",
		"\x09\x01\x00\x00\x00\x00\x00\x00\x80": "1=9223372036854775809 ",
		"\x09\x01":                             "byte 100: field 1 is 8 bytes long",
		"\x0d\x01\x00\x00\x00":                 "1=1 ",
		"\x0d\x01\x00\x00":                     "byte 100: field 1 is 4 bytes long",
		"\x0b":                                 "byte 100: field 1 is a group",
		"\x0c":                                 "byte 100: field 1 is a group",
		"\x0e":                                 "byte 100: field 1 is of the wire type 6",
		"\x0f":                                 "byte 100: field 1 is of the wire type 7",
		"\x00\x00":                             "byte 100: field number 0;",
		"\x80\x80\x80\x80\x10\x00":             "byte 100: field number 536870912;",
	} {
		if got := shown(in); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %s; want %s", in, got, want)
		}
	}
}

// Numbers are packed or single, and an error inside ends the message around it.
func TestInside(t *testing.T) {
	for in, want := range map[string]string{
		"\x0a\x03\x01\x96\x01\x08\x07": "[1 150 7] <nil>",
		"\x0a\x02\x01\x96\x08\x07":     "[1] byte 3: the number is cut off",
	} {
		m := New([]byte(in), 0)
		var got []uint64
		for m.Next() {
			m.Numbers(func(n uint64) { got = append(got, n) })
		}
		if s := fmt.Sprint(got, m.Err()); s != want {
			t.Errorf("%q: %s; want %s", in, s, want)
		}
	}
	outer := New([]byte("\x0a\x02\x12\x09\x08\x01"), 50)
	for outer.Next() {
		inner := outer.Message()
		for inner.Next() {
			t.Error("a field")
		}
		outer.Adopt(&inner)
	}
	if err := outer.Err(); err == nil || err.Error() != "byte 52: field 2 is 9 bytes long, but its message ends after 0" {
		t.Error(err)
	}
}

// What is read is what the standard library's varints say, and nothing crashes.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("\x08\x05\x12\x02hi\x0d\x01\x00\x00\x00"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, size, err := ReadVarint(data)
		want, k := binary.Uvarint(data)
		if (err == nil) != (k > 0) || err == nil && (n != want || size != k) {
			t.Fatalf("%d, %d, %v; want %d, %d", n, size, err, want, k)
		}
		m := New(data, 0)
		for m.Next() {
			if m.Type == Length && !bytes.Contains(data, m.Bytes()) {
				t.Fatal("bytes from nowhere")
			}
			inner := m.Message()
			for inner.Next() {
				inner.Numbers(func(uint64) {})
			}
		}
	})
}
