package stream

import "spillway/sim/unit"

// Gaps says what the gap of an access counts: what its thread did between its
// previous access and this one.
type Gaps uint8

// What gaps may count.
const (
	NoGaps          Gaps = iota // the recording does not say
	GapInstructions             // that access no memory, and this one
	GapCycles                   // of the core
	GapNanoseconds
)

// GapNames are the words of traces/address' text format, by number.
var GapNames = [...]string{"none", "instructions", "cycles", "ns"}

// String returns the word of traces/address' text format.
func (g Gaps) String() string { return GapNames[g] }

// A Recording is an address trace, read: what threads of a program asked of memory.
type Recording struct {
	// Name is what it is called, which only Spillway's binary format knows; empty if it
	// does not say.
	Name   string
	Format string // what it was read from, for people
	// Threads are the accesses of every thread. The gap of an access counts Gaps.
	Threads [][]Request
	Pages   int32 // of 4 KiB, numbered from 0 in the order of the first touch
	Count   int64 // accesses of all threads; one that spans cache lines counts for each
	Gaps    Gaps
	// Missed is true where only what missed the last-level cache was recorded: the
	// accesses are requests to memory as they are.
	Missed bool
	// Sampled is true where the accesses are a sample.
	Sampled bool
	// Notes say what was left out, and what else is not as it seems.
	Notes []string
	// Passed shows lines that are no part of the trace. They are the file's own words,
	// so they are for those who opened it and for nobody else.
	Passed string
}

// Requests returns how many requests write, and how many there are.
func (r *Recording) Requests() (writes, all int64) {
	for _, t := range r.Threads {
		for _, a := range t {
			if a.Write() {
				writes++
			}
		}
		all += int64(len(t))
	}
	return writes, all
}

// Stream returns the accesses with their gaps in cycles of a core that needs cpi
// cycles for an instruction, in thousandths, and whose clock has that frequency. What is lost by
// rounding is added to the next gap. capped is how many gaps are longer than a request
// can say.
func (r *Recording) Stream(cpi int64, clock unit.Frequency) (s *Stream, capped int64) {
	s = &Stream{Pages: r.Pages, Count: r.Count, Threads: r.Threads}
	times, over := int64(1), int64(1)
	switch r.Gaps {
	case NoGaps, GapCycles:
		return s, 0
	case GapInstructions:
		times, over = cpi, 1000
	case GapNanoseconds:
		times, over = int64(clock)/1000, 1_000_000
	}
	s.Threads = make([][]Request, len(r.Threads))
	for i, from := range r.Threads {
		to := make([]Request, len(from))
		var rest uint64
		for k, a := range from {
			// At most 2³³ times some 10⁷: no overflow.
			v := uint64(a.Gap())*uint64(times) + rest
			gap := v / uint64(over)
			rest = v % uint64(over)
			if gap > MaxGap {
				gap = MaxGap
				capped++
			}
			to[k] = NewRequest(a.Page(), a.Line(), a.Write(), unit.Cycles(gap))
		}
		s.Threads[i] = to
	}
	return s, capped
}
