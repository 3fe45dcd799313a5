package filesys

import (
	"fmt"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/ui/lab"
)

// A chain says what waits of threads came of.
type chain struct {
	t       *timeline.Timeline
	first   int // the track of the first thread's calls; that of what it spends time on is the next
	threads int
	flash   int // the track of the first channel
	servers int
	actors  [2]int           // the first track of the background, and that after the last
	locks   [2]int           // the same of locks
	own     map[uint32]int64 // by a step's name: what the interface takes for it, in ticks
}

func (c *chain) say(ticks int64) string { return c.t.Tick.Time(ticks).String() }

func whichever(int) bool { return true }

// of is the chain of a wait.
func (c *chain) of(track, slice int) []lab.ChainLink {
	thread := (track - c.first) / 2
	if thread < 0 || thread >= c.threads || (track-c.first)%2 == 0 {
		return nil
	}
	x := &c.t.Tracks[track]
	from, to := x.Begin[slice], x.End[slice]
	list := c.call(track, from)
	switch core.Cause(x.Cat[slice]) {
	case core.WaitsLock:
		return append(list, c.holder(thread, from, to)...)
	case core.WaitsJournal, core.WaitsLog:
		list = append(list, c.background(from, to)...)
		return append(list, c.others(thread, x.Cat[slice], from, to)...)
	case core.ReadsBlocks, core.WritesBlocks, core.ReadsBytes, core.WritesBytes:
		return append(list, c.channel(from, to)...)
	case core.WaitsCore:
		return append(list, c.others(thread, x.Cat[slice], from, to)...)
	}
	return list
}

// call says of which call a wait is a part, and of what steps that is made.
func (c *chain) call(track int, at int64) []lab.ChainLink {
	calls, x := &c.t.Tracks[track-1], &c.t.Tracks[track]
	i, _ := calls.Longest(at, at+1, whichever)
	if i < 0 {
		return nil
	}
	var sums [timeline.Most]int64
	x.During(calls.Begin[i], calls.End[i], func(k int, ticks int64) bool {
		sums[x.Cat[k]] += ticks
		return true
	})
	var parts []string
	for {
		most := 0
		for n, ticks := range sums {
			if ticks > sums[most] {
				most = n
			}
		}
		if sums[most] == 0 || len(parts) == 4 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", c.t.Cats[most].Label, c.say(sums[most])))
		sums[most] = 0
	}
	about := ""
	if calls.Ref[i] >= 0 {
		about = " of " + c.t.Names[c.t.Objects[calls.Ref[i]]]
	}
	return []lab.ChainLink{{
		Text:  fmt.Sprintf("It is part of %s%s, which takes %s: %s.", c.t.Names[calls.Label[i]], about, c.say(calls.End[i]-calls.Begin[i]), strings.Join(parts, ", ")),
		Track: track - 1, Begin: calls.Begin[i],
	}}
}

// holder says who has the lock meanwhile, of locks with a track, and what it does.
func (c *chain) holder(thread int, from, to int64) []lab.ChainLink {
	best, slice, most := -1, -1, int64(0)
	for n := c.locks[0]; n < c.locks[1]; n++ {
		x := &c.t.Tracks[n]
		own := fmt.Sprintf("thread %d", thread+1)
		if i, ticks := x.Longest(from, to, func(i int) bool { return c.t.Names[x.Label[i]] != own }); i >= 0 && ticks > most {
			best, slice, most = n, i, ticks
		}
	}
	if best < 0 {
		return nil
	}
	x := &c.t.Tracks[best]
	who := c.t.Names[x.Label[slice]]
	list := []lab.ChainLink{{Text: fmt.Sprintf("%s holds %s for %s.", prose.Capital(who), strings.ToLower(x.Name), c.say(x.End[slice]-x.Begin[slice])), Track: best, Begin: x.Begin[slice]}}
	var holder int
	if n, err := fmt.Sscanf(who, "thread %d", &holder); n == 1 && err == nil && holder > 0 && holder <= c.threads {
		track := c.first + 2*(holder-1) + 1
		y := &c.t.Tracks[track]
		if cat, ticks := y.Main(max(from, x.Begin[slice]), min(to, x.End[slice])); cat >= 0 {
			i, _ := y.Longest(from, to, func(i int) bool { return int(y.Cat[i]) == cat })
			list = append(list, lab.ChainLink{Text: fmt.Sprintf("Of that, the thread spends %s in: %s.", c.say(ticks), c.t.Cats[cat].Label), Track: track, Begin: y.Begin[i]})
		}
		return list
	}
	return append(list, c.background(from, to)...)
}

// background says what actors do meanwhile, the busiest first.
func (c *chain) background(from, to int64) []lab.ChainLink {
	best, cat, most := -1, -1, int64(0)
	for n := c.actors[0]; n < c.actors[1]; n++ {
		if k, ticks := c.t.Tracks[n].Main(from, to); k >= 0 && ticks > most {
			best, cat, most = n, k, ticks
		}
	}
	if best < 0 {
		return nil
	}
	x := &c.t.Tracks[best]
	i, _ := x.Longest(from, to, func(i int) bool { return int(x.Cat[i]) == cat })
	list := []lab.ChainLink{{Text: fmt.Sprintf("Meanwhile %s spends %s in: %s.", x.Name, c.say(most), c.t.Cats[cat].Label), Track: best, Begin: x.Begin[i]}}
	switch core.Cause(cat) {
	case core.ReadsBlocks, core.WritesBlocks, core.ReadsBytes, core.WritesBytes:
		return append(list, c.channel(from, to)...)
	}
	return list
}

// others says how many threads wait for the same meanwhile.
func (c *chain) others(thread int, cat uint8, from, to int64) []lab.ChainLink {
	count, best, slice, most := int64(0), -1, -1, int64(0)
	for n := range c.threads {
		track := c.first + 2*n + 1
		x := &c.t.Tracks[track]
		i, ticks := x.Longest(from, to, func(i int) bool { return x.Cat[i] == cat })
		if n == thread || i < 0 {
			continue
		}
		count++
		if ticks > most {
			best, slice, most = track, i, ticks
		}
	}
	if best < 0 {
		return nil
	}
	return []lab.ChainLink{{Text: fmt.Sprintf("Waiting for the same: %s.", prose.Count(count, "other thread")), Track: best, Begin: c.t.Tracks[best].Begin[slice]}}
}

// channel says what the busiest channel does meanwhile.
func (c *chain) channel(from, to int64) []lab.ChainLink {
	best, most := -1, int64(0)
	for n := c.flash; n < c.flash+c.servers; n++ {
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
		return []lab.ChainLink{{Text: "No flash channel is busy meanwhile.", Track: -1}}
	}
	x := &c.t.Tracks[best]
	cat, _ := x.Main(from, to)
	i, _ := x.Longest(from, to, func(i int) bool { return int(x.Cat[i]) == cat })
	return []lab.ChainLink{{Text: fmt.Sprintf("Meanwhile the busiest, %s, works %s of the time, and mostly %s.", strings.ToLower(x.Name), prose.Percent(float64(most)/float64(to-from)), c.t.Cats[cat].Label), Track: best, Begin: x.Begin[i]}}
}
