package compress

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"spillway/sim/compress/bpc"
	"spillway/sim/report"
)

// words lists the 32 words of an entry, in hexadecimal and as what they are.
func words(e *[bpc.Entry]byte, dtype string) report.Table {
	const row = 8
	t := report.Table{Key: "words", Title: "Its 32 words, in hexadecimal", Head: []string{"Words"}}
	value := values[dtype]
	if value != nil {
		t.Title += " and as " + dtype
	}
	for i := range row {
		t.Head = append(t.Head, "+"+strconv.Itoa(i))
	}
	for at := 0; at < bpc.Entry/4; at += row {
		hex, as := report.Row{Head: fmt.Sprintf("%d to %d", at, at+row-1)}, report.Row{Head: "as " + dtype}
		for i := at; i < at+row; i++ {
			hex.Cells = append(hex.Cells, report.Cell{Text: fmt.Sprintf("%08x", binary.LittleEndian.Uint32(e[4*i:]))}.Exactly(int64(binary.LittleEndian.Uint32(e[4*i:]))))
			if value != nil {
				as.Cells = append(as.Cells, report.Cell{Text: value(e[4*i:], i)}.AsWritten())
			}
		}
		t.Rows = append(t.Rows, hex)
		if value != nil {
			t.Rows = append(t.Rows, as)
		}
	}
	return t
}

// values write what lies in word i as a type's values; those of eight bytes stand in
// their first word.
var values = map[string]func(p []byte, i int) string{
	"float32":  func(p []byte, _ int) string { return short(float64(float(p))) },
	"int32":    func(p []byte, _ int) string { return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(p)))) },
	"uint32":   func(p []byte, _ int) string { return strconv.Itoa(int(binary.LittleEndian.Uint32(p))) },
	"float16":  halves(func(x uint16) string { return short(half(x)) }),
	"bfloat16": halves(func(x uint16) string { return short(float64(math.Float32frombits(uint32(x) << 16))) }),
	"int16":    halves(func(x uint16) string { return strconv.Itoa(int(int16(x))) }),
	"uint16":   halves(func(x uint16) string { return strconv.Itoa(int(x)) }),
	"int8":     quarters(func(x byte) string { return strconv.Itoa(int(int8(x))) }),
	"uint8":    quarters(func(x byte) string { return strconv.Itoa(int(x)) }),
	"bool":     quarters(func(x byte) string { return strconv.Itoa(int(x)) }),
	"float64":  double(func(x uint64) string { return short(math.Float64frombits(x)) }),
	"int64":    double(func(x uint64) string { return strconv.FormatInt(int64(x), 10) }),
	"uint64":   double(func(x uint64) string { return strconv.FormatUint(x, 10) }),
	"complex64": func(p []byte, i int) string {
		if i%2 == 1 {
			return short(float64(float(p))) + "i"
		}
		return short(float64(float(p)))
	},
}

func float(p []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(p)) }

// short writes a number with four digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// half is a number of IEEE 754's binary16.
func half(x uint16) float64 {
	sign, exponent, fraction := 1-2*float64(x>>15), int(x>>10&31), float64(x&1023)
	switch {
	case exponent == 31 && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 31:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func halves(say func(uint16) string) func([]byte, int) string {
	return func(p []byte, _ int) string {
		return say(binary.LittleEndian.Uint16(p)) + " " + say(binary.LittleEndian.Uint16(p[2:]))
	}
}

func quarters(say func(byte) string) func([]byte, int) string {
	return func(p []byte, _ int) string {
		return strings.Join([]string{say(p[0]), say(p[1]), say(p[2]), say(p[3])}, " ")
	}
}

func double(say func(uint64) string) func([]byte, int) string {
	return func(p []byte, i int) string {
		if i%2 == 1 {
			return ""
		}
		return say(binary.LittleEndian.Uint64(p))
	}
}
