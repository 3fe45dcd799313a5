package lab

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// An Unread says what systems do not read: whoever sets it is told with the result. Where a choice makes a
// setting mean nothing, the choice says so (knob.Choice.Ineffective, Hides), and only a system that follows a
// policy reads the settings of its panel.
type Unread struct {
	Systems string // names, with blanks between; empty for all
	Keys    string // of settings, with blanks between
	When    string // a setup text: only while all of it is set; empty for always
}

// Reads reports whether a system reads a setting with a setup.
func (l *Lab) Reads(u *knob.Setup, system, key string) bool {
	k := u.Knob(key)
	if k == nil || u.Moot(key) != "" || u.Hidden(key) {
		return false
	}
	if p := l.Script(); p != nil && k.Panel == p.Panel {
		x, err := l.System(system)
		return err == nil && x.Follows == p.Key
	}
	return !slices.ContainsFunc(l.Unread, func(x Unread) bool {
		when, err := knob.Pairs(x.When)
		return err == nil && (x.Systems == "" || slices.Contains(strings.Fields(x.Systems), system)) &&
			slices.Contains(strings.Fields(x.Keys), key) &&
			!slices.ContainsFunc(when, func(p knob.Pair) bool { return u.Text(p.Key) != p.Text })
	})
}

// ignore says in a report what of the settings that somebody set a system does not read. What came along with a
// choice nobody set.
func (l *Lab) ignore(r *report.Report, u *knob.Setup, system string) {
	var said []string
	var along []knob.Pair // nil: nobody has asked
	for _, d := range knob.Differ(l.Setup(), u) {
		k := d.Knob
		if k.Derived || k.Key == l.Entry || l.Reads(u, system, k.Key) {
			continue
		}
		if along == nil {
			along = cameAlong(u)
		}
		if slices.Contains(along, knob.Pair{Key: k.Key, Text: d.Is}) {
			continue
		}
		r.Ignored = append(r.Ignored, k.Key)
		said = append(said, fmt.Sprintf("%s (%s=%.40s)", k.Label, k.Key, d.Is))
	}
	if x, err := l.System(system); err == nil && len(said) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s does not use what is set here: %s.", x.As(r).Title, strings.Join(said, ", ")))
	}
}

// cameAlong is what the choices that stand bring, and what is around them as a rule.
func cameAlong(u *knob.Setup) (list []knob.Pair) {
	choices := u.Chosen()
	for i := range u.Knobs() {
		if k := &u.Knobs()[i]; k.Derived && k.Kind == knob.One {
			if c := k.Choice(u.Text(k.Key)); c != nil {
				choices = append(choices, c)
			}
		}
	}
	for _, c := range choices {
		more, _ := knob.Pairs(c.Set + " " + c.Suggests + " " + c.Companions) // New has checked it
		list = append(list, more...)
	}
	return list
}
