package kineto

import "encoding/binary"

// chunk is how many rows a table grows by.
const chunk = 4096

// A table has rows that are never moved, so that growing costs no copies.
type table[T any] struct {
	chunks [][]T
	n      int
}

// add appends a row.
func (t *table[T]) add(row T) {
	if t.n%chunk == 0 {
		t.chunks = append(t.chunks, make([]T, 0, chunk))
	}
	last := &t.chunks[len(t.chunks)-1]
	*last = append(*last, row)
	t.n++
}

// drain calls each with every row in order and gives the rows up.
func (t *table[T]) drain(each func(row *T)) {
	for i := range t.chunks {
		for k := range t.chunks[i] {
			each(&t.chunks[i][k])
		}
		t.chunks[i] = nil
	}
	t.chunks, t.n = nil, 0
}

// rows returns all rows in one slice, and gives the table up.
func (t *table[T]) rows() []T {
	out := make([]T, 0, t.n)
	t.drain(func(row *T) { out = append(out, *row) })
	return out
}

// mostInterned is how many bytes of different texts are kept.
const mostInterned = 64 << 20

// An intern gives equal texts one number.
type intern struct {
	texts []string
	slots []int32  // 1 + index into texts, by hash
	sums  []uint32 // lower halves of hashes
	bytes int
	lost  int // texts that were too many
}

// hash mixes the bytes of s, eight at a time.
func hash(s []byte, h uint64) uint64 {
	const k = 0x9e3779b97f4a7c15
	h ^= uint64(len(s)) * k
	for len(s) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(s)) * k
		h ^= h >> 29
		s = s[8:]
	}
	for _, c := range s {
		h = (h ^ uint64(c)) * k
	}
	return h ^ h>>32
}

// id returns the number of a text that has the given parts, -1 if there are too
// many.
func (in *intern) id(parts ...[]byte) int32 {
	h := uint64(len(parts))
	for _, p := range parts {
		h = hash(p, h)
	}
	if len(in.texts)*2 >= len(in.slots) {
		in.grow()
	}
	mask := uint32(len(in.slots) - 1)
	at := uint32(h) & mask
	for ; in.slots[at] != 0; at = (at + 1) & mask {
		if i := in.slots[at] - 1; in.sums[i] == uint32(h) && same(in.texts[i], parts) {
			return i
		}
	}
	text := join(parts)
	if in.bytes+len(text)+32 > mostInterned {
		in.lost++
		return -1
	}
	in.bytes += len(text) + 32
	in.texts = append(in.texts, text)
	in.sums = append(in.sums, uint32(h))
	in.slots[at] = int32(len(in.texts))
	return int32(len(in.texts) - 1)
}

// same reports whether text is what join makes of parts.
func same(text string, parts [][]byte) bool {
	for i, p := range parts {
		if i > 0 {
			if text == "" || text[0] != 0 {
				return false
			}
			text = text[1:]
		}
		if len(text) < len(p) || text[:len(p)] != string(p) {
			return false
		}
		text = text[len(p):]
	}
	return text == ""
}

// join puts a zero byte between the parts.
func join(parts [][]byte) string {
	n := 0
	for _, p := range parts {
		n += len(p) + 1
	}
	b := make([]byte, 0, n)
	for i, p := range parts {
		if i > 0 {
			b = append(b, 0)
		}
		b = append(b, p...)
	}
	return string(b)
}

func (in *intern) grow() {
	in.slots = make([]int32, max(256, 2*len(in.slots)))
	mask := uint32(len(in.slots) - 1)
	for i, sum := range in.sums {
		at := sum & mask
		for in.slots[at] != 0 {
			at = (at + 1) & mask
		}
		in.slots[at] = int32(i + 1)
	}
}
