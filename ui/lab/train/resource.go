package train

import (
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
)

// What waits are for, by the place of the cause in why, counted from 1.
const (
	forSSD = 1 + iota
	forLink
	forFaults
	forAllocation
)

// resource is what a wait is for: of one for data or room, the way of what moves meanwhile, which
// is the SSD where that is slower than its link.
func (c *chain) resource(m *machine.Machine) func(track, slice int) uint8 {
	return func(track, slice int) uint8 {
		x := &c.t.Tracks[track]
		if x.Cat[slice] == computes {
			return 0
		}
		cause := result.Cause(x.Cat[slice] - firstCause)
		leaving := cause == result.Eviction || cause == result.Allocation
		switch cause {
		case result.FaultHandling:
			return forFaults
		case result.HostRead:
			return forLink
		case result.Compression, result.Recomputation:
			return 0
		}
		at, _ := c.overlap(leaving, x.Step[slice], x.Begin[slice], x.End[slice])
		switch {
		case at < 0 && cause == result.Allocation:
			return forAllocation
		case at < 0 && cause != result.SSDRead:
			return forLink
		case at < 0 || at < firstLink+2:
			rate := m.SSDRead
			if leaving {
				rate = m.SSDWrite
			}
			if rate < m.HostLink {
				return forSSD
			}
		}
		return forLink
	}
}
