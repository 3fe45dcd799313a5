package bound

import (
	"slices"
	"sort"

	"spillway/sim/unit"
)

// A cut is a problem at some moments: what the dual is computed of. Sizes are in seconds
// of the GPU's link, times in seconds.
type cut struct {
	moments []int     // kernels, ascending
	time    []float64 // of segments
	deficit []float64 // at moments; below 0 where there is room
	host    float64   // host memory
	rate    [Channels]float64
	classes []class
	steps   []step
	of      []int32 // class of every value, or -1 for one that is never away at a moment
}

// A class is all values with the same steps.
type class struct {
	size     float64
	from, to int32 // steps
	clean    bool
	// again is what a byte costs to compute again, in times of the GPU's link, at most; -1 if
	// it cannot be.
	again float64
}

// A step of a class is a moment and the segment that begins with it.
type step struct {
	at    int16
	flags uint8
}

// What can happen in a step.
const (
	idle    uint8 = 1 << iota // the value may be away at the moment, and return in the segment
	first                     // the first moment of a gap
	last                      // the last: it must return
	copying                   // it may be copied in the segment
	again                     // and to the other tier, if it has one copy
)

// cut returns the problem at some moments.
func (p *Problem) cut(moments []int) *cut {
	n := len(moments)
	m := &p.Machine
	link := float64(m.GPULink)
	c := &cut{moments: moments, time: make([]float64, n), deficit: make([]float64, n), host: float64(m.HostMemory) / link, of: make([]int32, len(p.Values))}
	for i, r := range rates(m) {
		c.rate[i] = float64(r) / link
	}
	for i, k := range moments {
		c.deficit[i] = float64(p.Need[k]-p.memory()) / link
		var cycles unit.Cycles
		for j := k; ; {
			cycles += p.Exec[j]
			if j = (j + 1) % p.Kernels; j == moments[(i+1)%n] {
				break
			}
		}
		c.time[i] = float64(cycles) / float64(m.Clock)
	}
	known := map[string]int32{}
	costs := powers()
	var steps []step
	for i := range p.Values {
		v := &p.Values[i]
		steps = c.walk(steps[:0], v, p.Kernels)
		c.of[i] = -1
		if len(steps) == 0 {
			continue
		}
		cost, power := -1.0, -1
		if k, bytes := p.rerun(v); k >= 0 {
			exact := float64(float64(p.Exec[k])/float64(m.Clock)) * link / float64(bytes)
			if power = sort.SearchFloat64s(costs, exact); power > 0 {
				cost = costs[power-1]
			} else {
				cost = 0
			}
		}
		key := name(steps, v.Born < 0, power)
		at, ok := known[key]
		if !ok {
			at = int32(len(c.classes))
			known[key] = at
			begin := int32(len(c.steps))
			c.steps = append(c.steps, steps...)
			c.classes = append(c.classes, class{from: begin, to: int32(len(c.steps)), clean: v.Born < 0, again: cost})
		}
		c.of[i] = at
		c.classes[at].size += float64(v.Size) / link
	}
	return c
}

// walk appends the steps of v, none if it is never away at a moment.
func (c *cut) walk(steps []step, v *Value, kernels int) []step {
	n, begin := len(c.moments), len(steps)
	returned := false
	at := c.segment(v.Born, kernels) // the next step's moment, counting on
	for _, g := range v.Gaps {
		from, to := c.segment(g.From, kernels)+1, c.segment(g.To-1, kernels)
		if from > to {
			continue
		}
		if v.Born < 0 {
			at = from
		}
		for ; at <= to; at++ {
			s := step{at: int16((at + n) % n)}
			if at >= from {
				s.flags |= idle
			}
			if at == from {
				s.flags |= first
			}
			if at == to {
				s.flags |= last
			}
			if v.Born >= 0 {
				s.flags |= copying
				if returned = returned || at >= from; returned {
					s.flags |= again
				}
			}
			steps = append(steps, s)
		}
	}
	if len(steps) > begin { // a copy at the end is of no use
		steps[len(steps)-1].flags &^= copying | again
	}
	return steps
}

// segment returns the moment that begins the segment in which kernel k begins, counting on
// over iterations; -1 for kernels before the first.
func (c *cut) segment(k, kernels int) int {
	if k < 0 {
		return -1
	}
	i, found := slices.BinarySearch(c.moments, k%kernels)
	if !found {
		i--
	}
	return i + k/kernels*len(c.moments)
}

// powers are the costs of a byte that is computed again by which classes differ: ascending
// powers of 1.1. Costs are rounded down, so that what is proved holds.
func powers() []float64 {
	list := make([]float64, 300)
	x := 1e-6
	for i := range list {
		list[i] = x
		x = float64(x * 1.1)
	}
	return list
}

// name is steps as the key of a map.
func name(steps []step, clean bool, power int) string {
	b := make([]byte, 0, 2*len(steps)+3)
	for _, s := range steps {
		b = append(b, byte(s.at), s.flags)
	}
	if clean {
		b = append(b, 1)
	}
	if power >= 0 {
		b = append(b, 2, byte(power), byte(power>>8))
	}
	return string(b)
}
