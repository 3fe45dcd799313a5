package cxlssd

import (
	"cmp"
	"slices"

	core "spillway/sim/cxlssd"
	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// mostEdges is how many beginnings and ends of work are kept: of a longer run channels whose dies
// work by themselves are not drawn.
const mostEdges = 4_000_000

// channels draw what flash does: for requests on n tracks from first on, for compaction on the n
// that follow.
type channels struct {
	t        *timeline.Recorder
	first, n int
	edges    [][]edge // by track, where dies work by themselves
	kept     int
}

// An edge is where a piece of work begins, or ends.
type edge struct {
	at   unit.Time
	what core.FlashWork
	by   int32
}

func newChannels(t *timeline.Recorder, first, n int) *channels {
	return &channels{t: t, first: first, n: n, edges: make([][]edge, 2*n)}
}

// track is which of the tracks a piece of work is on, counted from the first.
func (c *channels) track(server int, what core.FlashWork) int {
	track := server % c.n
	if what >= core.CompactRead {
		track += c.n
	}
	return track
}

// draw draws a piece of work of a channel.
func (c *channels) draw(server int, what core.FlashWork, from, to unit.Time) {
	c.t.Slice(c.first+c.track(server, what), timeline.Slice{Begin: int64(from), End: int64(to), Cat: firstWork + uint8(what), Ref: -1, Step: -1})
}

// note keeps a piece of work of a die.
func (c *channels) note(server int, what core.FlashWork, from, to unit.Time) {
	if c.kept += 2; c.kept <= mostEdges {
		k := c.track(server, what)
		c.edges[k] = append(c.edges[k], edge{from, what, 1}, edge{to, what, -1})
	}
}

// merge draws what a channel's dies do: of several things what most of them do, of as many the
// first.
func (c *channels) merge() {
	if c.kept > mostEdges {
		return
	}
	for k, edges := range c.edges {
		slices.SortFunc(edges, func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what), cmp.Compare(a.by, b.by))
		})
		var busy [core.FlashWorks]int32
		for i, e := range edges {
			busy[e.what] += e.by
			most := 0
			for w, n := range busy {
				if n > busy[most] {
					most = w
				}
			}
			if busy[most] > 0 && edges[i+1].at > e.at {
				c.t.Slice(c.first+k, timeline.Slice{Begin: int64(e.at), End: int64(edges[i+1].at), Cat: firstWork + uint8(most), Ref: -1, Step: -1})
			}
		}
	}
}
