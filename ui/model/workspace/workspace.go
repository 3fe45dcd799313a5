// Package workspace is one open laboratory: its state, what was typed, the way back, and
// who is told of changes. It asks nobody for anything.
package workspace

import (
	"cmp"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/script"
	"spillway/ui/lab"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// Environment is where the page computes, for those who read what it saved.
const Environment = "a page in a browser"

// A Workspace is the visitor's work in one laboratory.
type Workspace struct {
	// Info is the laboratory's, but that systems are called as their policies are.
	Info  *lab.Info
	State state.State
	// Drafts are the texts of fields as they were typed, by key: what cannot be read stays in
	// the field, which says why.
	Drafts map[string]string
	// Wrong says what is wrong with a policy as it was typed, and Spaced how people read one that
	// nobody typed here. Whoever reads policies writes them; both are of one text and empty else.
	Wrong, Spaced Remark
	// SideEffects is what the newest change did besides what was asked, empty if nothing.
	SideEffects string
	// Chosen is the knob that the newest change chose something of, empty if it did something else.
	Chosen string
	// Rev counts changes of anything that charts depend on.
	Rev int
	// History is the way back and forth.
	History
	// Files is the number of the set of opened files that is there, 0 if none. Restored is
	// told of another number where a step is taken back or again.
	Files    int
	Restored func(files int)
	// Codec writes its links.
	Codec *link.Codec
	sight

	wishes    wishes       // what a knob had before another choice took it
	usual     []lab.System // as they are called without a policy
	presets   presets      // of the laboratory, nil before they are asked for
	followers []func()
	telling   bool     // followers are being told
	again     bool     // the state changed meanwhile
	came      []string // systems that came with the entry of files that was chosen last
	draw      func()
	notice    func(string)
}

// A Remark is what is said of a text.
type Remark struct{ Of, Says string }

// About is what is said of a text, empty where that was another.
func (r *Remark) About(text string) string {
	if r.Of != text {
		return ""
	}
	return r.Says
}

// New returns a laboratory as it opens. draw has it drawn anew, if it is shown; notice says
// something once at the top of the page.
func New(i *lab.Info, draw func(), notice func(string)) *Workspace {
	own := *i
	own.Systems = slices.Clone(i.Systems)
	w := &Workspace{Info: &own, State: state.Opening(i), Codec: link.For(i), Drafts: map[string]string{}, wishes: wishes{}, usual: i.Systems, draw: draw, notice: notice}
	w.sight = sight{w}
	call(&own, i.Systems, w.State.Setup)
	return w
}

// call has a system that follows a policy called as the policy is, wherever it is named, and as
// usual without one.
func call(own *lab.Info, usual []lab.System, u *knob.Setup) {
	k := own.Script()
	for i := range own.Systems {
		if s := &own.Systems[i]; k != nil && s.Follows == k.Key {
			s.Title = cmp.Or(script.Title(u.Text(k.Key)), usual[i].Title)
		}
	}
}

// Draw has the laboratory drawn anew, if it is shown.
func (w *Workspace) Draw() { w.draw() }

// Warn says what went wrong once at the top of the page.
func (w *Workspace) Warn(err error) { w.notice(prose.Capital(err.Error()) + ".") }

// Follow has f called after every change, behind those that follow already: it asks for
// what the state needs, and drops what it needs no longer. What is shown asks first.
func (w *Workspace) Follow(f func()) { w.followers = append(w.followers, f) }

// mostRounds is how often followers are told of one change: a change that one of them makes
// is told to all.
const mostRounds = 8

// Refresh tells the followers that something changed.
func (w *Workspace) Refresh() {
	w.again = true
	if w.telling {
		return
	}
	w.telling = true
	for round := 0; w.again && round < mostRounds; round++ {
		w.again = false
		w.Rev++
		call(w.Info, w.usual, w.State.Setup)
		for _, f := range w.followers {
			f()
		}
	}
	w.telling = false
}

// Link is the link to what is shown.
func (w *Workspace) Link() string { return w.Codec.Encode(&w.State) }

// Entry is the entry of opened files that is shown, empty for a bundled
// workload.
func (w *Workspace) Entry() string {
	if w.Info.Entry == "" {
		return ""
	}
	return w.State.Setup.Text(w.Info.Entry)
}

// Focus is the system in focus: the chosen one if it is compared, else the last
// that is and that is no bound, where there is such a one.
func (w *Workspace) Focus() string {
	name := w.State.Look.Text(state.FocusKey)
	if slices.Contains(w.State.On, name) || len(w.State.On) == 0 {
		return name
	}
	for _, on := range slices.Backward(w.State.On) {
		if s, err := w.Info.System(on); err == nil && !s.Bound {
			return on
		}
	}
	return w.State.On[len(w.State.On)-1]
}

// Preset is the key of the preset that the settings are, "" if none.
func (w *Workspace) Preset() string {
	for i := range w.Info.Presets {
		if w.presets.of(w.Info, i).Equal(w.State.Setup) {
			return w.Info.Presets[i].Key
		}
	}
	return ""
}

// presets are the settings of presets.
type presets []*knob.Setup

// of is what one of them says: read when it is compared first, as a laboratory opens on its first one.
func (p *presets) of(i *lab.Info, at int) *knob.Setup {
	for n := len(*p); n <= at; n++ {
		*p = append(*p, state.OfPreset(i, &i.Presets[n]))
	}
	return (*p)[at]
}

// Began is the preset that the settings are or began with: the one that is known, else the one that
// they differ least from; nil where they are of opened files.
func (w *Workspace) Began() (p *lab.Preset) {
	if w.Entry() != "" {
		return nil
	}
	known, least := cmp.Or(w.Preset(), w.State.Preset), 0
	for i := range w.Info.Presets {
		if w.Info.Presets[i].Key == known {
			return &w.Info.Presets[i]
		}
		if n := w.State.Setup.Apart(w.presets.of(w.Info, i)); p == nil || n < least {
			p, least = &w.Info.Presets[i], n
		}
	}
	return p
}

// UsePreset gives every setting what a preset says.
func (w *Workspace) UsePreset(key string) {
	for i := range w.Info.Presets {
		if p := &w.Info.Presets[i]; p.Key == key {
			w.Change("", func() {
				w.State.Begin(w.Info, p)
				w.Unlearn()
			})
		}
	}
}

// ToggleSystem adds a system to the comparison or takes it out.
func (w *Workspace) ToggleSystem(name string) {
	w.Change("", func() { w.State.Toggle(w.Info, name) })
}

// SetLook gives a knob of the view a text.
func (w *Workspace) SetLook(key, text string) {
	w.Change("look "+key, func() {
		if err := w.State.Look.Set(key, text); err != nil {
			w.Warn(err)
		}
	})
}

// SetView shows another view.
func (w *Workspace) SetView(v state.View) {
	w.State.View = v
	w.Refresh()
}

// Unlearn forgets what was typed and what was wished: the settings are others altogether.
func (w *Workspace) Unlearn() {
	clear(w.Drafts)
	clear(w.wishes)
}

// Needs lists the entries of opened files that what is shown is about: a link
// names them and carries none.
func (w *Workspace) Needs() []string {
	var list []string
	add := func(u *knob.Setup) {
		if u != nil && w.Info.Entry != "" {
			if name := u.Text(w.Info.Entry); name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	add(w.State.Setup)
	add(w.State.Base)
	for _, k := range w.State.Beside() {
		add(state.SetupOf(w.Info, k.Setup))
	}
	return list
}

// ResetOwn gives the knobs that only entries have, those that come with one, and the systems that
// are compared with one what they go back to. The systems are those that come with another.
func (w *Workspace) ResetOwn(systems ...string) {
	for _, key := range w.Info.EntryKnobs {
		delete(w.Drafts, key)
		w.State.Setup.Reset(key)
	}
	for i := range w.Info.Knobs {
		if k := &w.Info.Knobs[i]; k.Panel == w.Info.EntryPanel {
			w.State.Setup.Reset(k.Key)
		}
	}
	w.State.Compare(w.Info, systems, w.came...)
	w.came = systems
}

// Other reports whether a setup is of another workload than is shown.
func (w *Workspace) Other(u *knob.Setup) bool { return w.Of(u) != w.Of(w.State.Setup) }

// Of names the workload of a setup.
func (w *Workspace) Of(u *knob.Setup) string {
	if w.Info.Entry != "" && u.Text(w.Info.Entry) != "" {
		return u.Text(w.Info.Entry)
	}
	return Words(u, subject(w.Info))
}

// subject is the knob that says which workload runs: the first of the first panel.
func subject(i *lab.Info) string {
	for n := range i.Knobs {
		if k := &i.Knobs[n]; len(i.Panels) > 0 && k.Panel == i.Panels[0].Key {
			return k.Key
		}
	}
	return ""
}

// SetZoom shows a part of a chart, in hundredths of a percent of its axis. That is
// no change of settings: there is nothing to undo.
func (w *Workspace) SetZoom(chart string, from, to int64) {
	w.State.ZoomInto(state.Zoom{Chart: chart, From: from, To: to})
}
