package address

import "math"

// digits has the value of every hexadecimal digit, 16 for other bytes.
var digits = func() (t [256]byte) {
	for i := range t {
		t[i] = 16
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// hexOf reads hexadecimal digits at the beginning of b; n is how many there are, 0 if
// the number has more than 64 bits.
func hexOf(b []byte) (v uint64, n int) {
	for n < len(b) {
		x := digits[b[n]]
		if x == 16 {
			break
		}
		if v>>60 != 0 {
			return 0, 0
		}
		v = v<<4 | uint64(x)
		n++
	}
	return v, n
}

// decOf reads decimal digits at the beginning of b; n is how many there are, 0 if the
// number has more than 64 bits.
func decOf(b []byte) (v uint64, n int) {
	for n < len(b) {
		x := b[n] - '0'
		if x > 9 {
			break
		}
		if v >= math.MaxUint64/10 && (v > math.MaxUint64/10 || x > math.MaxUint64%10) {
			return 0, 0
		}
		v = 10*v + uint64(x)
		n++
	}
	return v, n
}

// isHex reports whether a word is a hexadecimal number.
func isHex(w []byte) bool {
	_, n := hexOf(w)
	return n > 0 && n == len(w)
}

// number reads a whole word as decimal, or as hexadecimal behind 0x.
func number(b []byte) (uint64, bool) {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		v, n := hexOf(b[2:])
		return v, n > 0 && n == len(b)-2
	}
	v, n := decOf(b)
	return v, n > 0 && n == len(b)
}

// decimal reads a whole word as decimal.
func decimal(b []byte) (uint64, bool) {
	v, n := decOf(b)
	return v, n > 0 && n == len(b)
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
