package bpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// A Kind says what a code stands for.
type Kind uint8

// The kinds of code.
const (
	Base      Kind = iota // the first word
	ZeroRun               // planes of DBX without a bit
	ZeroDBP               // a plane of DBP without a bit
	AllOnes               // a plane of DBX with all bits
	SingleOne             // a plane of DBX with one bit
	TwoOnes               // a plane of DBX with two bits that are neighbors
	Raw                   // a plane of DBX as it is
)

var kindNames = [...]string{"base", "run of zero planes", "DBP of zeros", "all ones", "single one", "two ones", "raw plane"}

// String returns the kind in words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// A Code is a piece of an entry's bitstream.
type Code struct {
	Kind   Kind
	Plane  int // the first that it stands for, from 32 down; 32 for Base
	Planes int // how many, 0 for Base
	DBX    uint32
	Value  uint64 // the code's bits, the first one highest
	Bits   int
}

// Codes returns the codes of an entry in the order of its bitstream.
func Codes(entry *[Entry]byte) []Code {
	list := append(make([]Code, 0, planes+1), baseCode(binary.LittleEndian.Uint32(entry[:])))
	dbx := xored(entry)
	var dbp uint32
	for p := planes - 1; p >= 0; p-- {
		x := dbx[p]
		dbp ^= x
		if x == 0 {
			run := 1
			for p-run >= 0 && dbx[p-run] == 0 {
				run++
			}
			c := Code{Kind: ZeroRun, Plane: p, Planes: run, Value: 1, Bits: zeroOne}
			if run > 1 {
				c.Value, c.Bits = 1<<5|uint64(run-2), zeroMany
			}
			list = append(list, c)
			p -= run - 1
			continue
		}
		c := planeCode(x, dbp)
		c.Plane, c.Planes, c.DBX = p, 1, x
		list = append(list, c)
	}
	return list
}

// baseCode is the code of the first word.
func baseCode(w uint32) Code {
	c := Code{Kind: Base, Plane: planes - 1, Bits: baseBits(w)}
	switch c.Bits {
	case 3:
	case 7:
		c.Value = 1<<4 | uint64(w&0xf)
	case 11:
		c.Value = 2<<8 | uint64(w&0xff)
	case 19:
		c.Value = 3<<16 | uint64(w&0xffff)
	default:
		c.Value = 1<<32 | uint64(w)
	}
	return c
}

// planeCode is the code of a plane of DBX with a bit in it.
func planeCode(x, dbp uint32) Code {
	low := bits.TrailingZeros32(x)
	switch {
	case dbp == 0:
		return Code{Kind: ZeroDBP, Value: 1, Bits: plain}
	case x == ones:
		return Code{Kind: AllOnes, Value: 0, Bits: plain}
	case x == 1<<low:
		return Code{Kind: SingleOne, Value: 3<<5 | uint64(low), Bits: marked}
	case x == 3<<low:
		return Code{Kind: TwoOnes, Value: 2<<5 | uint64(low), Bits: marked}
	}
	return Code{Kind: Raw, Value: 1<<31 | uint64(x), Bits: raw}
}

// xored returns the planes of DBX, by their number.
func xored(entry *[Entry]byte) (dbx [planes]uint32) {
	var above uint32
	var d [31]int64
	for j := range d {
		d[j] = word(entry, j+1) - word(entry, j)
	}
	for p := planes - 1; p >= 0; p-- {
		var dbp uint32
		for j := range d {
			dbp |= uint32(d[j]>>p&1) << j
		}
		dbx[p] = dbp ^ above
		above = dbp
	}
	return dbx
}

// word returns a word of an entry, signed.
func word(entry *[Entry]byte, j int) int64 {
	return int64(int32(binary.LittleEndian.Uint32(entry[4*j:])))
}

// Append appends the bitstream of an entry, the first bit of a byte highest and the
// last byte filled with zeros, and returns how many bits it has.
func Append(dst []byte, entry *[Entry]byte) ([]byte, int) {
	n, free := 0, 0 // free bits of the last byte
	for _, c := range Codes(entry) {
		n += c.Bits
		for left := c.Bits; left > 0; {
			if free == 0 {
				dst, free = append(dst, 0), 8
			}
			take := min(left, free)
			piece := byte(c.Value >> (left - take) & (1<<take - 1))
			dst[len(dst)-1] |= piece << (free - take)
			left, free = left-take, free-take
		}
	}
	return dst, n
}

// A source hands out bits.
type source struct {
	data []byte
	at   int // bits taken
	end  int // bits there are
	bad  bool
}

// take returns the next n bits, at most 32.
func (s *source) take(n int) (v uint32) {
	if s.end-s.at < n {
		s.bad = true
		return 0
	}
	for range n {
		v = v<<1 | uint32(s.data[s.at/8]>>(7-s.at%8)&1)
		s.at++
	}
	return v
}

// Decode returns the entry that a bitstream of so many bits stands for. The error
// says at which bit it is none.
func Decode(src []byte, bits int) (entry [Entry]byte, err error) {
	if bits < 0 || bits > 8*len(src) {
		return entry, fmt.Errorf("a bitstream of %d bits does not fit into %d bytes", bits, len(src))
	}
	s := source{data: src, end: bits}
	base := decodeBase(&s)
	var dbp [planes + 1]uint32 // the plane above the top one is empty
	for p := planes - 1; p >= 0; {
		at := s.at
		run := decodePlane(&s, &dbp, p)
		if run < 0 || s.bad {
			return entry, fmt.Errorf("bit %d: the code of plane %d is cut off or stands for nothing", at, p)
		}
		if run > p+1 {
			return entry, fmt.Errorf("bit %d: a run of %d zero planes, where %d are left", at, run, p+1)
		}
		p -= run
	}
	if s.at != bits {
		return entry, fmt.Errorf("bit %d: %d bits follow the last plane", s.at, bits-s.at)
	}
	if rebuild(&entry, base, &dbp) {
		return entry, errors.New("the differences leave the range of words")
	}
	return entry, nil
}

// decodeBase takes the first word.
func decodeBase(s *source) uint32 {
	if s.take(1) == 1 {
		return s.take(32)
	}
	n := [...]int{0, 4, 8, 16}[s.take(2)]
	if n == 0 {
		return 0
	}
	v := s.take(n)
	return uint32(int32(v<<(32-n)) >> (32 - n))
}

// decodePlane takes the next code, which begins at plane p, and returns for how
// many planes it stands; -1 if it is none.
func decodePlane(s *source, dbp *[planes + 1]uint32, p int) int {
	above := dbp[p+1]
	switch {
	case s.take(1) == 1:
		dbp[p] = s.take(31) ^ above
	case s.take(1) == 1:
		run := int(s.take(5)) + 2
		for k := range min(run, p+1) {
			dbp[p-k] = above
		}
		return run
	case s.take(1) == 1:
		dbp[p] = above
	default:
		switch s.take(2) {
		case 0:
			dbp[p] = ones ^ above
		case 1:
			dbp[p] = 0
		case 2:
			q := s.take(5)
			if q > 29 {
				return -1
			}
			dbp[p] = 3<<q ^ above
		default:
			q := s.take(5)
			if q > 30 {
				return -1
			}
			dbp[p] = 1<<q ^ above
		}
	}
	return 1
}

// rebuild adds the differences up. It reports true if a word does not fit.
func rebuild(entry *[Entry]byte, base uint32, dbp *[planes + 1]uint32) (overflow bool) {
	v := int64(int32(base))
	binary.LittleEndian.PutUint32(entry[:], base)
	for j := range 31 {
		var d int64
		for p := range planes {
			d |= int64(dbp[p]>>j&1) << p
		}
		v += d << (64 - planes) >> (64 - planes)
		overflow = overflow || v != int64(int32(v))
		binary.LittleEndian.PutUint32(entry[4*j+4:], uint32(int32(v)))
	}
	return overflow
}
