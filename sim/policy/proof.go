package policy

import (
	"errors"
	"strings"

	"spillway/sim/hash"
	"spillway/sim/script"
)

// Proof implements [script.Reader].
func (p *Place) Proof(text string, joined bool) *script.Proof {
	if joined {
		text = Print(text)
	}
	x := &script.Proof{Text: text, SHA256: hash.Sum([]byte(script.Join(text))), Words: p.words(), Examples: p.Examples}
	_, err := Parse(p, text)
	var wrong *Error
	if errors.As(err, &wrong) {
		x.Wrong, x.Line, x.Column = wrong.Text, wrong.Line, wrong.Column
	}
	return x
}

// words lists what may stand in a text.
func (p *Place) words() []script.Words {
	rules, events, features := script.Words{Title: "Rules"}, script.Words{Title: "What happens"}, script.Words{Title: "What is known"}
	thing := ""
	if things := p.Things(); len(things) > 0 {
		thing = " of " + things[0]
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		w := script.Word{Name: r.Name, Write: r.Name + " = ", Help: r.Help}
		if r.Condition {
			w.Unit = "condition"
		}
		if r.Default != "" {
			w.Help += " Without it: " + r.Default + "."
		}
		rules.Words = append(rules.Words, w)
	}
	for i := range p.Events {
		e := &p.Events[i]
		events.Words = append(events.Words, script.Word{Name: e.Name, Write: "when " + e.Name + ": ", Help: e.Help})
	}
	if len(p.Events) > 0 {
		events.Words = append(events.Words, script.Word{Name: "keep", Write: "keep H" + thing + " = 0", Help: "A number that is kept, and that changes when something happens."})
	}
	for i := range p.Features {
		f := &p.Features[i]
		w := script.Word{Name: f.Name, Write: f.Name, Unit: f.Unit, Help: f.Help}
		if f.Condition {
			w.Unit = "condition"
		}
		if f.Live {
			w.Help += " It changes meanwhile: all candidates are asked each time."
		}
		if f.Future {
			w.Help += " Nobody who has to decide can know it: what reads it is a bound."
		}
		if f.Source != "" {
			w.Help += " Source: " + strings.TrimSuffix(f.Source, ".") + "."
		}
		features.Words = append(features.Words, w)
	}
	list := []script.Words{rules, features}
	if len(events.Words) > 0 {
		list = append(list, events)
	}
	return list
}
