package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// Valid reports what is wrong with a declaration. Programs do not ask: it does not change on
// its way, and is checked when the site is built, and by tests.
func (l *Info) Valid() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	twice := func(kind string, names []string) {
		seen := map[string]bool{}
		for _, name := range names {
			if seen[name] || name == "" {
				bad("%s %q: the name is taken or empty", kind, name)
			}
			seen[name] = true
		}
	}
	twice("system", names(l.Systems, func(s *System) string { return s.Name }))
	twice("quantity", names(l.Quantities, func(q *report.Quantity) string { return q.Key }))
	twice("chart", names(l.Charts, func(c *report.Chart) string { return c.ID }))
	twice("section", names(l.Sections, func(s *Section) string { return s.Key }))
	twice("export", names(l.Exports, func(e *Export) string { return e.Key }))
	twice("panel", names(l.Panels, func(p *Panel) string { return p.Key }))
	// All of these are keys of one link.
	keys := []string{"lab", "system", "systems", "v", "view", "figure", "focus", "file", "base", "run", "preset", "zoom", "at", "against", "open", "end"}
	for i := range l.Charts {
		keys = append(keys, "by-"+l.Charts[i].ID)
	}
	keys = append(keys, names(l.Knobs, func(k *knob.Info) string { return k.Key })...)
	for i := range l.Sections {
		s := &l.Sections[i]
		keys = append(keys, names(s.Knobs, func(k *knob.Info) string { return k.Key })...)
		errs = append(errs, checkKnobs(s.Knobs))
		if s.If != "" && l.Setup().Knob(s.If) == nil {
			bad("section %q: there is no knob %q", s.Key, s.If)
		}
		for _, name := range s.Systems {
			if _, err := l.System(name); err != nil {
				bad("section %q: %w", s.Key, err)
			}
		}
	}
	twice("knob", keys)
	for _, key := range keys {
		if key == "ask" || strings.HasPrefix(key, "ask-") {
			bad("knob %q: the name is kept for questions", key)
		}
	}
	errs = append(errs, checkKnobs(l.Knobs))
	if l.Entry != "" && l.Setup().Knob(l.Entry) == nil {
		bad("the entry of files: there is no knob %q", l.Entry)
	}
	for _, key := range slices.Concat(l.EntryKnobs, l.EntryShares) {
		if k := l.Setup().Knob(key); k == nil || l.Entry == "" || k.Panel != l.Setup().Knob(l.Entry).Panel {
			bad("knob %q of entries: it is not in their panel", key)
		}
	}
	for _, key := range l.Yields {
		if k := l.Setup().Knob(key); k == nil || k.Derived {
			bad("what yields: there is no knob %q with a value of its own", key)
		}
	}
	for _, key := range l.Hardware {
		if k := l.Setup().Knob(strings.TrimPrefix(key, Less)); k == nil || k.Kind != knob.Number {
			bad("hardware: there is no number %q", key)
		}
	}
	if l.Vary != "" && l.Setup().Knob(l.Vary) == nil {
		bad("what is varied at first: there is no knob %q", l.Vary)
	}
	looks := map[int]string{}
	for _, s := range l.Systems {
		if other, taken := looks[s.Look]; taken {
			free := 0
			for slices.ContainsFunc(l.Systems, func(s System) bool { return s.Look == free }) {
				free++
			}
			bad("system %q: %q has look %d, too; %d is free", s.Name, other, s.Look, free)
		}
		looks[s.Look] = s.Name
	}
	mains := slices.DeleteFunc(slices.Clone(l.Systems), func(s System) bool { return !s.Main })
	if len(mains) > 1 || len(mains) == 1 && (mains[0].Bound || mains[0].Off) {
		bad("the system in focus at first: it is one, no bound, and compared")
	}
	for _, c := range l.Charts {
		for _, key := range c.Of {
			if l.Quantity(key) < 0 {
				bad("chart %q: no quantity %q", c.ID, key)
			}
		}
		if at := l.Quantity(c.Sum); c.Sum != "" && (c.Kind != report.Stacks || at < 0 || l.Quantities[at].Unit != c.Unit) {
			bad("chart %q: parts of stacks add up to %q, which is no quantity in %q", c.ID, c.Sum, c.Unit)
		}
	}
	errs = append(errs, l.checkPicture())
	errs = append(errs, l.checkLinks())
	for _, key := range []string{l.Cost.Price, l.Cost.PerPrice} {
		if key != "" && l.Quantity(key) < 0 {
			bad("the cost is %q, which is no quantity", key)
		}
	}
	for _, b := range l.Brief {
		for _, key := range b.Parts {
			if k := l.Setup().Knob(key); k == nil || !k.Derived {
				bad("the brief: there is no derived knob %q", key)
			}
		}
	}
	for _, key := range l.Rank {
		if l.Quantity(key) < 0 {
			bad("a ranking shows %q, which is no quantity", key)
		}
	}
	errs = append(errs, l.checkFloor())
	said := append([]string{l.Say.Quantity}, l.Say.Change...)
	if l.Say.LossOf != "" {
		said = append(said, l.Say.LossOf)
	}
	for _, key := range []string{l.Say.Seed, l.Say.Scaled} {
		if key != "" && l.Setup().Knob(key) == nil {
			bad("the headline's doubts: there is no knob %q", key)
		}
	}
	if l.Say.Band != "" && l.Quantity(l.Say.Band) < 0 {
		bad("the headline's band: there is no quantity %q", l.Say.Band)
	}
	if l.Say.Price != "" {
		said = append(said, l.Say.Price)
	}
	for _, b := range l.Say.Besides {
		said = append(said, b.Quantity)
	}
	for _, b := range l.Say.Alone {
		said = append(said, b.Quantity)
	}
	for _, key := range said {
		if l.Quantity(key) < 0 {
			bad("the headline is about %q, which is no quantity", key)
		}
	}
	return errors.Join(errs...)
}

// checkFloor reports what of the floor is not there.
func (l *Info) checkFloor() error {
	f := &l.Floor
	if f.System == "" {
		return nil
	}
	var errs []error
	for _, name := range []string{f.System, f.Known} {
		if name != "" && !slices.ContainsFunc(l.Systems, func(s System) bool { return s.Name == name && s.Bound }) {
			errs = append(errs, fmt.Errorf("the floor: there is no system %q that is a bound", name))
		}
	}
	for _, key := range append([]string{f.Of, f.Headroom}, f.Also...) {
		if at := l.Quantity(key); at < 0 || l.Quantities[at].Better == 0 {
			errs = append(errs, fmt.Errorf("the floor: there is no quantity %q of which more or less is better", key))
		}
	}
	for i := range l.Systems {
		if s := &l.Systems[i]; s.Floor != "" && l.Quantity(s.Floor) < 0 {
			errs = append(errs, fmt.Errorf("system %q: the floor has no quantity %q", s.Name, s.Floor))
		}
	}
	return errors.Join(errs...)
}

// checkLinks reports what links could not name, or would not mean.
func (l *Info) checkLinks() error {
	var errs []error
	is := func(what, text string) {
		if _, err := l.Read(text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	for _, p := range l.Presets {
		is(fmt.Sprintf("preset %q", p.Key), p.Set)
		for _, name := range p.Systems {
			if _, err := l.System(name); err != nil {
				errs = append(errs, fmt.Errorf("preset %q: %w", p.Key, err))
			}
		}
	}
	for _, x := range l.Unsaid {
		is(fmt.Sprintf("what %s is where nobody says it", x.Key), knob.Join([]knob.Pair{{Key: x.Key, Text: x.Text}}, " "))
		is(fmt.Sprintf("where %s is as by default", x.Key), x.Unless)
	}
	for _, u := range l.Older {
		is(fmt.Sprintf("links of format %d", u.Format), u.Meant)
		for _, w := range u.Were {
			is(fmt.Sprintf("what %s was in links of format %d", w.Setting.Text, u.Format), knob.Join([]knob.Pair{w.Setting}, " ")+" "+w.Meant)
		}
		if u.Focus != "" {
			if _, err := l.System(u.Focus); err != nil {
				errs = append(errs, fmt.Errorf("links of format %d: %w", u.Format, err))
			}
		}
	}
	for _, s := range l.Systems {
		if strings.HasPrefix(s.Name, "-") || strings.ContainsAny(s.Name, ",:=&%# ") {
			errs = append(errs, fmt.Errorf("system %q: links cannot have the name", s.Name))
		}
	}
	return errors.Join(errs...)
}

// checkPicture reports what a picture names that is not there.
func (l *Info) checkPicture() error {
	if l.Picture == nil {
		return nil
	}
	var errs []error
	u, places := l.Setup(), map[string]bool{}
	knobs := func(keys ...string) {
		for _, key := range keys {
			if key != "" && u.Knob(key) == nil {
				errs = append(errs, fmt.Errorf("the picture: there is no knob %q", key))
			}
		}
	}
	quantities := func(keys ...string) {
		for _, key := range keys {
			if key != "" && l.Quantity(key) < 0 {
				errs = append(errs, fmt.Errorf("the picture: there is no quantity %q", key))
			}
		}
	}
	quantities(l.Picture.Apart)
	knobs(l.Picture.Scale)
	for _, p := range l.Picture.Places {
		places[p.Key] = true
		knobs(p.Size, p.Part)
		knobs(p.Turn...)
		quantities(p.Used)
	}
	for _, k := range l.Picture.Links {
		knobs(k.Part)
		knobs(k.Turn...)
		ways := map[string]bool{}
		for _, lane := range k.Lanes {
			knobs(lane.Rate)
			quantities(lane.Bytes, lane.Busy, lane.Reached, lane.Simulated)
			if ways[lane.To] {
				errs = append(errs, fmt.Errorf("the picture: link %q has two lanes to %q", k.Key, lane.To))
			}
			ways[lane.To] = true
			if !places[k.From] || !places[k.To] || lane.To != k.From && lane.To != k.To {
				errs = append(errs, fmt.Errorf("the picture: link %q joins what is not there", k.Key))
			}
		}
	}
	return errors.Join(errs...)
}

// checkKnobs reports what is wrong with the knobs of a setup.
func checkKnobs(knobs []knob.Info) error {
	var errs []error
	u := knob.NewSetup(knobs)
	for i := range knobs {
		k := &knobs[i]
		bad := func(format string, a ...any) {
			errs = append(errs, fmt.Errorf("knob %q"+format, append([]any{k.Key}, a...)...))
		}
		if k.Label == "" || k.Help == "" {
			bad(": no label or help")
		}
		if !k.Derived {
			if err := canonical(k, k.Default); err != nil {
				bad(": the default: %w", err)
			}
		}
		if k.Ceiling != "" && u.Knob(k.Ceiling) == nil {
			bad(": there is no knob %q", k.Ceiling)
		}
		if other := u.Knob(k.Within); k.Within != "" && (other == nil || other.Kind != knob.Number || other.Scale != k.Scale) {
			bad(": there is no number %q of the same scale", k.Within)
		}
		for _, x := range k.Idle {
			pairs, err := knob.Pairs(x.While)
			if err != nil || len(pairs) == 0 || x.Why == "" {
				bad(", idle while %q: no setup text, or no reason", x.While)
			}
			for _, p := range pairs {
				other := u.Knob(p.Key)
				if other == nil {
					bad(", idle while %q: there is no knob %q", x.While, p.Key)
					continue
				}
				for one := range strings.SplitSeq(p.Text, ",") {
					low, high, ok := strings.Cut(one, "..")
					if !ok {
						high = low
					}
					if err := errors.Join(canonical(other, low), canonical(other, high)); err != nil {
						bad(", idle while %q: %w", x.While, err)
					}
				}
			}
		}
		for _, c := range k.Choices {
			pairs, err := knob.Pairs(c.Set + " " + c.Suggests + " " + c.Companions + " " + c.Rates)
			if err != nil {
				bad(", choice %q: %w", c.Key, err)
			}
			for _, p := range pairs {
				if other := u.Knob(p.Key); other == nil {
					bad(", choice %q: there is no knob %q", c.Key, p.Key)
				} else if err := canonical(other, p.Text); err != nil {
					bad(", choice %q: %w", c.Key, err)
				}
			}
			for _, l := range c.Limits {
				if u.Knob(l.Key) == nil {
					bad(", choice %q: there is no knob %q", c.Key, l.Key)
				}
			}
			for _, key := range slices.Concat(c.Ineffective, c.Hides) {
				if u.Knob(key) == nil {
					bad(", choice %q: there is no knob %q", c.Key, key)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// canonical reports whether the knob has this text, written as it is printed.
func canonical(k *knob.Info, text string) error {
	is, err := k.Canon(text)
	if err == nil && is != text {
		err = fmt.Errorf("%s=%s is printed %q", k.Key, text, is)
	}
	return err
}
