package g10

import (
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// round examines the best candidate. It returns false when memory is within
// the target or no candidate is worth moving.
func (s *planner) round() bool {
	if s.excess == 0 {
		return false
	}
	s.rounds++
	c := s.best()
	if c.state >= settled || c.benefit <= 0 && !s.quirks.Has(quirk.ZeroBenefit) {
		return false
	}
	s.examine(c)
	if s.moot = c.state >= settled && c.benefit != 0; s.moot {
		c.benefit = 0
	}
	return true
}

// examine plans the move of c if there is time for it.
func (s *planner) examine(c *period) {
	switch {
	case s.fits(c) || c.end-c.start == 1:
		c.state = settled
	case s.both && !s.untracked(c):
		s.moveTo(c)
	case c.length > s.safe(s.ssdOut, s.ssdIn, c.size):
		c.state = settled
		to := s.destination(c)
		s.move(c, to)
		if to == machine.Host && c.state == moved {
			s.keep(c)
		}
	case c.length > s.safe(s.hostLink, s.hostLink, c.size):
		c.state = settled
		if s.hostFits(c) {
			s.move(c, machine.Host)
			if c.state == moved || s.quirks.Has(quirk.ZeroBenefit) {
				s.keep(c)
			}
		}
	case !s.quirks.Has(quirk.ZeroBenefit):
		c.state = settled
	}
}

// moveTo plans the move of c to the chosen destination, or shuts that way.
func (s *planner) moveTo(c *period) {
	x := &c.ways[c.to]
	if !x.shut && (c.to == machine.SSD || s.hostFits(c)) {
		s.move(c, c.to)
	}
	switch {
	case c.state != moved:
		x.shut, s.shut = true, true
		if c.ways[machine.SSD].shut && c.ways[machine.Host].shut {
			c.state = settled
		}
	case c.to == machine.Host:
		s.keep(c)
	}
}

// safe returns how long a period must be at least for a tensor to move away
// over out and return over in.
func (s *planner) safe(out, in rate, size int64) float64 {
	return out.time(size) + in.time(size) + float64(s.margin*in.time(size))
}

// lead returns how long before its use a tensor must start to return over in.
func (s *planner) lead(in rate, size int64) float64 {
	return in.time(size) + float64(s.margin*in.time(size))
}

// untracked reports whether c moves without regard to bandwidth, and to the
// SSD if there is time.
func (s *planner) untracked(c *period) bool {
	return c.wraps && s.quirks.Has(quirk.WeightsIgnoreLanes)
}

// destination chooses the SSD unless it is busy while the tensor would leave
// and the host has room.
func (s *planner) destination(c *period) machine.Tier {
	if s.untracked(c) || s.ssdFree(c) || !s.hostFits(c) {
		return machine.SSD
	}
	return machine.Host
}

// ssdFree reports whether the SSD has room while the tensor would leave.
func (s *planner) ssdFree(c *period) bool {
	if c.clear == c.start {
		return !s.quirks.Has(quirk.EmptyWindowBusy)
	}
	return s.out.ssd.open(int(c.start), int(c.clear))
}

// lanes returns the lanes to and from a tier.
func (s *planner) lanes(to machine.Tier) (out, in *lane) {
	if to == machine.Host {
		return &s.out.host, &s.in.host
	}
	return &s.out.ssd, &s.in.ssd
}

// move plans the way out and, as late as is safe, the way in.
func (s *planner) move(c *period, to machine.Tier) {
	if s.untracked(c) {
		s.moveUntracked(c, to)
		return
	}
	out, in := s.lanes(to)
	first, last := s.reach(c)
	back := in.backward(c.size, int(c.end), first)
	gone := out.forward(c.size, int(c.start), last)
	if back <= gone {
		return
	}
	c.gone, c.back = int32(gone), int32(back)
	c.state = moved
	s.moved = append(s.moved, c)
	s.emit(s.kernel(c.start), program.Evict, c.tensor, to)
	if to == machine.Host {
		s.in.viaHost(c.size, back, last)
		s.out.viaHost(c.size, int(c.start), last)
	} else {
		s.in.viaSSD(c.size, back, last)
		s.out.viaSSD(c.size, int(c.start), last)
	}
	s.release(c.size, c.gone+1, c.back)
}

// moveUntracked plans the move of a global tensor into the next iteration by
// its transfer time alone.
func (s *planner) moveUntracked(c *period, to machine.Tier) {
	out, in := s.ssdOut, s.ssdIn
	if to == machine.Host {
		out, in = s.hostLink, s.hostLink
	}
	gone := s.at(s.clock[c.start]+out.time(c.size), c.start, c.end)
	back := s.at(s.clock[c.end]-s.lead(in, c.size), c.start, c.end)
	if back != c.start {
		c.state = moved
		s.emit(s.kernel(c.start), program.Evict, c.tensor, to)
		s.emit(s.kernel(back), program.Prefetch, c.tensor, machine.Nowhere)
	}
	s.release(c.size, gone+1, back)
}
