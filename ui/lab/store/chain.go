package store

import (
	"fmt"
	"sort"

	"spillway/sim/prose"
	core "spillway/sim/store"
	over "spillway/sim/timeline"
	"spillway/ui/lab"
)

// A chain says what waits of clients came of.
type chain struct {
	t         *over.Timeline
	w         *trace
	clients   []core.Client
	setup     core.Setup
	evictions []core.Eviction // by Time, as long as there are not too many
}

// evicted keeps an eviction. A run with more of them than slices are kept has no chains.
func (c *chain) evicted(e core.Eviction) {
	if len(c.evictions) < over.MostSlices {
		c.evictions = append(c.evictions, e)
	}
}

func (c *chain) say(ticks int64) string { return c.t.Tick.Time(ticks).String() }

// ways are the tracks of the link, away from the GPU and back.
func (c *chain) ways() (out, back int) { return len(c.clients), len(c.clients) + 1 }

// of is the chain of a wait.
func (c *chain) of(track, slice int) []lab.ChainLink {
	if track >= len(c.clients) {
		return nil
	}
	x := &c.t.Tracks[track]
	from, to := x.Begin[slice], x.End[slice]
	out, back := c.ways()
	switch core.Part(x.Cat[slice]) {
	case core.WaitEvict:
		i, _ := c.t.Tracks[out].Longest(from, to, all)
		if i < 0 {
			return []lab.ChainLink{{Text: "Nothing leaves meanwhile: it waits for a prefetch, which must then be evicted again.", Track: -1}}
		}
		return append([]lab.ChainLink{c.moves("It waits until %s has left for host memory", out, i)}, c.decision(out, i)...)
	case core.WaitMiss, core.WaitLate:
		i, _ := c.t.Tracks[back].Longest(from, to, all)
		if i < 0 {
			return nil
		}
		list := []lab.ChainLink{c.moves("It waits for %s, which comes from host memory", back, i)}
		m := &c.t.Tracks[back]
		if n := c.t.Tracks[out].Last(m.Begin[i], c.about(out, m.Ref[i])); n >= 0 {
			list = append(list, lab.ChainLink{Text: fmt.Sprintf("That had left at %s.", c.say(c.t.Tracks[out].Begin[n])), Track: out, Begin: c.t.Tracks[out].Begin[n]})
			list = append(list, c.decision(out, n)...)
		}
		if wait := m.Begin[i] - from; wait > 0 {
			list = append(list, lab.ChainLink{Text: fmt.Sprintf("It starts moving %s after it was requested: others are ahead of it on the link.", c.say(wait)), Track: -1})
		}
		return list
	case core.WaitServer, core.WaitCompute:
		return c.meanwhile(track, from, to, core.Part(x.Cat[slice]) == core.WaitCompute)
	}
	return nil
}

func all(int) bool { return true }

// about accepts the slices of a track that are about an object.
func (c *chain) about(track int, object int32) func(int) bool {
	return func(i int) bool { return c.t.Tracks[track].Ref[i] == object }
}

// moves says that a tensor moves.
func (c *chain) moves(format string, track, i int) lab.ChainLink {
	m := &c.t.Tracks[track]
	return lab.ChainLink{Text: fmt.Sprintf(format+": %s in %s.", c.t.Names[m.Label[i]], prose.Bytes(float64(m.Amount[i])), c.say(m.End[i]-m.Begin[i])), Track: track, Begin: m.Begin[i]}
}

// decision says of a tensor that left for whom it did, when it is needed next, and what full
// knowledge would have evicted.
func (c *chain) decision(out, i int) (list []lab.ChainLink) {
	m := &c.t.Tracks[out]
	n := sort.Search(len(c.evictions), func(n int) bool { return int64(c.evictions[n].Time) >= m.End[i] })
	for ; n < len(c.evictions) && int64(c.evictions[n].Time) == m.End[i] && c.evictions[n].Tensor != m.Ref[i]; n++ {
	}
	if n == len(c.evictions) || int64(c.evictions[n].Time) != m.End[i] {
		return nil
	}
	e := &c.evictions[n]
	text := fmt.Sprintf("It is %s's, and %s needed room", c.clients[e.Owner].Name, c.clients[e.By].Name)
	if e.Owner == e.By {
		text = fmt.Sprintf("It is %s's, which needed room itself", c.clients[e.Owner].Name)
	}
	list = append(list, lab.ChainLink{Text: text + ".", Track: -1})
	_, back := c.ways()
	b := &c.t.Tracks[back]
	if next := b.Next(m.End[i], c.about(back, m.Ref[i])); next >= 0 {
		list = append(list, lab.ChainLink{Text: fmt.Sprintf("It comes back %s later.", c.say(b.Begin[next]-m.End[i])), Track: back, Begin: b.Begin[next]})
	} else if e.Next < 0 {
		list = append(list, lab.ChainLink{Text: "Nobody gets it again.", Track: -1})
	}
	if !e.Right && e.Best >= 0 {
		list = append(list, lab.ChainLink{Text: fmt.Sprintf("Belady's order would have evicted %s, which is needed later.", c.t.Names[c.t.Objects[e.Best]]), Track: -1})
	}
	return list
}

// meanwhile says what another client spends most of a wait on that is no wait for the same. Of a
// wait for a shared GPU that may be computing.
func (c *chain) meanwhile(track int, from, to int64, shared bool) []lab.ChainLink {
	best, slice, most := -1, -1, int64(0)
	for n := range c.clients {
		x := &c.t.Tracks[n]
		i, ticks := x.Longest(from, to, func(i int) bool {
			p := core.Part(x.Cat[i])
			return p != core.Away && p != core.WaitServer && p != core.WaitCompute && (p != core.Thinking || shared)
		})
		if n != track && i >= 0 && ticks > most {
			best, slice, most = n, i, ticks
		}
	}
	if best < 0 {
		return nil
	}
	x := &c.t.Tracks[best]
	return []lab.ChainLink{{Text: fmt.Sprintf("Meanwhile %s has %s of %s.", c.clients[best].Name, c.say(most), c.t.Cats[x.Cat[slice]].Label), Track: best, Begin: x.Begin[slice]}}
}
