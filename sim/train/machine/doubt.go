package machine

// A Doubt is a parameter whose true value is not known. What hangs on it is
// computed for several values, and these stand next to it.
type Doubt struct {
	Key    string  // of the knob
	Values []int64 // in the knob's base units, from more than is likely to fewer
	Why    string  // why it is not known, and what is, in one or two sentences
}

// Doubts returns the parameters of a machine whose true values are not known.
func Doubts() []Doubt {
	return []Doubt{{
		Key: "fault_batch", Values: []int64{256, 64, 32, 16, 8, 1},
		Why: "The driver fetches up to 256 faults at a time, the same page several times among them, and handles them block by block; no paper says how many pages share one handling. " +
			"By what DeepUM publishes of 23 runs it is 9 to 256, and 26 by their median.",
	}}
}

// faultBatch is how many page faults share the handling of one batch: 45 µs (G10
// paper, Table 2) over 1.75 µs a fault. The latter is the median over DeepUM's 23
// runs of what unified memory loses for each fault that DeepUM avoids, 2.41 µs
// (Figure 9b and Table 5), less the time that a page needs on that machine's link
// in and another out, 2 × 4096 B at 12.5 GB/s. From run to run this is 8.6 to more
// than the 256 entries that the driver fetches at most (NVIDIA's open kernel
// modules, uvm_gpu_replayable_faults.c), duplicates included.
const faultBatch = 26
