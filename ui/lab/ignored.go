package lab

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// Reads reports whether a system reads a setting with a setup.
func (l *Lab) Reads(u *knob.Setup, system, key string) bool {
	k := u.Knob(key)
	if k == nil || u.Moot(key) != "" || u.Hidden(key) {
		return false
	}
	x, err := l.System(system)
	if p := l.Script(); p != nil && k.Panel == p.Panel { // only who follows a policy reads its settings
		return err == nil && x.Follows == p.Key
	}
	return err != nil || !slices.Contains(strings.Fields(x.Unread), key)
}

// ignore says in a report what of the settings that somebody set a system does not read. What came along with a
// choice nobody set.
func (l *Lab) ignore(r *report.Report, u *knob.Setup, system string) {
	var said []string
	var along []knob.Pair         // nil: nobody has asked
	for _, p := range u.Pairs() { // what differs from what choices bring
		k := u.Knob(p.Key)
		if p.Text == k.Default || k.Key == l.Entry || l.Reads(u, system, k.Key) {
			continue
		}
		if along == nil {
			along = cameAlong(u)
		}
		if slices.Contains(along, p) {
			continue
		}
		r.Ignored = append(r.Ignored, k.Key)
		said = append(said, fmt.Sprintf("%s (%s=%.40s)", k.Label, k.Key, p.Text))
	}
	if x, err := l.System(system); err == nil && len(said) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s does not use what is set here: %s.", x.As(r).Title, strings.Join(said, ", ")))
	}
}

// cameAlong is what choices bring that are nothing but what they bring, a machine as a whole, and what is
// around the others as a rule.
func cameAlong(u *knob.Setup) (list []knob.Pair) {
	add := func(text string) {
		more, _ := knob.Pairs(text) // New has checked it
		list = append(list, more...)
	}
	for _, c := range u.Chosen() {
		add(c.Companions)
	}
	for i := range u.Knobs() {
		if k := &u.Knobs()[i]; k.Derived && k.Kind == knob.One {
			if c := k.Choice(u.Text(k.Key)); c != nil {
				add(c.Set + " " + c.Suggests)
			}
		}
	}
	return list
}
