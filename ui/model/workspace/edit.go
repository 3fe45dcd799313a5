package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
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
		if w.State.Setup.Set(key, text) == nil { // else the field shows the error
			together(w, key)
		}
	})
}

// together moves numbers that go along with the one that was typed: of two of which one is never larger the
// other follows.
func together(w *Workspace, key string) {
	u := w.State.Setup
	var said []string
	move := func(k, to *knob.Info, lower bool) {
		v, err := knob.ParseDecimal(u.Text(k.Key), k.Scale)
		most, other := knob.ParseDecimal(u.Text(k.Ceiling), u.Knob(k.Ceiling).Scale)
		if err != nil || other != nil || v <= most {
			return
		}
		if lower {
			v = most
		}
		if u.Set(to.Key, knob.Decimal(v, to.Scale)) == nil {
			delete(w.Drafts, to.Key)
			said = append(said, fmt.Sprintf("%s: now %s, because %s is never more than %s.", to.Label, u.Text(to.Key), k.Label, u.Knob(k.Ceiling).Label))
		}
	}
	for i := range u.Knobs() {
		switch k := &u.Knobs()[i]; {
		case !k.Moves:
		case k.Ceiling == key:
			move(k, k, true)
		case k.Key == key:
			move(k, u.Knob(k.Ceiling), false)
		}
	}
	w.SideEffects = strings.Join(said, " ")
}

// Choose gives a knob one of its choices. What was typed stays, except into
// fields that the choice sets. Choosing another workload leaves an opened file.
func (w *Workspace) Choose(key, choice string) {
	w.Change("", func() {
		before := w.State.Setup.Clone()
		if err := w.State.Setup.Set(key, choice); err != nil {
			w.Warn(err)
			return
		}
		w.Info.Bring(w.State.Setup, key)
		w.SideEffects = w.wishes.settle(before, w.State.Setup, key)
		k := w.State.Setup.Knob(key)
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
