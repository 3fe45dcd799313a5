package model

import (
	"maps"
	"strings"

	"spillway/sim/knob"
)

// A Form edits one settings struct through its knobs. It keeps what was typed,
// also when it is not a valid number, until the setting changes another way.
type Form[S any] struct {
	knobs  []knob.Knob[S]
	drafts map[string]string // key to text as typed
}

// NewForm returns a form for these knobs.
func NewForm[S any](knobs []knob.Knob[S]) *Form[S] {
	return &Form[S]{knobs: knobs, drafts: map[string]string{}}
}

// A Field is one knob as the page shows it.
type Field struct {
	Key, Label, Unit string
	Text             string // as typed, else the value
	Error            string // what is wrong with Text, empty if nothing
	Help             string // meaning, range and source
	Default          string // what reset goes back to, with unit
	Changed          bool   // differs from the default
	Mark             string // why the value does not matter now, empty if it does
}

// A Group is the fields under one heading.
type Group struct {
	Name   string
	Fields []Field
}

// Groups returns the fields of s in the order of the knobs. base holds the defaults.
func (f *Form[S]) Groups(s, base *S) []Group {
	var gs []Group
	for i := range f.knobs {
		k := &f.knobs[i]
		if len(gs) == 0 || gs[len(gs)-1].Name != k.Group {
			gs = append(gs, Group{Name: k.Group})
		}
		g := &gs[len(gs)-1]
		g.Fields = append(g.Fields, f.field(k, s, base))
	}
	return gs
}

func (f *Form[S]) field(k *knob.Knob[S], s, base *S) Field {
	text, err := f.text(k, s)
	v := Field{
		Key: k.Key, Label: k.Label, Unit: k.Unit, Text: text,
		Help:    help(k),
		Default: join(k.Text(base), k.Unit),
		Changed: k.Get(s) != k.Get(base) || err != nil,
	}
	if err != nil {
		v.Error = err.Error()
	}
	return v
}

// text returns what the field shows and why it is wrong. A valid draft of
// another value than s has is stale: the value changed another way.
func (f *Form[S]) text(k *knob.Knob[S], s *S) (string, error) {
	draft, ok := f.drafts[k.Key]
	if !ok {
		return k.Text(s), nil
	}
	t := *s
	if err := k.Parse(&t, draft); err != nil {
		return draft, err
	}
	if k.Get(&t) != k.Get(s) {
		return k.Text(s), nil
	}
	return draft, nil
}

// help is the whole explanation of a knob in one paragraph.
func help[S any](k *knob.Knob[S]) string {
	parts := []string{k.Help, "Range: " + join(knob.Decimal(k.Min, k.Scale)+" to "+knob.Decimal(k.Max, k.Scale), k.Unit) + "."}
	if k.Source != "" {
		parts = append(parts, "Source: "+k.Source+".")
	}
	if k.Config != "" {
		parts = append(parts, "In G10 config files: "+k.Config+".")
	}
	return strings.Join(parts, " ")
}

func join(text, unit string) string {
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// Edit types text into the field with this key. s changes only when the text
// is a valid number.
func (f *Form[S]) Edit(s *S, key, text string) {
	k := find(f.knobs, key)
	if k == nil {
		return
	}
	f.drafts[key] = text
	_ = k.Parse(s, text) // the field shows the error
}

// Reset gives the field with this key its default.
func (f *Form[S]) Reset(s, base *S, key string) {
	delete(f.drafts, key)
	if k := find(f.knobs, key); k != nil {
		k.Set(s, k.Get(base))
	}
}

// ResetAll gives every field its default.
func (f *Form[S]) ResetAll(s, base *S) {
	clear(f.drafts)
	for i := range f.knobs {
		f.knobs[i].Set(s, f.knobs[i].Get(base))
	}
}

// Errors counts the fields whose text is wrong.
func (f *Form[S]) Errors(s *S) (n int) {
	for i := range f.knobs {
		if _, err := f.text(&f.knobs[i], s); err != nil {
			n++
		}
	}
	return n
}

// drafted returns a copy of what is typed, for undo.
func (f *Form[S]) drafted() map[string]string { return maps.Clone(f.drafts) }

// FieldClass is the CSS class of a field's input.
func FieldClass(f Field) string {
	switch {
	case f.Error != "":
		return "wrong"
	case f.Changed:
		return "changed"
	}
	return "plain"
}
