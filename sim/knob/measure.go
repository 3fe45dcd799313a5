package knob

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// A prefixed is a unit by how many of its dimension's smallest it is. Those of one
// family are shown; others are only read.
type prefixed struct {
	name   string
	size   int64
	family int // 0: only read
}

// dimensions are the units that can stand for each other, the smallest first.
var dimensions = [][]prefixed{
	{
		{"B", 1, 0},
		{"KB", 1e3, 0},
		{"kB", 1e3, 1},
		{"KiB", 1 << 10, 2},
		{"MB", 1e6, 1},
		{"MiB", 1 << 20, 2},
		{"GB", 1e9, 1},
		{"GiB", 1 << 30, 2},
		{"TB", 1e12, 1},
		{"TiB", 1 << 40, 2},
	},
	{{"fs", 1, 1}, {"ps", 1e3, 1}, {"ns", 1e6, 1}, {"us", 1e9, 0}, {"μs", 1e9, 0}, {"µs", 1e9, 1}, {"ms", 1e12, 1}, {"s", 1e15, 1}},
	{{"Hz", 1, 1}, {"kHz", 1e3, 1}, {"MHz", 1e6, 1}, {"GHz", 1e9, 1}},
}

// find returns the dimension of a unit, and the unit. Of letters' cases only those
// are read that cannot be another unit: "gb" is GB, "Gb" may be bits.
func find(unit string) (dimension int, u *prefixed) {
	for _, same := range []func(string) bool{
		func(name string) bool { return name == unit },
		func(name string) bool {
			return (unit == strings.ToLower(unit) || unit == strings.ToUpper(unit)) && strings.EqualFold(name, unit)
		},
	} {
		for d := range dimensions {
			for i := range dimensions[d] {
				if same(dimensions[d][i].name) {
					return d, &dimensions[d][i]
				}
			}
		}
	}
	return 0, nil
}

// Measure reads a number of the knob as people write it and returns it in base
// units: with a point or a comma ("6,4"), with or without a unit ("3200 MB/s" of
// a knob in GB/s). What could mean two things is refused.
func (i *Info) Measure(text string) (int64, error) {
	number, unit := cutUnit(strings.TrimSpace(text))
	number, err := point(number)
	if err != nil {
		return 0, err
	}
	scale := i.Scale
	if unit != "" && unit != i.Unit {
		if scale, err = i.scaleOf(unit); err != nil {
			if number == "" || i.Unit == "" {
				return ParseDecimal(text, i.Scale) // it says that this is no number
			}
			return 0, err
		}
	}
	return ParseDecimal(number, scale)
}

// cutUnit cuts a number from the unit behind it.
func cutUnit(text string) (number, unit string) {
	at := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.,+- \u00a0\u202f", r) })
	if at < 0 {
		return text, ""
	}
	if rest := text[at:]; rest[0] == 'e' || rest[0] == 'E' { // an exponent, if digits follow
		tail := strings.TrimLeft(rest[1:], "+-")
		digits := len(tail) - len(strings.TrimLeft(tail, "0123456789"))
		if digits > 0 && at > 0 {
			at += len(rest) - len(tail) + digits
		}
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at:])
}

// blanks are what people put between digits.
var blanks = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

// point writes a number with a decimal point and nothing between its digits.
func point(number string) (string, error) {
	number = blanks.Replace(number)
	whole, frac, ok := strings.Cut(number, ",")
	switch {
	case !ok:
		return number, nil
	case strings.Contains(frac, ",") || strings.Contains(number, "."):
		return "", fmt.Errorf("%q is not clear; write it with one decimal point and no other marks", number)
	case len(frac) == 3 && strings.Trim(whole, "+-0") != "":
		return "", fmt.Errorf("%q may be %s%s or %s.%s; write it with a point or without the comma", number, whole, frac, whole, frac)
	}
	return whole + "." + frac, nil
}

// scaleOf is how many base units one of another unit is.
func (i *Info) scaleOf(unit string) (int64, error) {
	mine, per, _ := strings.Cut(i.Unit, "/")
	theirs, otherPer, _ := strings.Cut(unit, "/")
	d, m := find(mine)
	e, t := find(theirs)
	if m == nil || t == nil || d != e || per != otherPer {
		return 0, fmt.Errorf("%q is not a unit of it; use %s", unit, i.Unit)
	}
	hi, lo := bits.Mul64(uint64(i.Scale), uint64(t.size))
	if hi >= uint64(m.size) {
		return 0, errors.New("this unit is too large; use " + i.Unit)
	}
	scale, rest := bits.Div64(hi, lo, uint64(m.size))
	if rest != 0 || scale == 0 || scale > 1<<62 {
		return 0, fmt.Errorf("%q is no whole number of what is counted; use %s", unit, i.Unit)
	}
	return int64(scale), nil
}

// Short returns a number of the knob as people read it: one that is a small part
// of its unit stands in a smaller one, "814 fs/B" for 0.000000814 µs/B, which
// Measure reads as the same.
func (i *Info) Short(text string) (number, unit string) {
	v, err := ParseDecimal(text, i.Scale)
	if err != nil || v == 0 || i.Unit == "" || max(v, -v) > i.Scale/1000 {
		return text, i.Unit
	}
	name, per, _ := strings.Cut(i.Unit, "/")
	d, mine := find(name)
	if mine == nil {
		return text, i.Unit
	}
	for _, u := range dimensions[d] { // the largest of which it is one or more
		other := u.name
		if per != "" {
			other += "/" + per
		}
		if scale, err := i.scaleOf(other); err == nil && u.family == mine.family && scale <= max(v, -v) {
			number, unit = Decimal(v, scale), other
		}
	}
	if unit == "" {
		return text, i.Unit
	}
	return number, unit
}
