package hash

import (
	"encoding/binary"
	"math/bits"
)

// The constants of SHA-256: the first 32 bits of the fractions of the square roots of the
// first 8 primes, and of the cube roots of the first 64 (FIPS 180-4, §5.3.3 and §4.2.2).
var (
	start = [8]uint32{
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	}
	round = [64]uint32{
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
		0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
		0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
		0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
	}
)

// block is how many bytes of a message SHA-256 takes at a time.
const block = 64

// sum returns the SHA-256 of a message.
func sum(message []byte) (digest [32]byte) {
	state := start
	whole := len(message) / block * block
	for i := 0; i < whole; i += block {
		compress(&state, (*[block]byte)(message[i:]))
	}
	// The message is followed by a one, zeros, and its length in bits in 8 bytes.
	var tail [2 * block]byte
	n := copy(tail[:], message[whole:])
	tail[n] = 0x80
	end := block
	if n+1+8 > block {
		end = 2 * block
	}
	binary.BigEndian.PutUint64(tail[end-8:], uint64(len(message))*8)
	for i := 0; i < end; i += block {
		compress(&state, (*[block]byte)(tail[i:]))
	}
	for i, word := range state {
		binary.BigEndian.PutUint32(digest[4*i:], word)
	}
	return digest
}

// compress puts a block into the state (FIPS 180-4, §6.2.2).
func compress(state *[8]uint32, p *[block]byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(p[4*i:])
	}
	for i := 16; i < 64; i++ {
		x, y := w[i-15], w[i-2]
		w[i] = w[i-16] + w[i-7] +
			(bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3) +
			(bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10)
	}
	a, b, c, d, e, f, g, h := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
	for i := range w {
		one := h + round[i] + w[i] + (e&f ^ ^e&g) +
			(bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25))
		two := (a&b ^ a&c ^ b&c) +
			(bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22))
		h, g, f, e = g, f, e, d+one
		d, c, b, a = c, b, a, one+two
	}
	for i, x := range [8]uint32{a, b, c, d, e, f, g, h} {
		state[i] += x
	}
}
