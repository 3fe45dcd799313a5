// Package jsontext writes Go values as JSON, byte for byte as encoding/json does, for
// programs that only write: it is a fiftieth of encoding/json's size, and reads nothing.
//
// It knows what files of Spillway are made of: booleans, integers, floats, strings,
// slices, arrays, maps with strings as keys, pointers, structs with encoding/json's
// tags, embedded structs, and what writes itself as a text. All else is an error.
package jsontext

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Raw is text that is JSON already; it is written as it is, indented where it stands.
// It must be one value a line, or one line, as this package and encoding/json write it.
type Raw string

// Marshal returns v on one line. Like encoding/json it writes <, > and & in strings so
// that HTML can hold them.
func Marshal(v any) ([]byte, error) { return write(&writer{html: true}, v) }

// MarshalIndent returns v with one value a line, indented by two spaces, with strings as
// Marshal's. The last line has no end.
func MarshalIndent(v any) ([]byte, error) { return write(&writer{html: true, lines: true}, v) }

// MarshalPlain is MarshalIndent with <, > and & as they are.
func MarshalPlain(v any) ([]byte, error) { return write(&writer{lines: true}, v) }

func write(w *writer, v any) ([]byte, error) {
	if err := w.value(reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return w.b, nil
}

// A writer is JSON that is being written.
type writer struct {
	b     []byte
	html  bool // <, > and & are escaped
	lines bool // one value a line
	depth int
}

// ErrNumber is the error of a number that JSON cannot say.
var ErrNumber = errors.New("a number that is not finite cannot be written as JSON")

var (
	marshaler = reflect.TypeFor[encoding.TextMarshaler]()
	raw       = reflect.TypeFor[Raw]()
)

func (w *writer) value(v reflect.Value) error {
	if !v.IsValid() {
		w.b = append(w.b, "null"...)
		return nil
	}
	switch t := v.Type(); {
	case t == raw:
		w.raw(v.String())
		return nil
	case t.Implements(marshaler):
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		w.string(string(text))
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		w.b = strconv.AppendBool(w.b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.b = strconv.AppendInt(w.b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.b = strconv.AppendUint(w.b, v.Uint(), 10)
	case reflect.Float64:
		return w.float(v.Float())
	case reflect.String:
		w.string(v.String())
	case reflect.Pointer, reflect.Interface:
		return w.value(v.Elem())
	case reflect.Slice, reflect.Array:
		return w.list(v)
	case reflect.Map:
		return w.object(v)
	case reflect.Struct:
		first := true
		w.open('{')
		if err := w.members(v, &first); err != nil {
			return err
		}
		w.close('}', first)
	default:
		return fmt.Errorf("a %s cannot be written as JSON", v.Type())
	}
	return nil
}

func (w *writer) open(c byte) {
	w.b = append(w.b, c)
	w.depth++
}

// close ends an object or a list; empty ones are on one line.
func (w *writer) close(c byte, empty bool) {
	w.depth--
	if !empty {
		w.line()
	}
	w.b = append(w.b, c)
}

func (w *writer) line() {
	if !w.lines {
		return
	}
	w.b = append(w.b, '\n')
	for range w.depth {
		w.b = append(w.b, "  "...)
	}
}

// next is what stands before an element.
func (w *writer) next(first *bool) {
	if !*first {
		w.b = append(w.b, ',')
	}
	*first = false
	w.line()
}

// name begins a member.
func (w *writer) name(name string, first *bool) {
	w.next(first)
	w.string(name)
	w.b = append(w.b, ':')
	if w.lines {
		w.b = append(w.b, ' ')
	}
}

func (w *writer) list(v reflect.Value) error {
	if v.Kind() == reflect.Slice && v.IsNil() {
		w.b = append(w.b, "null"...)
		return nil
	}
	if e := v.Type().Elem(); v.Kind() == reflect.Slice && e.Kind() == reflect.Uint8 && !e.Implements(marshaler) {
		return errors.New("bytes cannot be written as JSON")
	}
	first := true
	w.open('[')
	for i := range v.Len() {
		w.next(&first)
		if err := w.value(v.Index(i)); err != nil {
			return err
		}
	}
	w.close(']', first)
	return nil
}

// object writes a map, in the order of its keys.
func (w *writer) object(v reflect.Value) error {
	if v.IsNil() {
		w.b = append(w.b, "null"...)
		return nil
	}
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("a %s cannot be written as JSON", v.Type())
	}
	keys := v.MapKeys()
	slices.SortStableFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	first := true
	w.open('{')
	for _, k := range keys {
		w.name(k.String(), &first)
		if err := w.value(v.MapIndex(k)); err != nil {
			return err
		}
	}
	w.close('}', first)
	return nil
}

// members writes the fields of a struct, those of embedded ones in their place.
func (w *writer) members(v reflect.Value, first *bool) error {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			if err := w.members(v.Field(i), first); err != nil {
				return err
			}
			continue
		case rest == "omitempty" && empty(v.Field(i)), rest == "omitzero" && v.Field(i).IsZero():
			continue
		case rest != "" && rest != "omitempty" && rest != "omitzero":
			return fmt.Errorf("%s.%s: the option %q is not known", t, f.Name, rest)
		case name == "":
			name = f.Name
		}
		w.name(name, first)
		if err := w.value(v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// empty reports whether encoding/json calls a value empty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (w *writer) float(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ErrNumber
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	w.b = strconv.AppendFloat(w.b, f, format, -1, 64)
	if n := len(w.b); format == 'e' && n >= 4 && w.b[n-4] == 'e' && w.b[n-3] == '-' && w.b[n-2] == '0' { // e-09 is e-9
		w.b[n-2] = w.b[n-1]
		w.b = w.b[:n-1]
	}
	return nil
}

// raw writes text that is JSON already, its lines as deep as they stand here.
func (w *writer) raw(text string) {
	if text == "" {
		text = "null"
	}
	if w.html {
		text = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text)
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.line()
		}
		if !w.lines {
			line = strings.TrimLeft(line, " ")
		}
		w.b = append(w.b, line...)
	}
}

func (w *writer) string(s string) {
	const hex = "0123456789abcdef"
	w.b = append(w.b, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			w.b = append(w.b, `\ufffd`...)
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r == '\b':
			w.b = append(w.b, `\b`...)
		case r == '\f':
			w.b = append(w.b, `\f`...)
		case r == '\n':
			w.b = append(w.b, `\n`...)
		case r == '\r':
			w.b = append(w.b, `\r`...)
		case r == '\t':
			w.b = append(w.b, `\t`...)
		case r < ' ', w.html && (r == '<' || r == '>' || r == '&'):
			w.b = append(w.b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		case r == '\u2028' || r == '\u2029':
			w.b = append(w.b, `\u202`...)
			w.b = append(w.b, hex[r&15])
		default:
			w.b = append(w.b, s[i:i+size]...)
		}
		i += size
	}
	w.b = append(w.b, '"')
}
