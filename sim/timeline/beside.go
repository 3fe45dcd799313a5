package timeline

import (
	"fmt"
	"slices"
	"sort"
)

// A Side is one of two runs in one picture ([Beside]).
type Side struct {
	Name string
	// Tracks is how many tracks those of the side and of the sides before it are.
	Tracks int
	// From Own[i] on the side takes step i, which stands at At[i] of the picture, in ticks. Both
	// are empty where pictures and runs have the same time.
	Own, At []int64
}

// place is where a moment of a side is in the picture. One that ends at the moment is in the
// step before the one that begins then.
func (s *Side) place(t int64, ends bool) int64 {
	i := sort.Search(len(s.Own), func(i int) bool { return s.Own[i] > t || ends && s.Own[i] == t }) - 1
	if i < 0 {
		return t
	}
	return s.At[i] + t - s.Own[i]
}

// A Pair is two runs in one picture: the tracks of the first, those of the second, and, where
// they are linked by progress, one of how much longer a step takes in which of the two.
type Pair struct {
	*Timeline
	runs [2]*Timeline
	// from has the slice in its run of each slice of a track that was cut; nil of others.
	from [][]int32
}

// mostCut is into how many pieces the State tracks of a side are cut at most where steps begin.
const mostCut = 200_000

// Beside puts two runs of one laboratory into one picture, by names that differ. Linked by
// progress every step has as much room as the slower needs, so what is blank is what the other
// has more: sums over State tracks stay those of the runs, and what lasts over several steps on
// other tracks is drawn over the room between them. Runs that have no progress in common, or of
// which only bins are known, are linked by time.
func Beside(a, b *Timeline, nameA, nameB string, progress bool) (*Pair, error) {
	if a.Tick != b.Tick {
		return nil, fmt.Errorf("%s and %s count time in other ticks", nameA, nameB)
	}
	progress = progress && a.Linked(b)
	p := &Pair{Timeline: &Timeline{Tick: a.Tick, Names: []string{""}, End: max(a.End, b.End), Sides: []Side{{Name: nameA}, {Name: nameB}}, Word: a.Word, Resources: a.Resources}, runs: [2]*Timeline{a, b}}
	if progress {
		p.align()
	}
	names := map[string]uint32{"": 0}
	if a.Linked(b) {
		p.Groups = []Group{{Name: "Difference"}}
	}
	for side := range p.runs {
		p.runs[side] = p.runs[side].Spread(Grains)
		p.add(side, names)
	}
	if a.Linked(b) {
		p.differ(names)
	}
	return p, nil
}

// Linked reports whether two runs make the same progress, so that they can be linked by it.
func (t *Timeline) Linked(o *Timeline) bool {
	return len(t.Progress) > 1 && len(t.Progress) == len(o.Progress) && t.Word == o.Word && !t.Part && !o.Part
}

// stride is how many moments of progress are one step of two sides.
func (p *Pair) stride() int {
	tracks := 0
	for _, t := range p.runs {
		n := 0
		for i := range t.Tracks {
			if t.Tracks[i].Kind == State {
				n++
			}
		}
		tracks = max(tracks, n)
	}
	return max(1, (len(p.runs[0].Progress)*tracks+mostCut-1)/mostCut)
}

// lengths are when steps of a side begin, the first at 0, and how long they are.
func (p *Pair) lengths(side, stride int) (begin, length []int64) {
	t := p.runs[side]
	for i := 0; i < len(t.Progress); i += stride {
		begin = append(begin, t.Progress[i])
	}
	begin[0] = 0
	length = make([]int64, len(begin))
	for i := range begin {
		end := t.End
		if i+1 < len(begin) {
			end = begin[i+1]
		}
		length[i] = end - begin[i]
	}
	return begin, length
}

// align gives every step the room that the slower side needs.
func (p *Pair) align() {
	stride := p.stride()
	var own, length [2][]int64
	for side := range own {
		own[side], length[side] = p.lengths(side, stride)
	}
	at := make([]int64, len(own[0]))
	end := int64(0)
	for i := range at {
		at[i] = end
		end += max(length[0][i], length[1][i])
	}
	for side := range own {
		p.Sides[side].Own, p.Sides[side].At = own[side], at
	}
	p.End = end
}

// add puts a run into the picture.
func (p *Pair) add(side int, names map[string]uint32) {
	t, s := p.runs[side], &p.Sides[side]
	name := make([]uint32, len(t.Names))
	for i, text := range t.Names {
		name[i] = p.intern(names, text)
	}
	cats := make([]uint8, len(t.Cats))
	for i, c := range t.Cats {
		k := slices.IndexFunc(p.Cats, func(o Category) bool { return o.Key == c.Key })
		if k < 0 {
			k = len(p.Cats)
			p.Cats = append(p.Cats, c)
		}
		cats[i] = uint8(k)
	}
	groups, objects, steps := int32(len(p.Groups)), int32(len(p.Objects)), int32(len(p.Steps))
	for _, g := range t.Groups {
		p.Groups = append(p.Groups, Group{s.Name + ": " + g.Name, g.Folded})
	}
	for _, o := range t.Objects {
		p.Objects = append(p.Objects, name[o])
	}
	if side > 0 && len(p.Steps) == len(t.Steps) { // the same
		steps = 0
	} else {
		for _, o := range t.Steps {
			p.Steps = append(p.Steps, name[o])
		}
	}
	for i := range t.Tracks {
		x, from := t.Tracks[i].placed(s)
		x.Group += groups
		for k := range x.Begin {
			x.Label[k], x.Cat[k] = name[x.Label[k]], cats[x.Cat[k]]
			if x.Ref[k] >= 0 {
				x.Ref[k] += objects
			}
			if x.Step[k] >= 0 {
				x.Step[k] += steps
			}
		}
		p.Tracks, p.from = append(p.Tracks, x), append(p.from, from)
	}
	for _, c := range t.Counters {
		at := make([]int64, len(c.At))
		for k, when := range c.At {
			at[k] = s.place(when, false)
		}
		c.Group, c.At = c.Group+groups, at
		p.Counters = append(p.Counters, c)
	}
	for i := range t.Lives {
		l := t.Lives[i].placed(s)
		l.Group += groups
		for k := range l.Begin {
			l.Cat[k] = cats[l.Cat[k]]
			if l.Ref[k] >= 0 {
				l.Ref[k] += objects
			}
		}
		p.Lives = append(p.Lives, l)
	}
	p.Dropped += t.Dropped
	s.Tracks = len(p.Tracks)
}

func (t *Timeline) intern(names map[string]uint32, text string) uint32 {
	i, ok := names[text]
	if !ok {
		i = uint32(len(t.Names))
		names[text], t.Names = i, append(t.Names, text)
	}
	return i
}

// placed is a track of a side where it is in the picture; from says of which slices its own are,
// and is nil if they are the same.
func (x *Track) placed(s *Side) (y Track, from []int32) {
	y = Track{Group: x.Group, Name: x.Name, Kind: x.Kind, Unit: x.Unit}
	if x.Kind != State || s.Own == nil {
		y.Label, y.Cat, y.Amount = slices.Clone(x.Label), slices.Clone(x.Cat), slices.Clone(x.Amount)
		y.Ref, y.Step, y.For = slices.Clone(x.Ref), slices.Clone(x.Step), slices.Clone(x.For)
		y.Begin, y.End = make([]int64, len(x.Begin)), make([]int64, len(x.End))
		for i, begin := range x.Begin {
			y.Begin[i] = s.place(begin, false)
			y.End[i] = max(y.Begin[i], s.place(x.End[i], true))
		}
		return y, nil
	}
	step := 0
	for i, begin := range x.Begin {
		for begin < x.End[i] {
			for step+1 < len(s.Own) && s.Own[step+1] <= begin {
				step++
			}
			end := x.End[i]
			if step+1 < len(s.Own) {
				end = min(end, s.Own[step+1])
			}
			y.Begin, y.End = append(y.Begin, s.At[step]+begin-s.Own[step]), append(y.End, s.At[step]+end-s.Own[step])
			y.Label, y.Cat, y.Amount = append(y.Label, x.Label[i]), append(y.Cat, x.Cat[i]), append(y.Amount, x.Amount[i])
			y.Ref, y.Step = append(y.Ref, x.Ref[i]), append(y.Step, x.Step[i])
			if x.For != nil {
				y.For = append(y.For, x.For[i])
			}
			from = append(from, int32(i))
			begin = end
		}
	}
	return y, from
}

// differ adds, in the first group, how far one is behind the other where both have made the same progress, and by
// progress the track of steps that take longer in one of the two.
func (p *Pair) differ(names map[string]uint32) {
	stride := p.stride()
	a, lengthA := p.lengths(0, stride)
	b, lengthB := p.lengths(1, stride)
	end := []int64{p.runs[0].End, p.runs[1].End}
	begin := [2][]int64{a, b}
	for first := range 2 {
		behind, ahead := &p.Sides[1-first], &p.Sides[first]
		c := Counter{Name: behind.Name + " behind " + ahead.Name, Unit: "ticks"}
		for i := range a {
			p.lag(&c, first, begin[first][i], begin[1-first][i]-begin[first][i], i)
		}
		p.lag(&c, first, end[first], end[1-first]-end[first], len(a))
		if slices.Max(c.Value) > 0 {
			p.Counters = append(p.Counters, c)
		}
	}
	at := p.Sides[0].At
	if at == nil || len(p.Cats)+2 > Most {
		return
	}
	first := uint8(len(p.Cats))
	for _, s := range p.Sides {
		p.Cats = append(p.Cats, Category{Key: "longer-" + s.Name, Label: "longer in " + s.Name, Style: Waiting})
	}
	x := Track{Name: "Takes longer", Kind: Note}
	for i, n := range lengthA {
		m := lengthB[i]
		if n == m {
			continue
		}
		cat, step, label := first, int32(-1), uint32(0)
		if m > n {
			cat++
		}
		if stride == 1 && len(p.Steps) == len(at) {
			step, label = int32(i), p.Steps[i]
		} else {
			which, last := fmt.Sprintf("%s %d", p.Word, i*stride), min((i+1)*stride, len(p.runs[0].Progress))-1
			if last > i*stride {
				which += fmt.Sprintf(" to %d", last)
			}
			label = p.intern(names, which)
		}
		x.Begin, x.End = append(x.Begin, at[i]+min(n, m)), append(x.End, at[i]+max(n, m))
		x.Label, x.Cat, x.Amount = append(x.Label, label), append(x.Cat, cat), append(x.Amount, 0)
		x.Ref, x.Step = append(x.Ref, -1), append(x.Step, step)
	}
	p.Tracks, p.from = append(p.Tracks, x), append(p.from, nil)
}

// lag counts how far behind a side is when it begins a step.
func (p *Pair) lag(c *Counter, side int, when, value int64, step int) {
	s := &p.Sides[side]
	at := when
	if s.At != nil {
		at = p.End
		if step < len(s.At) {
			at = s.At[step]
		}
	}
	if n := len(c.At) - 1; n >= 0 && c.At[n] == at {
		c.Value[n] = max(0, value)
		return
	}
	c.At, c.Value = append(c.At, at), append(c.Value, max(0, value))
}

// Slice is which slice of which track and side one of the picture is; side is -1 for one of
// the difference.
func (p *Pair) Slice(track, slice int) (side, ofTrack, ofSlice int) {
	for side = range p.Sides {
		if track < p.Sides[side].Tracks {
			if p.from[track] != nil {
				slice = int(p.from[track][slice])
			}
			return side, track - p.first(side), slice
		}
	}
	return -1, track, slice
}

// first is the number of the first track of a side.
func (p *Pair) first(side int) int {
	if side == 0 {
		return 0
	}
	return p.Sides[side-1].Tracks
}

// Place is where in the picture a slice of a track of a side is that begins at a moment.
func (p *Pair) Place(side, track int, begin int64) (inTrack int, at int64) {
	if track < 0 {
		return track, begin
	}
	return p.first(side) + track, p.Sides[side].place(begin, false)
}
