package report

import (
	"strconv"
	"strings"
)

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
