package opstrace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// splitJSON reads a line that is one flat object: strings and numbers.
func splitJSON(d *decoder, line []byte) error {
	s := jsonLine{d: d, rest: line}
	if err := s.want('{'); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.rest = s.rest[1:]
		return s.end()
	}
	for {
		key, err := s.text()
		if err != nil {
			return err
		}
		col := column(key)
		if col < 0 {
			return fmt.Errorf("unknown field %.40q; want one of %s", key, strings.Join(keys, ", "))
		}
		if d.fields[col] != nil {
			return fmt.Errorf("the field %q is there twice", key)
		}
		if err := s.want(':'); err != nil {
			return err
		}
		if d.fields[col], err = s.value(col); err != nil {
			return fmt.Errorf("%s: %w", keys[col], err)
		}
		if s.peek() == ',' {
			s.rest = s.rest[1:]
			continue
		}
		if err := s.want('}'); err != nil {
			return err
		}
		return s.end()
	}
}

func column(key []byte) int {
	for i, k := range keys {
		if string(key) == k {
			return i
		}
	}
	return -1
}

// A jsonLine is what is left of a line.
type jsonLine struct {
	d    *decoder
	rest []byte
}

// peek returns the next byte that is not blank, or 0 at the end.
func (s *jsonLine) peek() byte {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t') {
		s.rest = s.rest[1:]
	}
	if len(s.rest) == 0 {
		return 0
	}
	return s.rest[0]
}

func (s *jsonLine) want(c byte) error {
	if s.peek() != c || len(s.rest) == 0 {
		return fmt.Errorf("want %q, found %s", c, s.found())
	}
	s.rest = s.rest[1:]
	return nil
}

func (s *jsonLine) end() error {
	if s.peek(); len(s.rest) > 0 {
		return fmt.Errorf("want nothing after the object, found %s", s.found())
	}
	return nil
}

func (s *jsonLine) found() string {
	if len(s.rest) == 0 {
		return "the end of the line"
	}
	return fmt.Sprintf("%.40q", s.rest)
}

// value reads the value of a column. Names and the operation are strings, time
// and size are numbers, and next is either.
func (s *jsonLine) value(col int) ([]byte, error) {
	quoted := s.peek() == '"'
	switch {
	case col == colTime || col == colBytes:
		if quoted {
			return nil, fmt.Errorf("want a number, found %s", s.found())
		}
	case col != colNext && !quoted:
		return nil, fmt.Errorf("want a string, found %s", s.found())
	}
	if quoted {
		return s.text()
	}
	n := 0
	for n < len(s.rest) && (s.rest[n] >= '0' && s.rest[n] <= '9' || s.rest[n] == '.') {
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("want a number without sign or exponent, found %s", s.found())
	}
	v := s.rest[:n]
	s.rest = s.rest[n:]
	return v, nil
}

// text reads a string. The result is never nil.
func (s *jsonLine) text() ([]byte, error) {
	if err := s.want('"'); err != nil {
		return nil, err
	}
	for i, c := range s.rest {
		switch {
		case c == '"':
			v := s.rest[:i:i]
			s.rest = s.rest[i+1:]
			return v, nil
		case c == '\\':
			return s.escaped()
		case c < ' ':
			return nil, fmt.Errorf("the string %.40q has a control character", s.rest)
		}
	}
	return nil, s.open()
}

func (s *jsonLine) open() error {
	return fmt.Errorf("the string %.40q is not closed", s.rest)
}

// escaped reads the rest of a string with backslashes in it.
func (s *jsonLine) escaped() ([]byte, error) {
	out := s.d.scratch
	from := len(out)
	for i := 0; i < len(s.rest); {
		c := s.rest[i]
		switch {
		case c == '"':
			s.rest = s.rest[i+1:]
			s.d.scratch = out
			return out[from:len(out):len(out)], nil
		case c < ' ':
			return nil, fmt.Errorf("the string %.40q has a control character", s.rest)
		case c != '\\':
			out = append(out, c)
			i++
			continue
		case i+1 == len(s.rest):
			return nil, s.open()
		}
		if at := strings.IndexByte(`"\/bfnrt`, s.rest[i+1]); at >= 0 {
			out = append(out, "\"\\/\b\f\n\r\t"[at])
			i += 2
			continue
		}
		r, n := unicodeEscape(s.rest[i:])
		if n == 0 {
			return nil, fmt.Errorf("%.12q is not an escape", s.rest[i:])
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return nil, s.open()
}

// unicodeEscape reads \uXXXX, or two of them that are one character.
func unicodeEscape(b []byte) (r rune, n int) {
	r, ok := hex(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex(b[6:])
	if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
		return pair, 12
	}
	return 0, 0
}

func hex(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}
