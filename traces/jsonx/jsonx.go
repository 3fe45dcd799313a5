// Package jsonx reads and writes JSON. It is the only package that imports
// go-json, and it puts in front of it what untrusted files need: bounds on
// nesting and size that are checked before decoding, and errors that say where
// the document is wrong and what was wanted there.
//
// Documents are decoded as encoding/json does, with two exceptions: nesting
// ends at MaxDepth, and the text of errors is our own.
package jsonx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-json"
)

const (
	// MaxDepth is how deep arrays and objects may nest. A decoder recurses, and
	// a browser's stack ends at some thousand levels without a way to recover.
	MaxDepth = 64
	// MaxBytes is the size of the largest document that is decoded, in bytes.
	// A browser tab has 4 GiB for text, values and everything else.
	MaxBytes = 512 << 20
)

// An Option changes how documents are decoded.
type Option uint8

// Strict makes an object key that the value has no field for an error.
const Strict Option = 1

// Marshal returns v as JSON on one line. Unlike encoding/json it leaves <, >
// and & in strings as they are.
func Marshal(v any) ([]byte, error) {
	return json.MarshalWithOption(v, json.DisableHTMLEscape())
}

// MarshalIndent is Marshal with one value a line, indented by two spaces. The
// last line has no end.
func MarshalIndent(v any) ([]byte, error) {
	return json.MarshalIndentWithOption(v, "", "  ", json.DisableHTMLEscape())
}

// Unmarshal decodes the one JSON value in data into what v points to. An error
// in the document is an *Error.
func Unmarshal(data []byte, v any, options ...Option) error {
	if len(data) > MaxBytes {
		return tooLarge(data, MaxBytes)
	}
	if at := tooDeep(data); at >= 0 {
		return newError(data, at, fmt.Sprintf("arrays and objects nest deeper than %d levels", MaxDepth))
	}
	var err error
	if len(options) > 0 && options[0] == Strict {
		err = unmarshalStrict(data, v)
	} else {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return explain(data, v, err)
	}
	return nil
}

// unmarshalStrict decodes with a stream decoder, which is the one that can
// reject unknown fields, and sees that nothing follows the value.
func unmarshalStrict(data []byte, v any) error {
	r := bytes.NewReader(data)
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	rest, err := io.ReadAll(io.MultiReader(d.Buffered(), r))
	if err != nil {
		return err
	}
	if len(bytes.TrimLeft(rest, " \t\r\n")) > 0 {
		return errTrailing
	}
	return nil
}

var errTrailing = errors.New("more than one value")

// An Error says where a document is wrong, and how.
type Error struct {
	Offset  int64 // bytes before the place
	Line    int   // of the place, from 1
	Column  int   // of the place, in characters from 1
	Message string
}

// Error returns the place and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d (byte %d): %s", e.Line, e.Column, e.Offset, e.Message)
}

// At returns an error about one element of an array that is a member of the
// document's object. The document must be well-formed. An element that is not
// there puts the error at the beginning.
func At(data []byte, member string, index int, message string) *Error {
	s := scanner{data: data}
	within := false
	for {
		t, bad := s.next()
		if bad != nil || t.kind == end {
			return newError(data, 0, message)
		}
		depth := len(s.stack)
		switch {
		case t.kind == key && depth == 1:
			within = string(data[t.start:t.end]) == strconv.Quote(member)
		case within && (t.kind == open && depth == 3 || t.kind == scalar && depth == 2):
			if index--; index < 0 {
				return newError(data, t.start, message)
			}
		}
	}
}

// Of returns an error about the value of a member of an object: of the document's, or of the
// one that the keys before the last lead to, of equal ones the first. The document must be
// well-formed. Of members with the same last key the last counts, as in decoding. What is not there
// puts the error at the beginning of what is.
func Of(data []byte, message string, keys ...string) *Error {
	s := scanner{data: data}
	at := 0 // where the deepest value begins that was found
	for depth := 0; depth < len(keys); {
		t, bad := s.next()
		if bad != nil || t.kind == end || t.kind == closing && len(s.stack) == depth {
			break
		}
		if t.kind != key || len(s.stack) != depth+1 {
			continue
		}
		var name string
		if json.Unmarshal(data[t.start:t.end], &name) != nil || name != keys[depth] {
			continue
		}
		colon, _ := s.next()
		at = colon.end
		for at < len(data) && bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0 {
			at++
		}
		if depth < len(keys)-1 && at < len(data) && data[at] == '{' {
			depth++
		}
	}
	return newError(data, at, message)
}

// newError finds the line and column of the byte at offset.
func newError(data []byte, offset int, message string) *Error {
	before := data[:offset]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &Error{
		Offset: int64(offset), Line: bytes.Count(before, []byte{'\n'}) + 1,
		Column: len([]rune(string(before[line:]))) + 1, Message: message,
	}
}

func tooLarge(data []byte, limit int64) *Error {
	return newError(data, int(limit), fmt.Sprintf("the document is larger than %d bytes, the most that is read", limit))
}

// tooDeep returns the offset of the first bracket that nests deeper than
// MaxDepth, or -1. Up to the first error of syntax it sees the same nesting as
// a decoder; what comes later no decoder reaches.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '[', '{':
			if depth++; depth > MaxDepth {
				return i
			}
		case ']', '}':
			depth--
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// explain turns the decoder's error into one with a place and a cure.
func explain(data []byte, v any, err error) error {
	if e := check(data); e != nil {
		return e
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return explainType(data, wrong)
	}
	if strings.HasPrefix(err.Error(), "json: unknown field ") {
		if e := findUnknown(data, reflect.TypeOf(v)); e != nil {
			return e
		}
	}
	return err
}

// explainType says which value has the wrong type.
func explainType(data []byte, wrong *json.UnmarshalTypeError) *Error {
	// The offset is that of a byte within or just behind the value's first token.
	at := max(0, min(int(wrong.Offset)-1, len(data)-1))
	s := scanner{data: data}
	var t token
	for t.end <= at {
		next, bad := s.next()
		if bad != nil || next.kind == end {
			break
		}
		if next.kind != punctuation {
			t = next
		}
	}
	message := fmt.Sprintf("want %s, found %s", describeType(wrong.Type), describeToken(data, t))
	if wrong.Field != "" {
		message = wrong.Field + ": " + message
	}
	return newError(data, t.start, message)
}

// describeType says what JSON a Go type takes.
func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number of at most %d bits", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprintf("a whole number from 0, of at most %d bits", t.Bits())
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return describeType(t.Elem())
	}
	return "a value for " + t.String()
}

// describeToken shows a value in a message.
func describeToken(data []byte, t token) string {
	switch t.kind {
	case open:
		if data[t.start] == '[' {
			return "an array"
		}
		return "an object"
	case scalar, key:
		return shorten(data[t.start:t.end])
	}
	return "nothing"
}

// shorten cuts a value to what fits into a message.
func shorten(text []byte) string {
	if r := []rune(string(text)); len(r) > 24 {
		return string(r[:24]) + "…"
	}
	return string(text)
}

// findUnknown returns the error of the first object key that t has no field for.
func findUnknown(data []byte, t reflect.Type) *Error {
	s := scanner{data: data}
	stack := []reflect.Type{}
	next := t // type of the next value
	for {
		tok, bad := s.next()
		if bad != nil || tok.kind == end {
			return nil
		}
		switch tok.kind {
		case open:
			stack = append(stack, container(next))
		case closing:
			stack = stack[:len(stack)-1]
		case punctuation:
			if data[tok.start] == ':' {
				continue // the key has said what comes
			}
		case key:
			var name string
			if json.Unmarshal(data[tok.start:tok.end], &name) != nil {
				return nil
			}
			top := stack[len(stack)-1]
			if top != nil && top.Kind() == reflect.Struct {
				f, names := fieldOf(top, name)
				if f == nil {
					return newError(data, tok.start, fmt.Sprintf("unknown field %q; want %s", name, oneOf(names)))
				}
				next = f
				continue
			}
		}
		next = nil
		if n := len(stack); n > 0 && stack[n-1] != nil && stack[n-1].Kind() != reflect.Struct {
			next = stack[n-1].Elem()
		}
	}
}

// container returns the struct, slice, array or map type that t is or points
// to, or nil when t decodes itself or takes anything.
func container(t reflect.Type) reflect.Type {
	for t != nil {
		if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return nil
		}
		switch t.Kind() {
		case reflect.Pointer:
			t = t.Elem()
		case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
			return t
		default:
			return nil
		}
	}
	return nil
}

// fieldOf returns the type of the field that name stands for, or nil, and the
// names of all fields.
func fieldOf(t reflect.Type, name string) (field reflect.Type, names []string) {
	for _, f := range reflect.VisibleFields(t) {
		own, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if own == "-" || !f.IsExported() || f.Anonymous && own == "" {
			continue
		}
		if own == "" {
			own = f.Name
		}
		names = append(names, own)
		if strings.EqualFold(own, name) {
			field = f.Type
		}
	}
	return field, names
}

func oneOf(names []string) string {
	switch len(names) {
	case 0:
		return "no fields"
	case 1:
		return names[0]
	}
	return "one of " + strings.Join(names, ", ")
}

// WithoutNonFinite returns data with null in place of NaN, Infinity and -Infinity, which Python writes and
// JSON has not; data itself if there is none. Where a blank stands before NaN, no byte moves.
func WithoutNonFinite(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] == '"' { // a text, to its end
			end := i + 1
			for end < len(data) && data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(data))
			out, i = append(out, data[i:end]...), end
			continue
		}
		word := ""
		for _, w := range []string{"NaN", "-Infinity", "Infinity"} {
			if bytes.HasPrefix(data[i:], []byte(w)) {
				word = w
			}
		}
		switch {
		case word == "":
			out, i = append(out, data[i]), i+1
			continue
		case word == "NaN" && len(out) > 0 && out[len(out)-1] == ' ':
			out = append(out[:len(out)-1], "null"...)
		default:
			out = append(out, "null"...)
			for range len(word) - len("null") {
				out = append(out, ' ')
			}
		}
		i += len(word)
	}
	return out
}
