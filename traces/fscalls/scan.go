package fscalls

import (
	"bytes"
	"math"
)

// decOf reads decimal digits at the beginning of b; n is how many there are, 0 if the
// number has more than 63 bits.
func decOf(b []byte) (v int64, n int) {
	for n < len(b) {
		x := b[n] - '0'
		if x > 9 {
			break
		}
		if v > (math.MaxInt64-int64(x))/10 {
			return 0, 0
		}
		v = 10*v + int64(x)
		n++
	}
	return v, n
}

// decimal reads a whole word as a decimal number.
func decimal(b []byte) (int64, bool) {
	v, n := decOf(b)
	return v, n > 0 && n == len(b)
}

// fraction reads a whole word as a decimal number with up to twelve digits behind the
// point, in units of 10^-places.
func fraction(b []byte, places int) (int64, bool) {
	v, n := decOf(b)
	if n == 0 {
		return 0, false
	}
	b = b[n:]
	if len(b) > 0 && (b[0] != '.' || len(b) > 13) {
		return 0, false
	}
	if len(b) > 0 {
		b = b[1:]
	}
	for i := range places {
		x := int64(0)
		if i < len(b) {
			x = int64(b[i] - '0')
			if b[i] < '0' || b[i] > '9' {
				return 0, false
			}
		}
		if v > (math.MaxInt64-x)/10 {
			return 0, false
		}
		v = 10*v + x
	}
	for _, c := range b[min(places, len(b)):] {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	return v, true
}

// blanks leaves out blanks at the beginning.
func blanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

// word returns the word at the beginning of b, behind blanks, and what follows it.
func word(b []byte) (w, rest []byte) {
	b = blanks(b)
	n := 0
	for n < len(b) && b[n] != ' ' && b[n] != '\t' {
		n++
	}
	return b[:n], b[n:]
}

// hashOf is a number for a name: 64 bits of FNV-1a.
func hashOf(b []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}

// has reports whether one of the words of a list with a sign between them is w.
func has(list []byte, sign byte, w string) bool {
	for len(list) > 0 {
		at := bytes.IndexByte(list, sign)
		if at < 0 {
			at = len(list)
		}
		if string(list[:at]) == w {
			return true
		}
		list = list[min(at+1, len(list)):]
	}
	return false
}
