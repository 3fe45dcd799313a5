package snapshot

import (
	"errors"
	"slices"

	"spillway/sim/unit"
	"spillway/traces/recording"
)

// maxPoints is how many points a picture has at most.
const maxPoints = 2000

// maxLevel is more memory than there is.
const maxLevel unit.Bytes = 1 << 60

// A sketch collects the levels of groups over time and thins them: in each of
// equal stretches of changes it keeps the point where most is in use, so that the
// peak is exact.
type sketch struct {
	levels  []unit.Bytes // now
	total   unit.Bytes
	stretch int // changes in a stretch
	n       int // changes in this one
	best    unit.Bytes
	top     []unit.Bytes
	topTime unit.Time
	times   []unit.Time
	points  []unit.Bytes // len(levels) for each time
	last    unit.Time
	peak    unit.Bytes
}

func newSketch(groups, changes int) *sketch {
	return &sketch{
		levels: make([]unit.Bytes, groups), top: make([]unit.Bytes, groups), best: -1,
		stretch: 1 + changes/(maxPoints-2),
	}
}

// set is change without a point in time: what there is before the first.
func (s *sketch) set(group int, by unit.Bytes) error {
	s.levels[group] += by
	s.total += by
	if s.levels[group] < 0 {
		return errors.New("more memory is freed than was taken")
	}
	if s.total > maxLevel {
		return errors.New("the memory in use is more than an exbibyte")
	}
	s.peak = max(s.peak, s.total)
	return nil
}

// point ends a change at a time. Time does not run backward.
func (s *sketch) point(t unit.Time) {
	s.last = max(s.last, t)
	if s.total > s.best {
		s.best, s.topTime = s.total, s.last
		copy(s.top, s.levels)
	}
	if s.n++; s.n == s.stretch || len(s.times) == 0 {
		s.flush()
	}
}

func (s *sketch) flush() {
	if s.n > 0 {
		s.times = append(s.times, s.topTime)
		s.points = append(s.points, s.top...)
	}
	s.n, s.best = 0, -1
}

// picture returns what was collected, without groups that are always empty.
func (s *sketch) picture(names []string) recording.Picture {
	s.flush()
	p := recording.Picture{Times: s.times}
	for g, name := range names {
		level := make([]unit.Bytes, len(s.times))
		some := false
		for i := range level {
			level[i] = s.points[i*len(names)+g]
			some = some || level[i] > 0
		}
		if some {
			p.Roles = append(p.Roles, name)
			p.Levels = append(p.Levels, level)
		}
	}
	return p
}

// draw follows the levels of the roles through the history.
func (p *pairing) draw() error {
	d := p.dev
	s := newSketch(int(roles), d.Allocations+d.Frees)
	frees := make([]int32, len(p.trace)) // by entry: 1 + the block it frees
	takes := make([]int32, len(p.trace))
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.To >= 0 {
			frees[b.To] = int32(i) + 1
		}
		if b.From >= 0 {
			takes[b.From] = int32(i) + 1
		} else if err := s.set(int(b.Role), b.Bytes); err != nil {
			return err
		}
	}
	d.LevelBefore = s.total
	s.point(0)
	clock := newClock(p.trace)
	for i := range p.trace {
		for sign, at := range [2]int32{frees[i], takes[i]} {
			if at == 0 {
				continue
			}
			b := &d.Blocks[at-1]
			if err := s.set(int(b.Role), b.Bytes*unit.Bytes(2*sign-1)); err != nil {
				return err
			}
		}
		if frees[i] > 0 || takes[i] > 0 {
			s.point(clock.at(i))
		}
	}
	d.Peak = s.peak
	names := make([]string, roles)
	for r := range roles {
		names[r] = r.String()
	}
	d.picture = s.picture(names)
	d.picture.Clocked = clock.from > 0
	d.picture.Lives, d.picture.Rest = p.lives(&clock, frees, takes)
	d.picture.Reserved = p.reserved()
	return nil
}

// lives are when blocks were there, in order of their begin; of too many the smaller ones are left
// out, and rest is the most that those had at once. Of equal ones the first are kept. frees and takes
// have, by entry, 1 + the block.
func (p *pairing) lives(clock *clock, frees, takes []int32) (list []recording.Life, rest unit.Bytes) {
	at := func(entry int32) unit.Time {
		if entry < 0 {
			return -1
		}
		return clock.at(int(entry))
	}
	blocks := p.dev.Blocks
	least, ties := unit.Bytes(0), 0 // larger ones are kept, and so many of this size
	if len(blocks) > recording.MostLives {
		sizes := make([]unit.Bytes, len(blocks))
		for i := range blocks {
			sizes[i] = blocks[i].Bytes
		}
		slices.Sort(sizes)
		least = sizes[len(sizes)-recording.MostLives]
		larger, _ := slices.BinarySearch(sizes, least+1)
		ties = recording.MostLives - (len(sizes) - larger)
	}
	left := make([]unit.Bytes, len(blocks)) // of those left out, their size
	for i := range blocks {
		b := &blocks[i]
		if b.Bytes < least || b.Bytes == least && ties == 0 {
			if left[i] = b.Bytes; b.From < 0 {
				rest += b.Bytes
			}
			continue
		}
		if b.Bytes == least {
			ties--
		}
		list = append(list, recording.Life{From: at(b.From), To: at(b.To), Bytes: b.Bytes})
	}
	now := rest
	for i := range p.trace {
		if n := frees[i]; n > 0 {
			now -= left[n-1]
		}
		if n := takes[i]; n > 0 {
			now += left[n-1]
		}
		rest = max(rest, now)
	}
	return list, rest
}

// reserved is the most that the allocator held of the driver at once: what it holds at the end, and
// what the history says that it took and gave back before.
func (p *pairing) reserved() unit.Bytes {
	most := p.dev.Pieces.Reserved
	now := most
	if now == 0 || p.apart {
		return 0
	}
	for i := len(p.trace) - 1; i >= 0; i-- {
		switch e := &p.trace[i]; e.action {
		case grows:
			now = max(0, now-unit.Bytes(e.bytes))
		case shrinks:
			now = min(now+unit.Bytes(e.bytes), maxLevel)
		}
		most = max(most, now)
	}
	return most
}

// A clock says when entries happened, from the first. Entries without times are a
// microsecond apart.
type clock struct {
	trace []entry
	from  int64
}

func newClock(trace []entry) clock {
	c := clock{trace: trace}
	for i := range trace {
		if t := trace[i].time; t > 0 && (c.from == 0 || t < c.from) {
			c.from = t
		}
	}
	return c
}

func (c *clock) at(i int) unit.Time {
	const most = int64(1) << 62 / int64(unit.Microsecond)
	if c.from == 0 {
		return unit.Time(i) * unit.Microsecond
	}
	return unit.Time(min(max(0, c.trace[i].time-c.from), most)) * unit.Microsecond
}
