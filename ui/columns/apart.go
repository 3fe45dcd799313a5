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

// named is how many names of steps are told that two runs spend another time on, and single how
// many single steps.
const (
	named  = 5
	single = 10
)

// Beside is two runs in one picture, linked by progress or by time, with the chains of both.
// Where they part are sentences in its Apart.
func Beside(a, b *lab.Happening, nameA, nameB string, progress bool) (*lab.Happening, error) {
	if nameA == nameB {
		nameB += ", again"
	}
	p, err := timeline.Beside(a.Timeline, b.Timeline, nameA, nameB, progress)
	if err != nil {
		return nil, err
	}
	sides := []*lab.Happening{a, b}
	h := &lab.Happening{Timeline: p.Timeline}
	h.Chain = func(track, slice int) []lab.ChainLink {
		side, ofTrack, ofSlice := p.Slice(track, slice)
		if side < 0 || sides[side].Chain == nil || sides[side].Bins != nil {
			return nil
		}
		list := sides[side].Chain(ofTrack, ofSlice)
		for i := range list {
			list[i].Track, list[i].Begin = p.Place(side, list[i].Track, list[i].Begin)
		}
		return list
	}
	h.Apart = apart(a, b, p)
	return h, nil
}

// apart says where two runs part: what each takes, the first step at which something else moves,
// when that begins to cost, and which steps make most of it. A sentence about a step leads there.
func apart(a, b *lab.Happening, p *timeline.Pair) []lab.ChainLink {
	nameA, nameB := p.Sides[0].Name, p.Sides[1].Name
	var list []lab.ChainLink
	add := func(step int, format string, more ...any) {
		l := lab.ChainLink{Text: fmt.Sprintf(format, more...), Track: -1}
		if step >= 0 {
			l.Track, l.Begin = first(a.Timeline, int32(step))
			l.Track, l.Begin = p.Place(0, l.Track, l.Begin)
		}
		list = append(list, l)
	}
	add(-1, "%s takes %s, %s %s.", nameA, a.Tick.Time(a.End), nameB, b.Tick.Time(b.End))
	if a.Bins != nil || b.Bins != nil {
		add(-1, "So much happens that both are shown in %d parts of the run, in each of which only sums are exact.", timeline.Grains)
	}
	if len(a.Steps) == 0 || len(a.Steps) != len(b.Steps) || a.Part || b.Part {
		if p.Sides[0].At == nil {
			add(-1, "What these two do has no steps in common, so they are not compared step by step.")
		} else {
			add(-1, "They are linked by every %s done, of all together: the two do not do the same ones in the same order.", p.Word)
		}
		return append(list, dearest(a, b, p)...)
	}
	x, y := stepsOf(a.Timeline), stepsOf(b.Timeline)
	diff := y.all - x.all // in picoseconds, as all here
	other := -1
	for i := range x.took {
		if x.took[i] != y.took[i] {
			other = i
			break
		}
	}
	if other < 0 {
		add(-1, "Every step takes the same time in both.")
		return list
	}
	add(other, "The first step of another length is %s: %s and %s.", step(a.Timeline, other), say(x.took[other]), say(y.took[other]))
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
			add(i, "They first decide otherwise at %s: %s.", step(a.Timeline, i), strings.Join(parts, ", and "))
			break
		}
	}
	if lag := int64(0); diff != 0 {
		for i := range x.took {
			if lag += y.took[i] - x.took[i]; abs(lag)*100 >= abs(diff) {
				add(i, "A hundredth of the difference is there after %s.", step(a.Timeline, i))
				break
			}
		}
	}
	for _, text := range costs(a.Timeline, x, y, nameA, nameB) {
		add(-1, "%s", text)
	}
	return append(list, dearest(a, b, p)...)
}

// first is the track and the begin of the first slice of a step: of what runs or waits.
func first(t *timeline.Timeline, step int32) (track int, begin int64) {
	track = -1
	for n := range t.Tracks {
		x := &t.Tracks[n]
		if x.Kind == timeline.Link {
			continue
		}
		if i := slices.Index(x.Step, step); i >= 0 && (track < 0 || x.Begin[i] < begin) {
			track, begin = n, x.Begin[i]
		}
	}
	return track, begin
}

// dearest are the single steps of progress that differ most, each with what the slower waits
// for longer.
func dearest(a, b *lab.Happening, p *timeline.Pair) (list []lab.ChainLink) {
	last := len(p.Tracks) - 1
	if p.Sides[0].At == nil || p.Sides[1].Tracks > last {
		return nil
	}
	x := &p.Tracks[last]
	order := make([]int, len(x.Begin))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(x.End[k]-x.Begin[k], x.End[i]-x.Begin[i]) })
	sums := make([]*timeline.Sums, len(p.Tracks))
	for _, i := range order[:min(single, len(order))] {
		at := p.Sides[0].At
		n, ok := slices.BinarySearch(at, x.End[i])
		if !ok {
			n = len(at)
		}
		for n > 0 && at[n-1] >= x.End[i] { // steps that take no time
			n--
		}
		n--
		name := p.Names[x.Label[i]]
		if x.Step[i] >= 0 {
			name = fmt.Sprintf("%s %d, %s", p.Word, x.Step[i], name)
		}
		text := prose.Capital(fmt.Sprintf("%s: %s %s", name, p.Tick.Time(x.End[i]-x.Begin[i]), p.Cats[x.Cat[i]].Label))
		if why := waiting(p, sums, at[n], x.End[i]); why != "" {
			text += ", " + why
		}
		list = append(list, lab.ChainLink{Text: text + ".", Track: last, Begin: x.Begin[i]})
	}
	return list
}

// waiting names what one side waits for in a part of the picture most beyond the other.
func waiting(p *timeline.Pair, sums []*timeline.Sums, from, to int64) string {
	more, part := make([]int64, len(p.Cats)), make([]int64, len(p.Cats))
	for n := range p.Tracks {
		if p.Tracks[n].Kind != timeline.State {
			continue
		}
		if sums[n] == nil {
			sums[n] = p.Sum(n)
		}
		sums[n].Within(from, to, part)
		for c, ticks := range part {
			if n < p.Sides[0].Tracks {
				ticks = -ticks
			}
			more[c] += ticks
		}
	}
	most := -1
	for c, ticks := range more {
		if p.Cats[c].Style == timeline.Waiting && ticks != 0 && (most < 0 || abs(ticks) > abs(more[most])) {
			most = c
		}
	}
	if most < 0 {
		return ""
	}
	side := &p.Sides[0]
	if more[most] > 0 {
		side = &p.Sides[1]
	}
	return fmt.Sprintf("with %s more in %s: %s", p.Tick.Time(abs(more[most])), side.Name, p.Cats[most].Label)
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
