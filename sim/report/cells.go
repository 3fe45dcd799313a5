package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/unit"
)

// Textf is a cell with a text, as fmt.Sprintf makes it. A single argument that is an amount,
// a time, a rate or a count, printed by itself, is its number in full.
func Textf(format string, a ...any) Cell {
	c := Cell{Text: fmt.Sprintf(format, a...)}
	if len(a) == 1 && (format == "%v" || format == "%d") {
		c.Data = dataOf(a[0])
	}
	return c
}

// dataOf is the number that something is; nil of what is none.
func dataOf(x any) []Datum {
	switch x := x.(type) {
	case unit.Time:
		return []Datum{{Value: decimal(int64(x), 12), Unit: "s"}}
	case unit.Bytes:
		return []Datum{{Value: decimal(int64(x), 0), Unit: "B"}}
	case unit.Bandwidth:
		return []Datum{{Value: decimal(int64(x), 0), Unit: "B/s"}}
	case int:
		return []Datum{{Value: strconv.Itoa(x)}}
	case int64:
		return []Datum{{Value: decimal(x, 0)}}
	}
	return nil
}

// decimal is n / 10^places, exactly.
func decimal(n int64, places int) string {
	sign, digits := "", strconv.FormatInt(n, 10)
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	if places == 0 {
		return sign + digits
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	whole, rest := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	return strings.TrimSuffix(sign+whole+"."+rest, ".")
}

// With is the cell with its number in full, in a unit. What is no number is left out.
func (c Cell) With(x float64, in string) Cell { return c.Part("", x, in) }

// Part is the cell with one more number in full, and which of its numbers that is.
func (c Cell) Part(part string, x float64, in string) Cell {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		c.Data = append(slices.Clone(c.Data), Datum{Part: part, Value: strconv.FormatFloat(x, 'f', -1, 64), Unit: in})
	}
	return c
}

// WithShare is the cell with a share in full, in percent.
func (c Cell) WithShare(share float64) Cell { return c.With(100*share, "%") }

// AsWritten is the cell with its text as its number in full, if that is what it is.
func (c Cell) AsWritten() Cell {
	if x, err := strconv.ParseFloat(c.Text, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		c.Data = []Datum{{Value: c.Text}}
	}
	return c
}

// Exactly is the cell with the number in full that an amount, a time, a rate or a count is.
func (c Cell) Exactly(x any) Cell {
	c.Data = dataOf(x)
	return c
}

// DashCell stands where there is nothing to say.
func DashCell() Cell { return Cell{Text: "–"} }

// CountCell is a count as "1 234".
func CountCell[T ~int | ~int64](n T) Cell {
	return Cell{Text: prose.Grouped(n), Data: dataOf(int64(n))}
}

// ShareCell is a share from 0 to 1 as "12.3 %", with its bar.
func ShareCell(share float64) Cell {
	return Cell{Text: prose.Percent(share), Share: min(max(share, 0), 1)}.WithShare(share)
}

// TimeCell is a duration in the unit that suits it; of none there is nothing to say.
func TimeCell(t unit.Time) Cell {
	if t == 0 {
		return DashCell().Exactly(t)
	}
	return Cell{Text: t.String()}.Exactly(t)
}

// BytesCell is an amount in the decimal unit that suits it, as rates are; of nothing there
// is nothing to say.
func BytesCell(n float64) Cell {
	if n == 0 {
		return DashCell().With(0, "B")
	}
	return Cell{Text: prose.Bytes(n)}.With(n, "B")
}

// Cells are the texts of a line of comma-separated values, as programs that calculate
// may read them: what begins like a formula, and is no number, has an apostrophe before it.
func Cells(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		if list[i] = text; formula(text) {
			list[i] = "'" + text
		}
	}
	return list
}

// formula reports whether a program that calculates would take a text for a formula.
func formula(text string) bool {
	if text == "" || !strings.Contains("=+-@\t\r", text[:1]) {
		return false
	}
	number := strings.TrimSuffix(strings.TrimSuffix(text, "%"), " ")
	x, err := strconv.ParseFloat(number, 64)
	return err != nil || math.IsInf(x, 0)
}
