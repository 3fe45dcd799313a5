package lab

import (
	"slices"

	"spillway/sim/knob"
)

// An Unsaid is what a setting is where nobody said it: neither a link, whose version says
// what it leaves out, nor a preset, nor a file. Knobs' defaults are what links leave out.
type Unsaid struct {
	Key, Text string
	// Unless is a setup text: where all of it is set, and no file is opened, and of a file
	// that is the original of a bundled workload, the setting is as by default.
	Unless string
}

// A Bring is what a choice brings along where a person makes it, and says nothing of that: a GPU the
// machine that it is sold in. No link leaves it out, so that links keep their meaning when it changes: what
// these leave out is the choice's own Set.
type Bring struct {
	Choice knob.Pair
	// With is the key of a number, of which there are at least Least; empty if any will do. Of several
	// that hold the last counts.
	With  string
	Least int64
	Set   string // a setup text
}

// brings is what the choices among pairs bring along to u, changed by pairs. Where pairs name all of a
// machine at once, a choice of a part of it brings nothing.
func (l *Info) brings(u *knob.Setup, pairs []knob.Pair) (list []knob.Pair) {
	for _, p := range pairs {
		set := ""
		for i := range l.Brings {
			b := &l.Brings[i]
			if b.Choice.Key != p.Key || u.Text(p.Key) != b.Choice.Text {
				continue
			}
			if k := u.Knob(b.With); k != nil {
				if n, err := k.Measure(u.Text(b.With)); err != nil || n < b.Least {
					continue
				}
			}
			set = b.Set
		}
		if set == "" || slices.ContainsFunc(pairs, func(q knob.Pair) bool {
			k := u.Knob(q.Key)
			if k == nil || !k.Derived || k.Kind != knob.One {
				return false
			}
			c := k.Choice(q.Text)
			if c == nil {
				return false
			}
			of, err := knob.Pairs(c.Set)
			return err == nil && says(of, p.Key)
		}) {
			continue
		}
		more, _ := knob.Pairs(set) // check has seen that it can be read
		list = append(list, more...)
	}
	return list
}

// Bring gives a setup in which a person has made a choice what that brings along.
func (l *Info) Bring(u *knob.Setup, key string) {
	_ = u.Apply(l.brings(u, []knob.Pair{{Key: key, Text: u.Text(key)}}))
}

// Presume gives settings that pairs do not name, with which u will be changed, what they are
// where nobody says them. e is the entry of opened files that runs, nil without one.
func (l *Info) Presume(u *knob.Setup, pairs []knob.Pair, e *Entry) {
	if len(l.Brings) > 0 {
		t := u.Clone()
		_ = t.Apply(pairs) // what cannot be read says who reads it
		if more := l.brings(t, pairs); len(more) > 0 {
			_, _ = u.Apply(more), u.Apply(pairs)
		}
	}
	for _, x := range l.Unsaid {
		if says(pairs, x.Key) || e == nil && l.meets(u, pairs, x.Unless) || e != nil && e.Is != "" {
			continue
		}
		if e != nil {
			if set, err := knob.Pairs(e.Set); err != nil || says(set, x.Key) {
				continue
			}
		}
		_ = u.Apply([]knob.Pair{{Key: x.Key, Text: x.Text}}) // check has seen that it can be
	}
}

// Said are the settings that set u again where they are given to Presume: those that differ from
// their defaults, and those that are as by default but would not be where nobody says them.
func (l *Info) Said(u *knob.Setup) []knob.Pair {
	pairs := u.Pairs()
	for _, x := range l.Unsaid {
		if text := u.Text(x.Key); text != x.Text && !says(pairs, x.Key) && !l.meets(u, nil, x.Unless) {
			pairs = append(pairs, knob.Pair{Key: x.Key, Text: text})
		}
	}
	if len(l.Brings) == 0 {
		return pairs
	}
	t := l.Setup()
	l.Presume(t, pairs, nil)
	_ = t.Apply(pairs)
	for i := range u.Knobs() {
		if k := &u.Knobs()[i]; !k.Derived && !says(pairs, k.Key) && t.Text(k.Key) != u.Text(k.Key) {
			pairs = append(pairs, knob.Pair{Key: k.Key, Text: u.Text(k.Key)})
		}
	}
	return pairs
}

// SetupText is what Said returns as a text.
func (l *Info) SetupText(u *knob.Setup) string { return knob.Join(l.Said(u), " ") }

// meets reports whether u, changed by pairs, has all that a text sets, and no entry.
func (l *Info) meets(u *knob.Setup, pairs []knob.Pair, text string) bool {
	t := u.Clone()
	_ = t.Apply(pairs) // what cannot be read says who reads it
	want, err := knob.Pairs(text)
	return err == nil && (l.Entry == "" || t.Text(l.Entry) == "") &&
		!slices.ContainsFunc(want, func(p knob.Pair) bool { return t.Text(p.Key) != p.Text })
}

// says reports whether pairs name a key.
func says(pairs []knob.Pair, key string) bool {
	return slices.ContainsFunc(pairs, func(p knob.Pair) bool { return p.Key == key })
}
