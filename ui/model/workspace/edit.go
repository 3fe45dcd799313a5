package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/script"
)

// Type types into a field. A policy becomes a setting when somebody has read it, which package proof sees to.
func (w *Workspace) Type(key, text string) {
	w.Change(key, func() {
		w.Drafts[key] = text
		if k := w.State.Setup.Knob(key); k != nil && k.Kind == knob.Script && script.Join(text) != "" {
			return
		}
		if k := w.State.Setup.Knob(key); k != nil && k.Zero != "" && strings.TrimSpace(text) == "" {
			w.Drafts[key], text = "", "0"
		}
		before := w.State.Setup.Clone()
		_ = w.State.Setup.Set(key, text) // the field shows the error
		w.SideEffects = moved(before, w.State.Setup, key)
	})
}

// moved says which numbers went with the one that was typed, because one is within the other.
func moved(before, u *knob.Setup, key string) string {
	typed := u.Knob(key)
	if typed == nil {
		return ""
	}
	var said []string
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if k.Key != key && (k.Within == key || k.Key == typed.Within) && u.Text(k.Key) != before.Text(k.Key) {
			said = append(said, fmt.Sprintf("%s: now %s.", k.Label, u.Text(k.Key)))
		}
	}
	return strings.Join(said, " ")
}

// Choose gives a knob one of its choices. What was typed stays, except into
// fields that the choice sets. Choosing another workload leaves an opened file.
func (w *Workspace) Choose(key, choice string) {
	w.Change("", func() {
		w.Chosen = key
		before := w.State.Setup.Clone()
		around, err := w.State.Setup.Choose(key, choice)
		if err != nil {
			w.Warn(err)
			return
		}
		w.SideEffects = w.wishes.settle(before, w.State.Setup, key)
		k := w.State.Setup.Knob(key)
		if c := k.Choice(choice); around {
			w.SideEffects = strings.TrimSpace(stands(w.State.Setup, c) + " " + w.SideEffects)
		} else if c != nil {
			w.SideEffects = strings.TrimSpace(went(before, w.State.Setup, c) + " " + w.SideEffects)
		}
		if k.Grid != nil {
			w.State.Follow(w.Info, key)
		}
		if w.Entry() != "" && w.Info.LeavesEntry(key) || key == w.Info.Entry {
			_ = w.State.Setup.Set(w.Info.Entry, "")
			w.ResetOwn()
		}
		if c := k.Choice(choice); c != nil && k.Kind == knob.One {
			pairs, _ := knob.Pairs(c.Set + " " + c.Suggests) // lab.New has checked it
			for _, p := range pairs {
				delete(w.Drafts, p.Key)
			}
		}
	})
}

// stands says what stands around a choice now: the machine by its name, if it has one.
func stands(u *knob.Setup, c *knob.Choice) string {
	around, _ := knob.Pairs(c.Companions) // lab.New has checked it
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if x := k.Choice(u.Text(k.Key)); k.Derived && x != nil && len(around) > 0 && strings.Contains(x.Set, around[0].Key+"=") {
			return fmt.Sprintf("%s: now %s.", k.Label, Label(x))
		}
	}
	return "What stands around it is now as it is sold with it."
}

// went says what went with the rates of a choice that took another's place.
func went(before, u *knob.Setup, c *knob.Choice) string {
	rates, _ := knob.Pairs(c.Rates) // lab.New has checked it
	var said []string
	for _, p := range rates {
		if k := u.Knob(p.Key); u.Text(p.Key) != before.Text(p.Key) {
			is, _ := strconv.ParseFloat(u.Text(p.Key), 64) // both are numbers: lab.New has checked it
			was, _ := strconv.ParseFloat(before.Text(p.Key), 64)
			said = append(said, fmt.Sprintf("%s: now %s instead of %s.", k.Label, report.WithUnit(prose.ThreeDigits(is), k.Unit), report.WithUnit(prose.ThreeDigits(was), k.Unit)))
		}
	}
	return strings.Join(said, " ")
}

// A wish is what was chosen of a knob until another knob's choice did not allow
// it, and what it got instead.
type wish struct{ was, instead string }

// wishes are those of a laboratory, by key.
type wishes map[string]wish

// settle says which knobs a new choice of key gave another value because it does
// not allow theirs, and gives back what an earlier one had taken.
func (w wishes) settle(before, u *knob.Setup, key string) string {
	delete(w, key)
	var said []string
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if k.Key == key || k.Derived || k.Kind != knob.One {
			continue
		}
		was, is := before.Text(k.Key), u.Text(k.Key)
		old, wished := w[k.Key]
		switch {
		case was != is && !allowed(u, k.Key, was):
			w[k.Key] = wish{cmp.Or(old.was, was), is}
			said = append(said, fmt.Sprintf("%s: now %s, because there is no %q with %s.", k.Label, choiceLabel(k, is), choiceLabel(k, was), Limiter(u, k.Key)))
		case wished && is == old.instead && u.Valid(k.Key, old.was) == nil:
			delete(w, k.Key)
			_ = u.Set(k.Key, old.was) // it is valid
			said = append(said, fmt.Sprintf("%s: %s again, as chosen before.", k.Label, choiceLabel(k, old.was)))
		case was != is && k.Always && k.Panel != u.Knob(key).Panel: // where nobody would look
			said = append(said, fmt.Sprintf("%s: now %s.", k.Label, choiceLabel(k, is)))
		}
	}
	return strings.Join(said, " ")
}

// allowed reports whether the choices that stand allow a One this text.
func allowed(u *knob.Setup, key, text string) bool {
	l := u.Limit(key)
	return l == nil || len(l.Choices) == 0 || slices.Contains(l.Choices, text)
}

// Limiter names the choice that limits a knob.
func Limiter(u *knob.Setup, key string) string {
	for _, c := range u.Chosen() {
		if slices.ContainsFunc(c.Limits, func(l knob.Limit) bool { return l.Key == key }) {
			return Label(c)
		}
	}
	return ""
}

// choiceLabel is the label of one of a knob's choices.
func choiceLabel(k *knob.Info, key string) string {
	if c := k.Choice(key); c != nil {
		return Label(c)
	}
	return key
}

// Flip turns one member of a Many on or off.
func (w *Workspace) Flip(key, member string) {
	u := w.State.Setup
	list := slices.Clone(u.Knob(key).Members(u.Text(key)))
	if i := slices.Index(list, member); i >= 0 {
		list = slices.Delete(list, i, i+1)
	} else {
		list = append(list, member)
	}
	w.Choose(key, strings.Join(list, ","))
}

// Reset gives one field what it goes back to.
func (w *Workspace) Reset(key string) {
	w.Change("", func() {
		delete(w.Drafts, key)
		w.State.Setup.Reset(key)
	})
}

// ResetPanel gives every field of a panel what it goes back to; presets stay.
func (w *Workspace) ResetPanel(panel string) {
	w.Change("", func() {
		for i := range w.Info.Knobs {
			k := &w.Info.Knobs[i]
			if k.Panel == panel && !k.Derived && !BringsOthers(k) {
				delete(w.Drafts, k.Key)
				w.State.Setup.Reset(k.Key)
			}
		}
	})
}
