package load

import (
	"math/bits"

	"spillway/sim/unit"
)

// A zipf draws ranks from 0 to n-1, rank i with a weight of (i+1)^-0.99, as YCSB's
// generator has it: ranks up to 64 one by one, those above in 32 pieces of every doubling,
// in which all are alike.
type zipf struct {
	first, count []uint64 // ranks of a piece, counted from 1
	below        []uint64 // sums of the weights up to a piece
	guide        []uint16 // the piece to begin with, by the first bits of what is drawn
	step         uint64   // weight of an entry of guide
}

const guides = 1 << 12

func newZipf(n int64) *zipf {
	z := &zipf{}
	sum := uint64(0)
	for i := uint64(1); i <= uint64(n); {
		count := uint64(1)
		if i >= 64 {
			count = 1 << (bits.Len64(i) - 6)
		}
		count = min(count, uint64(n)-i+1)
		// (i+count/2)^0.01 = e^(ln/100), by its series.
		hi, lo := bits.Mul64(log2(2*i+count-1)-one, ln2)
		x := (hi<<32 | lo>>32) / 100
		power, term := uint64(one), uint64(one)
		for k := uint64(1); k < 8; k++ {
			hi, lo = bits.Mul64(term, x)
			term = (hi<<32 | lo>>32) / k
			power += term
		}
		// With 57 bits behind the point: the sum of 10^10 of them is below 27.
		sum += uint64(unit.MulDiv(int64(power)<<26, int64(count), int64(2*i+count-1)))
		z.first, z.count, z.below = append(z.first, i-1), append(z.count, count), append(z.below, sum)
		i += count
	}
	z.step = sum/guides + 1
	for i, piece := uint64(0), uint16(0); i < guides; i++ {
		for z.below[piece] <= min(i*z.step, sum-1) {
			piece++
		}
		z.guide = append(z.guide, piece)
	}
	return z
}

// rank draws one.
func (z *zipf) rank(r *random) int64 {
	u, _ := bits.Mul64(r.next(), z.below[len(z.below)-1])
	i := z.guide[u/z.step]
	for z.below[i] <= u {
		i++
	}
	if z.count[i] == 1 {
		return int64(z.first[i])
	}
	return int64(z.first[i]) + r.below(int64(z.count[i]))
}
