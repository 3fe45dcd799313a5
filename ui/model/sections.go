package model

import (
	"fmt"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/state"
)

// A sectionState is what is known of one of the laboratory's own sections.
type sectionState struct {
	open  bool
	call  *calls.Call
	key   string // what shown or the call is about
	shown *report.Section
	err   string
}

// A SectionView is one of the laboratory's own sections as the page shows it.
type SectionView struct {
	lab.Section
	Open   bool
	Shown  *report.Section // nil before it is computed
	Error  string
	Busy   bool
	Part   float64 // of what is computed, from 0 to 1; 0 if nobody says
	Fields []Field // its knobs
}

// Sections returns the sections that are there now.
func (r *Room) Sections() []SectionView {
	var list []SectionView
	base := r.State.Look.Base()
	for _, s := range r.Info.Sections {
		if !r.has(&s) {
			continue
		}
		x := r.section(s.Key)
		v := SectionView{Section: s, Open: r.sectionOpen(&s), Shown: x.shown, Error: x.err, Busy: x.call.Active(), Part: x.call.Part()}
		for i := range s.Knobs {
			f := r.field(&s.Knobs[i], r.State.Look, base)
			offer(&f, x.shown)
			v.Fields = append(v.Fields, f)
		}
		list = append(list, v)
	}
	return list
}

func (r *Room) section(key string) *sectionState {
	if r.sections[key] == nil {
		r.sections[key] = &sectionState{}
	}
	return r.sections[key]
}

// has reports whether a section is there now.
func (r *Room) has(s *lab.Section) bool {
	if s.Entry {
		e := r.entry()
		return e != nil && slices.Contains(e.Sections, s.Key)
	}
	if len(s.Systems) > 0 && !slices.ContainsFunc(s.Systems, func(name string) bool { return slices.Contains(r.State.On, name) }) {
		return false
	}
	return s.If == "" || r.State.Setup.Text(s.If) != ""
}

// sectionSystem is the system that a section is about: the one in focus, or of its own one
// that is compared.
func (r *Room) sectionSystem(s *lab.Section) string {
	if len(s.Systems) == 0 || slices.Contains(s.Systems, r.Focus()) {
		return r.Focus()
	}
	for _, name := range s.Systems {
		if slices.Contains(r.State.On, name) {
			return name
		}
	}
	return r.Focus()
}

func (r *Room) sectionOpen(s *lab.Section) bool { return !s.Folded || r.section(s.Key).open }

// ToggleSection opens a folded section or closes it, which stops what it computes.
func (r *Room) ToggleSection(key string) {
	x := r.section(key)
	if x.open = !x.open; !x.open && x.call.Active() {
		calls.Stop(x.call)
		x.call, x.key = nil, ""
		r.Rev++
	}
	r.refreshSections()
}

// view is the text of a section's knobs.
func (r *Room) view(s *lab.Section) string {
	pairs := make([]knob.Pair, len(s.Knobs))
	for i := range s.Knobs {
		pairs[i] = knob.Pair{Key: s.Knobs[i].Key, Text: r.State.Look.Text(s.Knobs[i].Key)}
	}
	return knob.Join(pairs, " ")
}

// refreshSections asks for what open sections lack. A section about a run waits
// until the run in focus is there.
func (r *Room) refreshSections() {
	if r.State.View != state.Explore {
		return
	}
	for i := range r.Info.Sections {
		s := &r.Info.Sections[i]
		if !r.sectionOpen(s) || !r.has(s) {
			continue
		}
		x := r.section(s.Key)
		j := &exec.Job{Kind: exec.Section, Key: s.Key, View: r.view(s)}
		if s.Run {
			if r.Blocked() != "" || r.Active() {
				continue
			}
			j.Setup, j.System, j.Files = r.runs(), r.sectionSystem(s), r.number()
		}
		key := fmt.Sprint(j.View, " ", j.Setup, " ", j.System, " ", j.Files)
		if x.key == key {
			continue
		}
		calls.Stop(x.call)
		x.key = key
		x.call = r.call(j, calls.Shown, func(a *exec.Answer) {
			x.call, x.shown, x.err = nil, a.Section, a.Error
			r.Rev++
		})
	}
}
