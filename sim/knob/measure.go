package knob

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// prefixed are units of one dimension by how many of its smallest they are.
var prefixed = []map[string]int64{
	{
		"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	},
	{"fs": 1, "ps": 1e3, "ns": 1e6, "µs": 1e9, "μs": 1e9, "us": 1e9, "ms": 1e12, "s": 1e15},
	{"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
}

// size returns what dimension a unit has and how many of the smallest it is. Of
// letters' cases only those are read that cannot be another unit: "gb" is GB,
// "Gb" may be bits.
func size(unit string) (dimension int, n int64, ok bool) {
	for d, units := range prefixed {
		if n, ok := units[unit]; ok {
			return d, n, true
		}
	}
	if unit != strings.ToLower(unit) && unit != strings.ToUpper(unit) {
		return 0, 0, false
	}
	for d, units := range prefixed {
		for name, n := range units {
			if strings.EqualFold(name, unit) {
				return d, n, true
			}
		}
	}
	return 0, 0, false
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

// point writes a number with a decimal point and nothing between its digits.
func point(number string) (string, error) {
	number = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "").Replace(number)
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
	d, n, ok := size(mine)
	e, m, known := size(theirs)
	if !ok || !known || d != e || per != otherPer {
		return 0, fmt.Errorf("%q is not a unit of it; use %s", unit, i.Unit)
	}
	hi, lo := bits.Mul64(uint64(i.Scale), uint64(m))
	if hi >= uint64(n) {
		return 0, errors.New("this unit is too large; use " + i.Unit)
	}
	scale, rest := bits.Div64(hi, lo, uint64(n))
	if rest != 0 || scale == 0 || scale > 1<<62 {
		return 0, fmt.Errorf("%q is no whole number of what is counted; use %s", unit, i.Unit)
	}
	return int64(scale), nil
}
