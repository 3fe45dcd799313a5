package cxlssd

import (
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// Bound is a time in which no design of [Systems] runs a workload, whatever its device has. The
// error is about the setup.
//
// # Proof
//
// A core does one thing at a time, and computes the cycles before every request once, with the
// request's fixed cost on the chip. A load retires after at least the least latency that any
// design has, that of host DRAM or of the device's own; stores may be buffered and cost
// nothing. If no load overlaps, each is waited for; if some do, a core has no more of them
// under way than the recipe says, so that all their latencies together are at most as many
// times what it takes. So all cores together take at least the sum over threads, and the run
// at least a core's share of it, and at least what the longest thread takes, which is one after
// the other. Designs that switch threads have more of them than others: the bound is the lesser
// of the two.
//
// It is loose where flash decides: nothing says how often a design has to read it, and DRAM-only,
// which is a design as any other, never does.
func Bound(w *stream.Workload, s *Setup) (unit.Time, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	return boundOf(w, s)
}

// boundOf is Bound of a setup that may be smaller than a user can choose.
func boundOf(w *stream.Workload, s *Setup) (unit.Time, error) {
	scale := s.Scale
	if w.Recorded != nil {
		scale = 1
	}
	w = w.At(scale)
	counts := []int64{s.Threads}
	if s.Threads == 0 && w.Recorded == nil {
		counts = []int64{s.Cores, w.Recipe.Switching}
	}
	var least unit.Time
	for i, threads := range counts {
		requests, err := w.Streams(int(threads))
		if err != nil {
			return 0, err
		}
		if t := work(&w.Recipe, s, requests); i == 0 || t < least {
			least = t
		}
	}
	return least, nil
}

// work is what cores take at least for some threads.
func work(recipe *stream.Recipe, s *Setup, requests *stream.Stream) unit.Time {
	latency, onChip := min(recipe.DRAM, s.Access), s.Clock.Time(recipe.OnChip)
	var all, longest unit.Time
	for _, list := range requests.Threads {
		var computes, waits unit.Time
		for _, q := range list {
			computes += s.Clock.Time(q.Gap()) + onChip
			if !q.Write() {
				waits += latency
			}
		}
		takes := max(computes, waits/unit.Time(max(1, recipe.Outstanding)))
		if recipe.Overlap == 0 {
			takes = computes + waits
		}
		all += takes
		longest = max(longest, takes)
	}
	return max(longest, all/unit.Time(s.Cores))
}
