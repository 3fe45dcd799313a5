package link

import (
	"spillway/sim/train/machine"
	"spillway/sim/unit"
)

// A Set is directions that are busy, a bit for each.
type Set uint8

// Sets is how many sets there are.
const Sets = 1 << Directions

// And returns the set with a direction more.
func (s Set) And(d Direction) Set { return s | 1<<d }

// Mixes reports whether the SSD reads and writes at the same time.
func (s Set) Mixes() bool { return s&(1<<SSDIn) != 0 && s&(1<<SSDOut) != 0 }

// wants is a rate if the direction is busy.
func (s Set) wants(d Direction, rate unit.Bandwidth) unit.Bandwidth {
	if s&(1<<d) == 0 {
		return 0
	}
	return rate
}

// Rates returns the rates of all directions while those of a set are busy, each of which
// could have the rate w. They share the GPU's link: both ways as the machine says, and one
// way so that the SSD comes first and the host has what remains.
func (s Set) Rates(m *machine.Machine, w [Directions]unit.Bandwidth) (x [Directions]unit.Bandwidth) {
	in := m.Beside(s.wants(SSDOut, w[SSDOut]) + s.wants(HostOut, w[HostOut]))
	out := m.Beside(s.wants(SSDIn, w[SSDIn]) + s.wants(HostIn, w[HostIn]))
	x[SSDIn], x[SSDOut] = min(w[SSDIn], in), min(w[SSDOut], out)
	x[HostIn] = min(w[HostIn], in-s.wants(SSDIn, x[SSDIn]))
	x[HostOut] = min(w[HostOut], out-s.wants(SSDOut, x[SSDOut]))
	return x
}
