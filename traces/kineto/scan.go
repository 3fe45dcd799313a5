package kineto

import "bytes"

// A verdict is how scanning an event went.
type verdict uint8

const (
	whole verdict = iota
	short         // the window ends inside the event
	odd           // not written as the profiler does: the tolerant reader's business
)

// What a byte is outside of strings.
const (
	plainByte = iota // digits, signs, ',', ':', white space
	quoteByte
	openByte
	closeByte
	wordByte // the first letter of true, false and null
	oddByte
)

var byteClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9', bytes.IndexByte([]byte("-+.eE,: \t\r\n"), byte(c)) >= 0:
			t[c] = plainByte
		case c == '"':
			t[c] = quoteByte
		case c == '[' || c == '{':
			t[c] = openByte
		case c == ']' || c == '}':
			t[c] = closeByte
		case c == 't' || c == 'f' || c == 'n':
			t[c] = wordByte
		default:
			t[c] = oddByte
		}
	}
	return t
}()

// space returns the place of the first byte from i on that is not white.
func space(w []byte, i int) int {
	for i < len(w) && (w[i] == ' ' || w[i] == '\n' || w[i] == '\r' || w[i] == '\t') {
		i++
	}
	return i
}

// closing returns the place of the quote that ends the string whose first byte is
// at i, -1 if the window ends before it.
func closing(w []byte, i int) int {
	for from := i; ; {
		j := bytes.IndexByte(w[from:], '"')
		if j < 0 {
			return -1
		}
		j += from
		n := j
		for n > i && w[n-1] == '\\' {
			n--
		}
		if (j-n)%2 == 0 {
			return j
		}
		from = j + 1
	}
}

// leave returns the place after the bracket that closes the given number of open
// brackets, which are objects.
func leave(w []byte, i, depth int) (int, verdict) {
	kinds := uint64(0) // of the open brackets, a bit each: 1 for an array
	for i < len(w) {
		switch byteClass[w[i]] {
		case plainByte:
			i++
		case quoteByte:
			j := closing(w, i+1)
			if j < 0 {
				return 0, short
			}
			i = j + 1
		case openByte:
			if depth++; depth > 60 {
				return 0, odd
			}
			kinds = kinds<<1 | uint64(w[i]>>5&1^1) // '[' is 0x5b, '{' 0x7b
			i++
		case closeByte:
			if kinds&1 != uint64(w[i]>>5&1^1) {
				return 0, odd
			}
			kinds >>= 1
			i++
			if depth--; depth == 0 {
				return i, whole
			}
		case wordByte:
			n, v := word(w, i)
			if v != whole {
				return 0, v
			}
			i = n
		default:
			return 0, odd
		}
	}
	return 0, short
}

// word returns the place after true, false or null.
func word(w []byte, i int) (int, verdict) {
	rest := w[i:]
	if len(rest) < 5 {
		return 0, short
	}
	switch {
	case string(rest[:4]) == "true", string(rest[:4]) == "null":
		return i + 4, whole
	case string(rest[:5]) == "false":
		return i + 5, whole
	}
	return 0, odd
}

// value returns the place after the value that begins at i.
func value(w []byte, i int) (int, verdict) {
	if i >= len(w) {
		return 0, short
	}
	switch byteClass[w[i]] {
	case quoteByte:
		j := closing(w, i+1)
		if j < 0 {
			return 0, short
		}
		return j + 1, whole
	case openByte:
		if w[i] == '[' {
			return list(w, i)
		}
		return leave(w, i+1, 1)
	case wordByte:
		return word(w, i)
	case plainByte:
		start := i
		for i < len(w) && (w[i] >= '0' && w[i] <= '9' || w[i] == '.' || w[i] == '-' || w[i] == 'e' || w[i] == '+' || w[i] == 'E') {
			i++
		}
		if i == len(w) {
			return 0, short
		}
		if i > start {
			return i, whole
		}
	}
	return 0, odd
}

// list returns the place after the array that begins at i.
func list(w []byte, i int) (int, verdict) {
	depth := 0
	for i < len(w) {
		c := w[i]
		switch byteClass[c] {
		case plainByte:
		case quoteByte:
			if i = closing(w, i+1); i < 0 {
				return 0, short
			}
		case openByte:
			if depth++; c == '{' || depth > 1000 {
				return 0, odd
			}
		case closeByte:
			if depth--; c == '}' {
				return 0, odd
			}
			if depth == 0 {
				return i + 1, whole
			}
		case wordByte:
			n, v := word(w, i)
			if v != whole {
				return 0, v
			}
			i = n - 1
		default:
			return 0, odd
		}
		i++
	}
	return 0, short
}

// integer reads a whole number.
func integer(w []byte, i int) (v int64, next int, how verdict) {
	negative := i < len(w) && w[i] == '-'
	if negative {
		i++
	}
	start, u := i, uint64(0)
	for i < len(w) && w[i]-'0' <= 9 {
		u = u*10 + uint64(w[i]-'0')
		i++
	}
	switch {
	case i == len(w):
		return 0, 0, short
	case i == start || i-start > 18 || w[i] == '.' || w[i]|0x20 == 'e':
		return 0, 0, odd
	case negative:
		return -int64(u), i, whole
	}
	return int64(u), i, whole
}

// picosOf has what the first digits after the point of a microsecond are worth.
var picosOf = [6]int64{100_000, 10_000, 1000, 100, 10, 1}

// micros reads a time.
func micros(w []byte, i int) (t clock, next int, how verdict) {
	negative := i < len(w) && w[i] == '-'
	if negative {
		i++
	}
	start := i
	for i < len(w) && w[i]-'0' <= 9 {
		t.micros = t.micros*10 + int64(w[i]-'0')
		i++
	}
	if i == start || i-start > 18 {
		if i == len(w) {
			return t, 0, short
		}
		return t, 0, odd
	}
	if i < len(w) && w[i] == '.' {
		i++
		for point := i; i < len(w) && w[i]-'0' <= 9; i++ {
			if i-point < len(picosOf) {
				t.picos += int64(w[i]-'0') * picosOf[i-point]
			}
		}
	}
	if i == len(w) {
		return t, 0, short
	}
	if w[i]|0x20 == 'e' || w[i] == '.' {
		return t, 0, odd
	}
	if negative {
		t.micros, t.picos = -t.micros, -t.picos
	}
	return t, i, whole
}

// scan reads the event at the beginning of w and returns its length.
func (e *event) scan(w []byte) (n int, how verdict) { return e.object(w, 1, false) }

// object reads an event, or its "args", from after the opening bracket on. It
// returns the place after the closing one.
func (e *event) object(w []byte, i int, args bool) (next int, how verdict) {
	if i = space(w, i); i < len(w) && w[i] == '}' {
		return i + 1, whole
	}
	for {
		var key []byte
		if key, i, how = member(w, i); how != whole {
			return 0, how
		}
		switch {
		case args:
			i, how = e.argument(w, i, key)
		case string(key) == "args" && w[i] == '{':
			i, how = e.object(w, i+1, true)
		default:
			if i, how = e.field(w, i, key); how == whole && !e.needed() {
				return leave(w, i, 1)
			}
		}
		if how != whole {
			return 0, how
		}
		if i = space(w, i); i >= len(w) {
			return 0, short
		}
		if w[i] == '}' {
			return i + 1, whole
		}
		if w[i] != ',' {
			return 0, odd
		}
		i++
	}
}

// member reads the key that begins at i or after white space there, and returns the
// place of its value.
func member(w []byte, i int) (key []byte, next int, how verdict) {
	if i = space(w, i); i >= len(w) {
		return nil, 0, short
	}
	if w[i] != '"' {
		return nil, 0, odd
	}
	i++
	start := i
	for i < len(w) && w[i] != '"' && w[i] != '\\' && w[i] >= ' ' {
		i++
	}
	if i >= len(w) {
		return nil, 0, short
	}
	if w[i] != '"' {
		return nil, 0, odd
	}
	key = w[start:i]
	if i = space(w, i+1); i >= len(w) {
		return nil, 0, short
	}
	if w[i] != ':' {
		return nil, 0, odd
	}
	if i = space(w, i+1); i >= len(w) {
		return nil, 0, short
	}
	return key, i, whole
}

// field reads the value of one of an event's own keys.
func (e *event) field(w []byte, i int, key []byte) (int, verdict) {
	var how verdict
	switch string(key) {
	case "ph", "cat", "name":
		if w[i] != '"' {
			return 0, odd
		}
		j := closing(w, i+1)
		if j < 0 {
			return 0, short
		}
		s := w[i+1 : j]
		switch len(key) {
		case 2:
			if len(s) == 1 {
				e.phase = s[0]
			} else {
				e.phase = '?'
			}
		case 3:
			e.category = categoryOf(s)
		default:
			if !plain(s) {
				return 0, odd
			}
			e.name = s
		}
		return j + 1, whole
	case "ts":
		e.start, i, how = micros(w, i)
		if e.has |= hasTime; e.start.picos != 0 {
			e.has |= fractional
		}
		return i, how
	case "dur":
		e.duration, i, how = micros(w, i)
		if e.has |= hasDuration; e.duration.picos != 0 {
			e.has |= fractional
		}
		return i, how
	case "pid":
		e.process, i, how = integer(w, i)
		return i, how
	case "tid":
		e.thread, i, how = integer(w, i)
		return i, how
	}
	return value(w, i)
}

// argument reads the value of one of the keys of "args".
func (e *event) argument(w []byte, i int, key []byte) (int, verdict) {
	if n := numberOf(key); n != noNumber {
		v, next, how := integer(w, i)
		if how == whole {
			e.put(n, v)
		}
		return next, how
	}
	if to := e.text(key); to != nil {
		if w[i] != '[' {
			return 0, odd
		}
		next, how := list(w, i)
		if how == whole {
			*to = w[i:next]
		}
		return next, how
	}
	return value(w, i)
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
