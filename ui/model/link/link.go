// Package link is a state of a laboratory as text and back: the fragment of the page's
// address. LINKS.md says what is in it.
package link

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// version is the version of the link's format.
const version = 4

// byHand is the version of links that people and programs write: the same without
// a sum at the end. One that says no version and names a laboratory is one of these.
const byHand = "4-by-hand"

// What is no preset: the defaults of the knobs, and, in a baseline or a run, the
// preset that the link itself begins with.
const (
	none = "none"
	same = "same"
)

// Encode returns a state of a laboratory as the text of a link's fragment.
func Encode(i *lab.Info, s *state.State) string { return For(i).Encode(s) }

// A Codec writes the links of one laboratory. It keeps what all of them need: the presets
// that they may begin with.
type Codec struct {
	info   *lab.Info
	starts []start // the presets, nil before they are asked for
}

// For returns the codec of a laboratory.
func For(i *lab.Info) *Codec { return &Codec{info: i} }

// Encode returns a state as the text of a link's fragment.
func (c *Codec) Encode(s *state.State) string {
	presets := c.presets()
	setup := delta(presets, s.Setup)
	link := c.encode(s, setup)
	if byOne := byPreset(presets, s.Setup); byOne != nil && (s.Base != nil || len(s.Beside()) > 0) {
		if other := c.encode(s, byOne); len(other) < len(link) { // what it names is named once
			return other
		}
	}
	return link
}

// A start is a preset with its name in links.
type start struct {
	name  string
	setup *knob.Setup
}

// presets are what links may begin with: the presets of the laboratory.
func (c *Codec) presets() []start {
	i := c.info
	if c.starts == nil {
		for k := range i.Presets {
			u := state.OfPreset(i, &i.Presets[k])
			c.starts = append(c.starts, start{i.Presets[k].Key + ":" + setupSum(u), u})
		}
	}
	return c.starts
}

// encode is a link that begins with these settings, which are those of the state.
func (c *Codec) encode(s *state.State, setup []knob.Pair) string {
	i := c.info
	p := append([]knob.Pair{{Key: "v", Text: strconv.Itoa(version)}, {Key: "lab", Text: i.Name}}, setup...)
	presets, about := c.presets(), []*knob.Setup{s.Setup}
	for _, of := range presets {
		if len(setup) > 0 && setup[0].Key == "preset" && setup[0].Text == of.name {
			about = append(about, of.setup)
		}
	}
	p = append(p, knob.Pair{Key: "systems", Text: systemsText(i, s.On)})
	if s.View != state.Explore {
		p = append(p, knob.Pair{Key: "view", Text: string(s.View)})
	}
	if s.View == state.Reproduce && s.Figure != "" {
		p = append(p, knob.Pair{Key: "figure", Text: s.Figure})
	}
	if s.View == state.Timeline && s.At != "" {
		p = append(p, knob.Pair{Key: "at", Text: s.At})
	}
	if s.View == state.Timeline && s.Against != "" {
		p = append(p, knob.Pair{Key: "against", Text: s.Against})
		if s.ByTime {
			p = append(p, knob.Pair{Key: "linked", Text: "time"})
		}
	}
	if s.Base != nil {
		p = append(p, knob.Pair{Key: "base", Text: knob.Join(delta(presets, s.Base, about...), " ")})
	}
	for _, k := range s.Beside() {
		p = append(p, knob.Pair{Key: "run", Text: runText(presets, &k, state.SetupOf(i, k.Setup), about)})
	}
	p = append(p, lookPairs(s)...)
	p = append(p, s.Ask.Pairs()...)
	if len(s.Zoom) > 0 {
		p = append(p, knob.Pair{Key: "zoom", Text: state.ZoomText(s.Zoom)})
	}
	return sealed(knob.Join(p, "&"))
}

// lookPairs are the pairs of the view. The system in focus is always among them:
// which it is by itself changes with the systems that there are.
func lookPairs(s *state.State) []knob.Pair {
	p := s.Look.Pairs()
	if !slices.ContainsFunc(p, func(p knob.Pair) bool { return p.Key == state.FocusKey }) {
		p = append(p, knob.Pair{Key: state.FocusKey, Text: s.Look.Text(state.FocusKey)})
	}
	return p
}

// sealed ends a link with its sum, so that a part of it is known for what it is.
func sealed(text string) string { return text + "&end=" + linkSum(text) }

// linkSum is the sum of a link's text without escapes: these may be written in
// other ways on the link's way.
func linkSum(text string) string {
	if bare, err := url.QueryUnescape(text); err == nil {
		text = bare
	}
	return sum(text)
}

// sum is FNV-1a over 32 bits, of which five hexadecimal digits are enough to find
// what was changed by accident.
func sum(text string) string {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return fmt.Sprintf("%08x", h)[3:]
}

// delta returns the shortest pairs that make u: out of the defaults, or out of one
// of the laboratory's presets, which is then named first. Inside a link, about is
// the link's setup, and the preset that it begins with if it does.
func delta(presets []start, u *knob.Setup, about ...*knob.Setup) []knob.Pair {
	var list [][]knob.Pair
	for k, of := range about {
		p := u.From(of)
		if k > 0 {
			p = from(same, p)
		}
		list = append(list, p)
	}
	if p := byPreset(presets, u); p != nil {
		list = append(list, p)
	}
	if p := u.Pairs(); len(about) == 0 {
		list = append(list, p)
	} else {
		list = append(list, from(none, p))
	}
	return slices.MinFunc(list, func(a, b []knob.Pair) int { return length(a) - length(b) })
}

// byPreset returns the shortest pairs that make u out of a preset, nil if there is
// none.
func byPreset(presets []start, u *knob.Setup) (best []knob.Pair) {
	least := func(p start) int { return len("preset=") + len(p.name) + u.Apart(p.setup) }
	presets = slices.SortedStableFunc(slices.Values(presets), func(a, b start) int { return least(a) - least(b) })
	for _, of := range presets {
		if best != nil && least(of) >= length(best) {
			break
		}
		if p := from(of.name, u.From(of.setup)); best == nil || length(p) < length(best) {
			best = p
		}
	}
	return best
}

// from puts a preset before what differs from it.
func from(preset string, p []knob.Pair) []knob.Pair {
	return append([]knob.Pair{{Key: "preset", Text: preset}}, p...)
}

// length is how long a list is in a link.
func length(p []knob.Pair) int { return len(knob.Join(p, "&")) }

// setupSum changes when what a setup says does; a new setting that is as by
// default changes nothing.
func setupSum(u *knob.Setup) string {
	var p []knob.Pair
	for i := range u.Knobs() {
		if k := &u.Knobs()[i]; !k.Derived && u.Text(k.Key) != k.Default {
			p = append(p, knob.Pair{Key: k.Key, Text: u.Text(k.Key)})
		}
	}
	return sum(knob.Join(p, " "))
}

// undelta is the inverse of delta. The setup is usable even when errors are not
// nil: other is about a preset that is not what it was, bad about settings.
func undelta(i *lab.Info, pairs []knob.Pair, about ...*knob.Setup) (u *knob.Setup, other, bad error) {
	u = i.Setup()
	if len(about) > 0 {
		u = about[0].Clone()
	}
	pairs = slices.Clone(pairs)
	switch text := remove(&pairs, "preset"); {
	case text == same && len(about) > 1:
		u = about[1].Clone()
	case text != "":
		u, other = readPreset(i, text)
	}
	return u, other, u.Apply(pairs)
}

// readPreset returns the setup that a link begins with. A preset may have been
// another when the link was made; its sum says so.
func readPreset(i *lab.Info, text string) (*knob.Setup, error) {
	key, is, summed := strings.Cut(text, ":")
	if key == none {
		return i.Setup(), nil
	}
	at := slices.IndexFunc(i.Presets, func(p lab.Preset) bool { return p.Key == key })
	if at < 0 {
		return i.Setup(), fmt.Errorf("there is no preset %.40q any more, so the default settings are shown with what the link changes", key)
	}
	p := &i.Presets[at]
	now := state.OfPreset(i, p)
	if !summed || setupSum(now) == is || slices.Contains(p.Sums, is) {
		return now, nil
	}
	for _, was := range p.Was {
		if u := state.SetupOf(i, was); setupSum(u) == is {
			return u, nil
		}
	}
	return now, fmt.Errorf("the preset %q has changed since the link was made; it is shown as it is today, with what the link changes, so numbers may differ", p.Title)
}

// runText is a run that stands beside the one at hand: its system and name, and how it differs
// from the settings.
func runText(presets []start, k *state.Kept, u *knob.Setup, about []*knob.Setup) string {
	return knob.Join(append([]knob.Pair{{Key: k.System, Text: k.Name}}, delta(presets, u, about...)...), " ")
}

// readRun shows a run that a link brings.
func readRun(s *state.State, i *lab.Info, text string, about []*knob.Setup) error {
	pairs, err := knob.Pairs(text)
	if err == nil && len(pairs) == 0 {
		err = errors.New("it says no system")
	}
	if err != nil {
		return fmt.Errorf("a run: %w", err)
	}
	system, name := pairs[0].Key, pairs[0].Text
	if _, err := i.System(system); err != nil {
		return fmt.Errorf("the run %q: %w", name, err)
	}
	u, other, bad := undelta(i, pairs[1:], about...)
	if bad != nil {
		return fmt.Errorf("the run %q: %w", name, bad)
	}
	k := state.Kept{Name: name, System: system, Setup: u.String()}
	if slices.Contains(s.Shown, k) {
		return nil
	}
	if len(s.Shown) == state.MostShown {
		return fmt.Errorf("more than %d runs; %q is left out", state.MostShown, name)
	}
	s.Shown = append(s.Shown, k)
	if other != nil {
		return fmt.Errorf("the run %q: %w", name, other)
	}
	return nil
}

// systemsText says which systems are compared: their names, or, where that is
// shorter, how many there are at first, with a sum over their names, and what
// differs from these. So a system that is added changes no link.
func systemsText(i *lab.Info, on []string) string {
	first := state.FirstSystems(i)
	parts := []string{strconv.Itoa(len(first)) + ":" + sum(strings.Join(first, ","))}
	for _, name := range first {
		if !slices.Contains(on, name) {
			parts = append(parts, "-"+name)
		}
	}
	for _, name := range on {
		if !slices.Contains(first, name) {
			parts = append(parts, name)
		}
	}
	names, text := strings.Join(on, ","), strings.Join(parts, ",")
	if len(names) <= len(text) {
		return names
	}
	return text
}

// ReadSystems turns on the systems that a link names.
func ReadSystems(s *state.State, i *lab.Info, text string) error {
	on := map[string]bool{}
	var errs []error
	for k, name := range strings.Split(text, ",") {
		if n, is, ok := strings.Cut(name, ":"); ok && k == 0 {
			first, err := systemsThen(state.FirstSystems(i), n, is)
			errs = append(errs, err)
			for _, name := range first {
				on[name] = true
			}
			continue
		}
		bare, off := strings.CutPrefix(name, "-")
		if name == "" {
			continue
		}
		if _, err := i.System(bare); err != nil {
			errs = append(errs, err)
			continue
		}
		on[bare] = !off
	}
	s.On = nil
	for _, sys := range i.Systems {
		if on[sys.Name] {
			s.On = append(s.On, sys.Name)
		}
	}
	return errors.Join(errs...)
}

// mostNew is how many systems may have been added since a link was made for it to
// be known which they are.
const mostNew = 4

// systemsThen returns the n systems that were compared at first when a link was
// made: those of today without what was added since.
func systemsThen(today []string, n, is string) ([]string, error) {
	want, err := strconv.Atoi(n)
	if added := len(today) - want; err == nil && added >= 0 && added <= mostNew {
		if then := lacking(today, 0, added, is); then != nil {
			return then, nil
		}
	}
	return today, errors.New("the systems that are compared at first are others since the link was made; today's are shown")
}

// lacking takes off a list, from a place on, so many names that its sum is as
// wanted; nil if that cannot be.
func lacking(list []string, from, drop int, want string) []string {
	if drop == 0 {
		if sum(strings.Join(list, ",")) == want {
			return list
		}
		return nil
	}
	for k := from; k < len(list); k++ {
		if found := lacking(slices.Delete(slices.Clone(list), k, k+1), k, drop-1, want); found != nil {
			return found
		}
	}
	return nil
}

// A Link is a fragment taken apart: which laboratory it is about, and its pairs,
// of which "v" says the format.
type Link struct {
	Lab   string // empty for the first
	Pairs []knob.Pair
	Empty bool // it says nothing: a laboratory's opening is shown
}

// Parse reads a fragment, of any format that there has been. An empty one is
// about no laboratory. The error is for people; what could be read of the link is
// there nevertheless.
func Parse(fragment string) (Link, error) {
	fragment = strings.TrimPrefix(fragment, "#")
	if fragment == "" {
		return Link{Empty: true}, nil
	}
	parts, pairs, damaged := fragments(fragment)
	text := remove(&pairs, "v")
	said := text
	if text == "" && len(pairs) > 0 && slices.ContainsFunc(pairs, func(p knob.Pair) bool { return p.Key == "lab" }) {
		text = byHand
		if len(pairs) == 1 && !damaged { // it is shown as it opens
			return Link{Lab: pairs[0].Text, Empty: true}, nil
		}
	}
	digits, _, _ := strings.Cut(text, "-")
	v, err := strconv.Atoi(digits)
	switch {
	case text == "":
		return Link{}, fmt.Errorf("this link names no version (v=%d), so the default settings are shown", version)
	case err != nil || v < 1 || v <= version && digits != text && text != byHand:
		return Link{}, fmt.Errorf("this link has the version %.20q, which never existed; the default settings are shown", text)
	case v > version:
		err = fmt.Errorf("this link was made by a newer Spillway (format %d; this one reads up to %d). Reload to get the newest version; until then what this one understands of it is shown", v, version)
	case text == strconv.Itoa(version) && len(pairs) == 1 && pairs[0].Key == "lab" && pairs[0].Text != "" && !damaged: // by hand: as it opens
		return Link{Lab: pairs[0].Text, Empty: true}, nil
	case text == strconv.Itoa(version):
		pairs, err = unseal(parts, pairs)
	}
	if err == nil && damaged {
		err = errors.New("this link is damaged; what could be read of it is shown. Ask for it again, or start from the settings shown")
	}
	lab := remove(&pairs, "lab")
	if len(pairs) > 0 || v != version {
		if said != "" {
			said = strconv.Itoa(v)
		}
		pairs = append([]knob.Pair{{Key: "v", Text: said}}, pairs...) // Read asks whether it said one
	}
	return Link{Lab: lab, Pairs: pairs}, err
}

// fragments splits a link into its parts, and reads those that can be read. Line
// breaks and &amp; come from mail programs.
func fragments(text string) (parts []string, pairs []knob.Pair, damaged bool) {
	text = strings.NewReplacer("&amp;", "&", "\r", "", "\n", "").Replace(text)
	parts = strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '&' || r == '\t' })
	for _, part := range parts {
		p, err := knob.Pairs(part)
		if err != nil || len(p) != 1 {
			damaged = true
			continue
		}
		pairs = append(pairs, p...)
	}
	return parts, pairs, damaged
}

// unseal takes the sum off a link's pairs. The error says what happened to the
// link on its way, if something did.
func unseal(parts []string, pairs []knob.Pair) ([]knob.Pair, error) {
	at := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "end=") })
	if at < 0 { // the last part may be half of what it was
		last, _, _ := strings.Cut(parts[len(parts)-1], "=")
		if n := len(pairs) - 1; n >= 0 && pairs[n].Key == last && (last != "lab" || pairs[n].Text == "") { // half a name is no laboratory's
			pairs = pairs[:n]
		}
		after := "its beginning"
		if n := len(pairs) - 1; n >= 0 {
			after = fmt.Sprintf("%.60q", pairs[n].Key+"="+pairs[n].Text)
		}
		return pairs, fmt.Errorf("this link has no end: it was written by hand, or cut off after %s. What could be read is shown", after)
	}
	if n := slices.IndexFunc(pairs, func(p knob.Pair) bool { return p.Key == "end" }); n >= 0 {
		pairs = pairs[:n] // what follows was put there by others
	}
	is := linkSum(strings.Join(parts[:at], "&"))
	// A link at the end of a sentence, or cut off in its sum, is as it was.
	said := strings.TrimRightFunc(strings.TrimPrefix(parts[at], "end="), func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') })
	if !strings.HasPrefix(is, said) {
		return pairs, errors.New("this link is not as it was made: something in it was changed or lost on its way. What could be read of it is shown; ask for it again")
	}
	return pairs, nil
}

// remove removes a key and returns its text.
func remove(pairs *[]knob.Pair, key string) string {
	at := slices.IndexFunc(*pairs, func(p knob.Pair) bool { return p.Key == key })
	if at < 0 {
		return ""
	}
	text := (*pairs)[at].Text
	*pairs = slices.DeleteFunc(*pairs, func(p knob.Pair) bool { return p.Key == key })
	return text
}

// Read applies a link's pairs to the default of its laboratory. The state is
// usable even when the error is not nil: what could not be read is as at first.
func Read(i *lab.Info, pairs []knob.Pair) (state.State, error) {
	s, err := readAs(i, pairs)
	if s.View == compare {
		besides(&s, i)
	}
	return s, err
}

// compare is a view that there was: runs side by side, the first the reference.
const compare state.View = "compare"

// besides makes of a link to that view what shows the same: the second run is the one at hand,
// and the first what it is compared with.
func besides(s *state.State, i *lab.Info) {
	s.View = state.Explore
	if len(s.Shown) == 0 {
		return
	}
	_ = s.Look.Set(lab.WhyKey, lab.WhyKept) // any text
	if len(s.Shown) > 1 {
		k := s.Shown[1]
		s.Shown = slices.Delete(s.Shown, 1, 2)
		s.Visit(i, &k)
	}
}

// readAs is Read of a link as it is.
func readAs(i *lab.Info, pairs []knob.Pair) (state.State, error) {
	s := state.Default(i)
	free := slices.Contains(pairs, knob.Pair{Key: "v"}) // a link that says no version
	pairs, newer, err := upgraded(i, slices.Clone(pairs))
	errs := []error{err}
	sets := func(p knob.Pair) bool { return p.Key == "preset" || s.Setup.Knob(p.Key) != nil }
	if free && !slices.ContainsFunc(pairs, sets) && len(i.Presets) > 0 { // of what it opens on
		pairs = append(pairs, knob.Pair{Key: "preset", Text: i.Presets[0].Key})
	}
	var setup, look, ask, runs []knob.Pair
	var base *string
	if at := slices.IndexFunc(pairs, func(p knob.Pair) bool { return p.Key == "preset" }); at >= 0 { // a link by hand that names no systems
		key, _, _ := strings.Cut(pairs[at].Text, ":")
		for k := range i.Presets {
			p := &i.Presets[k]
			if p.Key == key {
				s.Preset = key
			}
			if p.Key == key && len(p.Systems) > 0 {
				s.Compare(i, p.Systems)
			}
			if p.Key == key && free { // links of the page say what they ask
				s.Open(p)
			}
		}
	}
	for _, p := range pairs {
		switch {
		case p.Key == "systems":
			errs = append(errs, ReadSystems(&s, i, p.Text))
		case p.Key == "view":
			errs = append(errs, readView(&s, p.Text))
		case p.Key == "figure":
			s.Figure = p.Text
		case p.Key == "at":
			errs = append(errs, s.ReadAt(p.Text))
		case p.Key == "against":
			_, err := i.System(p.Text)
			if errs = append(errs, err); err == nil {
				s.Against = p.Text
			}
		case p.Key == "linked":
			s.ByTime = p.Text == "time"
		case p.Key == "base":
			base = &p.Text
		case p.Key == "run":
			runs = append(runs, p)
		case p.Key == "zoom":
			errs = append(errs, s.ReadZoom(p.Text))
		case s.Look.Knob(p.Key) != nil:
			look = append(look, p)
		case s.Ask.Knob(p.Key) != nil:
			ask = append(ask, p)
		default:
			setup = append(setup, p)
		}
	}
	var other, bad error
	plain := free && !slices.ContainsFunc(setup, func(p knob.Pair) bool { return p.Key == "preset" })
	if plain {
		setup = s.Setup.WithCompanions(setup)
	}
	s.Setup, other, bad = undelta(i, setup)
	if plain {
		i.Presume(s.Setup, setup, nil)
	}
	about := []*knob.Setup{s.Setup}
	if text := remove(&setup, "preset"); text != "" {
		of, _ := readPreset(i, text) // what is wrong with it is said already
		about = append(about, of)
	}
	errs = append(errs, other, bad, s.Look.Apply(look), s.Ask.Apply(ask))
	if base != nil {
		errs = append(errs, readBase(&s, i, *base, about))
	}
	for _, p := range runs {
		errs = append(errs, readRun(&s, i, p.Text, about))
	}
	if err := errors.Join(errs...); err != nil && !newer {
		return s, fmt.Errorf("in this link: %w", err)
	}
	return s, nil
}

// readView shows the view that a link names.
func readView(s *state.State, text string) error {
	v := state.View(text)
	if !slices.Contains([]state.View{state.Explore, state.WhatIf, compare, state.Timeline, state.Reproduce}, v) {
		return fmt.Errorf("unknown view %.40q", text)
	}
	s.View = v
	return nil
}

// readBase pins the baseline that a link says as its difference from the setup.
func readBase(s *state.State, i *lab.Info, text string, about []*knob.Setup) error {
	pairs, err := knob.Pairs(text)
	if err != nil {
		return fmt.Errorf("the baseline: %w", err)
	}
	u, other, bad := undelta(i, pairs, about...)
	if bad == nil {
		s.Base = u
	}
	if err := errors.Join(other, bad); err != nil {
		return fmt.Errorf("the baseline: %w", err)
	}
	return nil
}
