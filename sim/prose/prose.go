// Package prose writes numbers, amounts and lists as people read them in a sentence or a
// table.
package prose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital makes the first letter a capital.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Lower makes the first letter a small one, for the middle of a sentence, but not that of an
// abbreviation or a name with more capitals: "Host memory" but "SSD" and "ZeRO-Infinity".
func Lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if second, _ := utf8.DecodeRuneInString(s[n:]); !unicode.IsLower(second) {
		return s
	}
	if word, _, _ := strings.Cut(s[n:], " "); strings.ContainsFunc(word, unicode.IsUpper) {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// List is "a", "a and b", "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Sentences makes a sentence of each text, with a capital and a full stop.
func Sentences(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.TrimSuffix(Capital(s), ".") + "."
	}
	return strings.Join(out, " ")
}

// Fixed has so many places behind the point.
func Fixed(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }

// Percent is a share as "12.3 %".
func Percent(share float64) string { return Fixed(100*share, 1) + " %" }

// Less is by which share x is less than y, below 0 where it is more: 64 is 0.326 less than 95.
func Less(x, y float64) float64 { return 1 - x/y }

// More is by which share x is more than y, below 0 where it is less: 95 is 0.484 more than 64.
func More(x, y float64) float64 { return x/y - 1 }

// Signed is a change by a share as "+12.3 %" or "−12.3 %", "none" where that would be 0.0 %.
func Signed(share float64) string {
	switch {
	case share >= 0.0005:
		return "+" + Percent(share)
	case share <= -0.0005:
		return "−" + Percent(-share)
	}
	return "none"
}

// Grouped has a narrow blank between every three digits, from the right; no line breaks there.
func Grouped[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "\u202f" + s[at:]
	}
	return s
}

// ThreeDigits has three digits that count, or more of a large number; x is not negative.
func ThreeDigits(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 0.0005:
		return "under 0.001"
	case x < 1:
		return Fixed(x, 3)
	case x < 10:
		return Fixed(x, 2)
	case x < 100:
		return Fixed(x, 1)
	}
	return Grouped(int64(x + 0.5))
}

// Count is "1 line" or "1 234 lines".
func Count[T ~int | ~int64](n T, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + one + "s"
}

// Bytes is an amount in the decimal unit that suits it, "nothing" of 0.
func Bytes(n float64) string {
	switch {
	case n == 0:
		return "nothing"
	case n < 1000:
		return Fixed(n, 0) + " B"
	case n < 1e6:
		return ThreeDigits(n/1e3) + " kB"
	case n < 1e9:
		return ThreeDigits(n/1e6) + " MB"
	case n < 1e12:
		return ThreeDigits(n/1e9) + " GB"
	}
	return ThreeDigits(n/1e12) + " TB"
}

// few is how many names a sentence lists whole.
const few = 16

// Among says in a sentence about an unknown name which names there are: all if they are few,
// else how many and the three that are most like it.
func Among(got string, names []string) string {
	if len(names) <= few {
		return "there are " + strings.Join(names, ", ")
	}
	like := slices.Clone(names)
	slices.SortStableFunc(like, func(a, b string) int { return cmp.Compare(edits(got, a), edits(got, b)) })
	return fmt.Sprintf("of %d the most alike are %s", len(names), strings.Join(like[:3], ", "))
}

// edits is how many letters to change, take out or put in make one name another, eight for each
// but one for those that are only added at the end: most names are given too short.
func edits(got, name string) int {
	got, name = strings.ToLower(got), strings.ToLower(name)
	row := make([]int, len(name)+1)
	for j := range row {
		row[j] = 8 * j
	}
	for i := range len(got) {
		before := row[0]
		row[0] = 8 * (i + 1)
		for j := range len(name) {
			change := before
			if got[i] != name[j] {
				change += 8
			}
			added := 8
			if i == len(got)-1 {
				added = 1
			}
			before, row[j+1] = row[j+1], min(change, row[j+1]+8, row[j]+added)
		}
	}
	return row[len(name)]
}
