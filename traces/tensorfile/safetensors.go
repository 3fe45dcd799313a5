package tensorfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"spillway/sim/unit"
	"spillway/traces/jsonstream"
)

// elementTypes are the names of safetensors, with bits an element.
var elementTypes = map[string]struct {
	name string
	bits int64
}{
	"BOOL": {"bool", 8}, "U8": {"uint8", 8}, "I8": {"int8", 8}, "F8_E5M2": {"float8_e5m2", 8}, "F8_E4M3": {"float8_e4m3", 8}, "F8_E8M0": {"float8_e8m0", 8},
	"F8_E5M2FNUZ": {"float8_e5m2fnuz", 8}, "F8_E4M3FNUZ": {"float8_e4m3fnuz", 8}, "F4": {"float4", 4}, "F6_E2M3": {"float6_e2m3", 6}, "F6_E3M2": {"float6_e3m2", 6},
	"I16": {"int16", 16}, "U16": {"uint16", 16}, "F16": {"float16", 16}, "BF16": {"bfloat16", 16}, "I32": {"int32", 32}, "U32": {"uint32", 32},
	"F32": {"float32", 32}, "F64": {"float64", 64}, "I64": {"int64", 64}, "U64": {"uint64", 64}, "C64": {"complex64", 64},
}

// openSafetensors reads the header: its length in eight bytes, the lowest first, then
// JSON with type, shape and range of each tensor.
func openSafetensors(r io.ReaderAt, size int64) (*File, error) {
	var word [8]byte
	if _, err := r.ReadAt(word[:], 0); err != nil {
		return nil, fmt.Errorf("byte 0: %w", err)
	}
	n := binary.LittleEndian.Uint64(word[:])
	switch {
	case n > MaxHeader:
		return nil, fmt.Errorf("byte 0: the header is said to have %d bytes; at most %d are allowed. Is this a safetensors file?", n, MaxHeader)
	case int64(n) > size-8:
		return nil, fmt.Errorf("byte 0: the header is said to have %d bytes, but only %d follow; the file is cut off or no safetensors file", n, size-8)
	}
	data := 8 + int64(n)
	h := header{json: jsonstream.NewReader(io.NewSectionReader(r, 8, int64(n)), nil), room: size - data, names: map[string]bool{}}
	f := &File{Format: "safetensors"}
	if err := h.read(f); err != nil {
		if e, ok := errors.AsType[*jsonstream.Error](err); ok {
			return nil, fmt.Errorf("byte %d: %s", e.Offset+8, e.Message)
		}
		return nil, err
	}
	slices.SortStableFunc(f.Tensors, func(a, b Tensor) int { return cmp.Compare(a.Offset, b.Offset) })
	end, last := int64(0), ""
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if t.Bytes > 0 && t.Offset < end {
			return nil, fmt.Errorf("tensors %s and %s overlap: the second begins at byte %d of the data, the first ends at %d", quote(last), quote(t.Name), t.Offset, end)
		}
		if to := t.Offset + int64(t.Bytes); to > end {
			end, last = to, t.Name
		}
		t.Offset += data
	}
	if end < h.room {
		f.note("%d bytes at the end belong to no tensor.", h.room-end)
	}
	return f, nil
}

// A header reads the JSON of a safetensors file.
type header struct {
	json  *jsonstream.Reader
	room  int64 // bytes of data
	names map[string]bool
}

func (h *header) read(f *File) error {
	if h.json.Peek() != jsonstream.Object {
		h.json.Fail("the header is no JSON object")
		return h.json.Err()
	}
	for h.json.Object(); ; {
		key, ok := h.json.Key()
		if !ok {
			break
		}
		if string(key) == "__metadata__" {
			h.json.Skip() // the user's own
			continue
		}
		if err := h.tensor(f, string(key)); err != nil {
			return err
		}
	}
	switch {
	case h.json.Err() != nil:
		return h.json.Err()
	case h.json.Cut():
		return errors.New("the header's JSON is cut off")
	case h.json.Repairs.Any():
		return fmt.Errorf("the header is not JSON: %s", complaint(&h.json.Repairs))
	case !h.json.End(): // spaces may fill the header up
		return h.json.Err()
	case len(f.Tensors) == 0:
		return errors.New("the header names no tensor")
	}
	return nil
}

func complaint(r *jsonstream.Repairs) string {
	switch {
	case r.Commas > 0:
		return "a comma too many"
	case r.Escapes > 0:
		return "a backslash that escapes nothing"
	case r.Controls > 0:
		return "a control character in a string"
	}
	return "NaN or Infinity"
}

// tensor reads one entry and sees that its range is what type and shape say.
func (h *header) tensor(f *File, name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("tensor %s: the name has %d bytes; at most %d are allowed", quote(name), len(name), maxName)
	case h.names[name]:
		return fmt.Errorf("tensor %s is there twice", quote(name))
	case len(f.Tensors) == MaxTensors:
		return fmt.Errorf("more than %d tensors", MaxTensors)
	}
	h.names[name] = true
	bad := func(format string, a ...any) error {
		if h.json.Err() != nil {
			return h.json.Err()
		}
		return fmt.Errorf("tensor %s: %w", quote(name), fmt.Errorf(format, a...))
	}
	t, ends, missing := h.fields(name)
	if missing != "" {
		return bad("%s", missing)
	}
	known, ok := elementTypes[t.Type]
	if !ok {
		return bad("unknown dtype %s", quote(t.Type))
	}
	n, ok := product(append([]int64{known.bits}, t.Shape...))
	if !ok {
		return bad("the shape %v is not possible", t.Shape)
	}
	switch want := n / 8; {
	case n%8 != 0:
		return bad("%d elements of %s end inside a byte", n/known.bits, t.Type)
	case t.Offset < 0 || ends < t.Offset:
		return bad("its range is from byte %d to %d", t.Offset, ends)
	case ends > h.room:
		return bad("its range ends at byte %d of the data, which has %d; the file is cut off, or its header lies", ends, h.room)
	case ends-t.Offset != want:
		return bad("its range has %d bytes, but %s of shape %v takes %d", ends-t.Offset, t.Type, t.Shape, want)
	}
	t.Name, t.Type, t.Bytes = printable(name), known.name, unit.Bytes(ends-t.Offset)
	f.Tensors = append(f.Tensors, t)
	return nil
}

// fields reads dtype, shape and data_offsets; missing says which is not there or not
// of its kind.
func (h *header) fields(name string) (t Tensor, ends int64, missing string) {
	t.Name = name
	if h.json.Peek() != jsonstream.Object {
		return t, 0, "it is no object"
	}
	var shape, offsets []int64
	hasShape, hasOffsets := false, false
	for h.json.Object(); ; {
		key, ok := h.json.Key()
		if !ok {
			break
		}
		switch string(key) {
		case "dtype":
			text, _ := h.json.Text()
			t.Type = string(bytes.Clone(text))
		case "shape":
			shape, hasShape = h.numbers(maxRank)
		case "data_offsets":
			offsets, hasOffsets = h.numbers(2)
		default:
			h.json.Skip()
		}
	}
	switch {
	case t.Type == "":
		return t, 0, "it has no dtype"
	case !hasShape:
		return t, 0, fmt.Sprintf("its shape is no list of at most %d whole numbers", maxRank)
	case !hasOffsets || len(offsets) != 2:
		return t, 0, "its data_offsets are not two whole numbers"
	}
	t.Shape, t.Offset = shape, offsets[0]
	return t, offsets[1], ""
}

// numbers reads a list of at most so many whole numbers.
func (h *header) numbers(most int) (list []int64, ok bool) {
	if h.json.Peek() != jsonstream.Array {
		h.json.Skip()
		return nil, false
	}
	ok = true
	for h.json.Array(); h.json.Elem(); {
		if h.json.Peek() != jsonstream.Number {
			h.json.Skip()
			ok = false
			continue
		}
		text, _ := h.json.Number()
		v, fits := jsonstream.ParseInt(text)
		if !fits || bytes.ContainsAny(text, ".eE") || len(list) == most {
			ok = false
			continue
		}
		list = append(list, v)
	}
	return list, ok
}
