package g10

import (
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/published"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
)

// prefetchEagerly places the prefetches of moved tensors, the earliest due
// first, each as early as memory allows.
func (s *planner) prefetchEagerly() {
	system.SortBy(s.quirks, s.moved, func(c *period) float64 { return float64(c.back) })
	for _, c := range s.moved {
		at := c.back
		for at > c.gone+1 && s.holds(c, s.memory[s.kernel(at-1)]) {
			at--
		}
		s.emit(s.kernel(at), program.Prefetch, c.tensor, machine.Nowhere)
		for j := at; j < c.back; j++ {
			s.memory[s.kernel(j)] += c.size
		}
		c.back = at
	}
}

// holds reports whether the tensor fits where used bytes are in GPU memory.
func (s *planner) holds(c *period, used int64) bool {
	if s.quirks.Has(quirk.EagerOvershoot) {
		return used < s.target
	}
	return used+c.size <= s.target
}

// dropForGood evicts the largest idle tensors at the worst kernel until memory
// is well below the target there, and plans no way back: the published runs of
// G10-GDS and G10-Host fetch them on demand.
func (s *planner) dropForGood() {
	system.SortBy(s.quirks, s.order, func(k published.Key) float64 { return -s.weight[k.Index] })
	worst, hill := s.memory[s.hill], int32(s.hill)
	for _, k := range s.order {
		if float64(worst) < 0.9*float64(s.target) {
			return
		}
		c := &s.periods[k.Index]
		if c.state == moved || c.wraps || hill < c.start || hill >= c.end {
			continue
		}
		s.emit(s.kernel(c.start), program.Evict, c.tensor, machine.SSD)
		worst -= c.size
	}
}
