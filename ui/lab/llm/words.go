package llm

import (
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/llm/model"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// fixed writes a number with so many decimals.
func fixed(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }

// part is a share, 0 of nothing.
func part[T ~int64](n, of T) float64 { return float64(n) / float64(max(of, 1)) }

// percent is a share as text.
func percent(x float64) string { return fixed(100*x, 1) + " %" }

// grouped writes a count with spaces between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}

// few writes a number of which three digits matter.
func few(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 0.0005:
		return "under 0.001"
	case x < 1:
		return fixed(x, 3)
	case x < 10:
		return fixed(x, 2)
	case x < 100:
		return fixed(x, 1)
	}
	return grouped(int64(x + 0.5))
}

// text is a cell.
func text(format string, a ...any) report.Cell { return report.Cell{Text: fmt.Sprintf(format, a...)} }

// dash is the cell of what is not there.
var dash = report.Cell{Text: "–"}

// shareCell is a share with its bar.
func shareCell(x float64) report.Cell {
	return report.Cell{Text: percent(x), Share: min(max(x, 0), 1)}
}

// bytesCell is an amount, of which nothing is a dash.
func bytesCell(n unit.Bytes) report.Cell {
	if n == 0 {
		return dash
	}
	return report.Cell{Text: amount(n)}
}

// amount writes bytes that moved, which count in powers of ten as rates do.
func amount(n unit.Bytes) string {
	x := float64(n)
	switch {
	case n == 0:
		return "nothing"
	case x < 1e6:
		return few(x/1e3) + " kB"
	case x < 1e9:
		return few(x/1e6) + " MB"
	case x < 1e12:
		return few(x/1e9) + " GB"
	}
	return few(x/1e12) + " TB"
}

// terabytes writes an endurance.
func terabytes(n unit.Bytes) string { return few(float64(n)/1e12) + " TB" }

// long is a time.
func long(t unit.Time) report.Cell {
	if t == 0 {
		return dash
	}
	return report.Cell{Text: t.String()}
}

// listed joins words: "a", "a and b", "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// many is a count with its word: "1 line", "2 lines".
func many(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(n) + " " + word + "s"
}

// size writes how many parameters a model has: "70.6 billion".
func size(a *model.Arch) string { return billions(a.Parameters()) }

// money writes cents.
func money(cents int64) string {
	return report.Dollars(float64(cents) / 100)
}

// ratio is a quotient, none of nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return report.None()
	}
	return a / b
}

// lowered is a sentence as the rest of one, but for names.
func lowered(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
