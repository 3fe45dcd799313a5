package timeline

import "spillway/sim/unit"

// A Resource is what time is spent for: a link, an SSD, code. A category says where somebody waits,
// and this what makes it wait.
type Resource struct {
	Key   string // stable; that of the laboratory's cause, where it is one
	Label string // in the middle of a sentence: "the SSD"
}

// Attribute says of every slice of State tracks what resource it is for: of answers with a place
// in list, counted from 1, or 0 where it is none of them. What is only known in bins has none.
func (t *Timeline) Attribute(list []Resource, of func(track, slice int) uint8) {
	t.Resources = append([]Resource{{}}, list...)
	for n := range t.Tracks {
		x := &t.Tracks[n]
		if x.Kind != State {
			continue
		}
		x.For = make([]uint8, len(x.Begin))
		for i := range x.For {
			x.For[i] = of(n, i)
		}
	}
}

// Needed is how long State tracks spend for each resource, in ticks, the first for none; nil where
// no slice says it.
func (t *Timeline) Needed() []int64 {
	if t.Resources == nil || t.Bins != nil {
		return nil
	}
	sums := make([]int64, len(t.Resources))
	for n := range t.Tracks {
		x := &t.Tracks[n]
		for i, k := range x.For {
			sums[k] += x.End[i] - x.Begin[i]
		}
	}
	return sums
}

// Largest is the place of the largest of sums of resources, the first of equal ones; 0, which is none, where all
// others have nothing.
func Largest(sums []int64) (place uint8) {
	for i := 1; i < len(sums); i++ {
		if sums[i] > 0 && (place == 0 || sums[i] > sums[place]) {
			place = uint8(i)
		}
	}
	return place
}

// NeededOver is Needed of a part of a run, scaled from its window to so many ticks.
func (t *Timeline) NeededOver(ticks int64) []int64 {
	sums := t.Needed()
	for i := range sums {
		sums[i] = unit.MulDiv(sums[i], ticks, max(1, t.Window.To-t.Window.From))
	}
	return sums
}
