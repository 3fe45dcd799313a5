package compress

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"spillway/sim/compress/bpc"
	"spillway/sim/compress/buddy"
	"spillway/sim/knob"
	"spillway/sim/report"
)

// A sample is an entry to look into, made by a rule.
type sample struct {
	key, title, about string
	word              func(j int) uint32
}

// samples are kinds of data, each with what is typical of it.
var samples = []sample{
	{"relu", "floats, every second zero", "Activations after a ReLU: the zeros save nothing, because they lie between noise.", func(j int) uint32 {
		if j%2 == 1 {
			return 0
		}
		return noise(j)
	}},
	{"floats", "dense floats", "Weights and gradients: exponents are alike, the lowest bits are noise.", noise},
	{"zeros", "zeros", "Memory that nobody has touched: metadata alone says it.", func(int) uint32 { return 0 }},
	{"mask", "a mask", "Small numbers: all planes but the lowest are empty.", func(j int) uint32 { return mix(j) & 1 }},
	{"indices", "sorted indices", "Differences are small, whatever the numbers are.", func(j int) uint32 { return 1<<20 + uint32(5*j) + mix(j)&3 }},
	{"ramp", "a ramp", "All differences are the same: 15 bits in all.", func(j int) uint32 { return uint32(j) }},
}

// mix is a number that looks like chance and is always the same.
func mix(j int) uint32 {
	x := uint64(j+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return uint32((x ^ x>>27) >> 16)
}

// noise is a float between 0.02 and 0.06.
func noise(j int) uint32 {
	return math.Float32bits(0.02 + 0.04*float32(mix(j))/float32(math.MaxUint32))
}

// insideKnob chooses the entry.
func insideKnob() knob.Info {
	k := knob.Info{Key: "sample", Label: "Entry of", Help: "What the entry of 128 bytes holds.", Kind: knob.One, Default: samples[0].key}
	for _, s := range samples {
		k.Choices = append(k.Choices, knob.Choice{Key: s.key, Label: s.title, Help: s.about})
	}
	return k
}

// inside shows how an entry is compressed, code by code.
func inside(key string) (*report.Section, error) {
	for _, s := range samples {
		if s.key != key {
			continue
		}
		var e [bpc.Entry]byte
		for j := range 32 {
			binary.LittleEndian.PutUint32(e[4*j:], s.word(j))
		}
		return &report.Section{Text: []string{s.about, verdict(&e)}, Tables: []report.Table{codes(&e)}}, nil
	}
	return nil, fmt.Errorf("no sample %q", key)
}

// verdict says what becomes of an entry.
func verdict(e *[bpc.Entry]byte) string {
	var h buddy.Histogram
	h.Measure(e[:])
	bits := bpc.Bits(e)
	text := fmt.Sprintf("%d bits of %d", bits, bpc.RawBits)
	switch {
	case h.Zero > 0:
		return text + "; as all of it is zero, nothing is stored."
	case bits >= bpc.RawBits:
		return text + ": it is kept as it is, in 4 sectors, and fits into the slot of 1x only."
	}
	for t := buddy.X16; ; t-- {
		if h.Overflow(t) == 0 {
			return fmt.Sprintf("%s, %d bytes: it fits into a slot of %v.", text, buddy.Stored(bits, false), t)
		}
	}
}

// codes lists the codes of an entry in the order of its bitstream.
func codes(e *[bpc.Entry]byte) report.Table {
	t := report.Table{Title: "Codes in their order: the first word, then bit planes of the differences, from the highest", Head: []string{"Plane", "Code", "Differences with this bit changed, the first at the right", "Bits", "Code's bits"}}
	for _, c := range bpc.Codes(e) {
		plane, pattern := strconv.Itoa(c.Plane), strings.NewReplacer("0", "·", "1", "█").Replace(fmt.Sprintf("%031b", c.DBX))
		switch {
		case c.Kind == bpc.Base:
			plane, pattern = "first word", strconv.FormatUint(uint64(binary.LittleEndian.Uint32(e[:])), 16)
		case c.Planes > 1:
			plane, pattern = fmt.Sprintf("%d to %d", c.Plane, c.Plane-c.Planes+1), "none"
		case c.Kind == bpc.ZeroRun:
			pattern = "none"
		}
		t.Rows = append(t.Rows, report.Row{Head: plane, Cells: []report.Cell{
			{Text: c.Kind.String()},
			{Text: pattern},
			{Text: strconv.Itoa(c.Bits), Share: float64(c.Bits) / 33},
			{Text: fmt.Sprintf("%0*b", c.Bits, c.Value)},
		}})
	}
	return t
}
