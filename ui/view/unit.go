package view

import (
	"slices"
	"strings"
)

// units are the words that stay on the line of the number before them, beside rates, which
// have a slash.
var units = []string{"%", "B", "KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", "PB", "ns", "µs", "ms", "s", "min", "h", "W", "kWh", "k", "M"}

// unparted is a sentence in which no line ends between a number and its unit.
func unparted(text string) string {
	words := strings.Split(text, " ")
	var b strings.Builder
	number := false // the word before is one, or its thousands
	for i, w := range words {
		bare := strings.TrimRight(w, ".,;:)")
		is := number && (slices.Contains(units, bare) || strings.Contains(bare, "/"))
		switch {
		case is:
			b.WriteString("\u00a0")
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(w)
		number = is && (w == "k" || w == "M") || bare != "" && bare == w && bare[len(bare)-1] >= '0' && bare[len(bare)-1] <= '9'
	}
	return b.String()
}
