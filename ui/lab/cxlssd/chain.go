package cxlssd

import (
	"fmt"
	"strings"

	core "spillway/sim/cxlssd"
	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/ui/lab"
)

// A chain says what waits of cores came of, of those whose slices are at hand.
type chain struct {
	t           *timeline.Timeline
	cores       [2]int // the first core's track, and that after the last
	compactions int
	asked, own  [2]int // the same of channels, for requests and for compaction
	read        int64  // ticks that reading a page of flash takes
	dies        bool   // a track shows what all dies of a channel do
}

func (c *chain) say(ticks int64) string { return c.t.Tick.Time(ticks).String() }

// of is the chain of a wait.
func (c *chain) of(track, slice int) []lab.ChainLink {
	if track < c.cores[0] || track >= c.cores[1] {
		return nil
	}
	x := &c.t.Tracks[track]
	from, to := x.Begin[slice], x.End[slice]
	var list []lab.ChainLink
	if x.Ref[slice] >= 0 {
		list = append(list, lab.ChainLink{Text: c.t.Names[c.t.Objects[x.Ref[slice]]] + " is on the core.", Track: -1})
	}
	switch core.Cause(x.Cat[slice]) {
	case core.WaitsSSD:
		list = append(list, c.flash("for requests", c.asked, from, to)...)
		list = append(list, c.flash("for compaction", c.own, from, to)...)
		return append(list, c.compaction(from, to)...)
	case core.WaitsLog:
		return append(append(list, c.compaction(from, to)...), c.flash("for compaction", c.own, from, to)...)
	}
	return nil
}

// flash says what the busiest channel does meanwhile, and what it did last before.
func (c *chain) flash(what string, tracks [2]int, from, to int64) []lab.ChainLink {
	best, most := -1, int64(0)
	for n := tracks[0]; n < tracks[1]; n++ {
		busy := int64(0)
		c.t.Tracks[n].During(from, to, func(_ int, ticks int64) bool {
			busy += ticks
			return true
		})
		if busy > most {
			best, most = n, busy
		}
	}
	if best < 0 {
		return nil
	}
	x := &c.t.Tracks[best]
	cat, ticks := x.Main(from, to)
	i, _ := x.Longest(from, to, func(i int) bool { return int(x.Cat[i]) == cat })
	text := fmt.Sprintf("Meanwhile the channel that is busiest %s, %s, is so %s: it %s for %s", what, strings.ToLower(x.Name), prose.Percent(float64(most)/float64(to-from)), c.t.Cats[cat].Label, c.say(ticks))
	if before := x.Last(x.Begin[i], func(int) bool { return true }); before >= 0 && x.End[before] > from-(to-from) {
		text += fmt.Sprintf("; before, it %s until %s", c.t.Cats[x.Cat[before]].Label, c.say(x.End[before]))
	}
	return []lab.ChainLink{{Text: text + ".", Track: best, Begin: x.Begin[i]}}
}

// compaction says which compaction runs meanwhile.
func (c *chain) compaction(from, to int64) []lab.ChainLink {
	x := &c.t.Tracks[c.compactions]
	i, _ := x.Longest(from, to, func(int) bool { return true })
	if i < 0 {
		return nil
	}
	return []lab.ChainLink{{Text: fmt.Sprintf("A compaction of %s runs meanwhile, for %s.", prose.Count(x.Amount[i], "page"), c.say(x.End[i]-x.Begin[i])), Track: c.compactions, Begin: x.Begin[i]}}
}
