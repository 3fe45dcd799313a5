package jsonx

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// A kind tells tokens apart.
type kind uint8

const (
	end         kind = iota // the end of the document
	open                    // [ or {
	closing                 // ] or }
	key                     // the string before a colon
	scalar                  // string, number, true, false, null
	punctuation             // , or :
)

// A token is a piece of a document: data[start:end].
type token struct {
	kind       kind
	start, end int
}

// A state is what may come next in a document.
type state uint8

const (
	wantValue   state = iota
	wantFirst         // a value, or the end of an empty array
	wantKey           // after a comma in an object
	wantKeyOr         // a key, or the end of an empty object
	wantColon         // after a key
	wantComma         // after a value in an array or object
	wantNothing       // after the document's value
)

// A scanner takes a document apart and finds its first error of syntax. It
// works where a decoder has failed, to say why; it does not recurse.
type scanner struct {
	data  []byte
	pos   int
	stack []byte // open brackets
	state state
}

// check returns the first error of syntax, or nil.
func check(data []byte) *Error {
	s := scanner{data: data}
	for {
		if t, err := s.next(); err != nil || t.kind == end {
			return err
		}
	}
}

// next returns the next token.
func (s *scanner) next() (token, *Error) {
	for s.pos < len(s.data) && bytes.IndexByte([]byte(" \t\r\n"), s.data[s.pos]) >= 0 {
		s.pos++
	}
	if s.pos == len(s.data) {
		if s.state != wantNothing {
			return token{}, s.unexpected()
		}
		return token{end, s.pos, s.pos}, nil
	}
	c := s.data[s.pos]
	switch s.state {
	case wantColon:
		if c == ':' {
			return s.step(punctuation, wantValue), nil
		}
	case wantComma:
		switch {
		case c == ',' && s.inArray():
			return s.step(punctuation, wantValue), nil
		case c == ',':
			return s.step(punctuation, wantKey), nil
		case c == s.closer():
			return s.close(), nil
		}
	case wantKey, wantKeyOr:
		switch {
		case c == '"':
			return s.string(key, wantColon)
		case c == '}' && s.state == wantKeyOr:
			return s.close(), nil
		}
	case wantValue, wantFirst:
		if c == ']' && s.state == wantFirst {
			return s.close(), nil
		}
		return s.value(c)
	}
	return token{}, s.unexpected()
}

// value scans a scalar or an opening bracket.
func (s *scanner) value(c byte) (token, *Error) {
	switch {
	case c == '{':
		s.stack = append(s.stack, c)
		return s.step(open, wantKeyOr), nil
	case c == '[':
		s.stack = append(s.stack, c)
		return s.step(open, wantFirst), nil
	case c == '"':
		return s.string(scalar, s.after())
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
			t := token{scalar, s.pos, s.pos + len(word)}
			s.pos, s.state = t.end, s.after()
			return t, nil
		}
	}
	return token{}, s.unexpected()
}

// step takes one byte.
func (s *scanner) step(k kind, then state) token {
	t := token{k, s.pos, s.pos + 1}
	s.pos, s.state = t.end, then
	return t
}

func (s *scanner) close() token {
	s.stack = s.stack[:len(s.stack)-1]
	return s.step(closing, s.after())
}

// after returns what follows a whole value.
func (s *scanner) after() state {
	if len(s.stack) == 0 {
		return wantNothing
	}
	return wantComma
}

func (s *scanner) inArray() bool { return s.stack[len(s.stack)-1] == '[' }

func (s *scanner) closer() byte {
	if s.inArray() {
		return ']'
	}
	return '}'
}

// string scans a string with its quotes.
func (s *scanner) string(k kind, then state) (token, *Error) {
	for i := s.pos + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			t := token{k, s.pos, i + 1}
			s.pos, s.state = t.end, then
			return t, nil
		case c < ' ':
			return token{}, newError(s.data, i, fmt.Sprintf("a string may not contain the control character U+%04X as it is; write \\u%04x, or close the string before it", c, c))
		case c == '\\':
			n := escape(s.data[i+1:])
			if n == 0 && i+1 < len(s.data) {
				return token{}, newError(s.data, i, `a backslash in a string must begin one of \" \\ \/ \b \f \n \r \t \uXXXX; a backslash itself is \\`)
			}
			i += n
		}
	}
	return token{}, newError(s.data, s.pos, "the string that begins here is not closed")
}

// escape returns the length of what may follow a backslash, or 0.
func escape(rest []byte) int {
	if len(rest) == 0 {
		return 0
	}
	if bytes.IndexByte([]byte(`"\/bfnrt`), rest[0]) >= 0 {
		return 1
	}
	if rest[0] != 'u' || len(rest) < 5 {
		return 0
	}
	for _, c := range rest[1:5] {
		if bytes.IndexByte([]byte("0123456789abcdefABCDEF"), c) < 0 {
			return 0
		}
	}
	return 5
}

// number scans a number.
func (s *scanner) number() (token, *Error) {
	i := s.pos
	digits := func() bool {
		from := i
		for i < len(s.data) && s.data[i] >= '0' && s.data[i] <= '9' {
			i++
		}
		return i > from
	}
	at := func(set string) bool { return i < len(s.data) && bytes.IndexByte([]byte(set), s.data[i]) >= 0 }
	if at("-") {
		i++
	}
	if zero := at("0"); zero {
		if i++; at("0123456789") {
			return token{}, newError(s.data, s.pos, "a number may not begin with 0")
		}
	} else if !digits() {
		return token{}, s.badNumber(i)
	}
	if at(".") {
		if i++; !digits() {
			return token{}, s.badNumber(i)
		}
	}
	if at("eE") {
		if i++; at("+-") {
			i++
		}
		if !digits() {
			return token{}, s.badNumber(i)
		}
	}
	t := token{scalar, s.pos, i}
	s.pos, s.state = i, s.after()
	return t, nil
}

func (s *scanner) badNumber(at int) *Error {
	return newError(s.data, at, "want a digit, found "+s.found(at))
}

// wants names what may come next.
func (s *scanner) wants() string {
	switch s.state {
	case wantFirst:
		return "a value or ']'"
	case wantKey:
		return "a field name in double quotes"
	case wantKeyOr:
		return "a field name in double quotes or '}'"
	case wantColon:
		return "':' after the field name"
	case wantComma:
		return fmt.Sprintf("',' or '%c'", s.closer())
	case wantNothing:
		return "nothing after the end of the document"
	}
	return "a value"
}

// unexpected returns the error of the byte at pos.
func (s *scanner) unexpected() *Error {
	return newError(s.data, s.pos, "want "+s.wants()+", found "+s.found(s.pos)+s.hint())
}

// found names the character at an offset.
func (s *scanner) found(at int) string {
	if at >= len(s.data) {
		return "the end of the file"
	}
	r, n := utf8.DecodeRune(s.data[at:])
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("the byte 0x%02x", s.data[at])
	}
	return fmt.Sprintf("%q", r)
}

// hint says what to do about errors that are common.
func (s *scanner) hint() string {
	rest := s.data[s.pos:]
	begins := func(prefix string) bool { return bytes.HasPrefix(rest, []byte(prefix)) }
	switch {
	case len(rest) == 0 && s.pos == 0:
		return "; the file is empty"
	case len(rest) == 0:
		return "; the file is cut off"
	case begins("\xef\xbb\xbf"):
		return "; save the file without a byte order mark"
	case begins("//"), begins("/*"), begins("#"):
		return "; JSON has no comments"
	case begins("'"):
		return "; JSON uses double quotes"
	case s.state == wantKey && begins("}"), s.state == wantValue && len(s.stack) > 0 && s.inArray() && begins("]"):
		return "; the comma before it is one too many"
	case begins("True"), begins("False"), begins("None"), begins("NaN"), begins("Infinity"):
		return "; JSON knows true, false, null and finite numbers"
	}
	return ""
}
