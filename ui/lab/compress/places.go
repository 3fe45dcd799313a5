package compress

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/compress/buddy"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// A place is an allocation whose bytes can be read: a tensor of an opened file, or
// one that is made up.
type place struct {
	key, title, about string
	dtype             string // as NumPy calls it, "" if unknown
	size              int64
	tensor            int // its number in the file, -1 if it is made up
	// read fills p with the bytes from at on; all of them are there.
	read func(at int64, p []byte) error
}

// label is how the place stands in lists.
func (p *place) label() string {
	if p.title != "" {
		return "Made up: " + p.title
	}
	return p.key
}

// mapPage is the bytes of a row of a heat map, as in the paper's Fig. 6; madeBytes is
// the size of made up allocations.
const (
	mapPage   = 64 * buddy.EntryBytes
	madeBytes = 32 * mapPage
)

// A maker makes up an allocation: its words by a rule.
type maker struct {
	key, title, about, dtype string
	word                     func(j int) uint32
}

// makers are kinds of data, each with what is typical of it.
var makers = []maker{
	{"csr", "a sparse matrix", "Where rows begin and which columns have values are sorted numbers, which compress; the values are noise, and do not.", "int32", csr},
	{"structs", "an array of structures", "Fields of different kinds lie side by side, so that entries that compress alternate with those that do not.", "float32", structs},
	{"relu", "floats, every second zero", "Activations after a ReLU: the zeros save nothing, because they lie between noise.", "float32", func(j int) uint32 {
		if j%2 == 1 {
			return 0
		}
		return noise(j)
	}},
	{"floats", "dense floats", "Weights and gradients: exponents are alike, the lowest bits are noise.", "float32", noise},
	{"zeros", "zeros", "Memory that nobody has touched: metadata alone says it.", "float32", func(int) uint32 { return 0 }},
	{"mask", "a mask", "Small numbers: all planes but the lowest are empty.", "int32", func(j int) uint32 { return mix(j) & 1 }},
	{"indices", "sorted indices", "Differences are small, whatever the numbers are.", "int32", func(j int) uint32 { return 1<<20 + uint32(5*j) + mix(j)&3 }},
	{"ramp", "a ramp", "All differences are the same: 15 bits in all where it begins with zero.", "int32", func(j int) uint32 { return uint32(j) }},
}

// csr is a sparse matrix: where its rows begin, the columns of their values, and
// the values.
func csr(j int) uint32 {
	const starts, columns, row = 12 << 10, 36 << 10, 24 // words; values of a row
	switch {
	case j < starts:
		return uint32(row*j) + mix(j)&7
	case j < columns:
		k := j - starts
		return uint32(k%row*170) + mix(j)%160
	}
	return noise(j)
}

// structs are fields of 32 words each: coordinates, flags, what is not used yet, and
// numbers of neighbors.
func structs(j int) uint32 {
	switch j / 32 % 8 {
	case 0, 1, 2:
		return noise(j)
	case 3:
		return mix(j) & 3
	case 4, 5:
		return 0
	}
	return uint32(j/256) + mix(j)%4000
}

// mix is a number that looks like chance and is always the same.
func mix(j int) uint32 { return uint32(scrambled(int64(j)) >> 16) }

// scrambled is all of splitmix64 but its last multiplication.
func scrambled(n int64) uint64 {
	x := uint64(n+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>27
}

// noise is a float between 0.02 and 0.06.
func noise(j int) uint32 {
	return math.Float32bits(0.02 + float32(0.04*float32(mix(j))/float32(math.MaxUint32)))
}

// made are the made up allocations.
func made() []place {
	list := make([]place, len(makers))
	for i := range makers {
		m := &makers[i]
		list[i] = place{key: m.key, title: m.title, about: m.about, dtype: m.dtype, size: madeBytes, tensor: -1, read: func(at int64, p []byte) error {
			if at%4 != 0 || at+int64(len(p)) > madeBytes {
				return io.ErrUnexpectedEOF
			}
			for k := 0; k+4 <= len(p); k += 4 {
				binary.LittleEndian.PutUint32(p[k:], m.word(int(at)/4+k/4))
			}
			return nil
		}}
	}
	return list
}

// places are what can be looked into: a file's tensors, else what is made up. The
// error says why a file cannot.
func (w *memory) places() ([]place, error) {
	if len(w.tensors) == 0 {
		return made(), nil
	}
	if w.bytes == nil {
		return nil, fmt.Errorf("only what was measured of the file is at hand, not its bytes; open it again to look into it")
	}
	list := make([]place, len(w.tensors))
	for i := range w.tensors {
		t := &w.tensors[i]
		list[i] = place{key: t.Name, dtype: t.Type, size: t.Bytes, tensor: i, read: func(at int64, p []byte) error {
			if err := w.bytes(i, at, p); err != nil {
				return fmt.Errorf("tensor %q: %w. If the file changed or moved since it was opened, open it again", t.Name, err)
			}
			return nil
		}}
	}
	return list, nil
}

// find returns the place that a text names: by name, by number from 1, or the first
// that has it in its name. Without a text it is the first that is made up, or the
// largest of a file. said is empty unless there is none.
func find(list []place, text, usual string) (at int, said string) {
	is := func(key string) int { return slices.IndexFunc(list, func(p place) bool { return p.key == key }) }
	if at = is(text); at >= 0 {
		return at, ""
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(list) {
		return n - 1, ""
	}
	if at = slices.IndexFunc(list, func(p place) bool { return text != "" && strings.Contains(p.key, text) }); at >= 0 {
		return at, ""
	}
	if at = is(usual); at < 0 || list[at].tensor >= 0 {
		at = largest(list)
	}
	if text != "" {
		said = fmt.Sprintf("There is no %q here; shown is %s.", text, list[at].label())
	}
	return at, said
}

// largest is the number of the largest place, the first of several.
func largest(list []place) (at int) {
	for i := range list {
		if list[i].size > list[at].size {
			at = i
		}
	}
	return at
}

// mostOffers is how many places a list offers; of more a name or number is typed.
const mostOffers = 400

// offers lists the places for a knob; the empty text is the usual one.
func offers(key string, list []place, usual string) []report.Offers {
	if len(list) > mostOffers {
		return nil
	}
	first, _ := find(list, "", usual)
	o := report.Offers{Key: key}
	for i := range list {
		x := report.Offer{Text: list[i].key, Label: list[i].label()}
		if i == first {
			x.Text = ""
		}
		o.Choices = append(o.Choices, x)
	}
	slices.SortStableFunc(o.Choices, func(a, b report.Offer) int { return cmp.Compare(min(len(a.Text), 1), min(len(b.Text), 1)) })
	return []report.Offers{o}
}

// madeUp says why what is shown is made up.
const madeUp = "Made-up data: contents that come from no file are only shares, which have no addresses. Open a file to look into your own."

// entries is how many entries a place has.
func (p *place) entries() int64 { return buddy.Entries(unit.Bytes(p.size)) }

// name quotes nothing: names of tensors are paths.
func (p *place) name() string {
	if p.tensor < 0 {
		return "“" + p.title + "” (made up)"
	}
	if p.dtype == "" {
		return p.key
	}
	return p.key + ", " + p.dtype
}
