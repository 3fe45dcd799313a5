package labtest

import (
	"encoding/csv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/report"
)

// amount is a text that people read as a number: with its sign, digits, and a unit at most.
var amount = regexp.MustCompile(`^[-+$]{0,2}[0-9][0-9.,]*( ?[^0-9 ]+( (billion|million))?)?$`)

// data checks that a section's numbers are data: one table of comma-separated values, with a key
// for every number, all digits, and units of their own.
func data(t testing.TB, about string, s *report.Section) {
	t.Helper()
	tables := map[string]bool{}
	for i := range s.Tables {
		x := &s.Tables[i]
		if x.Key == "" || x.Key != report.Slug(x.Key, "") || tables[x.Key] {
			t.Errorf("%s: the key %q of table %q is none, or there twice", about, x.Key, x.Title)
		}
		tables[x.Key] = true
	}
	if s.CSV == "" {
		return // it was made by hand
	}
	lines, err := csv.NewReader(strings.NewReader(s.CSV)).ReadAll() // it wants as many cells in each line
	if err != nil || !slices.Equal(lines[0], report.DataHead) {
		t.Errorf("%s: its CSV begins with %q, %v", about, lines, err)
		return
	}
	seen, wrong := map[string]bool{}, 0
	for _, line := range lines[1:] {
		key := strings.Join([]string{line[0], line[1], line[4]}, "\t")
		if wrong < 10 && (seen[key] || !plain(line)) {
			wrong++
			t.Errorf("%s: a line of its CSV is there twice, or no data: %q", about, line)
		}
		seen[key] = true
	}
}

// plain reports whether a line is data: a number with its unit, or words.
func plain(line []string) bool {
	value, unit, text := line[5], line[6], line[7]
	for i, cell := range line {
		if strings.ContainsAny(cell, "\u202f\u00a0−\n") || i != 5 && cell != "" && strings.Contains("=+-@", cell[:1]) {
			return false
		}
	}
	if value == "" {
		return unit == "" && !amount.MatchString(text)
	}
	x, err := strconv.ParseFloat(value, 64)
	return err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && text == ""
}
