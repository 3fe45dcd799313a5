package lab

import (
	"errors"
	"fmt"

	"spillway/sim/cause"
	"spillway/sim/knob"
	"spillway/sim/timeline"
)

// A Why says with which settings runs show what makes systems of a laboratory slow: each cause
// can be cured. Package why asks. It is empty in a laboratory where nobody can.
type Why struct {
	// Time is the key of a quantity of which less is better, and Bound the system whose time
	// is what could be at best; empty if none says that.
	Time, Bound string
	// Causes are what can be cured, at most cause.Most of them.
	Causes []Cause
	// Parts is the ID of a chart of stacks whose parts add up to the time and are causes
	// themselves, where one run says all: there are no Causes then, and what those parts are is
	// the second sentence.
	Parts, Says string
	// Set is a setup text that all of its runs have, and SetSays why, where that is not what is
	// set: "Compared as the papers read".
	Set, SetSays string
}

// A Cause is what makes a system slow, and the settings without it.
type Cause struct {
	Key   string // stable, in JSON: "ssd"
	Title string // in the middle of a sentence: "the SSD"
	Cured string // what it is when it is cured: "an SSD as fast as the link"
	Set   string // setup text without it; {KEY} is the text of a knob as of the other cures
	Color string // the CSS variable --Color
}

// Resources are the causes as what waits are for.
func (w *Why) Resources() []timeline.Resource {
	list := make([]timeline.Resource, len(w.Causes))
	for i := range w.Causes {
		list[i] = timeline.Resource{Key: w.Causes[i].Key, Label: w.Causes[i].Title}
	}
	return list
}

// WhyKey is that of the section that asks why, of its knob, and in links.
const WhyKey = "why"

// What the section's knob has beside names of systems.
const (
	WhyUsual    = "usual"    // the one that the page compares with, without one the system that everybody knows
	WhyBaseline = "baseline" // the same system with the baseline's settings
	WhyKept     = "kept"     // a run that somebody kept
)

// Causes reports whether the laboratory says why its systems are slow.
func (l *Lab) Causes() bool { return l.Why.Time != "" }

// whySection is the section that asks.
func (l *Lab) whySection() Section {
	return Section{
		Key: WhyKey, Title: "Why?", About: l.whyAbout(), Folded: true, Run: true,
		Knobs: []knob.Info{WhyKnob()},
	}
}

// WhyKnob is the choice of what the system in focus is compared with: a system, or one of the
// words above.
func WhyKnob() knob.Info {
	return knob.Info{Key: WhyKey, Label: "Against", Help: "With what the system in focus is compared.", Kind: knob.Word, Default: WhyUsual}
}

// whyAbout says how the section finds out.
func (l *Lab) whyAbout() string {
	if l.Why.Parts != "" {
		return "What makes the difference, from one run of each."
	}
	return fmt.Sprintf("What makes the difference: each is run again with a cause cured, in all %d combinations.", 1<<len(l.Why.Causes))
}

// Cure returns the settings with some causes cured. The error says what these cannot be.
func (l *Lab) Cure(u *knob.Setup, cured cause.Set) (*knob.Setup, error) {
	out := u.Clone()
	var plain, after []knob.Pair
	add := func(text string) error {
		pairs, err := knob.Pairs(text)
		for _, p := range pairs {
			if n := len(p.Text); n > 1 && p.Text[0] == '{' && p.Text[n-1] == '}' {
				after = append(after, knob.Pair{Key: p.Key, Text: p.Text[1 : n-1]})
				continue
			}
			plain = append(plain, p)
		}
		return err
	}
	err := add(l.Why.Set)
	for c := range l.Why.Causes {
		if cured.Has(c) {
			err = errors.Join(err, add(l.Why.Causes[c].Set))
		}
	}
	if err = errors.Join(err, out.Apply(plain)); err != nil {
		return nil, err
	}
	for i := range after {
		after[i].Text = out.Text(after[i].Text)
	}
	return out, out.Apply(after)
}
