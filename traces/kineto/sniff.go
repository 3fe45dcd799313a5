package kineto

import (
	"bytes"

	"spillway/traces/jsonstream"
)

// Sniff reports whether a file that begins with head is a trace: an object with a
// list of events, however much else comes first, or such a list.
func Sniff(head []byte) bool {
	r := jsonstream.NewReader(bytes.NewReader(head), nil)
	switch r.Peek() {
	case jsonstream.Array:
		return r.Array() && r.Elem() && isEvent(r)
	case jsonstream.Object:
	default:
		return false
	}
	for r.Object(); ; {
		key, ok := r.Key()
		if !ok {
			return false
		}
		if string(key) == "traceEvents" {
			return r.Peek() == jsonstream.Array
		}
		r.Skip()
	}
}

// isEvent reports whether the next value is an object with a phase.
func isEvent(r *jsonstream.Reader) bool {
	if r.Peek() != jsonstream.Object {
		return false
	}
	for r.Object(); ; {
		key, ok := r.Key()
		if !ok {
			return false
		}
		if string(key) == "ph" {
			return r.Peek() == jsonstream.String
		}
		r.Skip()
	}
}
