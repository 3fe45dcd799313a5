package profile

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// shares are the parts of the paper's memory that somebody touches, in hundredths of
// all of it. Fitted, with what they hold, to six means of its deep learning programs:
// ratios 1.85, 1.42 and 1.50, accesses to the buddy memory 4 %, and the naive
// design's two. The other 20 hundredths are never touched (departure 2).
var shares = [3]int64{30, 21, 29}

// mixed are the kinds in the order of shares.
func mixed() []Kind {
	kind := func(name string, zero, two, four int64) Kind {
		k := Kind{Name: name}
		k.Add(10, true, 1000*zero)
		k.Add(8*64, false, 1000*two)
		k.Add(8*128, false, 1000*four)
		return k
	}
	return []Kind{kind("dense", 0, 0, 100), kind("half empty", 39, 0, 61), kind("sparse", 40, 46, 14)}
}

// mix deals the kinds to the tensors in their order: each gets the kind that is
// furthest behind its share of the bytes, so that weights, activations and gradients
// of any part of the network have some of all.
func mix(w *workload.Workload) []uint8 {
	of := make([]uint8, len(w.Tensors))
	var dealt [len(shares)]unit.Bytes
	var sum int64
	for _, s := range shares {
		sum += s
	}
	var all unit.Bytes
	for t := range w.Tensors {
		b := w.Tensors[t].Bytes
		all += b
		best, most := 0, unit.Bytes(-1<<63)
		for k, s := range shares {
			if behind := unit.Bytes(unit.MulDiv(int64(all), s, sum)) - dealt[k]; behind > most {
				best, most = k, behind
			}
		}
		of[t] = uint8(best)
		dealt[best] += b
	}
	return of
}
