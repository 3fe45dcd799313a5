// Package model is everything the page shows and remembers, without the page:
// the state and its link, forms, runs and their reports, papers. It knows neither
// Vugu nor the browser, and of laboratories only what package lab says of all.
package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// A View is a page of the page.
type View string

// The views.
const (
	Explore   View = "explore"
	WhatIf    View = "whatif"
	Compare   View = "compare"
	Reproduce View = "reproduce"
)

// version is the version of the link's format. Format 1 knew one laboratory;
// until format 2 some settings that a link leaves out were others.
const version = 3

// A State decides everything that is computed and shown of one laboratory. Its
// text form is the page's link.
type State struct {
	Setup  *knob.Setup
	On     []string // stable names of the compared systems, in the laboratory's order
	View   View
	Figure string      // that Reproduce shows: "g10.14"; empty for the first
	Look   *knob.Setup // how it is shown: charts' axes, the system in focus, sections' knobs
	Ask    *knob.Setup // the question of What if
	// Base is the pinned baseline that everything is compared with, nil if none.
	Base *knob.Setup
	// Shown are the runs of the view Compare, the first is the reference; Kept those
	// that the browser keeps, which are in no link. Nil is not known: then they are
	// as they were.
	Shown, Kept []Kept
}

// keep takes over from another state what s does not know.
func (s *State) keep(from *State) {
	if s.Shown == nil {
		s.Shown = from.Shown
	}
	if s.Kept == nil {
		s.Kept = from.Kept
	}
}

// sameRuns reports whether another state has the baseline and the shown runs of s.
// A state without a baseline says nothing of it.
func (s *State) sameRuns(of *State) bool {
	return slices.Equal(s.Shown, of.Shown) && (s.Base == nil || of.Base != nil && s.Base.Equal(of.Base))
}

// Default is what a laboratory shows first.
func Default(i *lab.Info) State {
	s := State{Setup: i.Setup(), View: Explore, Look: knob.NewSetup(looks(i)), Ask: knob.NewSetup(questions(i))}
	for _, sys := range i.Systems {
		if !sys.Off {
			s.On = append(s.On, sys.Name)
		}
	}
	return s
}

// Opening is what a laboratory opens on when no link says otherwise: its first
// preset.
func Opening(i *lab.Info) State {
	s := Default(i)
	if len(i.Presets) > 0 {
		s.Setup = preset(i, &i.Presets[0])
	}
	if len(s.On) > 0 { // the newest
		_ = s.Look.Set(FocusKey, s.On[len(s.On)-1]) // it is one of the systems
	}
	return s
}

// preset returns the setup that a preset stands for.
func preset(i *lab.Info, p *lab.Preset) *knob.Setup {
	u := i.Setup()
	if pairs, err := knob.Pairs(p.Set); err == nil { // lab.New has checked it
		_ = u.Apply(pairs)
	}
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
		if focus.Default == "" && !s.Bound {
			focus.Default = s.Name
		}
	}
	list = append(list, focus)
	for _, s := range i.Sections {
		list = append(list, s.Knobs...)
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
	c.Setup, c.On, c.Look, c.Ask = s.Setup.Clone(), slices.Clone(s.On), s.Look.Clone(), s.Ask.Clone()
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

// Encode returns the state as the text of a link's fragment.
func (s *State) Encode(i *lab.Info) string {
	p := []knob.Pair{{Key: "v", Text: strconv.Itoa(version)}, {Key: "lab", Text: i.Name}}
	p = append(p, s.Setup.Pairs()...)
	p = append(p, knob.Pair{Key: "systems", Text: strings.Join(s.On, ",")})
	if s.View != Explore {
		p = append(p, knob.Pair{Key: "view", Text: string(s.View)})
	}
	if s.View == Reproduce && s.Figure != "" {
		p = append(p, knob.Pair{Key: "figure", Text: s.Figure})
	}
	if s.Base != nil {
		p = append(p, knob.Pair{Key: "base", Text: knob.Join(s.Base.From(s.Setup), " ")})
	}
	if s.View == Compare {
		for i := range s.Shown {
			p = append(p, knob.Pair{Key: "run", Text: s.Shown[i].text()})
		}
	}
	p = append(p, s.Look.Pairs()...)
	return knob.Join(append(p, s.Ask.Pairs()...), "&")
}

// A Link is a fragment taken apart: which laboratory it is about, and its pairs.
type Link struct {
	Lab   string
	Pairs []knob.Pair
	Empty bool // it says nothing: a laboratory's opening is shown
}

// ReadLink reads a fragment, of any format that there has been. An empty one is
// about no laboratory. The error is for people.
func ReadLink(fragment string) (Link, error) {
	fragment = strings.TrimPrefix(fragment, "#")
	if fragment == "" {
		return Link{Empty: true}, nil
	}
	pairs, err := knob.Pairs(fragment)
	if err != nil {
		return Link{}, errors.New("this link is damaged; ask for it again, or start from the settings shown")
	}
	text := take(&pairs, "v")
	switch v, err := strconv.Atoi(text); {
	case text == "":
		return Link{}, errors.New("this link says no version (v=3); it may be cut off. The default settings are shown")
	case err != nil || v < 1:
		return Link{}, fmt.Errorf("this link has the version %q, which never existed; the default settings are shown", text)
	case v > version:
		return Link{}, fmt.Errorf("this link was made by a newer Spillway (format %d; this one reads up to %d). Reload to get the newest version; until then the default settings are shown", v, version)
	case v == 1:
		pairs, err := upgrade(pairs)
		return Link{Lab: "train", Pairs: until2("train", pairs)}, err
	}
	lab := cmp.Or(take(&pairs, "lab"), "train")
	if text == "2" {
		pairs = until2(lab, pairs)
	}
	return Link{Lab: lab, Pairs: pairs}, nil
}

// until2 adds what links up to format 2 mean without saying it: faults per batch
// were 256.
func until2(lab string, pairs []knob.Pair) []knob.Pair {
	const key = "fault_batch"
	if lab != "train" || slices.ContainsFunc(pairs, func(p knob.Pair) bool { return p.Key == key }) {
		return pairs
	}
	return append(pairs, knob.Pair{Key: key, Text: "256"})
}

// take removes a key and returns its text.
func take(pairs *[]knob.Pair, key string) string {
	at := slices.IndexFunc(*pairs, func(p knob.Pair) bool { return p.Key == key })
	if at < 0 {
		return ""
	}
	text := (*pairs)[at].Text
	*pairs = slices.DeleteFunc(*pairs, func(p knob.Pair) bool { return p.Key == key })
	return text
}

// upgrade makes pairs of format 2 out of those of format 1, which knew one
// laboratory, seven systems and one paper, named the systems that are off, showed
// Figure 11 when none was named, and whose kernel times were for the A100 when
// nothing else was said. The pairs are usable even when the error is not nil.
func upgrade(pairs []knob.Pair) ([]knob.Pair, error) {
	on := []string{"ideal", "uvm", "flashneuron", "deepum+", "g10-gds", "g10-host", "g10"}
	var errs []error
	for name := range strings.FieldsFuncSeq(take(&pairs, "without"), func(r rune) bool { return r == ',' }) {
		at := slices.Index(on, name)
		if at < 0 {
			errs = append(errs, fmt.Errorf("in this link: unknown system %q", name))
			continue
		}
		on = slices.Delete(on, at, at+1)
	}
	pairs = append(pairs, knob.Pair{Key: "systems", Text: strings.Join(on, ",")})
	pairs = append(pairs, knob.Pair{Key: "figure", Text: "g10." + cmp.Or(take(&pairs, "figure"), "11")})
	gpu, times := false, false
	for i := range pairs {
		switch p := &pairs[i]; p.Key {
		case "axis":
			p.Key = ByKey("memory")
		case "gpu":
			gpu = true
		case "times":
			times = true
		}
	}
	if !gpu { // a machine brought neither along
		pairs = append(pairs, knob.Pair{Key: "gpu", Text: "a100-40"})
	}
	if !times {
		pairs = append(pairs, knob.Pair{Key: "times", Text: "as-paper"})
	}
	return pairs, errors.Join(errs...)
}

// Read applies a link's pairs to the default of its laboratory. The state is
// usable even when the error is not nil: what could not be read is as at first.
func Read(i *lab.Info, pairs []knob.Pair) (State, error) {
	s := Default(i)
	var errs []error
	var setup, look, ask []knob.Pair
	var base *string
	for _, p := range pairs {
		switch {
		case p.Key == "systems":
			errs = append(errs, s.readSystems(i, p.Text))
		case p.Key == "view":
			if v := View(p.Text); slices.Contains([]View{Explore, WhatIf, Compare, Reproduce}, v) {
				s.View = v
			} else {
				errs = append(errs, fmt.Errorf("unknown view %q", p.Text))
			}
		case p.Key == "figure":
			s.Figure = p.Text
		case p.Key == "base":
			base = &p.Text
		case p.Key == "run":
			errs = append(errs, s.readRun(i, p.Text))
		case s.Look.Knob(p.Key) != nil:
			look = append(look, p)
		case s.Ask.Knob(p.Key) != nil:
			ask = append(ask, p)
		default:
			setup = append(setup, p)
		}
	}
	errs = append(errs, s.Setup.Apply(setup), s.Look.Apply(look), s.Ask.Apply(ask))
	if base != nil {
		errs = append(errs, s.readBase(*base))
	}
	if err := errors.Join(errs...); err != nil {
		return s, fmt.Errorf("in this link: %w", err)
	}
	return s, nil
}

// readRun shows a run that a link brings.
func (s *State) readRun(i *lab.Info, text string) error {
	k, err := readKept(i, text)
	switch {
	case err != nil:
		return fmt.Errorf("a run: %w", err)
	case len(s.Shown) == MostShown:
		return fmt.Errorf("more than %d runs; %q is left out", MostShown, k.Name)
	case !slices.Contains(s.Shown, k):
		s.Shown = append(s.Shown, k)
	}
	return nil
}

// readBase pins the baseline that a link says as its difference from the setup.
func (s *State) readBase(text string) error {
	pairs, err := knob.Pairs(text)
	if err != nil {
		return fmt.Errorf("the baseline: %w", err)
	}
	s.Base = s.Setup.Clone()
	if err := s.Base.Apply(pairs); err != nil {
		s.Base = nil
		return fmt.Errorf("the baseline: %w", err)
	}
	return nil
}

// readSystems turns on the systems that a link names.
func (s *State) readSystems(i *lab.Info, text string) error {
	on := map[string]bool{}
	var errs []error
	for name := range strings.SplitSeq(text, ",") {
		if name == "" {
			continue
		}
		if _, err := i.System(name); err != nil {
			errs = append(errs, err)
			continue
		}
		on[name] = true
	}
	s.On = nil
	for _, sys := range i.Systems {
		if on[sys.Name] {
			s.On = append(s.On, sys.Name)
		}
	}
	return errors.Join(errs...)
}
