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

// Presume gives settings that pairs do not name, with which u will be changed, what they are
// where nobody says them. e is the entry of opened files that runs, nil without one.
func (l *Info) Presume(u *knob.Setup, pairs []knob.Pair, e *Entry) {
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
// their defaults, and those that are as by default but would not be where nobody says them, or
// where a choice among them brings its companions.
func (l *Info) Said(u *knob.Setup) []knob.Pair {
	pairs := u.Pairs()
	if all := u.WithCompanions(pairs); len(all) > len(pairs) {
		v := l.Setup()
		_ = v.Apply(all) // texts that a setup has are allowed
		for i := range u.Knobs() {
			if k := &u.Knobs()[i]; !k.Derived && v.Text(k.Key) != u.Text(k.Key) {
				pairs = append(pairs, knob.Pair{Key: k.Key, Text: u.Text(k.Key)})
			}
		}
	}
	for _, x := range l.Unsaid {
		if text := u.Text(x.Key); text != x.Text && !says(pairs, x.Key) && !l.meets(u, nil, x.Unless) {
			pairs = append(pairs, knob.Pair{Key: x.Key, Text: text})
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
