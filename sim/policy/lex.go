package policy

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"spillway/sim/script"
)

// An Error is what is wrong with a text, and where.
type Error struct {
	Line, Column int // from 1, the column in characters
	Text         string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text) }

// A kind of token.
type kind uint8

const (
	word    kind = iota // a name, or one of the language's words
	number              // with its unit
	sign                // what else there is
	comment             // without its #
	newline
	end
)

// A token is a piece of a text.
type token struct {
	kind         kind
	text         string
	line, column int
}

// fails returns an error at the token.
func (t token) fails(format string, a ...any) error {
	return &Error{t.line, t.column, fmt.Sprintf(format, a...)}
}

// is reports whether the token is this word or sign.
func (t token) is(text string) bool { return t.kind <= sign && t.kind != number && t.text == text }

// What people write of other languages, and what to write here.
var elsewhere = []struct{ sign, instead string }{
	{"//", "floor(a / b) is the whole number of times"},
	{"**", "there are no powers; multiply, or write sqrt(a)"},
	{"&&", `write "and"`},
	{"||", `write "or"`},
	{"?", "write x if condition else y"},
	{";", "write every rule on a line of its own"},
	{"+=", "write x = x + ..."},
	{"-=", "write x = x - ..."},
	{"^", "there are no powers; multiply, or write sqrt(a)"},
	{"<>", "write != for unequal"},
}

// signs are those of the language; longer ones first.
var signs = []string{"<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/", "(", ")", ",", ":"}

// lex takes a text apart.
func lex(text string) ([]token, error) {
	if len(text) > mostText {
		return nil, &Error{1, 1, fmt.Sprintf("%d bytes, comments among them, are more than %d", len(text), mostText)}
	}
	var list []token
	at := token{line: 1, column: 1}
	first := true // nothing but blanks so far, in the first line
	for len(text) > 0 {
		t := at
		n := 1
		r, size := utf8.DecodeRuneInString(text)
		switch c := text[0]; {
		case c == '\n' || c == script.End:
			t.kind, t.text = newline, "\n"
		case c == ' ' || c == '\t' || c == '\r':
			at.column++
			text = text[1:]
			continue
		case c == '#':
			n = strings.IndexAny(text, "\n@")
			if n < 0 {
				n = len(text)
			}
			if !utf8.ValidString(text[:n]) {
				return nil, t.fails("this is no UTF-8")
			}
			t.kind, t.text = comment, text[1:n]
			if first {
				if err := title(t); err != nil {
					return nil, err
				}
			}
		case letter(c):
			for n < len(text) && (letter(text[n]) || digit(text[n])) {
				n++
			}
			t.kind, t.text = word, text[:n]
			if n > mostName {
				return nil, t.fails("a name has at most %d letters", mostName)
			}
		case digit(c) || c == '.' && len(text) > 1 && digit(text[1]):
			var err error
			if n, err = digits(text, t); err != nil {
				return nil, err
			}
			t.kind, t.text = number, text[:n]
		default:
			for _, x := range elsewhere {
				if strings.HasPrefix(text, x.sign) {
					return nil, t.fails("%q means nothing here: %s", x.sign, x.instead)
				}
			}
			n = 0
			for _, s := range signs {
				if strings.HasPrefix(text, s) {
					n = len(s)
					break
				}
			}
			switch {
			case n == 0 && c == '!':
				return nil, t.fails(`"!" means nothing here: write "not"`)
			case n == 0 && r == utf8.RuneError && size == 1:
				return nil, t.fails("this is no UTF-8")
			case n == 0:
				return nil, t.fails("%s means nothing here", strconv.QuoteRune(r))
			}
			t.kind, t.text = sign, text[:n]
		}
		list = append(list, t)
		first = false
		at.column += utf8.RuneCountInString(text[:n])
		if t.kind == newline {
			at.line, at.column = at.line+1, 1
		}
		text = text[n:]
	}
	at.kind = end
	return append(list, at), nil
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// title checks the comment of the first line.
func title(t token) error {
	text := strings.Trim(t.text, " \t\r")
	switch {
	case len(text) > mostName:
		return t.fails("a title, which is the first line's comment, has at most %d characters", mostName)
	case text == "":
		return nil
	case !letter(text[0]) && !digit(text[0]) || text[0] == '_':
		return t.fails("a title, which is the first line's comment, begins with a letter or a digit")
	}
	for i := range len(text) {
		if c := text[i]; !letter(c) && !digit(c) && strings.IndexByte(" .-", c) < 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			return t.fails("a title, which is the first line's comment, has letters, digits, blanks, points, _ and -; %s is none", strconv.QuoteRune(r))
		}
	}
	return nil
}

// units are what may stand behind a number: a power of ten, or of two.
var units = []struct {
	name  string
	ten   int
	times float64
}{
	{"KiB", 0, 1 << 10},
	{"MiB", 0, 1 << 20},
	{"GiB", 0, 1 << 30},
	{"KB", 3, 1},
	{"MB", 6, 1},
	{"GB", 9, 1},
	{"ns", -9, 1},
	{"us", -6, 1},
	{"ms", -3, 1},
	{"s", 0, 1},
}

// digits returns how long the number is with which text begins, its unit included.
func digits(text string, t token) (n int, err error) {
	while := func(is func(byte) bool) {
		for n < len(text) && is(text[n]) {
			n++
		}
	}
	while(digit)
	switch {
	case n == 0:
		return 0, t.fails("write 0 before the point")
	case n > 1 && text[0] == '0':
		return 0, t.fails("a number begins with 0 only before a point")
	}
	if n < len(text) && text[n] == '.' {
		n++
		before := n
		if while(digit); n == before {
			return 0, t.fails("write 0 behind the point")
		}
	}
	if n+1 < len(text) && (text[n] == 'e' || text[n] == 'E') {
		k := n + 1
		if (text[k] == '+' || text[k] == '-') && k+1 < len(text) {
			k++
		}
		if digit(text[k]) {
			n = k
			while(digit)
		}
	}
	while(letter)
	if n > mostName {
		return 0, t.fails("a number has at most %d characters", mostName)
	}
	if _, err := value(text[:n]); err != nil {
		return 0, t.fails("%s", err)
	}
	return n, nil
}

// value is what a number is, in bytes or seconds where it has a unit.
func value(text string) (float64, error) {
	n := len(text)
	for n > 0 && letter(text[n-1]) {
		n--
	}
	plain, name := text[:n], text[n:]
	ten, times := 0, 1.0
	if name != "" {
		found := false
		for _, u := range units {
			if u.name == name {
				ten, times, found = u.ten, u.times, true
			}
		}
		if !found {
			list := make([]string, len(units))
			for i := range units {
				list[i] = units[i].name
			}
			return 0, fmt.Errorf("unit %q after a number; units are %s", name, strings.Join(list, ", "))
		}
	}
	if ten != 0 {
		mantissa, power, _ := strings.Cut(strings.ToLower(plain), "e")
		e, _ := strconv.Atoi(power)
		plain = mantissa + "e" + strconv.Itoa(e+ten) // rounded once
	}
	v, err := strconv.ParseFloat(plain, 64)
	if v *= times; err != nil || v > largest {
		return 0, fmt.Errorf("%s is too large", text)
	}
	return v, nil
}

// largest is what a number may be: greater ones are no amounts of anything.
const largest = 1e300
