package model

import (
	"fmt"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/work"
)

// A Shelf holds the baseline that everything is compared with, and the runs that
// the visitor named.
type Shelf struct {
	room *Room
	base map[string]*outcome // of the baseline, by system
}

// An outcome is what a job that the shelf asked for came to.
type outcome struct {
	key         string // of the run: see Room.keyOf
	id          int    // of the job, 0 if none
	done, total int
	report      *report.Report
	err         string
	cancelled   bool
}

func newShelf(r *Room) *Shelf { return &Shelf{room: r, base: map[string]*outcome{}} }

// Pin makes the settings that are shown the baseline.
func (s *Shelf) Pin() {
	s.room.Change("", func() { s.room.State.Base = s.room.State.Setup.Clone() })
}

// Unpin forgets the baseline.
func (s *Shelf) Unpin() { s.room.Change("", func() { s.room.State.Base = nil }) }

// Return goes back to the settings of the baseline.
func (s *Shelf) Return() {
	if b := s.room.State.Base; b != nil {
		s.room.Change("", func() {
			s.room.State.Setup = b.Clone()
			clear(s.room.drafts)
		})
	}
}

// Pinned reports whether there is a baseline.
func (s *Shelf) Pinned() bool { return s.room.State.Base != nil }

// Base is the baseline where it can be compared with what is shown: it is of the
// same workload and of other settings. Else it is nil.
func (s *Shelf) Base() *knob.Setup {
	b := s.room.State.Base
	if b == nil || b.Equal(s.room.State.Setup) || s.room.other(b) {
		return nil
	}
	return b
}

// Before is what a system reported of the baseline, nil if that is not known or
// cannot be compared.
func (s *Shelf) Before(system string) *report.Report {
	if len(s.base) == 0 {
		return nil
	}
	if x := s.base[system]; x != nil {
		return x.report
	}
	return nil
}

// Pending reports whether reports of the baseline are still to come.
func (s *Shelf) Pending() bool {
	for _, x := range s.base {
		if x.id != 0 {
			return true
		}
	}
	return false
}

// Note says in a line what is wrong with the baseline, empty if nothing.
func (s *Shelf) Note() string {
	b := s.room.State.Base
	if b == nil {
		return ""
	}
	if s.room.other(b) {
		return fmt.Sprintf("The baseline is of another workload, %s; it is compared again when you go back to that.", s.room.Of(b))
	}
	var unfit, failed []string
	problem := ""
	for i := range s.room.Runs {
		r := &s.room.Runs[i]
		x := s.base[r.System.Name]
		switch {
		case x == nil || !r.On:
		case x.err != "":
			failed, problem = append(failed, r.System.Title), x.err
		case x.report != nil && !x.report.Fits:
			unfit = append(unfit, r.System.Title)
		}
	}
	var said []string
	if len(unfit) > 0 {
		said = append(said, "The baseline does not run with "+strings.Join(unfit, ", ")+".")
	}
	if len(failed) > 0 {
		said = append(said, fmt.Sprintf("The baseline of %s cannot be computed: %s.", strings.Join(failed, ", "), strings.TrimSuffix(problem, ".")))
	}
	return strings.Join(said, " ")
}

// subject is the knob that says which workload runs: the first of the first panel.
func (r *Room) subject() string {
	for i := range r.Info.Knobs {
		if k := &r.Info.Knobs[i]; len(r.Info.Panels) > 0 && k.Panel == r.Info.Panels[0].Key {
			return k.Key
		}
	}
	return ""
}

// other reports whether a setup is of another workload than is shown.
func (r *Room) other(u *knob.Setup) bool { return r.Of(u) != r.Of(r.State.Setup) }

// Of names the workload of a setup.
func (r *Room) Of(u *knob.Setup) string {
	if r.Info.Entry != "" && u.Text(r.Info.Entry) != "" {
		return u.Text(r.Info.Entry)
	}
	return words(u, r.subject())
}

// Words says the value of a knob inside a sentence.
func Words(u *knob.Setup, key string) string { return words(u, key) }

// filesOf is the set of files that jobs about a setup need.
func (r *Room) filesOf(u *knob.Setup) int {
	if r.Info.Entry == "" || u.Text(r.Info.Entry) == "" {
		return 0
	}
	return r.Files.Number
}

// keyOf is equal for equal runs.
func (r *Room) keyOf(u *knob.Setup, system string) string {
	return fmt.Sprintf("%s system=%s files=%d", u, system, r.filesOf(u))
}

// refresh starts what is shown of the shelf and stops what no longer is.
func (s *Shelf) refresh() {
	r := s.room
	if len(s.base) == 0 && r.State.Base == nil {
		return // nothing is pinned, and nothing is left of what was
	}
	base := s.Base()
	if base == nil || r.State.View != Explore {
		var stop []int
		for name, x := range s.base {
			if x.id != 0 {
				stop = append(stop, x.id)
			}
			if base == nil || x.id != 0 {
				delete(s.base, name)
			}
		}
		r.session.host.Stop(stop)
		return
	}
	if r.Blocked() != "" {
		return
	}
	for i := range r.Runs {
		if x := &r.Runs[i]; x.On {
			s.want(s.base, x.System.Name, base, x.System.Name)
		}
	}
}

// want sees to it that an outcome is there or under way.
func (s *Shelf) want(in map[string]*outcome, place string, u *knob.Setup, system string) {
	r := s.room
	key := r.keyOf(u, system)
	x := in[place]
	if x != nil && x.key == key {
		return
	}
	if x != nil && x.id != 0 {
		r.session.host.Stop([]int{x.id})
	}
	x = &outcome{key: key, report: r.cache.get(key)}
	in[place] = x
	if x.report == nil {
		s.start(x, u, system)
	}
}

// start asks for an outcome, behind everything that is shown itself.
func (s *Shelf) start(x *outcome, u *knob.Setup, system string) {
	r := s.room
	x.id, x.done, x.total, x.err, x.cancelled = r.session.id(), 0, 0, "", false
	r.session.host.Start(&work.Job{
		ID: x.id, Lab: r.Info.Name, Kind: work.Run, Setup: u.String(), System: system, Files: r.filesOf(u),
	}, true)
}

// answer takes what a worker said, if it is about the shelf.
func (s *Shelf) answer(a *work.Answer) bool {
	for _, x := range s.base {
		if x.id == a.ID {
			s.take(x, a)
			return true
		}
	}
	return false
}

// take takes what a worker said about an outcome.
func (s *Shelf) take(x *outcome, a *work.Answer) {
	if !a.Last {
		x.done, x.total = a.Done, a.Total
		return
	}
	x.id, x.report, x.err = 0, a.Report, a.Error
	if len(a.Problems) > 0 {
		x.err = strings.Join(a.Problems, "; ")
	}
	if a.Report != nil {
		s.room.cache.put(x.key, a.Report)
	}
	s.room.Rev++
}

// rest stops what is under way in a room that is left.
func (s *Shelf) rest() {
	var stop []int
	for name, x := range s.base {
		if x.id != 0 {
			stop = append(stop, x.id)
			delete(s.base, name)
		}
	}
	s.room.session.host.Stop(stop)
}
