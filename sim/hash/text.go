// Package hash makes the hashes of results. What is hashed is a text that lists a result's
// fields by name, each written out where the result's type is: names of fields, and facts
// that results learn to hold later, move no hash that was published.
package hash

import (
	"encoding/hex"
	"strconv"
)

// Sum returns the SHA-256 of a text, in hexadecimal. It is written out here, because that
// of the standard library brings other ciphers with it: 0.09 MB of a program's code, 0.04
// as it travels.
func Sum(text []byte) string {
	digest := sum(text)
	return hex.EncodeToString(digest[:])
}

// A Text is JSON that is being written: fields by name, in the order of the calls.
type Text []byte

// Open begins an object, {, or an array, [.
func (t *Text) Open(bracket byte) {
	t.comma()
	*t = append(*t, bracket)
}

// Close ends an object, }, or an array, ].
func (t *Text) Close(bracket byte) { *t = append(*t, bracket) }

// comma separates a member or an element from the one before.
func (t *Text) comma() {
	if n := len(*t); n > 0 && (*t)[n-1] != '{' && (*t)[n-1] != '[' && (*t)[n-1] != ':' {
		*t = append(*t, ',')
	}
}

// Name begins a field of an object; its value follows.
func (t *Text) Name(key string) {
	t.Quote(key)
	*t = append(*t, ':')
}

// Quote writes a string, which is printable.
func (t *Text) Quote(s string) {
	t.comma()
	*t = strconv.AppendQuote(*t, s)
}

// Null writes that there is no value.
func (t *Text) Null() {
	t.comma()
	*t = append(*t, "null"...)
}

// String writes a field that is a text.
func (t *Text) String(key, v string) {
	t.Name(key)
	t.Quote(v)
}

// Bool writes a field that is yes or no.
func (t *Text) Bool(key string, v bool) {
	t.Name(key)
	*t = strconv.AppendBool(*t, v)
}

// Int writes a field that is a whole number.
func (t *Text) Int(key string, v int64) {
	t.Name(key)
	*t = strconv.AppendInt(*t, v, 10)
}

// An integer is a whole number, in whatever unit.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// Ints writes a field that is an array of whole numbers; null if it was never made.
func Ints[N integer](t *Text, key string, list []N) {
	t.Name(key)
	numbers(t, &list)
}

// Rows writes a field that is an array of such arrays.
func Rows[N integer](t *Text, key string, rows [][]N) { List(t, key, rows, numbers) }

// numbers writes an array of whole numbers.
func numbers[N integer](t *Text, list *[]N) {
	if *list == nil {
		t.Null()
		return
	}
	t.Open('[')
	for _, n := range *list {
		t.comma()
		*t = strconv.AppendInt(*t, int64(n), 10)
	}
	t.Close(']')
}

// Counts writes a field that is whole numbers by what they count: an object of those that
// are not 0, by place. What is counted later, at a place behind the others, moves no hash
// of a run in which it does not happen.
func Counts[N integer](t *Text, key string, list []N) {
	t.Name(key)
	t.Open('{')
	for i, n := range list {
		if n != 0 {
			t.Int(strconv.Itoa(i), int64(n))
		}
	}
	t.Close('}')
}

// List writes a field that is an array; null if it was never made.
func List[E any](t *Text, key string, list []E, element func(*Text, *E)) {
	t.Name(key)
	if list == nil {
		t.Null()
		return
	}
	t.Open('[')
	for i := range list {
		element(t, &list[i])
	}
	t.Close(']')
}

// Strings writes a field that is an array of texts; null if it was never made.
func Strings(t *Text, key string, list []string) {
	List(t, key, list, func(t *Text, s *string) { t.Quote(*s) })
}
