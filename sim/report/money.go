package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Dollars prints an amount of money: "$27,609", below a hundred "$45.26", whole ones "$54".
func Dollars(x float64) string {
	sign, n := "", math.Abs(x)
	if x < 0 {
		sign = "−"
	}
	if cents := math.Round(float64(100 * n)); cents < 100_00 && int(cents)%100 != 0 {
		return sign + fmt.Sprintf("$%.2f", n)
	}
	digits := strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + "$" + digits
}

// WithUnit puts a unit behind a number as text, of dollars before it.
func WithUnit(number, unit string) string {
	switch unit {
	case "":
		return number
	case "$":
		if x, err := strconv.ParseFloat(strings.ReplaceAll(number, "\u202f", ""), 64); err == nil {
			return Dollars(x)
		}
	}
	return number + " " + unit
}
