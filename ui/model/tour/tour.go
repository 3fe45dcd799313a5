// Package tour is the stops of a laboratory's tour, and where the visitor is among them.
package tour

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// StopState is the state that a stop of a laboratory's tour shows: that of its preset, with
// what the stop sets and shows.
func StopState(i *lab.Info, stop *lab.Stop) (state.State, error) {
	show, err := knob.Pairs(stop.Show)
	if err != nil {
		return state.State{}, err
	}
	s, err := link.Read(i, show)
	if err != nil {
		return s, err
	}
	of := state.Opening(i)
	if at := slices.IndexFunc(i.Presets, func(p lab.Preset) bool { return p.Key == stop.Preset }); at >= 0 {
		of = state.Default(i)
		of.Begin(i, &i.Presets[at])
	} else if stop.Preset != "" {
		return s, fmt.Errorf("no preset %q", stop.Preset)
	}
	says := func(key string) bool {
		return slices.ContainsFunc(show, func(p knob.Pair) bool { return p.Key == key })
	}
	s.Setup = of.Setup
	if !says("systems") {
		s.On = of.On
	}
	if !says(state.FocusKey) {
		err = s.Look.Set(state.FocusKey, of.Look.Text(state.FocusKey))
	}
	set, setErr := knob.Pairs(stop.Set)
	if err == nil {
		err = setErr
	}
	if err != nil {
		return s, err
	}
	return s, s.Setup.Apply(set)
}

// A Tour is stops, and where the visitor is among them.
type Tour struct {
	room     *workspace.Workspace
	sections Sectioned
	busy     func() bool // something runs
	stop     int         // that is shown, from 1; 0 without a tour
	opened   string      // key of the section that the stop opened, empty if none
}

// Sectioned is what a tour needs of a laboratory's sections.
type Sectioned interface {
	// IsOpen reports whether the section with a key is open, Unfolded whether it is because
	// somebody opened it, and Ready whether it has what it shows.
	IsOpen(key string) bool
	Unfolded(key string) bool
	Ready(key string) bool
	// Open opens a folded section; Toggle opens it or closes it.
	Open(key string)
	Toggle(key string)
}

// New returns the tour of a laboratory, which nobody has begun. busy reports whether
// something runs.
func New(w *workspace.Workspace, s Sectioned, busy func() bool) *Tour {
	return &Tour{room: w, sections: s, busy: busy}
}

// Stop is the stop that is shown, nil if there is no tour.
func (t *Tour) Stop() *lab.Stop {
	if t.stop == 0 {
		return nil
	}
	return &t.room.Info.Tour[t.stop-1]
}

// Number says which stop it is, from 1.
func (t *Tour) Number() int { return t.stop }

// GoTo goes to a stop, counted from 1. What the settings were before the tour
// comes back with one step of undo.
func (t *Tour) GoTo(number int) {
	if number < 1 || number > len(t.room.Info.Tour) {
		return
	}
	t.stop = number
	s, err := StopState(t.room.Info, t.Stop())
	if err != nil {
		t.room.Warn(err) // a test of the laboratory would show it
		return
	}
	s.Keep(&t.room.State)
	t.unfold()
	t.room.Change("tour", func() {
		t.room.State = s
		t.room.Unlearn()
	})
}

// section is the key of the section that the stop is about, empty if it is about none.
func (t *Tour) section() string {
	key, ok := strings.CutPrefix(t.Stop().Look, "section-")
	if !ok || t.room.Info.Section(key) == nil {
		return ""
	}
	return key
}

// unfold opens the folded section that the stop is about, and closes the one that the stop
// before opened.
func (t *Tour) unfold() {
	if t.opened != "" && t.sections.Unfolded(t.opened) {
		t.sections.Toggle(t.opened)
	}
	t.opened = ""
	if key := t.section(); key != "" && !t.sections.IsOpen(key) {
		t.sections.Open(key)
		t.opened = key
	}
}

// Ready reports whether what the stop is about is there: a section has its results.
func (t *Tour) Ready() bool {
	if t.Stop() == nil {
		return false
	}
	key := t.section()
	return key == "" || t.sections.Ready(key) && !t.busy()
}

// End leaves everything as it is shown.
func (t *Tour) End() {
	t.stop = 0
	t.room.SideEffects = "The tour is over. Undo brings back the settings from before it."
}

// AtStop reports whether the settings are those of the stop, so that what it says
// is about what is shown.
func (t *Tour) AtStop() bool {
	stop := t.Stop()
	if stop == nil {
		return false
	}
	s, err := StopState(t.room.Info, stop)
	return err == nil && s.View == t.room.State.View && s.Setup.Equal(t.room.State.Setup) && slices.Equal(s.On, t.room.State.On)
}
