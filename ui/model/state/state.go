// Package state is what decides everything that is computed and shown of one
// laboratory, as data that can be cloned and compared. Its text form is the page's
// link; see package link.
package state

import (
	"slices"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// A View is a page of the page.
type View string

// The views.
const (
	Explore   View = "explore"
	WhatIf    View = "whatif"
	Timeline  View = "timeline"
	Reproduce View = "reproduce"
)

// A State decides everything that is computed and shown of one laboratory.
type State struct {
	Setup  *knob.Setup
	On     []string // stable names of the compared systems, in the laboratory's order
	View   View
	Figure string      // that Reproduce shows: "g10.14"; empty for the first
	Look   *knob.Setup // how it is shown: charts' axes, the system in focus, sections' knobs
	Ask    *knob.Setup // the question of What if
	Preset string      // the key of the preset that the setup began with, empty where that is not known
	// Base is the pinned baseline that everything is compared with, nil if none.
	Base *knob.Setup
	// Shown are the kept runs that the one at hand was compared with, the newest first; Kept
	// those that the browser keeps, which are in no link. Nil is not known: then they are as
	// they were.
	Shown, Kept []Kept
	// Zoom are the parts of charts that were zoomed into. Undo leaves them alone.
	Zoom []Zoom
	// At is the part of the run that Timeline shows and what is selected there, as the page's
	// canvas writes it; empty for all of it. Undo leaves it alone.
	At string
	// Against is the system whose run Timeline draws beside, by its name; empty for none. ByTime:
	// the two are linked by time, not by progress.
	Against string
	ByTime  bool
}

// Keep takes over from another state what s does not know.
func (s *State) Keep(from *State) {
	if s.Shown == nil {
		s.Shown = from.Shown
	}
	if s.Kept == nil {
		s.Kept = from.Kept
	}
}

// SameRuns reports whether another state has the baseline and the shown runs of s.
// A state without a baseline says nothing of it.
func (s *State) SameRuns(of *State) bool {
	return slices.Equal(s.Shown, of.Shown) && (s.Base == nil || of.Base != nil && s.Base.Equal(of.Base))
}

// Default is what a laboratory shows first.
func Default(i *lab.Info) State {
	s := State{Setup: i.Setup(), View: Explore, Look: knob.NewSetup(looks(i)), Ask: knob.NewSetup(questions(i))}
	s.On = FirstSystems(i)
	return s
}

// Opening is what a laboratory opens on when no link says otherwise: its first
// preset.
func Opening(i *lab.Info) State {
	s := Default(i)
	if len(i.Presets) > 0 {
		s.Begin(i, &i.Presets[0])
	}
	return s
}

// Begin makes of a default what a preset shows: its setup, and its systems with the last
// that it names in focus; without any the laboratory's own.
func (s *State) Begin(i *lab.Info, p *lab.Preset) {
	s.Setup = OfPreset(i, p)
	s.Compare(i, p.Systems)
	s.Open(p)
}

// Follow compares the system that does what a setting says, too.
func (s *State) Follow(i *lab.Info, key string) {
	for k := range i.Systems {
		if x := &i.Systems[k]; x.Follows == key && !slices.Contains(s.On, x.Name) {
			s.Toggle(i, x.Name)
		}
	}
}

// Open opens on the question of a preset, if it has one.
func (s *State) Open(p *lab.Preset) {
	if p.Ask == "" {
		return
	}
	pairs, _ := knob.Pairs(p.Ask)
	_ = s.Ask.Apply(pairs) // a test has asked it
	s.View = WhatIf
}

// OfPreset returns the setup that a preset stands for.
func OfPreset(i *lab.Info, p *lab.Preset) *knob.Setup { return SetupOf(i, p.Set) }

// Compare chooses the systems that come with a preset or an entry of files, the last of them in
// focus; of one without, what is compared at first instead of those that came with a preset, or
// with what was shown before.
func (s *State) Compare(i *lab.Info, on []string, came ...string) {
	if len(on) == 0 {
		those := func(names []string) bool { return len(names) > 0 && slices.Equal(s.On, systemsOf(i, names)) }
		if !those(came) && !slices.ContainsFunc(i.Presets, func(q lab.Preset) bool { return those(q.Systems) }) {
			return
		}
		s.On = FirstSystems(i)
		_ = s.Look.Set(FocusKey, s.Look.Knob(FocusKey).Default) // it is one of the systems
		return
	}
	s.On = systemsOf(i, on)
	_ = s.Look.Set(FocusKey, on[len(on)-1]) // it is one of the systems
}

// systemsOf puts names of systems into the laboratory's order.
func systemsOf(i *lab.Info, names []string) (list []string) {
	for k := range i.Systems {
		if slices.Contains(names, i.Systems[k].Name) {
			list = append(list, i.Systems[k].Name)
		}
	}
	return list
}

// SetupOf returns the setup of a text that lab.New has checked.
func SetupOf(i *lab.Info, text string) *knob.Setup {
	u, _ := i.Read(text)
	return u
}

// looks are the knobs of a laboratory's view.
func looks(i *lab.Info) []knob.Info {
	var list []knob.Info
	for _, c := range i.Charts {
		if len(c.By) == 0 {
			continue
		}
		k := knob.Info{Key: ByKey(c.ID), Label: "Axis of " + c.Title, Kind: knob.One, Default: c.By[0].Key}
		for _, v := range c.By {
			k.Choices = append(k.Choices, knob.Choice{Key: v.Key, Label: v.Label})
		}
		list = append(list, k)
	}
	focus := knob.Info{Key: FocusKey, Label: "System in focus", Kind: knob.One}
	for _, s := range i.Systems {
		focus.Choices = append(focus.Choices, knob.Choice{Key: s.Name, Label: s.Title})
		if focus.Default == "" && !s.Bound || s.Main {
			focus.Default = s.Name
		}
	}
	list = append(list, focus)
	for _, s := range i.Sections {
		list = append(append(list, s.Knobs...), s.Old...)
	}
	if i.Section(lab.WhyKey) == nil {
		list = append(list, lab.WhyKnob())
	}
	return list
}

// FocusKey is the key of the view's knob for the system in focus.
const FocusKey = "focus"

// ByKey is the key of the view's knob for what a chart's axis counts.
func ByKey(chart string) string { return "by-" + chart }

// Clone returns a copy that shares nothing.
func (s *State) Clone() State {
	c := *s
	c.Setup, c.On, c.Look, c.Ask, c.Zoom = s.Setup.Clone(), slices.Clone(s.On), s.Look.Clone(), s.Ask.Clone(), slices.Clone(s.Zoom)
	if s.Base != nil {
		c.Base = s.Base.Clone()
	}
	return c
}

// Toggle adds a system to the comparison or takes it out.
func (s *State) Toggle(i *lab.Info, name string) {
	var on []string
	for _, sys := range i.Systems {
		if slices.Contains(s.On, sys.Name) != (sys.Name == name) {
			on = append(on, sys.Name)
		}
	}
	s.On = on
}

// FirstSystems lists the systems that are compared at first.
func FirstSystems(i *lab.Info) (names []string) {
	for k := range i.Systems {
		if !i.Systems[k].Off {
			names = append(names, i.Systems[k].Name)
		}
	}
	return names
}

// Visit shows a kept run: its settings, with its system in focus.
func (s *State) Visit(i *lab.Info, k *Kept) {
	s.Setup, s.View = SetupOf(i, k.Setup), Explore
	if !slices.Contains(s.On, k.System) {
		s.Toggle(i, k.System)
	}
	_ = s.Look.Set(FocusKey, k.System) // it is one of the systems
}
