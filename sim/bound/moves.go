package bound

import "spillway/sim/unit"

// Waits is how long a schedule near the bound, which may divide tensors, waits before each
// moment, in seconds.
type Waits []float64

// waits returns those of the schedule that the smoothed dual's gradient is at the end of the
// search.
func (s *Solution) waits() Waits {
	a, n := s.ascent, len(s.cut.moments)
	g := a.gradient
	a.dual(s.last, s.t, g)
	out := make(Waits, n)
	for x := range n {
		most := 0.0
		for c := range Channels {
			most = max(most, g[(2+c)*n+x]/a.rate[c])
		}
		out[(x+1)%n] = most // what a segment has to move is there at the next moment
	}
	return out
}

// Share divides a time among the moments as a schedule waits.
func (list Waits) Share(total unit.Cycles) []unit.Cycles {
	sum := 0.0
	for _, w := range list {
		sum += w
	}
	out := make([]unit.Cycles, len(list))
	if sum <= 0 {
		out[0] = total
		return out
	}
	done, given := 0.0, unit.Cycles(0)
	for x, w := range list {
		done += w
		upTo := min(total, unit.Cycles(float64(total)*(done/sum)))
		out[x], given = upTo-given, upTo
	}
	out[len(out)-1] += total - given
	return out
}
