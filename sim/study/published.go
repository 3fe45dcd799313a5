package study

import (
	"fmt"
	"strconv"
	"strings"
)

// Records takes the text of a CSV file apart, without its heading and without lines that
// begin with #. A cell with commas stands in quotation marks, and none has such a mark in
// it; encoding/csv would weigh more than the rest of a paper's code. The files are part of
// the program, and a test reads each: what is wrong with one is a panic.
func Records(name, text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line == "" || line[0] == '#' {
			continue
		}
		row := cells(line)
		if len(rows) > 0 && len(row) != len(rows[0]) {
			panic(fmt.Sprintf("%s: %d cells in %q, and %d in its heading", name, len(row), line, len(rows[0])))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		panic(name + ": no heading")
	}
	return rows[1:]
}

// cells takes a line apart.
func cells(line string) []string {
	var list []string
	for {
		cell, rest, more := strings.Cut(line, ",")
		if strings.HasPrefix(line, `"`) {
			cell, rest, _ = strings.Cut(line[1:], `"`)
			rest, more = strings.CutPrefix(rest, ",")
		}
		if list = append(list, cell); !more {
			return list
		}
		line = rest
	}
}

// Number reads a number of a table.
func Number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("a published table: " + err.Error())
	}
	return v
}

// Gaps are the numbers that a laboratory does not reach, as recorded: the values that
// they have, by the columns of GapColumns without the last. Any other gap, and one of
// these with another value, is not as recorded.
type Gaps map[[5]string]string

// GapColumns is the heading of a table of gaps.
const GapColumns = "figure,system,of,at,quantity,ours"

// ReadGaps reads a table with GapColumns.
func ReadGaps(rows [][]string) Gaps {
	g := Gaps{}
	for _, f := range rows {
		g[[5]string(f[:5])] = f[5]
	}
	return g
}

// Known reports whether a row is a gap that is recorded with the value that it has.
func (g Gaps) Known(r *Row) bool {
	key := GapOf(r)
	ours, ok := g[[5]string(key[:5])]
	return ok && r.Status == Gap && ours == key[5]
}

// GapOf is a row of a table of gaps: ours to three digits, or "-" if it does not fit.
func GapOf(r *Row) [6]string {
	ours := "-"
	if r.OursFits {
		ours = strconv.FormatFloat(r.Ours, 'g', 3, 64)
	}
	return [6]string{r.Figure, r.System, r.Of, r.At, r.Quantity, ours}
}
