package profile

import (
	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Kinds of contents by what made them.
const (
	dense    uint8 = iota // also what is not known: the least favorable
	relu                  // zeros in clusters
	dropped               // zeros at random
	maskKind              // a byte that is 0 or 1
	idKind                // 64-bit integers below some tens of thousands
)

// kinds are what Bit-Plane Compression makes of generated data: 4096 entries of
// each. TestKinds generates and compresses them again.
func kinds() []Kind {
	return []Kind{
		dense:    {"dense floats", buddy.Histogram{Entries: 4096, Bits: 3920053, Sectors: [5]int64{0, 0, 0, 0, 4096}, Classes: [8]int64{0, 0, 0, 0, 0, 0, 0, 4096}}},
		relu:     {"zeros of a ReLU, in clusters", buddy.Histogram{Entries: 4096, Bits: 2128859, Zero: 1632, Tiny: 1632, Sectors: [5]int64{1632, 59, 43, 76, 2286}, Classes: [8]int64{1632, 0, 1, 58, 43, 32, 44, 2286}}},
		dropped:  {"zeros of a dropout, at random", buddy.Histogram{Entries: 4096, Bits: 3887820, Sectors: [5]int64{0, 0, 0, 0, 4096}, Classes: [8]int64{0, 0, 0, 0, 0, 0, 0, 4096}}},
		maskKind: {"masks", buddy.Histogram{Entries: 4096, Bits: 1140800, Sectors: [5]int64{0, 1044, 3052, 0, 0}, Classes: [8]int64{0, 0, 3, 1041, 3052, 0, 0, 0}}},
		idKind:   {"indices", buddy.Histogram{Entries: 4096, Bits: 2203065, Sectors: [5]int64{0, 0, 4, 4092, 0}, Classes: [8]int64{0, 0, 0, 0, 4, 4092, 0, 0}}},
	}
}

// byKind gives each tensor what the last kernel that writes it leaves there.
func byKind(w *workload.Workload) []uint8 {
	of := make([]uint8, len(w.Tensors)) // dense
	for i := range w.Kernels {
		k := &w.Kernels[i]
		if has(k.Name, "gather") || has(k.Name, "embedding") {
			for _, t := range k.Inputs {
				if w.Tensors[t].Kind == workload.Input {
					of[t] = idKind
				}
			}
		}
		act := activation(k.Name)
		for _, t := range k.Outputs {
			if !w.Tensors[t].Global {
				of[t] = left(w, k, t, act)
			}
		}
	}
	return of
}

// activation is the kind that a kernel's main output has by its name.
func activation(name string) uint8 {
	switch {
	case has(name, "dropout"):
		return dropped
	case has(name, "threshold"): // of a ReLU's gradient
		return relu
	case has(name, "relu") && !has(name, "leaky") && !has(name, "prelu") && !has(name, "rrelu"):
		return relu
	}
	return dense
}

// left is what a kernel leaves in one of its outputs. Beside its main output a
// dropout has a mask of bytes, and a pooling kernel the indices of what was largest.
func left(w *workload.Workload, k *workload.Kernel, t workload.TensorID, act uint8) uint8 {
	pool := has(k.Name, "max") && has(k.Name, "pool") && !has(k.Name, "backward")
	if len(k.Outputs) < 2 || act != dropped && !pool {
		return act
	}
	var most, least unit.Bytes
	for i, o := range k.Outputs {
		b := w.Tensors[o].Bytes
		if most = max(most, b); i == 0 || b < least {
			least = b
		}
	}
	switch b := w.Tensors[t].Bytes; {
	case act == dropped && 2*b <= most:
		return maskKind
	case pool && b == most && b == 2*least:
		return idKind
	}
	return act
}

// has reports whether name contains word, which is in small letters, in letters of
// any size.
func has(name, word string) bool {
next:
	for i := 0; i+len(word) <= len(name); i++ {
		for j := range len(word) {
			c := name[i+j]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != word[j] {
				continue next
			}
		}
		return true
	}
	return false
}
