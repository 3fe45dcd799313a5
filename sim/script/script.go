// Package script joins the lines of a policy into the one text that settings, links and
// files hold. It knows how lines end and where blanks matter, and nothing of what the lines
// say: package policy reads them.
package script

import "strings"

// Most is how many bytes a joined text may have: more is no text for a link.
const Most = 1500

// End ends a line in a joined text. It does in a typed one, too, in comments as well.
const End = '@'

// Join returns text with its lines joined by [End]: without comments but a title, which is
// the comment of the first line, without empty lines, and with blanks only between words,
// and between signs that would be another together.
// Inside parentheses the end of a line is a blank. Joining what is joined changes nothing.
func Join(text string) string {
	b := make([]byte, 0, len(text))
	if first := strings.TrimLeft(text, blanks); strings.HasPrefix(first, "#") {
		line := first[1:]
		if at := strings.IndexAny(line, "\n@"); at >= 0 {
			line = line[:at]
		}
		text = first[1+len(line):]
		if line = strings.Trim(line, blanks); line != "" {
			b = append(append(b, '#'), line...)
		}
	}
	comment, blank, ends, depth := false, false, len(b) > 0, 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\n' || c == End:
			comment, blank, ends = false, true, ends || depth == 0
		case comment:
		case c == '#':
			comment = true
		case strings.IndexByte(blanks, c) >= 0:
			blank = true
		default:
			if ends && len(b) > 0 {
				b = append(b, End)
			} else if blank && len(b) > 0 && joins(b[len(b)-1], c) {
				b = append(b, ' ')
			}
			switch {
			case c == '(':
				depth++
			case c == ')' && depth > 0:
				depth--
			}
			b = append(b, c)
			blank, ends = false, false
		}
	}
	return string(b)
}

// joins reports whether two letters without a blank between them would be of one word, or of one
// sign that compares.
func joins(a, b byte) bool {
	return word(a) && word(b) || b == '=' && strings.IndexByte("<>=!", a) >= 0
}

const blanks = " \t\r"

// word reports whether c is of a name or a number: two of these keep a blank between them.
func word(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Lines returns a joined text with a line for each of its lines, as people read it.
func Lines(text string) string { return strings.ReplaceAll(text, string(End), "\n") }

// Title returns the title of a joined text, "" if it has none.
func Title(text string) string {
	line, _, _ := strings.Cut(text, string(End))
	title, ok := strings.CutPrefix(line, "#")
	if !ok {
		return ""
	}
	return title
}
