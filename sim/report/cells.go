package report

import (
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/unit"
)

// Textf is a cell with a text, as fmt.Sprintf makes it.
func Textf(format string, a ...any) Cell { return Cell{Text: fmt.Sprintf(format, a...)} }

// DashCell stands where there is nothing to say.
func DashCell() Cell { return Cell{Text: "–"} }

// ShareCell is a share from 0 to 1 as "12.3 %", with its bar.
func ShareCell(share float64) Cell {
	return Cell{Text: prose.Percent(share), Share: min(max(share, 0), 1)}
}

// TimeCell is a duration in the unit that suits it; of none there is nothing to say.
func TimeCell(t unit.Time) Cell {
	if t == 0 {
		return DashCell()
	}
	return Cell{Text: t.String()}
}

// BytesCell is an amount in the decimal unit that suits it, as rates are; of nothing there
// is nothing to say.
func BytesCell(n float64) Cell {
	if n == 0 {
		return DashCell()
	}
	return Cell{Text: prose.Bytes(n)}
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
	_, err := strconv.ParseFloat(number, 64)
	return err != nil
}
