package session

import (
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/form"
	"spillway/ui/model/sections"
)

// Compared is the context of charts with what the run in focus is compared with, where somebody
// chose that.
func (l *Laboratory) Compared(runs []chart.Run) *chart.Context {
	c := l.Runs.ChartContext()
	focus := c.Focus
	switch text := l.side(); text {
	case lab.WhyUsual:
	case lab.WhyKept:
		if list := l.Saved.Columns(); len(list) > 0 {
			c.Other = &list[0]
		}
	default:
		for i := range runs {
			switch r := &runs[i]; {
			case text == lab.WhyBaseline && r.System.Name == focus && c.Base != nil:
				c.Other = &chart.Run{System: &lab.System{Title: "the baseline"}, On: true, Report: r.Before, Setup: c.Base}
			case r.System.Name == text && r.On && text != focus:
				c.Other = r
			}
		}
	}
	return c
}

// Lag is the chart of where the run in focus loses time against the other, and where it wins some.
func (l *Laboratory) Lag(c *chart.Context, runs []chart.Run) chart.View {
	if c.Other != nil && c.Other.Setup != nil && l.Workspace.Other(c.Other.Setup) {
		c = l.Runs.ChartContext() // of another workload no kernel is the same
	}
	return chart.Lag(c, runs)
}

// keptKey is how a kept run is called among what the one in focus can be compared with, before
// its place in the list.
const keptKey = lab.WhyKept + "-"

// Sides are what the run in focus can be compared with: systems, the baseline and kept runs.
func (l *Laboratory) Sides() (list []form.Option) {
	chosen := l.side()
	add := func(key, label string) {
		list = append(list, form.Option{Key: key, Label: label, Chosen: key == chosen})
	}
	rival := chart.Rival(l.Runs.ChartContext(), l.Runs.ChartRuns())
	if s, err := l.Info.System(rival); err == nil {
		add(lab.WhyUsual, s.Title)
	} else {
		add(lab.WhyUsual, "the usual")
	}
	for _, s := range l.Info.Systems {
		if s.Name != l.Focus() && (s.Name != rival || s.Name == chosen) && l.Compares(s.Name) {
			add(s.Name, s.Title)
		}
	}
	if l.Baseline.Pinned() {
		add(lab.WhyBaseline, "the baseline")
	}
	for i, k := range l.Saved.All() {
		add(keptKey+strconv.Itoa(i), "kept: "+k.Name)
		if i == 0 && l.Saved.IsBeside(k) {
			list[len(list)-1].Chosen = true
		}
	}
	return list
}

// side is what is chosen of the sides, as far as it is compared.
func (l *Laboratory) side() string {
	text := l.State.Look.Text(lab.WhyKey)
	switch text {
	case lab.WhyUsual, lab.WhyKept:
		return text
	case lab.WhyBaseline:
		if l.Baseline.Pinned() {
			return text
		}
	default:
		if l.Compares(text) && text != l.Focus() {
			return text
		}
	}
	return lab.WhyUsual
}

// Against compares the run in focus with one of the sides.
func (l *Laboratory) Against(key string) {
	if place, ok := strings.CutPrefix(key, keptKey); ok {
		if n, err := strconv.Atoi(place); err == nil && n >= 0 && n < len(l.Saved.All()) {
			l.Saved.Against(l.Saved.All()[n])
		}
		return
	}
	l.SetLook(lab.WhyKey, key)
}

// LookFields are the knobs of a section; that of the section that asks why is the choice of sides.
func (l *Laboratory) LookFields(v *sections.View) []form.Field {
	if v.Key != lab.WhyKey || len(v.Fields) == 0 {
		return v.Fields
	}
	f := v.Fields[0]
	f.Kind, f.Options = knob.One, l.Sides()
	return []form.Field{f}
}

// TurnLook gives a knob of a section a text.
func (l *Laboratory) TurnLook(key, text string) {
	if key == lab.WhyKey {
		l.Against(text)
		return
	}
	l.SetLook(key, text)
}
