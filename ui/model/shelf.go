package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
	"spillway/ui/model/state"
)

// A Shelf holds the baseline that everything is compared with, and the runs that
// the visitor named.
type Shelf struct {
	// Problem is what the visitor should know about the browser's storage, empty if
	// nothing.
	Problem string

	room    *Room
	base    map[string]*outcome // of the baseline, by system
	runs    map[string]*outcome // that are shown side by side, by runKey
	setups  map[string]*knob.Setup
	kept    []state.Kept // as the browser stores them
	damaged []string     // lines there that cannot be read
	foreign bool         // what is there is not ours to write
	lasting bool         // the browser stores what it is told
	begun   time.Time    // when the newest job was asked for
	news    bool         // there are outcomes that were not drawn yet
	looking bool         // the view Compare was shown when last looked at
}

// An outcome is what a job that the shelf asked for came to.
type outcome struct {
	key         string // of the run: see runKey
	call        *calls.Call
	report      *report.Report
	err         string
	contradicts bool // err is of the settings: another run would say the same
	cancelled   bool
}

// again reports whether it was cancelled or failed, so that it can be tried again.
func (x *outcome) again() bool {
	return !x.call.Active() && (x.cancelled || x.err != "" && !x.contradicts)
}

func newShelf(r *Room) *Shelf {
	s := &Shelf{room: r, lasting: true, base: map[string]*outcome{}, runs: map[string]*outcome{}, setups: map[string]*knob.Setup{}}
	s.load()
	return s
}

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
	return underWay(s.base)
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

// filesOf is the set of files that jobs about a setup need.
func (r *Room) filesOf(u *knob.Setup) int {
	if r.Info.Entry == "" || u.Text(r.Info.Entry) == "" {
		return 0
	}
	return r.Files.Number
}

// refresh starts what is shown of the shelf and stops what no longer is.
func (s *Shelf) refresh() {
	s.sync()
	if view := s.room.State.View == state.Compare; view != s.looking {
		s.looking = view
		if view {
			s.look()
		}
	}
	if s.looking || len(s.runs) > 0 {
		s.refreshShown()
	}
	s.refreshBase()
}

// look takes in what other tabs have kept, when somebody looks, and shows some of
// them if nothing is chosen yet.
func (s *Shelf) look() {
	r := s.room
	s.current()
	if r.State.Shown == nil {
		r.State.Shown = slices.Clone(s.kept[max(0, len(s.kept)-state.MostShown):])
	}
}

// refreshBase does what the baseline needs.
func (s *Shelf) refreshBase() {
	r := s.room
	if len(s.base) == 0 && r.State.Base == nil {
		return // nothing is pinned, and nothing is left of what was
	}
	base := s.Base()
	if base == nil || r.State.View != state.Explore {
		s.drop(s.base, base == nil)
		return
	}
	s.dropOff()
	if r.Blocked() != "" {
		return
	}
	setup, files := r.meanwhile(base).String(), r.filesOf(base)
	for i := range r.Runs {
		if x := &r.Runs[i]; x.On {
			s.want(s.base, x.System.Name, setup, x.System.Name, files)
		}
	}
}

// dropOff forgets what is under way of the baseline for systems that are off.
func (s *Shelf) dropOff() {
	for name, x := range s.base {
		if x.call.Active() && !slices.Contains(s.room.State.On, name) {
			calls.Stop(x.call)
			delete(s.base, name)
		}
	}
}

// baseAgain lists the compared systems whose baseline failed.
func (s *Shelf) baseAgain() (names []string) {
	for name, x := range s.base {
		if x.again() && slices.Contains(s.room.State.On, name) {
			names = append(names, name)
		}
	}
	return names
}

// want sees to it that an outcome is there or under way, behind everything that
// is shown itself.
func (s *Shelf) want(in map[string]*outcome, place, setup, system string, files int) {
	r := s.room
	key := runKey(setup, system, files)
	x := in[place]
	if x != nil && x.key == key {
		return
	}
	if x != nil {
		calls.Stop(x.call)
	}
	x = &outcome{key: key, report: r.cache.get(key)}
	in[place] = x
	if x.report == nil {
		s.begun = time.Now()
		j := &exec.Job{Lab: r.Info.Name, Kind: exec.Run, Setup: setup, System: system, Files: files}
		x.call = r.session.calls.Start(j, calls.Behind, func(*calls.Call) { s.show() }, func(a *exec.Answer) { s.ran(x, a) })
	}
}

// ran takes what came of a run.
func (s *Shelf) ran(x *outcome, a *exec.Answer) {
	x.report, x.err = a.Report, a.Error
	if len(a.Problems) > 0 {
		x.err, x.contradicts = strings.Join(a.Problems, "; "), true
	}
	if a.Report != nil {
		s.room.cache.put(x.key, a.Report)
	}
	s.news = true
	s.show()
}

// show has it drawn how far shown runs are, and what came out, once the others had the
// moment in which they may come, too. Nobody is shown how far the baseline is.
func (s *Shelf) show() {
	if s.news && (!s.Pending() && !s.Busy() || time.Since(s.begun) >= grace) {
		s.news = false
		s.room.Rev++
		s.room.draw()
	}
	if s.looking {
		s.room.draw()
	}
}

// underWay reports whether any of the outcomes is still to come.
func underWay(in map[string]*outcome) bool {
	for _, x := range in {
		if x.call.Active() {
			return true
		}
	}
	return false
}

// rest stops what is under way in a room that is left.
func (s *Shelf) rest() {
	s.drop(s.base, false)
	s.drop(s.runs, false)
}

// drop forgets outcomes that are under way, or all of them.
func (s *Shelf) drop(in map[string]*outcome, all bool) {
	var stop []*calls.Call
	for key, x := range in {
		if x.call.Active() {
			stop = append(stop, x.call)
		}
		if all || x.call.Active() {
			delete(in, key)
		}
	}
	calls.Stop(stop...)
}
