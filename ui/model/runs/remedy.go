package runs

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/model/workspace"
)

// Remedies are ways out of settings that cannot run.
type Remedies struct{ runs *Runs }

// List is what helps all systems, else the first of those that cannot run, as setup texts.
func (r Remedies) List() []string {
	if len(r.runs.Problems) > 0 {
		return r.runs.remedies
	}
	for i := range r.runs.List {
		if x := &r.runs.List[i]; x.On && x.Error != "" && !x.Active() {
			return x.remedies
		}
	}
	return nil
}

// yield sets what gives way to what was chosen just now (lab.Info.Yields) as the first remedy says that
// changes nothing else, in the same step, and says so. It reports whether there was one.
func (r Remedies) yield(remedies []string) bool {
	w := r.runs.room
	chosen := w.State.Setup.Knob(w.Chosen)
	for _, text := range remedies {
		pairs, err := knob.Pairs(text)
		if err != nil || chosen == nil || slices.ContainsFunc(pairs, func(p knob.Pair) bool {
			return p.Key == chosen.Key || !slices.Contains(w.Info.Yields, p.Key)
		}) {
			continue
		}
		u := w.State.Setup
		said := []string{w.SideEffects}
		for _, p := range pairs {
			was := value(u, p.Key)
			delete(w.Drafts, p.Key)
			if err := u.Set(p.Key, p.Text); err != nil {
				w.Warn(err)
			}
			said = append(said, fmt.Sprintf("%s: now %s, because %s does not go with %s: %s.", u.Knob(p.Key).Label, value(u, p.Key), was, chosen.Label, value(u, chosen.Key)))
		}
		w.SideEffects, w.Chosen = strings.TrimSpace(strings.Join(said, " ")), ""
		w.Refresh()
		return true
	}
	return false
}

// Take sets what a remedy says.
func (r Remedies) Take(text string) {
	w := r.runs.room
	pairs, _ := knob.Pairs(text) // who found it has read it
	w.Change("", func() {
		for _, p := range pairs {
			delete(w.Drafts, p.Key)
			if err := w.State.Setup.Set(p.Key, p.Text); err != nil {
				w.Warn(err)
			}
		}
	})
}

// Label says what a remedy sets: "Arrivals: at random, at a rate".
func (r Remedies) Label(text string) string {
	pairs, _ := knob.Pairs(text)
	u := r.runs.room.State.Setup.Clone()
	var said []string
	for _, p := range pairs {
		_ = u.Set(p.Key, p.Text)
		said = append(said, u.Knob(p.Key).Label+": "+value(u, p.Key))
	}
	return strings.Join(said, ", ")
}

// value says what a knob is set to, also where it does not matter now.
func value(u *knob.Setup, key string) string {
	k, text := u.Knob(key), u.Text(key)
	switch c := k.Choice(text); {
	case c != nil:
		return workspace.Label(c)
	case k.Kind == knob.Number && text == "0" && k.Zero != "":
		return k.Zero
	case k.Kind == knob.Number:
		return strings.TrimSpace(text + " " + k.Unit)
	}
	return text
}
