package g10

import (
	"math"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// resorts reports whether there is a last resort for kernels that are over
// capacity when no move helps any more. As published, tensors move all the same,
// or are dropped (dropForGood).
func (s *planner) resorts() bool { return !s.quirks.Has(quirk.ZeroBenefit) && !s.arena }

// missing returns how long, in µs by kernel, the links need for what the plan
// leaves over capacity: to carry it away before it is too much and back after
// that. It returns nil when nothing is.
func (s *planner) missing() []float64 {
	over := func(k int) float64 { return float64(max(0, s.memory[(k+s.n)%s.n]-s.capacity)) }
	var wait []float64
	for k := range s.n {
		more := over(k) - over(k-1)
		if more == 0 {
			continue
		}
		if wait == nil {
			wait = make([]float64, s.n)
		}
		if more > 0 {
			out, _ := s.spill(k, over(k))
			wait[(k+s.n-1)%s.n] += more / out
		} else {
			_, in := s.spill((k+s.n-1)%s.n, over(k-1))
			wait[k] -= more / in
		}
	}
	return wait
}

// spill returns the rates, in bytes a µs, at which size bytes leave and return
// that are too much during kernel k: over the host's link if the host has room
// for them then.
func (s *planner) spill(k int, size float64) (out, in float64) {
	if float64(s.host[k])+size <= float64(s.hostCapacity) {
		return s.hostLink.bandwidth, s.hostLink.bandwidth
	}
	return s.ssdOut.bandwidth, s.ssdIn.bandwidth
}

// guard prefetches, one kernel before its use, what the run may have evicted
// instead of something else: tensors that returned before, and those that were
// idle while memory is over capacity. What is there stays untouched.
func (s *planner) guard() {
	s.relief.update(s)
	for i := range s.periods {
		c := &s.periods[i]
		if c.state == moved && c.back < c.end-1 || len(s.relief.during(c.start, c.end)) > 0 {
			s.emit(s.kernel(max(c.start, c.end-1)), program.Prefetch, c.tensor, machine.Nowhere)
		}
	}
}

// faster returns the program that takes less time to run, the first of those
// that take the same, or nil when none can run.
func (v variant) faster(w *workload.Workload, m *machine.Machine, o *system.Options, ps ...*program.Program) *program.Program {
	var best *program.Program
	least := unit.Cycles(math.MaxInt64)
	for _, p := range ps {
		r, err := engine.Run(w, p, engine.Config{Machine: *m, Runtime: v.runtime(o), Quirks: o.Quirks, Iterations: 2})
		if err == nil && r.Time() < least {
			best, least = p, r.Time()
		}
	}
	return best
}
