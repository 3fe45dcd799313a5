package sweep

import (
	"slices"

	"spillway/sim/knob"
)

// A Sensitivity turns every number of a setup by ten percent, one at a time: up,
// or down where up is not possible. It asks in rounds, as a [Search] does.
type Sensitivity struct {
	base    *knob.Setup
	systems []string
	steps   []step
	before  []Reading // by system
	runs    []Run
	of      []turn
	missing int
	first   bool
}

// A step is one knob on its way.
type step struct {
	Effect

	info  *knob.Info
	from  int64
	to    [2]int64 // up and down, what is possible; from itself if not
	tried int
	after []Reading
}

// A turn says of a run which step it is for, -1 for the base, and which system.
type turn struct{ step, system int }

// An Effect is what a tenth more or less of one knob does.
type Effect struct {
	Key      string
	From, To string // texts of the knob; To is empty if it was not turned
	// Share is by how much it was turned, as a share of what it was.
	Share float64
	// Why says why the knob does nothing here, or was not turned.
	Why string
	// Nothing reports whether it is known to change no system's quantity.
	Nothing bool
	Changes []Change // by system, none if it was not turned
}

// A Change is what happened to one system's quantity.
type Change struct {
	Before, After Reading
	// Share is the change as a share of Before; Known is false if either has no
	// value, or Before is 0 and After is not.
	Share float64
	Known bool
}

// tenth is by which part of its value a knob is turned.
const tenth = 10

// NewSensitivity asks about every number of base that is not hidden.
func NewSensitivity(base *knob.Setup, systems []string) *Sensitivity {
	s := &Sensitivity{base: base, systems: systems, before: make([]Reading, len(systems)), first: true}
	infos := base.Knobs()
	for i := range infos {
		k := &infos[i]
		if k.Kind != knob.Number || k.Derived || base.Hidden(k.Key) {
			continue
		}
		v, err := knob.ParseDecimal(base.Text(k.Key), k.Scale)
		if err != nil {
			continue
		}
		x := step{Effect: Effect{Key: k.Key, From: base.Text(k.Key)}, info: k, from: v}
		if x.Why = base.Moot(k.Key); x.Why != "" {
			x.Nothing = true
		} else {
			x.aim(allowed(base, k))
		}
		s.steps = append(s.steps, x)
	}
	return s
}

// aim chooses what the knob is turned to: a tenth of its value away, and at least
// its own next value.
func (x *step) aim(r Range) {
	x.to = [2]int64{x.from, x.from}
	by := max(x.from/tenth, -(x.from / tenth))
	if x.from%tenth != 0 || by == 0 {
		by++
	}
	switch {
	case x.from == 0:
		x.Why = "it is 0, of which a tenth is nothing"
		return
	case x.from <= r.To-by:
		x.to[0] = x.plain(x.from+by, r)
	}
	if x.from >= r.From+by {
		x.to[1] = x.plain(x.from-by, r)
	}
	if x.to[0] == x.from && x.to[1] == x.from {
		x.Why = "nothing else is possible"
	}
}

// plain is v with few digits in the knob's unit: four, or as many more as it takes
// to stay in the range and on its side of what the knob is. So a tenth is a tenth
// but for the rounding of the fourth digit.
func (x *step) plain(v int64, r Range) int64 {
	for digits := 4; digits <= 17; digits++ {
		short := rounded(x.info, v, digits)
		if short != x.from && short >= r.From && short <= r.To && (short > x.from) == (v > x.from) {
			return short
		}
	}
	return v
}

// Next returns what must be run next, nothing when all is known. While readings
// are missing it is the same again.
func (s *Sensitivity) Next() []Run {
	for s.missing == 0 {
		s.runs, s.of = nil, nil
		if s.first {
			s.ask(-1, s.base)
			s.first = false
		}
		for i := range s.steps {
			s.turn(i)
		}
		if s.missing = len(s.runs); s.missing == 0 {
			return nil
		}
	}
	return s.runs
}

// ask asks for all systems' runs of one setup.
func (s *Sensitivity) ask(at int, u *knob.Setup) {
	for k, name := range s.systems {
		s.runs, s.of = append(s.runs, Run{u, name}), append(s.of, turn{at, k})
	}
}

// turn asks about a step that has not yet been possible.
func (s *Sensitivity) turn(at int) {
	x := &s.steps[at]
	if x.Why != "" || x.after != nil && !slices.ContainsFunc(x.after, func(r Reading) bool { return r.Problem != "" }) {
		return
	}
	for x.tried < len(x.to) {
		to := x.to[x.tried]
		if x.tried++; to == x.from {
			continue
		}
		text := knob.Decimal(to, x.info.Scale)
		u := s.base.Clone()
		if u.Apply([]knob.Pair{{Key: x.Key, Text: text}}) != nil {
			continue
		}
		x.To, x.Share = text, (float64(to)-float64(x.from))/max(float64(x.from), -float64(x.from))
		x.after = make([]Reading, len(s.systems))
		s.ask(at, u)
		return
	}
	x.Why = "a tenth more or less contradicts other settings"
	if at := slices.IndexFunc(x.after, func(r Reading) bool { return r.Problem != "" }); at >= 0 {
		x.Why += ": " + x.after[at].Problem
	}
	x.To, x.after = "", nil
}

// Take takes what the i-th run of this round said.
func (s *Sensitivity) Take(i int, r Reading) {
	s.missing--
	if t := s.of[i]; t.step < 0 {
		s.before[t.system] = r
	} else {
		s.steps[t.step].after[t.system] = r
	}
}

// Effects lists what is known, in the order of the knobs.
func (s *Sensitivity) Effects() []Effect {
	list := make([]Effect, len(s.steps))
	for i := range s.steps {
		x := &s.steps[i]
		list[i] = x.Effect
		if x.after == nil {
			continue
		}
		e := &list[i]
		e.Nothing = true
		for k := range s.systems {
			c := change(s.before[k], x.after[k])
			e.Nothing = e.Nothing && same(c.Before, c.After)
			e.Changes = append(e.Changes, c)
		}
	}
	return list
}

// same reports whether two readings say the same.
func same(a, b Reading) bool {
	return a.Problem == b.Problem && a.Fits == b.Fits && (a.Value == b.Value || a.Value != a.Value && b.Value != b.Value || !a.Fits)
}

func change(before, after Reading) Change {
	c := Change{Before: before, After: after}
	switch {
	case !before.ok() || !after.ok():
	case before.Value == after.Value:
		c.Known = true
	case before.Value != 0:
		c.Share, c.Known = (after.Value-before.Value)/max(before.Value, -before.Value), true
	}
	return c
}
