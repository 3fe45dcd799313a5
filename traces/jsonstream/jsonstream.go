// Package jsonstream reads JSON of any size from front to end, in one pass and
// with a small buffer. The reader asks for what it knows and skips the rest.
//
// Recordings in the wild are often not quite JSON. What can be read without doubt
// is read, and counted as a repair: a comma too many, backslashes that escape
// nothing, control characters, NaN and Infinity, brackets that are missing at the
// end. Everything else is an error with its place.
package jsonstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits of a document.
const (
	MaxDepth = 10_000  // levels of brackets
	MaxText  = 1 << 20 // bytes of a string that is asked for
)

// A Kind says what value comes next.
type Kind uint8

// The kinds of value.
const (
	None   Kind = iota // no value: the end of a list, of the document, or an error
	Object             // {
	Array              // [
	String
	Number // also NaN and Infinity
	True
	False
	Null
)

// Repairs counts what was not JSON and was read all the same.
type Repairs struct {
	Commas    int // too many, before a closing bracket
	Escapes   int // backslashes that escape nothing
	Controls  int // control characters in strings
	NotFinite int // NaN and Infinity
	Unclosed  int // brackets that are missing at the end
}

// Any reports whether anything was repaired.
func (r *Repairs) Any() bool { return *r != Repairs{} }

// An Error says where a document is wrong, and how.
type Error struct {
	Offset  int64 // bytes before the place
	Line    int64 // of the place, from 1
	Message string
}

// Error returns the place and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d (byte %d): %s", e.Line, e.Offset, e.Message)
}

// A Reader reads one document. After an error, or at the end of what is there, all
// methods do nothing and return zero values; Err says which.
type Reader struct {
	Repairs Repairs

	src   io.Reader
	buf   []byte
	pos   int   // of the next byte in buf
	end   int   // of what is in buf
	base  int64 // bytes before buf
	lines int64 // line breaks before buf
	eof   bool  // src has no more
	err   error
	// stack has the open brackets; first reports that the innermost has had no
	// element.
	stack []byte
	first bool
	text  []byte // of strings that could not be returned in place
	cut   bool   // the document ended before its brackets did
	tell  func(int64)
	told  int64 // what tell was last called with
}

// tellEvery is how many bytes are read between two calls of tell, at least.
const tellEvery = 1 << 20

// NewReader returns a reader of what r yields. tell may be nil; it is called with
// the number of bytes read, about every MiB and at the end.
func NewReader(r io.Reader, tell func(bytes int64)) *Reader {
	return &Reader{src: r, buf: make([]byte, 256<<10), tell: tell}
}

// Err returns why reading stopped, nil if the document was read to its end.
func (r *Reader) Err() error { return r.err }

// Offset returns how many bytes are before the next one.
func (r *Reader) Offset() int64 { return r.base + int64(r.pos) }

// Line returns the line of the next byte, from 1.
func (r *Reader) Line() int64 {
	return r.lines + int64(bytes.Count(r.buf[:r.pos], []byte{'\n'})) + 1
}

// Fail stops reading with an error about the place before the next value.
func (r *Reader) Fail(format string, a ...any) { r.fail(fmt.Errorf(format, a...)) }

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = &Error{r.Offset(), r.Line(), err.Error()}
	}
}

// fill makes room and reads more; what lies before keep is given up. It returns
// where keep is now, and false at the end of the source.
func (r *Reader) fill(keep int) (int, bool) {
	if r.eof || r.err != nil {
		return keep, false
	}
	r.lines += int64(bytes.Count(r.buf[:keep], []byte{'\n'}))
	r.base += int64(keep)
	n := copy(r.buf, r.buf[keep:r.end])
	r.pos -= keep
	r.end = n
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	for tries := 0; r.end == n; tries++ {
		m, err := r.src.Read(r.buf[r.end:])
		r.end += m
		if err != nil || tries == 100 {
			r.eof = true
			if err != nil && !errors.Is(err, io.EOF) {
				r.err = fmt.Errorf("byte %d: %w", r.base+int64(r.end), err)
			}
			break
		}
	}
	if read := r.base + int64(r.end); r.tell != nil && (r.eof || read-r.told >= tellEvery) {
		r.told = read
		r.tell(read)
	}
	return 0, r.end > n
}

// Window returns what is read and not yet taken, from the next value on, for
// callers that know well what comes: they may take a whole value with [Reader.Take]
// where they read an element's. It is valid until the next call of another method.
func (r *Reader) Window() []byte {
	if r.err != nil || r.cut {
		return nil
	}
	r.space()
	return r.buf[r.pos:r.end]
}

// Wider reads more into the window; false at the end of the source or where the
// window is larger than any value should be.
func (r *Reader) Wider() bool {
	if r.end-r.pos > MaxText {
		return false
	}
	_, ok := r.fill(r.pos)
	return ok
}

// Take takes the window's first n bytes, which must be one whole value.
func (r *Reader) Take(n int) { r.pos += n }

// space skips white space and returns the next byte, 0 at the end.
func (r *Reader) space() byte {
	for {
		for r.pos < r.end {
			switch c := r.buf[r.pos]; c {
			case ' ', '\t', '\r', '\n':
				r.pos++
			default:
				return c
			}
		}
		if _, ok := r.fill(r.pos); !ok {
			return 0
		}
	}
}

// Peek returns the kind of the next value, without taking it.
func (r *Reader) Peek() Kind {
	if r.err != nil || r.cut {
		return None
	}
	switch c := r.space(); {
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == '"':
		return String
	case c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I':
		return Number
	case c == 't':
		return True
	case c == 'f':
		return False
	case c == 'n':
		return Null
	}
	return None
}

// Object begins an object. Where another value comes it is skipped, and false
// returned.
func (r *Reader) Object() bool { return r.open(Object, '{') }

// Array begins an array. Where another value comes it is skipped, and false
// returned.
func (r *Reader) Array() bool { return r.open(Array, '[') }

func (r *Reader) open(k Kind, bracket byte) bool {
	if r.Peek() != k {
		r.Skip()
		return false
	}
	if len(r.stack) >= MaxDepth {
		r.Fail("brackets nest deeper than %d levels", MaxDepth)
		return false
	}
	r.pos++
	r.stack = append(r.stack, bracket)
	r.first = true
	return true
}

// Key returns the next key of the innermost object, until the next call; false at
// its end.
func (r *Reader) Key() ([]byte, bool) {
	if !r.next('{', '}') {
		return nil, false
	}
	if c := r.space(); c != '"' {
		r.unexpected("a name in double quotes")
		return nil, false
	}
	key, ok := r.Text()
	if !ok {
		return nil, false
	}
	// The name may lie in the buffer, which the colon may need.
	if r.pos < r.end && r.buf[r.pos] == ':' {
		r.pos++
		return key, true
	}
	r.text = append(r.text[:0], key...)
	switch c := r.space(); {
	case c == 0 && r.pos >= r.end:
		r.ended()
		return nil, false
	case c != ':':
		r.unexpected("':' after the name")
		return nil, false
	}
	r.pos++
	return r.text, true
}

// Elem reports whether the innermost array has another element.
func (r *Reader) Elem() bool { return r.next('[', ']') }

// next moves to the next element of the innermost bracket, or past its end.
func (r *Reader) next(opening, closing byte) bool {
	if r.err != nil || r.cut || len(r.stack) == 0 {
		return false
	}
	if r.stack[len(r.stack)-1] != opening {
		r.Fail("an element was asked for where none can be") // of the caller
		return false
	}
	c := r.space()
	commas := 0
	for !r.first && c == ',' {
		r.pos++
		commas++
		c = r.space()
	}
	switch {
	case c == closing:
		r.Repairs.Commas += commas
		r.pos++
		r.close()
		return false
	case c == 0 && r.pos >= r.end:
		r.ended()
		return false
	case !r.first && commas == 0:
		r.unexpected(fmt.Sprintf("',' or '%c'", closing))
		return false
	}
	if commas > 1 {
		r.Repairs.Commas += commas - 1
	}
	r.first = false
	return true
}

func (r *Reader) close() {
	r.stack = r.stack[:len(r.stack)-1]
	r.first = false
}

// ended is called where the document ends inside brackets.
func (r *Reader) ended() {
	if r.err == nil {
		r.cut = true
		r.Repairs.Unclosed = len(r.stack)
	}
}

// Cut reports that the document ended inside brackets.
func (r *Reader) Cut() bool { return r.cut }

// unexpected fails with what was wanted and what there is.
func (r *Reader) unexpected(want string) {
	c := r.space()
	if r.err != nil {
		return
	}
	found := "the end of the file"
	if r.pos < r.end {
		found = fmt.Sprintf("%q", c)
		if c >= utf8.RuneSelf || c < ' ' {
			found = fmt.Sprintf("the byte 0x%02x", c)
		}
	}
	r.Fail("want %s, found %s", want, found)
}

// Text returns a string, without quotes and escapes, until the next call. Another
// value is skipped, and false returned.
func (r *Reader) Text() ([]byte, bool) {
	if r.Peek() != String {
		r.Skip()
		return nil, false
	}
	r.pos++
	start := r.pos
	at := start
	for {
		if i := bytes.IndexByte(r.buf[at:r.end], '"'); i >= 0 {
			s := r.buf[start : at+i]
			if !plain(s) {
				return r.escaped(start)
			}
			r.pos = at + i + 1
			return s, true
		}
		if r.end-start > MaxText {
			r.Fail("the string that begins here has more than %d bytes", MaxText)
			return nil, false
		}
		at = r.end
		moved, ok := r.fill(start)
		at -= start - moved
		start = moved
		if !ok {
			r.ended()
			r.pos = r.end
			return nil, false
		}
	}
}

// plain reports whether a string's bytes stand for themselves.
func plain(s []byte) bool {
	for _, c := range s {
		if c == '\\' || c < ' ' {
			return false
		}
	}
	return true
}

// escaped returns the string that begins at start, which has escapes or control
// characters.
func (r *Reader) escaped(start int) ([]byte, bool) {
	r.pos = start
	out := r.text[:0]
	for len(out) <= MaxText {
		if r.pos == r.end {
			if _, ok := r.fill(r.pos); !ok {
				r.ended()
				return nil, false
			}
		}
		c := r.buf[r.pos]
		r.pos++
		switch {
		case c == '"':
			r.text = out
			return out, true
		case c == '\\':
			out = r.escape(out)
		default:
			if c < ' ' {
				r.Repairs.Controls++
			}
			out = append(out, c)
		}
	}
	r.Fail("the string that ends here has more than %d bytes", MaxText)
	return nil, false
}

// escape appends what an escape stands for; its backslash is taken.
func (r *Reader) escape(out []byte) []byte {
	for r.end-r.pos < 5 {
		if _, ok := r.fill(r.pos); !ok {
			break
		}
	}
	rest := r.buf[r.pos:r.end]
	if len(rest) == 0 {
		return out
	}
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), rest[0]); i >= 0 {
		r.pos++
		return append(out, "\"\\/\b\f\n\r\t"[i])
	}
	if rest[0] == 'u' && len(rest) >= 5 {
		if v, ok := hex(rest[1:5]); ok {
			r.pos += 5
			return utf8.AppendRune(out, v) // half of a pair becomes U+FFFD
		}
	}
	r.Repairs.Escapes++
	return append(out, '\\')
}

// hex reads hexadecimal digits.
func hex(s []byte) (v rune, ok bool) {
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// Number returns a number as it is written, until the next call; also one in
// quotes. NaN, Infinity and other values are skipped, and false returned.
func (r *Reader) Number() ([]byte, bool) {
	switch r.Peek() {
	case String:
		return r.Text()
	case Number:
	default:
		r.Skip()
		return nil, false
	}
	s := r.word()
	if !numeral(s) {
		r.oddWord(s)
		return nil, false
	}
	return s, true
}

// Int returns a whole number. Other values are skipped, and false returned; so is
// one that does not fit.
func (r *Reader) Int() (int64, bool) {
	s, ok := r.Number()
	if !ok {
		return 0, false
	}
	return ParseInt(s)
}

// ParseInt reads a whole number; it reports false where s is none or does not fit.
func ParseInt(s []byte) (int64, bool) { return ParseDecimal(s, 0) }

// ParseDecimal returns a decimal number times ten to the power of scale, rounded
// to the nearest, without passing through a float. It reports false where s is
// none or does not fit.
func ParseDecimal(s []byte, scale int) (int64, bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	var v uint64
	digits, after, point, round := 0, 0, false, false
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if point && after >= scale {
			if after == scale {
				round = c >= '5'
			}
			after++
			continue
		}
		if d := uint64(c - '0'); v > (1<<63-1-d)/10 {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
		if point {
			after++
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(s) { // an exponent
		return parseExponent(s, i, scale, negative)
	}
	for ; after < scale; after++ {
		if v > (1<<63-1)/10 {
			return 0, false
		}
		v *= 10
	}
	if round {
		v++
	}
	if v > 1<<63-1 {
		return 0, false
	}
	if negative {
		return -int64(v), true
	}
	return int64(v), true
}

// parseExponent reads a number whose mantissa ends at i.
func parseExponent(s []byte, i, scale int, negative bool) (int64, bool) {
	if s[i]|0x20 != 'e' {
		return 0, false
	}
	e := s[i+1:]
	if len(e) > 0 && e[0] == '+' {
		e = e[1:]
	}
	if len(e) == 0 || len(e) > 4 || bytes.ContainsAny(e, ".eE") {
		return 0, false
	}
	power, ok := ParseDecimal(e, 0)
	if !ok || power+int64(scale) < 0 {
		// The mantissa's digits shift to the right: what remains is below one unit
		// or needs more digits than such numbers have.
		if ok && power+int64(scale) < -20 {
			return 0, true
		}
		v, fits := ParseDecimal(s[:i], 0)
		if !ok || !fits {
			return 0, false
		}
		for k := power + int64(scale); k < 0; k++ {
			v /= 10
		}
		if negative {
			v = -v
		}
		return v, true
	}
	if power > 40 {
		return 0, false
	}
	v, ok := ParseDecimal(s[:i], scale+int(power))
	if negative {
		v = -v
	}
	return v, ok
}

// Bool returns true or false. Other values are skipped, and false returned as the
// second.
func (r *Reader) Bool() (is, ok bool) {
	switch r.Peek() {
	case True:
		r.Skip()
		return true, r.err == nil
	case False:
		r.Skip()
		return false, r.err == nil
	}
	r.Skip()
	return false, false
}

// word takes the letters, digits and signs that come next.
func (r *Reader) word() []byte {
	start, at := r.pos, r.pos
	for {
		for at < r.end && wordByte[r.buf[at]] {
			at++
		}
		if at < r.end && at-start <= 4096 {
			break
		}
		if at-start > 4096 {
			r.Fail("a number has more than 4096 digits")
			return nil
		}
		moved, ok := r.fill(start)
		at -= start - moved
		start = moved
		if !ok {
			break
		}
	}
	r.pos = at
	return r.buf[start:at]
}

// wordByte has the bytes of numbers and names of constants.
var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '-' || c == '.'
	}
	return t
}()

// numeral reports whether s can be a number.
func numeral(s []byte) bool {
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9', c == '.', c|0x20 == 'e':
		case c == '-' || c == '+':
			if i > 0 && s[i-1]|0x20 != 'e' {
				return false
			}
		default:
			return false
		}
	}
	return len(s) > 0
}

// oddWord judges a word that is no number.
func (r *Reader) oddWord(s []byte) {
	switch string(s) {
	case "NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "-nan":
		r.Repairs.NotFinite++
	case "true", "false", "null", "":
	default:
		if len(s) > 24 {
			s = s[:24]
		}
		r.pos -= min(len(s), r.pos)
		r.Fail("want a value, found %q", s)
	}
}

// Skip takes the next value, whatever it is.
func (r *Reader) Skip() {
	if r.err != nil || r.cut {
		return
	}
	depth := len(r.stack)
	for {
		switch c := r.space(); {
		case c == '"':
			r.skipString()
		case c == '{' || c == '[':
			if len(r.stack) >= MaxDepth {
				r.Fail("brackets nest deeper than %d levels", MaxDepth)
				return
			}
			r.pos++
			r.stack = append(r.stack, c)
		case c == '}' || c == ']':
			if len(r.stack) == depth || r.stack[len(r.stack)-1] != c-2 {
				r.unexpected("a value")
				return
			}
			r.pos++
			r.stack = r.stack[:len(r.stack)-1]
		case c == ',' || c == ':':
			if len(r.stack) == depth {
				r.unexpected("a value")
				return
			}
			r.pos++
			continue
		case c == 0 && r.pos >= r.end:
			if r.err == nil && len(r.stack) == 0 {
				r.unexpected("a value")
				return
			}
			r.ended()
			return
		case wordByte[c]:
			if s := r.word(); !numeral(s) {
				r.oddWord(s)
			}
		default:
			r.unexpected("a value")
		}
		if r.err != nil || r.cut {
			return
		}
		if len(r.stack) == depth {
			r.first = false
			return
		}
	}
}

// skipString takes a string.
func (r *Reader) skipString() {
	r.pos++
	for {
		i := bytes.IndexByte(r.buf[r.pos:r.end], '"')
		if i < 0 {
			// A backslash at the end of the buffer must stay with what it escapes.
			n := trailing(r.buf[r.pos:r.end])
			r.pos = r.end - n%2
			if _, ok := r.fill(r.pos); !ok {
				r.pos = r.end
				r.ended()
				return
			}
			continue
		}
		n := trailing(r.buf[r.pos : r.pos+i])
		r.pos += i + 1
		if n%2 == 0 {
			return
		}
	}
}

// trailing counts the backslashes at the end of s.
func trailing(s []byte) int {
	n := len(s)
	for n > 0 && s[n-1] == '\\' {
		n--
	}
	return len(s) - n
}

// End reports whether nothing follows the document's value; an error says what
// does.
func (r *Reader) End() bool {
	if r.err != nil || r.cut {
		return r.err == nil
	}
	if c := r.space(); c != 0 || r.pos < r.end {
		r.unexpected("nothing after the end of the document")
	}
	return r.err == nil
}
