// Package wire is how the page and its workers write what they say to each
// other: plain Go values of types that both know, as bytes.
//
// It is no format for files. Page and workers are built together, so nothing is
// named and nothing is optional: structs are their fields in order, all of them
// exported, arrays their elements. Booleans are a byte, integers varints, floats
// eight bytes, strings and slices a length and their elements, pointers a byte and
// what they point to. Maps, interfaces, functions and structs with a field that is not
// exported are refused: what would not arrive shall not be missed in silence. JSON
// would do; it would cost a worker 0.8 MB of program and the page tens of milliseconds
// for the curves of a comparison.
//
// A message begins with a number for its type, because a page may outlive the
// site it came from: what a newer program says to it is then an [ErrOther].
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// Marshal writes v, a pointer or a value.
func Marshal(v any) ([]byte, error) {
	x := reflect.Indirect(reflect.ValueOf(v))
	return write(binary.LittleEndian.AppendUint32(nil, fingerprint(x.Type())), x)
}

// errShort is the error of bytes that end too early.
var errShort = errors.New("wire: the message is cut off")

func write(b []byte, v reflect.Value) (_ []byte, err error) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1), nil
		}
		return append(b, 0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint()), nil
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float())), nil
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...), nil
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(b, v.Bytes()...), nil
		}
		if fs, ok := v.Interface().([]float64); ok { // curves: by far the most bytes
			for _, f := range fs {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
			}
			return b, nil
		}
		for i := range v.Len() {
			if b, err = write(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0), nil
		}
		return write(append(b, 1), v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if b, err = write(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() {
				return nil, fmt.Errorf("wire: the field %s of a %s cannot be sent", f.Name, v.Type())
			}
			if b, err = write(b, v.Field(i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	return nil, fmt.Errorf("wire: a %s cannot be sent", v.Type())
}

// Unmarshal reads what Marshal wrote into *v, of the same type. Bytes that are
// not of that type give an error; what *v holds then is of no use.
func Unmarshal(data []byte, v any) error {
	r := reader{data: data}
	x := reflect.ValueOf(v).Elem()
	switch p, err := r.take(4); {
	case err != nil:
		return err
	case binary.LittleEndian.Uint32(p) != fingerprint(x.Type()):
		return ErrOther
	}
	if err := r.read(x); err != nil {
		return err
	}
	if len(r.data) > 0 {
		return fmt.Errorf("wire: %d bytes too many", len(r.data))
	}
	return nil
}

// Read returns what Marshal wrote of a T.
func Read[T any](data []byte) (*T, error) {
	v := new(T)
	return v, Unmarshal(data, v)
}

type reader struct{ data []byte }

func (r *reader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.data)) {
		return nil, errShort
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b, nil
}

func (r *reader) uvarint() (uint64, error) {
	x, n := binary.Uvarint(r.data)
	if n <= 0 {
		return 0, errShort
	}
	r.data = r.data[n:]
	return x, nil
}

func (r *reader) read(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		b, err := r.take(1)
		if err != nil {
			return err
		}
		v.SetBool(b[0] != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, n := binary.Varint(r.data)
		if n <= 0 {
			return errShort
		}
		r.data = r.data[n:]
		v.SetInt(x)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x, err := r.uvarint()
		if err != nil {
			return err
		}
		v.SetUint(x)
	case reflect.Float64:
		b, err := r.take(8)
		if err != nil {
			return err
		}
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case reflect.String:
		n, err := r.uvarint()
		if err != nil {
			return err
		}
		b, err := r.take(n)
		if err != nil {
			return err
		}
		v.SetString(string(b))
	case reflect.Slice:
		return r.slice(v)
	case reflect.Pointer:
		b, err := r.take(1)
		if err != nil {
			return err
		}
		if b[0] == 0 {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return r.read(v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if err := r.read(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() {
				return fmt.Errorf("wire: the field %s of a %s cannot be read", f.Name, v.Type())
			}
			if err := r.read(v.Field(i)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("wire: a %s cannot be read", v.Type())
	}
	return nil
}

func (r *reader) slice(v reflect.Value) error {
	n, err := r.uvarint()
	switch {
	case err != nil:
		return err
	case n == 0:
		v.SetZero()
		return nil
	case n > uint64(len(r.data)): // an element has a byte at least
		return errShort
	}
	switch elem := v.Type().Elem(); {
	case elem.Kind() == reflect.Uint8:
		b, err := r.take(n)
		v.SetBytes(append([]byte(nil), b...))
		return err
	case elem == reflect.TypeFor[float64]() && v.Type() == reflect.TypeFor[[]float64]():
		b, err := r.take(8 * n)
		if err != nil {
			return err
		}
		fs := make([]float64, n)
		for i := range fs {
			fs[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		v.Set(reflect.ValueOf(fs))
		return nil
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	for i := range int(n) {
		if err := r.read(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}
