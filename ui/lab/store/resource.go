package store

import (
	core "spillway/sim/store"
	"spillway/sim/unit"
)

// What clients' time is for, by the place of the cause in why, counted from 1.
const (
	forEvicting = 1 + iota
	forLink
	forAllocating
	forSharing
)

// finder makes what says what a client's time is for: a move's by what takes most of it, a wait for
// the store by what the call that it handles does.
func (c *chain) finder() func(track, slice int) uint8 {
	s := &c.setup
	const megabyte = int64(unit.MB)
	copied := func(cost unit.Time, bytes int64) int64 { return unit.MulDiv(int64(cost), bytes, megabyte) }
	moved := func(track int, from, to int64) int64 {
		i, _ := c.t.Tracks[track].Longest(from, to, all)
		if i < 0 {
			return megabyte
		}
		return c.t.Tracks[track].Amount[i]
	}
	out, back := c.ways()
	var of func(track, slice int, deep bool) uint8
	of = func(track, slice int, deep bool) uint8 {
		x := &c.t.Tracks[track]
		from, to := x.Begin[slice], x.End[slice]
		switch core.Part(x.Cat[slice]) {
		case core.Starting, core.Allocating, core.Freeing, core.Calling:
			return forAllocating
		case core.WaitPause:
			return forEvicting
		case core.WaitEvict:
			n := moved(out, from, to)
			if link := int64(s.Link.Time(unit.Bytes(n))); link > copied(s.EvictCopy, n) && link > int64(s.EvictFixed) {
				return forLink
			}
			return forEvicting
		case core.WaitMiss, core.WaitLate:
			n := moved(back, from, to)
			if int64(s.Link.Time(unit.Bytes(n))) < copied(s.Alloc, n) {
				return forAllocating
			}
			return forLink
		case core.WaitCompute:
			return forSharing
		case core.WaitServer:
			if other, i := c.handled(track, from, to); deep && i >= 0 {
				return of(other, i, false)
			}
		}
		return 0
	}
	return func(track, slice int) uint8 { return of(track, slice, true) }
}

// handled is the longest slice of another client's call during a wait for the store; -1 if none is.
func (c *chain) handled(track int, from, to int64) (client, slice int) {
	client, slice = -1, -1
	most := int64(0)
	for n := range c.clients {
		x := &c.t.Tracks[n]
		if n == track {
			continue
		}
		i, ticks := x.Longest(from, to, func(i int) bool {
			p := core.Part(x.Cat[i])
			return p > core.Thinking && p != core.WaitServer && p != core.WaitCompute
		})
		if i >= 0 && ticks > most {
			client, slice, most = n, i, ticks
		}
	}
	return client, slice
}
