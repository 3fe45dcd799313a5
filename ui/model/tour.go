package model

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/ui/lab"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
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

// Stop is the stop of the tour that is shown, nil if there is no tour.
func (r *Room) Stop() *lab.Stop {
	if r.tour == 0 {
		return nil
	}
	return &r.Info.Tour[r.tour-1]
}

// StopNumber says which stop it is, from 1.
func (r *Room) StopNumber() int { return r.tour }

// TourTo goes to a stop, counted from 1. What the settings were before the tour
// comes back with one step of undo.
func (r *Room) TourTo(number int) {
	if number < 1 || number > len(r.Info.Tour) {
		return
	}
	r.tour = number
	s, err := StopState(r.Info, r.Stop())
	if err != nil {
		r.session.Notice = prose.Capital(err.Error()) + "." // a test of the laboratory would show it
		return
	}
	s.Keep(&r.State)
	r.unfold()
	r.Change("tour", func() {
		r.State = s
		clear(r.drafts)
		clear(r.wishes)
	})
}

// unfold opens the folded section that the stop is about, and closes the one that the stop
// before opened.
func (r *Room) unfold() {
	if r.toured != "" && r.section(r.toured).open {
		r.ToggleSection(r.toured)
	}
	r.toured = ""
	key, ok := strings.CutPrefix(r.Stop().Look, "section-")
	if s := r.Info.Section(key); ok && s != nil && !r.sectionOpen(s) {
		r.section(key).open, r.toured = true, key
	}
}

// StopReady reports whether what the stop is about is there: a section has its results.
func (r *Room) StopReady() bool {
	if r.Stop() == nil {
		return false
	}
	key, ok := strings.CutPrefix(r.Stop().Look, "section-")
	if !ok || r.Info.Section(key) == nil {
		return true
	}
	x := r.section(key)
	return !x.call.Active() && (x.shown != nil || x.err != "") && !r.Active()
}

// EndTour leaves everything as it is shown.
func (r *Room) EndTour() { r.tour = 0 }

// AtStop reports whether the settings are those of the stop, so that what it says
// is about what is shown.
func (r *Room) AtStop() bool {
	stop := r.Stop()
	if stop == nil {
		return false
	}
	s, err := StopState(r.Info, stop)
	return err == nil && s.View == r.State.View && s.Setup.Equal(r.State.Setup) && slices.Equal(s.On, r.State.On)
}
