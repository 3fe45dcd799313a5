package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A plainWriter passes text on in which nothing steers a terminal, whatever files said:
// control characters, and those that turn the direction of writing, are written as in
// JSON, so that JSON stays what it is.
type plainWriter struct {
	to   io.Writer
	rest []byte // the beginning of a character
}

// Write implements io.Writer.
func (p *plainWriter) Write(text []byte) (int, error) {
	all := append(p.rest, text...)
	p.rest = nil
	var b strings.Builder
	for len(all) > 0 {
		r, n := utf8.DecodeRune(all)
		switch {
		case r == utf8.RuneError && n == 1 && !utf8.FullRune(all):
			p.rest = append([]byte(nil), all...)
			n = len(all)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, all[0])
		case r == '\n', r == '\t', !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r):
			b.Write(all[:n])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		all = all[n:]
	}
	_, err := io.WriteString(p.to, b.String())
	return len(text), err
}
