package kineto

import (
	"slices"

	"spillway/sim/unit"
)

// What a recording has of all its steps, so that it is small, and made soon, however
// long the job was observed.
const (
	mostLaunches = 100_000
	mostTensors  = 1_000_000
	// mostLooks is how many operators and events of memory are looked at for all steps:
	// each once, unless steps overlap.
	mostLooks = 4 * mostRows
)

// A cost is what a step takes of the bounds.
type cost struct{ launches, tensors, looks int }

// less takes away what another cost has, if there is room for it.
func (c *cost) less(of cost) bool {
	if of.launches > c.launches || of.tensors > c.tensors || of.looks > c.looks {
		return false
	}
	c.launches -= of.launches
	c.tensors -= of.tensors
	c.looks -= of.looks
	return true
}

// near returns the steps around the chosen one that a recording has room for.
func (c *cutting) near(t *Trace, device int32, chosen int) (from, to int) {
	if len(c.spans) == 0 {
		return 0, 0
	}
	costs := c.costs(t, device)
	from, to = chosen, chosen+1
	room := cost{mostLaunches, mostTensors, mostLooks}
	if !room.less(costs[chosen]) {
		return from, to
	}
	for grown := true; grown; {
		grown = false
		if to < len(c.spans) && room.less(costs[to]) {
			to++
			grown = true
		}
		if from > 0 && room.less(costs[from-1]) {
			from--
			grown = true
		}
	}
	return from, to
}

// costs returns what each step takes: its launches, the blocks that are there in it,
// and the operators and events of memory in its time.
func (c *cutting) costs(t *Trace, device int32) []cost {
	var taken, freed, began []unit.Time
	for i := range t.earlier {
		if x := &t.earlier[i]; x.Device == device {
			taken, freed = append(taken, -1), append(freed, x.Free)
		}
	}
	for i := range t.Blocks {
		x := &t.Blocks[i]
		if x.Device != device {
			continue
		}
		taken = append(taken, x.Taken)
		if x.Free >= 0 {
			freed = append(freed, x.Free)
		}
	}
	slices.Sort(freed)
	if c.overlap() {
		for i := range t.Ops {
			began = append(began, t.Ops[i].Start)
		}
		for i := range t.levels {
			began = append(began, t.levels[i].at)
		}
		slices.Sort(began)
	}
	costs := make([]cost, len(c.spans))
	for i, s := range c.spans {
		costs[i] = cost{
			launches: len(c.kernels[i]),
			tensors:  until(taken, s.to) - until(freed, s.from),
			looks:    until(began, s.to) - until(began, s.from-1),
		}
	}
	return costs
}

// until returns how many times are not after another.
func until(times []unit.Time, last unit.Time) int {
	n, _ := slices.BinarySearchFunc(times, last, func(at, last unit.Time) int {
		if at <= last {
			return -1
		}
		return 1
	})
	return n
}

// overlap reports whether a step begins before the one before it ends.
func (c *cutting) overlap() bool {
	for i := 1; i < len(c.spans); i++ {
		if c.spans[i].from < c.spans[i-1].to {
			return true
		}
	}
	return false
}
