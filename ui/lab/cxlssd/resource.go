package cxlssd

import (
	core "spillway/sim/cxlssd"
	"spillway/sim/timeline"
)

// What cores' time is for, by the place of the cause in why, counted from 1.
const (
	forReads = 1 + iota
	forPrograms
	forLink
	forSwitches
)

// A finder says what cores' waits are for: one for the SSD what the channel that answers it does
// from its beginning on, and a switch or a core without a thread what channels do meanwhile.
type finder struct {
	*chain
	reads, programs *timeline.Load
}

func flashReads(cat uint8) bool {
	return cat == firstWork+uint8(core.ReadPage) || cat == firstWork+uint8(core.CompactRead)
}

func flashPrograms(cat uint8) bool { return !flashReads(cat) }

// finder makes what says it.
func (c *chain) finder() func(track, slice int) uint8 {
	f := &finder{c, c.t.Load(c.asked[0], c.own[1], flashReads), c.t.Load(c.asked[0], c.own[1], flashPrograms)}
	return f.resource
}

// resource is what a slice of a State track is for.
func (f *finder) resource(track, slice int) uint8 {
	x := &f.t.Tracks[track]
	from, to := x.Begin[slice], x.End[slice]
	switch core.Cause(x.Cat[slice]) {
	case core.WaitsSSD:
		return f.answer(from, to)
	case core.WaitsLog:
		return forPrograms
	case core.Switches, core.Idle:
		read, _ := f.reads.Within(from, to)
		program, _ := f.programs.Within(from, to)
		switch {
		case program > read:
			return forPrograms
		case read > 0:
			return forReads
		case core.Cause(x.Cat[slice]) == core.Switches:
			return forSwitches
		}
	}
	return 0
}

// answer finds the channel whose read ends last in a wait, and says what it does longest in it; the
// link where no channel does anything for most of it, or reading takes much longer.
func (f *finder) answer(from, to int64) uint8 {
	switch {
	case to-from < f.read/2: // the page was in the cache
		return forLink
	case f.dies:
		return f.lasting(from, to)
	}
	best, slice := -1, -1
	for n := f.asked[0]; n < f.asked[1]; n++ {
		x := &f.t.Tracks[n]
		x.During(from, to, func(i int, _ int64) bool {
			if flashReads(x.Cat[i]) && x.End[i] <= to && (best < 0 || x.End[i] > f.t.Tracks[best].End[slice]) {
				best, slice = n, i
			}
			return true
		})
	}
	if best < 0 {
		return forLink
	}
	var read, program int64
	for _, n := range [2]int{best, f.own[0] + best - f.asked[0]} {
		x := &f.t.Tracks[n]
		x.During(from, to, func(i int, ticks int64) bool {
			if flashReads(x.Cat[i]) {
				read += ticks
			} else {
				program += ticks
			}
			return true
		})
	}
	switch {
	case 2*(read+program) < to-from:
		return forLink
	case program > read:
		return forPrograms
	}
	return forReads
}

// lasting says the same by how long a wait lasts, where nobody sees which die it is for: one as long
// as several reads waits behind what most dies do.
func (f *finder) lasting(from, to int64) uint8 {
	read, _ := f.reads.Within(from, to)
	program, _ := f.programs.Within(from, to)
	switch {
	case read+program == 0:
		return forLink
	case to-from > 3*f.read && program > read:
		return forPrograms
	}
	return forReads
}
