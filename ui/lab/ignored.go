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
	if k == nil || l.idle(u, k) != "" || u.Hidden(key) {
		return false
	}
	x, err := l.System(system)
	if err != nil {
		return false
	}
	if p := l.Script(); p != nil && k.Panel == p.Panel && x.Follows != p.Key {
		return false // only who follows a policy reads its settings
	}
	unread := x.Unread
	if l.Unread != nil {
		unread += " " + l.Unread(u, system)
	}
	return !slices.Contains(strings.Fields(unread), key)
}

// idle says why a setting changes nothing with a setup, whatever the system; empty if it may.
func (l *Lab) idle(u *knob.Setup, k *knob.Info) string {
	brings := func(c knob.Choice) bool { return c.Set != "" }
	if l.Entry != "" && u.Text(l.Entry) == "" && slices.Contains(l.EntryKnobs, k.Key) && !slices.ContainsFunc(k.Choices, brings) {
		return "only opened files have it: open one"
	}
	return u.Moot(k.Key)
}

// ignore says in a report what of the settings that somebody set a system does not read. What came along with a
// choice nobody set.
func (l *Lab) ignore(r *report.Report, u *knob.Setup, system string) {
	var said []string
	var along []knob.Pair         // nil: nobody has asked
	for _, p := range u.Pairs() { // what differs from what choices bring
		k := u.Knob(p.Key)
		why := l.idle(u, k)
		if at := slices.IndexFunc(r.Idle, func(w report.Word) bool { return w.Key == k.Key }); why == "" && at >= 0 {
			why = r.Idle[at].Text
		}
		if p.Text == k.Default || k.Key == l.Entry || why == "" && l.Reads(u, system, k.Key) {
			continue
		}
		if along == nil {
			along = l.cameAlong(u)
		}
		if slices.Contains(along, p) {
			continue
		}
		r.Ignored = append(r.Ignored, k.Key)
		if why != "" {
			why = "; " + why
		}
		said = append(said, fmt.Sprintf("%s (%s=%.40s%s)", k.Label, k.Key, p.Text, why))
	}
	if len(said) > 0 { // without the system's name: what several do not use stands once
		r.Notes = append(r.Notes, fmt.Sprintf("Set here and not used: %s.", strings.Join(said, ", ")))
	}
}

// cameAlong is what nobody set by itself: what choices bring that are nothing but what they bring, a machine of which
// most is as it came,
// what is around the others as a rule, what holds where links say nothing, and a preset that is as it was opened.
func (l *Lab) cameAlong(u *knob.Setup) (list []knob.Pair) {
	add := func(text string) {
		more, _ := knob.Pairs(text) // New has checked it
		list = append(list, more...)
	}
	for _, c := range u.Chosen() {
		add(c.Companions)
	}
	for _, x := range l.Unsaid {
		list = append(list, knob.Pair{Key: x.Key, Text: x.Text})
	}
	holds := func(p knob.Pair) bool { k := u.Knob(p.Key); return k != nil && (k.Derived || u.Text(p.Key) == p.Text) }
	for i := range l.Presets {
		brought, _ := knob.Pairs(l.Presets[i].Set) // New has checked it
		if !slices.ContainsFunc(brought, func(p knob.Pair) bool { return !holds(p) }) {
			list = append(list, brought...)
		}
	}
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if !k.Derived || k.Kind != knob.One {
			continue
		}
		var whole *knob.Choice // of which most is as it came; what is one setting alone is only its name
		most := 1
		for n := range k.Choices {
			brought, _ := knob.Pairs(k.Choices[n].Set)
			all := len(brought)
			if so := len(slices.DeleteFunc(brought, func(p knob.Pair) bool { return !holds(p) })); so > most && 2*so > all {
				whole, most = &k.Choices[n], so
			}
		}
		if whole != nil {
			add(whole.Set + " " + whole.Suggests)
		}
	}
	return list
}
