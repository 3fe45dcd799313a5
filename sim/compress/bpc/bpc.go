// Package bpc is Bit-Plane Compression of a memory entry: 128 bytes, seen as 32
// little-endian words of 32 bits.
//
// The first word is the base. Of the 31 differences between neighbors, which need
// 33 bits each, bit p of all makes bit plane p (DBP); each plane is xored with the
// one above (DBX), the top one with nothing. Base and planes, top first, are written
// with codes of different lengths.
//
// Source: Kim, Sullivan, Choukse, Erez: Bit-Plane Compression (ISCA 2016), as used
// by Choukse et al.: Buddy Compression (ISCA 2020), §2.3.
//
// Departures, numbered:
//
//  1. Words are signed; the original leaves it open. Sizes differ only where words
//     change sign.
//  2. The values of the four codes 000xx follow two public implementations; a comment
//     of the authors permutes them. Sizes do not depend on it.
package bpc

import (
	"encoding/binary"
	"math/bits"
)

// Sizes of an entry.
const (
	Entry   = 128        // bytes
	RawBits = 8 * Entry  // bits of an entry as it is
	MaxBits = 33 + 33*32 // bits of the longest code of an entry
	planes  = 33         // bits of a difference
	ones    = 1<<31 - 1  // a plane with a bit for each of 31 differences
	maxRun  = planes     // planes without a bit that one code can stand for
)

// Bits of the codes of planes (table 2 of the Bit-Plane Compression paper).
const (
	zeroOne  = 3  // one plane of DBX without a bit
	zeroMany = 7  // 2 to 33 of them
	plain    = 5  // DBP without a bit; DBX with all bits
	marked   = 10 // DBX with one bit, or two that are neighbors
	raw      = 32
)

// Bits returns the length of an entry's code: 10 for one of zeros, at most MaxBits.
// One that has RawBits or more is kept as it is.
func Bits(entry *[Entry]byte) int {
	var two [2 * Entry]byte
	copy(two[:], entry[:])
	a, _ := Bits2(&two)
	return a
}

// ZeroBits is the length of the code of an entry of zeros.
const ZeroBits = 3 + zeroMany

// Bits2 returns the lengths of the codes of two entries that lie one after the
// other. It is twice as fast as Bits for each.
func Bits2(entries *[2 * Entry]byte) (a, b int) {
	var x [32]uint64
	if !differences(entries, &x) {
		return ZeroBits, ZeroBits
	}
	la := baseBits(binary.LittleEndian.Uint32(entries[0:]))
	lb := baseBits(binary.LittleEndian.Uint32(entries[Entry:]))
	top := x[31]
	// The word of the 32nd difference, which there is not, has carried the signs.
	x[31] = 0
	transpose(&x)
	var ca, cb counter
	ca.plane(uint32(top))
	cb.plane(uint32(top >> 32))
	for p := 31; p >= 0; p-- {
		ca.plane(uint32(x[p]))
		cb.plane(uint32(x[p] >> 32))
	}
	return la + ca.length(), lb + cb.length()
}

// Zero2 reports whether all bytes of two entries are zero.
func Zero2(entries *[2 * Entry]byte) bool {
	for i := 0; i < 2*Entry; i += 32 {
		part := (*[32]byte)(entries[i:])
		if binary.LittleEndian.Uint64(part[0:])|binary.LittleEndian.Uint64(part[8:])|binary.LittleEndian.Uint64(part[16:])|binary.LittleEndian.Uint64(part[24:]) != 0 {
			return false
		}
	}
	return true
}

// differences fills x with the differences of two entries, one in each half, each
// bit xored with the one above; x[31] has the signs, bit j that of difference j. It
// reports false for zeros.
func differences(entries *[2 * Entry]byte, x *[32]uint64) bool {
	if Zero2(entries) {
		return false
	}
	wa := int64(int32(binary.LittleEndian.Uint32(entries[0:])))
	wb := int64(int32(binary.LittleEndian.Uint32(entries[Entry:])))
	var signs uint64
	for j := range 31 {
		va := int64(int32(binary.LittleEndian.Uint32(entries[4*j+4:])))
		vb := int64(int32(binary.LittleEndian.Uint32(entries[Entry+4*j+4:])))
		da, db := va-wa, vb-wb
		wa, wb = va, vb
		// Bit 32 of a difference is its sign, so that shifting brings it into bit 31.
		x[j] = uint64(uint32(da^da>>1)) | uint64(db^db>>1)<<32
		signs |= (uint64(da)>>63 | uint64(db)>>63<<32) << j
	}
	x[31] = signs
	return true
}

// baseBits is the length of the code of the first word.
func baseBits(w uint32) int {
	switch v := int32(w); {
	case v == 0:
		return 3
	case v >= -8 && v < 8:
		return 7
	case v >= -128 && v < 128:
		return 11
	case v >= -32768 && v < 32768:
		return 19
	}
	return 33
}

// A counter adds up the codes of an entry's planes. It does so without branches, which
// data that is neither dense nor zero would mispredict.
type counter struct {
	bits  int
	dbp   uint32 // the plane above
	empty uint64 // of DBX, the last one lowest: which planes are without a bit
}

// plane takes the next plane of DBX.
func (c *counter) plane(dbx uint32) {
	c.dbp ^= dbx
	rest := dbx & (dbx - 1) // without the lowest bit
	n := raw
	if rest == (dbx-rest)<<1 { // two neighbors
		n = marked
	}
	if rest == 0 {
		n = marked
	}
	if c.dbp == 0 {
		n = plain
	}
	if dbx == ones {
		n = plain
	}
	none := uint64(0)
	if dbx == 0 {
		none = 1
	}
	if dbx == 0 {
		n = 0
	}
	c.bits += n
	c.empty = c.empty<<1 | none
}

// length returns the bits of all planes, with those of runs of planes without a bit.
func (c *counter) length() int {
	first := c.empty &^ (c.empty << 1)
	alone := first &^ (c.empty >> 1)
	return c.bits + zeroMany*bits.OnesCount64(first) - (zeroMany-zeroOne)*bits.OnesCount64(alone)
}
