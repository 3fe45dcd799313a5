// Package own is what every laboratory has of policies that people write: the settings, the
// system, and how the text is read. What can be asked, and what is done with the answer, is
// the laboratory's.
package own

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/policy"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/script"
	"spillway/ui/lab"
)

// Name is the name of the system.
const Name = policy.System

// Keys of the settings.
const (
	TextKey = "policy"
	WorkKey = "policy_work"
)

// A Setting is a policy as settings have it.
type Setting struct {
	Text string // joined: see package script; empty for what the place does by default
	// Dials are what p1 to p4 are, in thousandths.
	Dials [policy.Dials]int64
	Work  int64 // the most a run may be, in millions of operations
}

// Standard returns the setting without a policy.
func Standard() Setting {
	return Setting{Dials: [policy.Dials]int64{dial, dial, dial, dial}, Work: 1000}
}

// dial is a dial's 1.
const dial = 1000

// Million is what [Setting.Work] is counted in.
const Million = 1_000_000

// Panel is where the settings are.
func Panel() lab.Panel { return lab.Panel{Key: "own", Title: "Your policy", Folded: true} }

// Place is what a laboratory's policies can be asked; nil if it runs none.
func Place(l *lab.Lab) *policy.Place {
	p, _ := l.Asks.(*policy.Place)
	return p
}

// Challenge is what policies of a place are compared by; nil if nothing is.
func Challenge(place *policy.Place) *lab.Challenge {
	c := place.Challenge
	if c == nil {
		return nil
	}
	return &lab.Challenge{Setup: c.Setup, Vary: c.Vary, Workloads: c.Workloads, Quantity: c.Quantity}
}

// Knobs returns the settings.
func Knobs[S any](place *policy.Place, ref func(*S) *Setting) []knob.Knob[S] {
	rules := make([]string, len(place.Rules))
	for i := range rules {
		rules[i] = place.Rules[i].Name
	}
	list := []knob.Knob[S]{{
		Info: knob.Info{
			Key: TextKey, Label: "Policy", Kind: knob.Script,
			Help:   "What the system Yours does, a rule a line, or with @ between: " + strings.Join(rules, ", ") + ". Empty, it does as " + without(place) + ".",
			Source: "yours",
		},
		Word: func(s *S) *string { return &ref(s).Text },
	}}
	for i := range policy.Dials {
		list = append(list, knob.Knob[S]{
			Info: knob.Info{Key: DialKey(i), Label: "Dial " + strconv.Itoa(i+1), Help: "The number " + DialKey(i) + " in the policy.", Source: "yours", Scale: dial, Max: Million * dial},
			Get:  func(s *S) int64 { return ref(s).Dials[i] }, Set: func(s *S, v int64) { ref(s).Dials[i] = v },
		})
	}
	return append(list, knob.Int(knob.Info{
		Key: WorkKey, Label: "Policy work", Unit: "million", Scale: 1, Min: 1, Max: Million,
		Help: "Operations and numbers read that a run may spend on the policy; with more it is given up.", Source: "about ten seconds in a page",
	}, func(s *S) *int64 { return &ref(s).Work }))
}

// DialKey is the key of a dial, by its number from 0, and its name in a policy: p1 to p4.
func DialKey(i int) string { return "p" + strconv.Itoa(i+1) }

// System is the one that does what is written.
func System(place *policy.Place, look int) lab.System {
	return lab.System{
		Name: Name, Title: policy.Yours, Family: policy.Yours, Paper: "not in the literature",
		About: "The policy that stands under " + Panel().Title + "; without one " + without(place) + ".",
		Off:   true, Look: look, Follows: TextKey,
	}
}

// Read returns the policy of a setting; nil where there is no text, and the place has none by
// default either. The error says where in the text it is wrong.
func (s *Setting) Read(place *policy.Place) (*policy.Chosen, error) {
	text := s.Text
	if text == "" {
		if text = byDefault(place); text == "" {
			return nil, nil
		}
	}
	p, err := policy.Parse(place, text)
	var wrong *policy.Error
	if errors.As(err, &wrong) {
		return nil, &Wrong{wrong, s.Text}
	}
	if err != nil {
		return nil, err
	}
	c := &policy.Chosen{Policy: p, Work: s.Work * Million}
	for i, d := range s.Dials {
		c.Dials[i] = float64(d) / dial
	}
	return c, nil
}

// Unread are keys of what no run with the setting reads: dials that the text does not name, and the work of none.
func (s *Setting) Unread(place *policy.Place) string {
	c, _ := s.Read(place) // what is wrong with a text, its run says
	var keys []string
	for i := range s.Dials {
		if c == nil || !c.Reads(DialKey(i)) {
			keys = append(keys, DialKey(i))
		}
	}
	if c == nil {
		keys = append(keys, WorkKey)
	}
	return strings.Join(keys, " ")
}

// byDefault is the text of a place where there is none; "" if the engine does without.
func byDefault(place *policy.Place) string {
	if r := place.Rules[0]; r.Default != "" {
		return r.Name + " = " + r.Default
	}
	return ""
}

// without says what the system does where there is no text.
func without(place *policy.Place) string {
	if place.Without != "" {
		return place.Without
	}
	return byDefault(place)
}

// Wrong is an error in the text of a setting.
type Wrong struct {
	At   *policy.Error
	Text string // of the setting
}

// Error implements error, with the line that is wrong.
func (w *Wrong) Error() string {
	lines := strings.Split(script.Lines(w.Text), "\n")
	return "Policy " + w.At.Error() + " (in " + strconv.Quote(lines[min(w.At.Line, len(lines))-1]) + ")"
}

// Unwrap returns the error of the language.
func (w *Wrong) Unwrap() error { return w.At }

// A Ran is what a run says of its policy.
type Ran struct {
	policy.Named
	policy.Spent
	All []string // rules of which all candidates are asked each time
}

// Tell writes what the policy was, and what it did, into the report of a run.
func (r *Ran) Tell(rep *report.Report) {
	if rep.Called = r.Title; r.Title == "" {
		rep.Called = policy.Yours
	}
	text := fmt.Sprintf("The policy %s (%.8s) was asked %s times", rep.Called, r.SHA256, prose.Grouped(r.Asked))
	if mean := r.Candidates / max(1, r.Asked); mean > 1 {
		text += fmt.Sprintf(", about %s candidates each time", prose.Grouped(mean))
	}
	text += "."
	if len(r.All) > 0 {
		text += fmt.Sprintf(" All candidates are asked whenever %s decides, for what it reads changes meanwhile.", strings.Join(r.All, " or "))
	}
	rep.Notes = append(append(rep.Notes, text), r.Notes...)
	if rep.Foresees = r.Future; r.Future {
		rep.Called += " (knows the future)"
		rep.Notes = append(rep.Notes, "It reads what nobody can know who has to decide, so it is compared as a bound and wins nothing.")
	}
}
