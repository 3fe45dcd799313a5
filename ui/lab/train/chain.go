package train

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/ui/lab"
)

// Tracks of the timeline, in their order there.
const (
	kernelTrack = iota
	stateTrack
	firstLink // SSD → GPU, GPU → SSD, Host → GPU, GPU → host
	pastLinks = firstLink + 4
)

// into reports whether a link's track leads into the GPU.
func into(track int) bool { return (track-firstLink)%2 == 0 }

// A chain says what waits came of: what a kernel waited for, when that left, when it was
// asked for, and what was in its way.
type chain struct {
	t        *timeline.Timeline
	w        *workload.Workload
	planned  []program.Op
	capacity unit.Bytes // of the GPU
}

// happening is what happened in a recorded run, with the chains of its waits.
func happening(v *seen) (*lab.Happening, error) {
	x, err := recorded(v)
	if err != nil {
		return nil, err
	}
	c := chain{t: x.over(v.Window), w: x.w, capacity: v.Settings.Machine.GPUMemory}
	// Of a workload whose tensors were divided the plan is about the parts.
	whole := func(op program.Op) bool { return int(op.Tensor) < len(x.w.Tensors) && int(op.At) <= len(x.w.Kernels) }
	if x.Program != nil && !slices.ContainsFunc(x.Program.Ops, func(op program.Op) bool { return !whole(op) }) {
		c.planned = x.Program.Ops
	}
	makes := why()
	c.t.Attribute(makes.Resources(), c.resource(x.machine))
	return &lab.Happening{Timeline: c.t, Chain: c.of}, nil
}

// say is a moment or a duration in words.
func (c *chain) say(ticks int64) string { return c.t.Tick.Time(ticks).String() }

// of is the chain of a wait.
func (c *chain) of(track, slice int) []lab.ChainLink {
	if track != stateTrack {
		return nil
	}
	s := &c.t.Tracks[track]
	cause := result.Cause(s.Cat[slice] - firstCause)
	kernel, from, to := s.Step[slice], s.Begin[slice], s.End[slice]
	leaving := cause == result.Eviction || cause == result.Allocation
	at, i := c.overlap(leaving, kernel, from, to)
	if at < 0 {
		return []lab.ChainLink{{Text: "Nothing that it needs moves meanwhile.", Track: -1}}
	}
	m := &c.t.Tracks[at]
	name := c.t.Names[m.Label[i]]
	took := m.End[i] - m.Begin[i]
	verb := "waits for " + name + ", " + m.Name
	if leaving {
		verb = "waits until " + name + " has left, " + m.Name
	}
	list := []lab.ChainLink{{Text: fmt.Sprintf("It %s: %s in %s%s, %s.", verb, prose.Bytes(float64(m.Amount[i])), c.say(took), c.rate(m.Amount[i], took), c.t.Cats[m.Cat[i]].Label), Track: at, Begin: m.Begin[i]}}
	if leaving {
		return append(list, c.room(from))
	}
	left, out := c.left(m.Ref[i], m.Begin[i])
	if left >= 0 {
		o := &c.t.Tracks[left]
		list = append(list, lab.ChainLink{Text: fmt.Sprintf("It had left at %s%s, %s.", c.say(o.Begin[out]), c.during(o.Begin[out]), c.t.Cats[o.Cat[out]].Label), Track: left, Begin: o.Begin[out]})
	} else {
		list = append(list, lab.ChainLink{Text: "It had not been on the GPU in this iteration.", Track: -1})
	}
	asked := c.asked(m.Ref[i], kernel)
	if asked < 0 {
		if m.Cat[i] != firstReason { // the policy asks without a plan
			list = append(list, lab.ChainLink{Text: "No prefetch of it is planned: it is asked for when the kernel needs it.", Track: -1})
		}
		return append(list, c.way(at, i, from)...)
	}
	k := &c.t.Tracks[kernelTrack]
	begun := int64(0)
	if n := c.place(kernelTrack, asked); n >= 0 {
		begun = k.Begin[n]
	}
	ahead := "with the kernel that needs it"
	if n := kernel - asked; n > 0 {
		ahead = fmt.Sprintf("%s and %s ahead", prose.Count(int64(n), "kernel"), c.say(max(0, from-begun)))
	}
	list = append(list, lab.ChainLink{Text: fmt.Sprintf("Its prefetch is planned at kernel %d, %s.", asked, ahead), Track: kernelTrack, Begin: begun})
	if left >= 0 && c.t.Tracks[left].End[out] > begun && c.t.Tracks[left].Begin[out] <= begun {
		return append(list, lab.ChainLink{Text: "It was still leaving then, so that had no effect.", Track: left, Begin: c.t.Tracks[left].Begin[out]})
	}
	return append(list, c.way(at, i, begun)...)
}

// rate is how fast something moved, in brackets.
func (c *chain) rate(amount, ticks int64) string {
	ps := int64(c.t.Tick.Time(ticks))
	if ps == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s/s)", prose.Bytes(float64(amount)*1e12/float64(ps)))
}

// overlap is the slice of a link with which a wait overlaps longest, of two the one that ends
// last: of what a kernel reads and writes on its way in, or of what leaves. -1 if none does.
func (c *chain) overlap(leaving bool, kernel int32, from, to int64) (track, slice int) {
	needs := c.w.Kernels[kernel].Inputs
	writes := c.w.Kernels[kernel].Outputs
	track = -1
	var most, end int64
	for n := firstLink; n < pastLinks; n++ {
		if into(n) == leaving {
			continue
		}
		x := &c.t.Tracks[n]
		for i := sort.Search(len(x.End), func(i int) bool { return x.End[i] > from }); i < len(x.Begin) && x.Begin[i] < to; i++ {
			id := workload.TensorID(x.Ref[i])
			if !leaving && !slices.Contains(needs, id) && !slices.Contains(writes, id) {
				continue
			}
			if d := min(x.End[i], to) - max(x.Begin[i], from); d > most || d == most && x.End[i] > end {
				track, slice, most, end = n, i, d, x.End[i]
			}
		}
	}
	return track, slice
}

// left is the slice in which an object last left the GPU before a moment; -1 if none is.
func (c *chain) left(object int32, before int64) (track, slice int) {
	track = -1
	last := int64(-1)
	for n := firstLink; n < pastLinks; n++ {
		if into(n) {
			continue
		}
		x := &c.t.Tracks[n]
		for i := sort.Search(len(x.Begin), func(i int) bool { return x.Begin[i] >= before }) - 1; i >= 0 && x.Begin[i] > last; i-- {
			if x.Ref[i] == object {
				track, slice, last = n, i, x.Begin[i]
				break
			}
		}
	}
	return track, slice
}

// during names the kernel at a moment.
func (c *chain) during(at int64) string {
	x := &c.t.Tracks[kernelTrack]
	n := sort.Search(len(x.Begin), func(i int) bool { return x.Begin[i] > at }) - 1
	if n < 0 {
		return ""
	}
	return fmt.Sprintf(", during kernel %d", x.Step[n])
}

// place is the slice of a kernel; -1 if it took no time.
func (c *chain) place(track int, step int32) int {
	x := &c.t.Tracks[track]
	i := sort.Search(len(x.Step), func(i int) bool { return x.Step[i] >= step })
	if i == len(x.Step) {
		return -1
	}
	return i
}

// asked is at which kernel the plan last asks for an object that a kernel needs; -1 if never.
func (c *chain) asked(object, kernel int32) int32 {
	last := int32(-1)
	for i := range c.planned {
		if op := &c.planned[i]; op.Kind == program.Prefetch && int32(op.Tensor) == object && int32(op.At) <= kernel {
			last = int32(op.At)
		}
	}
	return last
}

// way says what went over a link from when something was asked for until it came.
func (c *chain) way(track, slice int, since int64) []lab.ChainLink {
	x := &c.t.Tracks[track]
	until := x.Begin[slice]
	if until <= since {
		return nil
	}
	type part struct {
		slice int
		ticks int64
	}
	var list []part
	var busy int64
	for i := sort.Search(len(x.End), func(i int) bool { return x.End[i] > since }); i < slice; i++ {
		d := min(x.End[i], until) - max(x.Begin[i], since)
		busy += d
		list = append(list, part{i, d})
	}
	if 2*busy < until-since {
		return []lab.ChainLink{c.room(since)}
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.ticks, a.ticks) })
	largest := list[0].slice
	var names []string
	for _, p := range list[:min(3, len(list))] {
		names = append(names, fmt.Sprintf("%s (%s)", c.t.Names[x.Label[p.slice]], c.say(p.ticks)))
	}
	return []lab.ChainLink{{Text: fmt.Sprintf("Meanwhile the link was busy %s, most with %s.", prose.Percent(float64(busy)/float64(until-since)), strings.Join(names, ", ")), Track: track, Begin: x.Begin[largest]}}
}

// room says how full the GPU was at a moment.
func (c *chain) room(at int64) lab.ChainLink {
	g := &c.t.Counters[0]
	i := sort.Search(len(g.At), func(i int) bool { return g.At[i] > at }) - 1
	if i < 0 {
		return lab.ChainLink{Text: "The link was free then.", Track: -1}
	}
	return lab.ChainLink{Text: fmt.Sprintf("Then %s of %s of GPU memory were in use.", unit.Bytes(g.Value[i]), c.capacity), Track: -1}
}
