package chart

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"spillway/sim/portable"
	"spillway/sim/report"
)

// Text forms of numbers. They are for people; nothing computes with them.

// Digits prints x with about n significant digits and no exponent. Thousands
// are apart.
func Digits(x float64, n int) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	d := max(0, n-1-int(math.Floor(portable.Log10(math.Abs(x)))))
	s := strconv.FormatFloat(x, 'f', d, 64)
	if d > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return grouped(s)
}

// Fixed prints x with d decimals. Thousands are apart.
func Fixed(x float64, d int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Dash
	}
	s := strconv.FormatFloat(x, 'f', d, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // no minus before nothing
	}
	return grouped(s)
}

// Count prints an integer. Thousands are apart.
func Count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// Percent prints part of whole.
func Percent(part, whole float64) string {
	if whole == 0 {
		return "0 %"
	}
	return Digits(100*part/whole, 3) + " %"
}

// Span prints a duration given in seconds, with four digits.
func Span(s float64) string {
	switch a := math.Abs(s); {
	case a == 0:
		return "0 s"
	case a >= 1:
		return four(s) + " s"
	case a >= 1e-3:
		return four(s*1e3) + " ms"
	case a >= 1e-6:
		return four(s*1e6) + " µs"
	}
	return four(s*1e9) + " ns"
}

// four prints x with four significant digits, zeros at its end too, so that
// numbers below each other are alike.
func four(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	return grouped(strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(portable.Log10(math.Abs(x))))), 64))
}

// Dash stands where there is no value.
const Dash = "–"

// Cell prints v, a value of q, without its unit.
func Cell(q *report.Quantity, v float64) string { return Fixed(q.Shown(v), q.Places) }

// With puts a unit behind a number.
func With(text, unit string) string {
	if unit == "×" {
		return text + unit
	}
	return report.WithUnit(text, unit)
}

// Tip prints x, in unit, as a chart's axes and tooltips have it: with four digits.
func Tip(x float64, unit string) string { return With(Digits(x, 4), unit) }

// amount prints x, in unit, with four digits. Counts have no zeros behind the
// point.
func amount(x float64, unit string) string {
	switch unit {
	case "s":
		return Span(x)
	case "GB", "GiB":
		return With(four(x), unit)
	}
	return Tip(x, unit)
}

// grouped puts narrow spaces that do not break between thousands, in numbers of
// five digits and more.
func grouped(s string) string {
	sign, digits, rest := "", s, ""
	if strings.HasPrefix(s, "-") {
		sign, digits = "-", s[1:]
	}
	if dot := strings.IndexByte(digits, '.'); dot >= 0 {
		digits, rest = digits[:dot], digits[dot:]
	}
	if len(digits) < 5 {
		return s
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return sign + digits + rest
}

// inner is a label as it stands inside a sentence: words begin small, abbreviations
// and names, as "Buddy Threshold" is one, stay.
func inner(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[n:])
	if words := strings.Fields(s); len(words) > 1 && isName(words[0]) && isName(words[1]) {
		return s
	}
	if unicode.IsLower(second) || second == utf8.RuneError || second == ' ' {
		return string(unicode.ToLower(first)) + s[n:]
	}
	return s
}

// isName reports whether a word is written as names are: a capital, then small letters.
func isName(word string) bool {
	first, n := utf8.DecodeRuneInString(word)
	second, _ := utf8.DecodeRuneInString(word[n:])
	return unicode.IsUpper(first) && unicode.IsLower(second)
}

// capital is s as a sentence begins; names with capitals of their own, as "vDNN", stay.
func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if second, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(second) {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

// sentence ends s with a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return capital(strings.TrimSuffix(s, ".")) + "."
}

// exact prints x with full precision, for files.
func exact(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// CellStyle is the style of a cell's bar.
func CellStyle(x report.Cell) string {
	if len(x.Stack) > 0 {
		return stackStyle(x.Stack)
	}
	return "--share:" + strconv.FormatFloat(100*x.Share, 'f', 1, 64) + "%"
}

// stackStyle is the style of a bar of parts, each in the color of its level.
func stackStyle(parts []float64) string {
	var b strings.Builder
	b.WriteString("--stack:linear-gradient(90deg")
	end := 0.0
	for i, x := range parts {
		if x <= 0 {
			continue
		}
		b.WriteString(",var(--level-" + strconv.Itoa(min(i, report.Levels-1)) + ") " + strconv.FormatFloat(100*end, 'f', 1, 64) + "% ")
		end += x
		b.WriteString(strconv.FormatFloat(100*end, 'f', 1, 64) + "%")
	}
	return b.String() + ")"
}
