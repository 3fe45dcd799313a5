package filesys

import (
	"fmt"

	core "spillway/sim/filesys"
	"spillway/sim/timeline"
)

// What threads' time is for, by the place of the cause in why, counted from 1.
const (
	forFlash = 1 + iota
	forInterface
	forCode
	forJournal
	resources = forJournal + 1
)

// deep is over how many holders of locks a wait is followed.
const deep = 3

// A finder says what threads' time is for: a wait for a lock what its holder does with it, one for
// a commit or the log what the background does, and access to the SSD flash, where most of it
// is not what the interface takes and a channel is busy.
type finder struct {
	*chain
	busy    *timeline.Load // of channels
	holders map[uint32]int // by a slice's name on a lock's track: the thread, -1 of the background
}

// finder makes what says it.
func (c *chain) finder() func(track, slice int) uint8 {
	f := &finder{chain: c, busy: c.t.Load(c.flash, c.flash+c.servers, func(uint8) bool { return true }), holders: map[uint32]int{}}
	return f.resource
}

// resource is what a slice of a State track is for.
func (f *finder) resource(track, slice int) uint8 {
	x := &f.t.Tracks[track]
	return f.of((track-f.first)/2, x, slice, deep)
}

// of is what a slice is for, of a thread, or -1 for the background.
func (f *finder) of(thread int, x *timeline.Track, slice, far int) uint8 {
	from, to := x.Begin[slice], x.End[slice]
	switch cause := core.Cause(x.Cat[slice]); cause {
	case core.Computes, core.WaitsCore:
		return forCode
	case core.ReadsBlocks, core.WritesBlocks, core.ReadsBytes, core.WritesBytes:
		// What is repeated is one slice.
		own := f.own[x.Label[slice]]
		if _, busy := f.busy.Within(from, to); own > 0 && ((to-from)%own == 0 || to-from <= 2*own) || 2*busy < to-from {
			return forInterface
		}
		return forFlash
	case core.WaitsJournal, core.WaitsLog:
		return f.background(from, to, far)
	case core.WaitsLock:
		if far == 0 {
			return 0
		}
		return f.holder(thread, from, to, far-1)
	}
	return 0
}

// background is what actors spend most of a part of the run for; their own code is copying into the
// journal.
func (f *finder) background(from, to int64, far int) uint8 {
	var sums [resources]int64
	for n := f.actors[0]; n < f.actors[1]; n++ {
		f.add(&sums, n, -1, from, to, far)
	}
	sums[forJournal], sums[forCode] = sums[forCode], 0
	return timeline.Largest(sums[:])
}

// add sums what a track's time in a part of the run is for.
func (f *finder) add(sums *[resources]int64, track, thread int, from, to int64, far int) {
	x := &f.t.Tracks[track]
	x.During(from, to, func(i int, ticks int64) bool {
		c := core.Cause(x.Cat[i])
		if thread < 0 && (c == core.WaitsJournal || c == core.WaitsLog) {
			return true
		}
		sums[f.of(thread, x, i, far)] += ticks
		return true
	})
}

// holder is what whoever has the lock longest meanwhile spends most of that for.
func (f *finder) holder(thread int, from, to int64, far int) uint8 {
	best, slice, longest := -1, -1, int64(0)
	for n := f.locks[0]; n < f.locks[1]; n++ {
		x := &f.t.Tracks[n]
		if i, ticks := x.Longest(from, to, func(i int) bool { return f.who(x.Label[i]) != thread }); i >= 0 && ticks > longest {
			best, slice, longest = n, i, ticks
		}
	}
	if best < 0 {
		return 0
	}
	x := &f.t.Tracks[best]
	from, to = max(from, x.Begin[slice]), min(to, x.End[slice])
	who := f.who(x.Label[slice])
	if who < 0 {
		return f.background(from, to, far)
	}
	var sums [resources]int64
	f.add(&sums, f.first+2*who+1, who, from, to, far)
	return timeline.Largest(sums[:])
}

// who is the thread that a lock's slice is of, counted from 0; -1 of the background.
func (f *finder) who(label uint32) int {
	who, ok := f.holders[label]
	if !ok {
		if n, err := fmt.Sscanf(f.t.Names[label], "thread %d", &who); n != 1 || err != nil {
			who = 0
		}
		who--
		f.holders[label] = who
	}
	return who
}
