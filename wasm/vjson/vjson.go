// Package vjson stands in the place of Vugu's package of that name, with what Vugu's
// renderer, and the code that vugugen writes, use of it. Vugu's own calls encoding/json,
// which is heavy, and which the page needs for nothing else.
//
// It writes texts and truth values, the only ones that the page sets as properties of
// elements. It reads what JSON.stringify writes: Vugu's script says so what happened.
package vjson

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// RawMessage is a value as JSON.
type RawMessage []byte

// Marshal writes a string or a bool.
func Marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(nil, v), nil
	case string:
		return quote(v), nil
	}
	return nil, fmt.Errorf("vjson: a %T is neither a string nor a bool", v)
}

// quote writes s in quotation marks. Bytes that are not UTF-8 become the replacement
// character.
func quote(s string) []byte {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', '0'+byte(r>>4), "0123456789abcdef"[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// Unmarshal adds the members of an object to v, a *map[string]any that has a map. Their
// types are those that encoding/json gives them.
func Unmarshal(data []byte, v any) error {
	to, ok := v.(*map[string]any)
	if !ok {
		return fmt.Errorf("vjson: nothing can be read into a %T", v)
	}
	r := reader{rest: data}
	x, err := r.value(mostNested)
	from, ok := x.(map[string]any)
	switch r.space(); {
	case err != nil:
		return err
	case !ok || len(r.rest) > 0:
		return errJSON
	}
	for name, x := range from {
		(*to)[name] = x
	}
	return nil
}

// mostNested is in how many others a value may lie.
const mostNested = 100

var errJSON = errors.New("vjson: what Vugu's script wrote is not one JSON object")

// A reader has what is still to be read.
type reader struct{ rest []byte }

// space skips spaces.
func (r *reader) space() {
	for len(r.rest) > 0 && (r.rest[0] == ' ' || r.rest[0] == '\t' || r.rest[0] == '\n' || r.rest[0] == '\r') {
		r.rest = r.rest[1:]
	}
}

// take takes a text, after spaces, if that is what comes.
func (r *reader) take(text string) bool {
	r.space()
	if len(r.rest) < len(text) || string(r.rest[:len(text)]) != text {
		return false
	}
	r.rest = r.rest[len(text):]
	return true
}

// value reads a value that may have others in it, so many deep.
func (r *reader) value(deep int) (any, error) {
	r.space()
	switch {
	case deep == 0 || len(r.rest) == 0:
		return nil, errJSON
	case r.rest[0] == '"':
		return r.text()
	case r.take("{"):
		return r.object(deep - 1)
	case r.take("["):
		return r.list(deep - 1)
	case r.take("true"):
		return true, nil
	case r.take("false"):
		return false, nil
	case r.take("null"):
		return nil, nil
	}
	return r.number()
}

// object reads an object after its bracket.
func (r *reader) object(deep int) (any, error) {
	o := map[string]any{}
	for !r.take("}") {
		if len(o) > 0 && !r.take(",") {
			return nil, errJSON
		}
		r.space()
		name, err := r.text()
		if err != nil {
			return nil, err
		}
		if !r.take(":") {
			return nil, errJSON
		}
		if o[name], err = r.value(deep); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// list reads a list after its bracket.
func (r *reader) list(deep int) (any, error) {
	l := []any{}
	for !r.take("]") {
		if len(l) > 0 && !r.take(",") {
			return nil, errJSON
		}
		x, err := r.value(deep)
		if err != nil {
			return nil, err
		}
		l = append(l, x)
	}
	return l, nil
}

// number reads a number.
func (r *reader) number() (any, error) {
	n := 0
	for n < len(r.rest) && (r.rest[n] >= '0' && r.rest[n] <= '9' || r.rest[n] == '-' || r.rest[n] == '+' || r.rest[n] == '.' || r.rest[n] == 'e' || r.rest[n] == 'E') {
		n++
	}
	x, err := strconv.ParseFloat(string(r.rest[:n]), 64)
	if err != nil {
		return nil, errJSON
	}
	r.rest = r.rest[n:]
	return x, nil
}

// escaped are the letters after a backslash that stand for one byte, and that byte.
var escaped = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// text reads a text in quotation marks.
func (r *reader) text() (string, error) {
	var b []byte
	for at := 1; len(r.rest) > 0 && r.rest[0] == '"' && at < len(r.rest); {
		switch c := r.rest[at]; {
		case c == '"':
			r.rest = r.rest[at+1:]
			return string(b), nil
		case c < ' ':
			return "", errJSON
		case c != '\\':
			x, n := utf8.DecodeRune(r.rest[at:])
			b = utf8.AppendRune(b, x)
			at += n
		case at+1 < len(r.rest) && r.rest[at+1] == 'u':
			x := unit(r.rest[at:])
			if x < 0 {
				return "", errJSON
			}
			at += 6
			if utf16.IsSurrogate(x) {
				both := utf16.DecodeRune(x, unit(r.rest[at:]))
				if x = both; x != utf8.RuneError {
					at += 6
				}
			}
			b = utf8.AppendRune(b, x)
		case at+1 < len(r.rest) && escaped[r.rest[at+1]] != 0:
			b = append(b, escaped[r.rest[at+1]])
			at += 2
		default:
			return "", errJSON
		}
	}
	return "", errJSON
}

// unit is the UTF-16 unit that data begins with, \u and four digits, or -1.
func unit(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	x, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(x)
}
