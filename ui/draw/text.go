package draw

import (
	"strings"
	"unicode/utf8"
)

// widths are those of the letters from blank to ~ in Liberation Sans, whose
// measures are Arial's, in thousandths of the font's size. Other fonts differ
// by some percent: what is laid out has room for it.
var widths = [95]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// measure is about how wide a text is, in pixels.
func measure(text string, size float64) float64 {
	sum := 0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			sum += int(widths[r-' '])
		case r == '\u202f' || r == '·':
			sum += 250
		case r < 0x2e80:
			sum += 600
		default:
			sum += 1000 // of scripts that are as wide as high
		}
	}
	return float64(float64(sum) * size / 1000 * 1.08)
}

// fit is a text, cut where it is wider than it may be.
func fit(text string, size, width float64) string {
	if measure(text, size) <= width {
		return text
	}
	for text != "" && measure(text+"…", size) > width {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return strings.TrimRight(text, " ") + "…"
}

// wrap breaks a text into lines, the last of which is cut where most are not
// enough.
func wrap(text string, size, width float64, most int) []string {
	var lines []string
	line := ""
	words := strings.Fields(text)
	for i, w := range words {
		next := strings.TrimLeft(line+" "+w, " ")
		if line != "" && measure(next, size) > width {
			if len(lines) == most-1 {
				return append(lines, fit(line+" "+strings.Join(words[i:], " "), size, width))
			}
			lines, next = append(lines, fit(line, size, width)), w
		}
		line = next
	}
	if line != "" {
		lines = append(lines, fit(line, size, width))
	}
	return lines
}

// escape makes text that XML can hold, between tags and in attributes.
func escape(text string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
		case r < ' ', r >= 0xd800 && r <= 0xdfff, r == 0xfffe, r == 0xffff, r == 0x7f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")))
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
