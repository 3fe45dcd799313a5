package llm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/llm/offload"
	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/sim/workload"
	"spillway/ui/lab"
)

// named is how many things before one on a queue are named.
const named = 3

// A chain says what waits of GPUs came of.
type chain struct {
	*drawing
	t *timeline.Timeline
}

func (c *chain) say(ticks int64) string { return c.t.Tick.Time(ticks).String() }

func whichever(int) bool { return true }

// of is the chain of a wait.
func (c *chain) of(track, slice int) []lab.ChainLink {
	gpu := slices.IndexFunc(c.gpus, func(g gpuTracks) bool { return g.state == track })
	if gpu < 0 {
		return nil
	}
	x := &c.t.Tracks[track]
	from, to := x.Begin[slice], x.End[slice]
	kernel := workload.KernelID(x.Step[slice] - c.gpus[gpu].kernel)
	switch offload.Cause(x.Cat[slice]) {
	case offload.Fetch:
		return c.fetch(gpu, kernel, from, to)
	case offload.Space:
		return c.room(gpu, from, to)
	case offload.Bubble, offload.Communicate:
		return c.sender(gpu, kernel, from, to)
	case offload.Optimizer:
		if c.processors >= 0 {
			if i, _ := c.t.Tracks[c.processors].Longest(from, to, whichever); i >= 0 {
				return []lab.ChainLink{c.moves("Processors work on %s", c.processors, i)}
			}
		}
	}
	return nil
}

// moves says that something is on a track.
func (c *chain) moves(format string, track, i int) lab.ChainLink {
	m := &c.t.Tracks[track]
	took := m.End[i] - m.Begin[i]
	return lab.ChainLink{Text: fmt.Sprintf(format+": %s in %s.", c.t.Names[m.Label[i]], prose.Bytes(float64(m.Amount[i])), c.say(took)), Track: track, Begin: m.Begin[i]}
}

// queued are the tracks of the queues into a GPU, or out of it.
func (c *chain) queued(gpu int, in bool) (list []int) {
	q := &c.gpus[gpu].queues
	ways := []int{q[offload.SSDWrite], q[offload.HostWrite]}
	if in {
		ways = []int{q[offload.SSDRead], q[offload.HostRead]}
	}
	return slices.DeleteFunc(ways, func(track int) bool { return track == 0 })
}

// longest is the slice, of those that is accepts, with which a wait overlaps longest.
func (c *chain) longest(tracks []int, from, to int64, is func(x *timeline.Track, i int) bool) (track, slice int) {
	track, slice = -1, -1
	most := int64(0)
	for _, n := range tracks {
		x := &c.t.Tracks[n]
		if i, ticks := x.Longest(from, to, func(i int) bool { return is(x, i) }); i >= 0 && ticks > most {
			track, slice, most = n, i, ticks
		}
	}
	return track, slice
}

// fetch says which tensor a kernel waits for, when that left, and what was before it on its queue.
func (c *chain) fetch(gpu int, kernel workload.KernelID, from, to int64) []lab.ChainLink {
	g, w := &c.gpus[gpu], c.Job.Parts[gpu]
	needs := func(x *timeline.Track, i int) bool {
		if int(kernel) >= len(w.Kernels) || x.Ref[i] < 0 {
			return true
		}
		id := workload.TensorID(x.Ref[i] - g.tensor)
		return slices.Contains(w.Kernels[kernel].Inputs, id) || slices.Contains(w.Kernels[kernel].Outputs, id)
	}
	track, i := c.longest(c.queued(gpu, true), from, to, needs)
	if track < 0 {
		if track, i = c.longest(c.queued(gpu, true), from, to, func(*timeline.Track, int) bool { return true }); track < 0 {
			return []lab.ChainLink{{Text: "Nothing comes to the GPU meanwhile.", Track: -1}}
		}
		return []lab.ChainLink{c.moves("Nothing that it needs moves yet; before that comes %s", track, i)}
	}
	m := &c.t.Tracks[track]
	list := []lab.ChainLink{c.moves("It waits for %s, "+m.Name, track, i)}
	best, last := -1, -1
	for _, n := range c.queued(gpu, false) {
		x := &c.t.Tracks[n]
		if k := x.Last(m.Begin[i], func(k int) bool { return x.Ref[k] >= 0 && x.Ref[k] == m.Ref[i] }); k >= 0 && (best < 0 || x.Begin[k] > c.t.Tracks[best].Begin[last]) {
			best, last = n, k
		}
	}
	if best >= 0 {
		x := &c.t.Tracks[best]
		list = append(list, lab.ChainLink{Text: fmt.Sprintf("It had left at %s, %s.", c.say(x.Begin[last]), x.Name), Track: best, Begin: x.Begin[last]})
	}
	if m.Begin[i] > from {
		var names []string
		first := int64(-1)
		m.During(from, m.Begin[i], func(k int, ticks int64) bool {
			if first < 0 {
				first = m.Begin[k]
			}
			names = append(names, fmt.Sprintf("%s (%s)", c.t.Names[m.Label[k]], c.say(ticks)))
			return len(names) < named
		})
		if len(names) > 0 {
			list = append(list, lab.ChainLink{Text: "Before it on its way: " + prose.List(names) + ".", Track: track, Begin: first})
		}
	}
	return list
}

// room says what has to leave.
func (c *chain) room(gpu int, from, to int64) []lab.ChainLink {
	track, i := c.longest(c.queued(gpu, false), from, to, func(*timeline.Track, int) bool { return true })
	if track < 0 {
		return []lab.ChainLink{{Text: "Nothing leaves the GPU meanwhile.", Track: -1}}
	}
	m := &c.t.Tracks[track]
	list := []lab.ChainLink{c.moves("It waits until %s has left, "+m.Name, track, i)}
	busy := int64(0)
	m.During(max(0, m.Begin[i]-(to-from)), m.Begin[i], func(_ int, ticks int64) bool {
		busy += ticks
		return true
	})
	return append(list, lab.ChainLink{Text: fmt.Sprintf("In the %s before, that way was busy %s.", c.say(to-from), prose.Percent(float64(busy)/float64(max(1, min(to-from, m.Begin[i]))))), Track: -1})
}

// sender says which GPU has to send first, or is in no hurry, and what that does meanwhile.
func (c *chain) sender(gpu int, kernel workload.KernelID, from, to int64) []lab.ChainLink {
	who, what := -1, ""
	var list []lab.ChainLink
	for i := range c.Job.Sends {
		if s := &c.Job.Sends[i]; int(s.To.Part) == gpu && s.To.Kernel == kernel {
			who, what = int(s.From.Part), c.kernelName(int(s.From.Part), s.From.Kernel)
			list = c.sent(who, c.gpus[who].kernel+int32(s.From.Kernel))
		}
	}
	if who < 0 { // the busiest of the others
		most := int64(0)
		for n := range c.gpus {
			busy := (to - from) - c.idle(n, from, to)
			if n != gpu && busy > most {
				who, most = n, busy
			}
		}
		if who < 0 {
			return nil
		}
	}
	x := &c.t.Tracks[c.gpus[who].state]
	cat, ticks := x.Main(from, to)
	if cat < 0 {
		return nil
	}
	i, _ := x.Longest(from, to, func(i int) bool { return int(x.Cat[i]) == cat })
	text := "Meanwhile GPU " + strconv.Itoa(who)
	if what != "" {
		text = "It waits for " + what + " of GPU " + strconv.Itoa(who) + ", which meanwhile"
	}
	return append(list, lab.ChainLink{Text: fmt.Sprintf("%s has %s of %s.", text, c.say(ticks), strings.ToLower(c.t.Cats[cat].Label)), Track: c.gpus[who].state, Begin: x.Begin[i]})
}

// sent is what a kernel sends.
func (c *chain) sent(gpu int, step int32) []lab.ChainLink {
	for _, track := range c.gpus[gpu].sends {
		if i := slices.Index(c.t.Tracks[track].Step, step); i >= 0 {
			return []lab.ChainLink{c.moves("GPU "+strconv.Itoa(gpu)+" sends %s", track, i)}
		}
	}
	return nil
}

// idle is how long a GPU waits for others.
func (c *chain) idle(gpu int, from, to int64) (sum int64) {
	x := &c.t.Tracks[c.gpus[gpu].state]
	x.During(from, to, func(i int, ticks int64) bool {
		if offload.Cause(x.Cat[i]) == offload.Bubble {
			sum += ticks
		}
		return true
	})
	return sum
}
