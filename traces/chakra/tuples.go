package chakra

import (
	"bytes"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A mention is a tensor as a node lists it: [tensor, storage, offset, numbers,
// bytes of a number, device].
type mention struct {
	tensor  int64
	storage int32 // an index
	device  int16 // number of the GPU, -1 for other memory
	first   bool  // it is the first argument, or in it
	bytes   unit.Bytes
}

// maxNested is how deeply lists may be nested; deeper ones are read as if flat.
const maxNested = 64

// tuples appends the tensors of a text, a list as Python prints it. What is no
// tensor is passed over; odd says that a list is none, or a tensor none that can
// be.
func (b *builder) tuples(s []byte, list []mention) (_ []mention, odd bool) {
	depth, argument := 0, 0
	var starts [maxNested]int // of open lists; those that hold lists are no tensors
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ',':
			if depth == 1 {
				argument++
			}
		case '\'', '"':
			end := closing(s, i)
			if end < 0 {
				return list, true
			}
			i = end
		case '[':
			if depth < maxNested {
				starts[depth] = i + 1
			}
			if depth > 0 && depth <= maxNested {
				starts[depth-1] = -1
			}
			depth++
		case ']':
			if depth--; depth < 0 {
				return list, true
			}
			if depth >= maxNested || starts[depth] < 0 {
				continue
			}
			m, is, wrong := b.tuple(s[starts[depth]:i])
			if is {
				m.first = argument == 0
				list = append(list, m)
			}
			odd = odd || wrong
		}
	}
	return list, odd || depth != 0 || len(s) > 0 && s[0] != '['
}

// closing returns where a text that begins at i ends, -1 if nowhere.
func closing(s []byte, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case s[i]:
			return j
		}
	}
	return -1
}

// tuple reads what stands in brackets: five whole numbers and a text are a tensor.
// wrong says that they cannot be one all the same.
func (b *builder) tuple(s []byte) (m mention, is, wrong bool) {
	var n [5]int64
	for i := range n {
		comma := bytes.IndexByte(s, ',')
		if comma < 0 {
			return m, false, false
		}
		var ok bool
		if n[i], ok = whole(bytes.TrimSpace(s[:comma])); !ok {
			return m, false, false
		}
		s = s[comma+1:]
	}
	s = bytes.TrimSpace(s)
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' || s[len(s)-1] != s[0] {
		return m, false, false
	}
	device := s[1 : len(s)-1]
	offset, count, size := n[2], n[3], n[4]
	const most = int64(workload.MaxTensor)
	switch {
	case offset < 0 || count < 0 || size < 0 || offset > most || count > most || size > 1<<10:
		return m, false, true
	case count == 0 || size == 0 || len(device) == 0:
		b.storage(n[1])
		return m, false, false // a placeholder
	case (offset+count)*size > most:
		return m, false, true
	}
	m = mention{tensor: n[0], storage: b.storage(n[1]), device: gpuOf(device), bytes: unit.Bytes((offset + count) * size)}
	return m, true, false
}

// whole reads a whole number.
func whole(s []byte) (n int64, ok bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// gpuOf returns the number of the GPU that a device is, -1 if it is none.
func gpuOf(device []byte) int16 {
	rest, ok := bytes.CutPrefix(device, []byte("cuda"))
	if !ok {
		return -1
	}
	rest, _ = bytes.CutPrefix(rest, []byte(":"))
	n, ok := whole(rest)
	if !ok || n < 0 || n >= 1<<10 {
		return 0
	}
	return int16(n)
}

// storage returns the index of a storage, counted from 0 as they are met.
func (b *builder) storage(id int64) int32 {
	at, ok := b.storages[id]
	if !ok {
		at = int32(len(b.storages))
		b.storages[id] = at
	}
	return at
}
