package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// named is how many names of steps are told that two runs spend another time on.
const named = 5

// Apart says where two runs of the same steps part: what each takes, the first step at which
// something else moves, when that begins to cost, and which steps make most of it.
func Apart(a, b *lab.Happening, nameA, nameB string) []string {
	if len(a.Steps) == 0 || len(a.Steps) != len(b.Steps) || a.Part || b.Part {
		return []string{"What these two do has no steps in common, so they are not compared step by step."}
	}
	x, y := stepsOf(a.Timeline), stepsOf(b.Timeline)
	diff := y.all - x.all // in picoseconds, as all here
	list := []string{fmt.Sprintf("%s takes %s, %s %s.", nameA, a.Tick.Time(a.End), nameB, b.Tick.Time(b.End))}
	other := -1
	for i := range x.took {
		if x.took[i] != y.took[i] {
			other = i
			break
		}
	}
	if other < 0 {
		return append(list, "Every step takes the same time in both.")
	}
	list = append(list, fmt.Sprintf("The first step of another length is %s: %s and %s.", step(a.Timeline, other), say(x.took[other]), say(y.took[other])))
	for i := range x.moves {
		mine, theirs := lacking(x.moves[i], y.moves[i]), lacking(y.moves[i], x.moves[i])
		if len(mine)+len(theirs) > 0 {
			var parts []string
			for _, side := range []struct {
				name  string
				moves []move
				of    *lab.Happening
			}{{nameA, mine, a}, {nameB, theirs, b}} {
				if len(side.moves) > 0 {
					parts = append(parts, side.name+" alone moves "+told(side.of.Timeline, side.moves))
				}
			}
			list = append(list, fmt.Sprintf("They first decide otherwise at %s: %s.", step(a.Timeline, i), strings.Join(parts, ", and ")))
			break
		}
	}
	if lag := int64(0); diff != 0 {
		for i := range x.took {
			if lag += y.took[i] - x.took[i]; abs(lag)*100 >= abs(diff) {
				list = append(list, fmt.Sprintf("A hundredth of the difference is there after %s.", step(a.Timeline, i)))
				break
			}
		}
	}
	return append(list, costs(a.Timeline, x, y, nameA, nameB)...)
}

// costs says which steps, by name, make most of a difference, for each side.
func costs(t *timeline.Timeline, x, y *stepped, nameA, nameB string) (list []string) {
	type sum struct {
		name  uint32
		count int64
		more  int64
	}
	at, sums := make([]int, len(t.Names)), []sum{}
	for i, name := range t.Steps {
		if at[name] == 0 {
			sums = append(sums, sum{name: name})
			at[name] = len(sums)
		}
		s := &sums[at[name]-1]
		s.count++
		s.more += y.took[i] - x.took[i]
	}
	for _, side := range []struct {
		name string
		sign int64
	}{{nameB, 1}, {nameA, -1}} {
		slices.SortStableFunc(sums, func(a, b sum) int { return cmp.Compare(side.sign*b.more, side.sign*a.more) })
		var parts []string
		for _, s := range sums[:min(named, len(sums))] {
			if s.more*side.sign > 0 {
				parts = append(parts, fmt.Sprintf("%s (%s, %s)", t.Names[s.name], say(s.more*side.sign), prose.Count(s.count, "time")))
			}
		}
		if len(parts) > 0 {
			list = append(list, "With "+side.name+" longer: "+prose.List(parts)+".")
		}
	}
	return list
}

func abs(x int64) int64 { return max(x, -x) }

func say(ps int64) string { return unit.Time(ps).String() }

// step names a step with its number.
func step(t *timeline.Timeline, i int) string {
	return fmt.Sprintf("step %d, %s", i, t.Names[t.Steps[i]])
}

// A move is an object on a Link.
type move struct{ track, object int32 }

// stepped is a run by its steps.
type stepped struct {
	took  []int64  // picoseconds in State tracks
	all   int64    // of them together
	moves [][]move // that begin in the step, each once
}

func stepsOf(t *timeline.Timeline) *stepped {
	s := &stepped{took: make([]int64, len(t.Steps)), moves: make([][]move, len(t.Steps))}
	var clock *timeline.Track // whose slices say which step it is
	for n := range t.Tracks {
		x := &t.Tracks[n]
		if x.Kind != timeline.State {
			continue
		}
		clock = cmp.Or(clock, x)
		for i, k := range x.Step {
			if k >= 0 {
				s.took[k] += x.End[i] - x.Begin[i]
			}
		}
	}
	for i, ticks := range s.took {
		s.took[i] = int64(t.Tick.Time(ticks))
		s.all += s.took[i]
	}
	for n := range t.Tracks {
		x := &t.Tracks[n]
		if x.Kind != timeline.Link || clock == nil {
			continue
		}
		for i, begin := range x.Begin {
			at, ok := slices.BinarySearch(clock.Begin, begin)
			if !ok {
				at--
			}
			if at < 0 || clock.Step[at] < 0 || x.Ref[i] < 0 {
				continue
			}
			if m := (move{int32(n), x.Ref[i]}); !slices.Contains(s.moves[clock.Step[at]], m) {
				s.moves[clock.Step[at]] = append(s.moves[clock.Step[at]], m)
			}
		}
	}
	return s
}

// lacking are the moves of a list that another has not.
func lacking(list, other []move) (mine []move) {
	for _, m := range list {
		if !slices.Contains(other, m) {
			mine = append(mine, m)
		}
	}
	return mine
}

// mostTold is how many moves are named.
const mostTold = 3

func told(t *timeline.Timeline, list []move) string {
	var parts []string
	for _, m := range list[:min(mostTold, len(list))] {
		parts = append(parts, t.Names[t.Objects[m.object]]+" "+t.Tracks[m.track].Name)
	}
	if more := len(list) - mostTold; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return prose.List(parts)
}
