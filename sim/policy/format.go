package policy

import (
	"slices"
	"strings"

	"spillway/sim/script"
)

// Format returns a text with blanks as people write them, a line each; comments and single
// empty lines stay. It asks only that the text can be taken apart.
func Format(text string) (string, error) {
	tokens, err := lex(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	depth, empty := 0, 0
	var line []token
	var comments []string
	flush := func() {
		if len(line) == 0 && len(comments) == 0 {
			empty++
			return
		}
		if empty > 0 && (b.Len() > 0 || len(line) == 0) { // a comment that is no title becomes none
			b.WriteByte('\n')
		}
		empty = 0
		said := spaced(line)
		for _, c := range comments {
			if said != "" {
				said += " "
			}
			said += strings.TrimRight("# "+c, " ")
		}
		b.WriteString(said)
		b.WriteByte('\n')
		line, comments = nil, nil
	}
	for _, t := range tokens {
		switch {
		case t.kind == comment:
			comments = append(comments, strings.Trim(t.text, " \t\r"))
		case t.kind == newline && depth > 0:
		case t.kind == newline || t.kind == end:
			flush()
		default:
			if t.is("(") {
				depth++
			} else if t.is(")") {
				depth = max(0, depth-1)
			}
			line = append(line, t)
		}
	}
	return b.String(), nil
}

// Print returns a joined text as people read it.
func Print(joined string) string {
	text, err := Format(joined)
	if err != nil {
		return script.Lines(joined)
	}
	return strings.TrimSuffix(text, "\n")
}

// spaced is the text of a line's tokens.
func spaced(line []token) string {
	var b strings.Builder
	before := token{kind: newline}
	tight := true // nothing stands before, or a sign that a name follows at once
	for _, t := range line {
		unary := t.is("-") && (before.kind == newline || before.kind == sign && !before.is(")") || before.kind == word && slices.Contains(words, before.text))
		call := t.is("(") && before.kind == word && functions[before.text].op != 0
		if !tight && !call && !t.is(")") && !t.is(",") && !t.is(":") {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		tight = unary || t.is("(")
		before = t
	}
	return b.String()
}
