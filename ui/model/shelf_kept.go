package model

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/model/calls"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// The first line of what the browser stores: kept runs, a line each.
const (
	shelfMagic  = "spillway runs "
	shelfFormat = shelfMagic + "1"
)

func (s *Shelf) storage() string { return "spillway-runs-" + s.room.Info.Name }

// load reads what the browser stores. Lines that cannot be read are kept as they
// are; what a newer Spillway wrote is not touched at all.
func (s *Shelf) load() {
	s.kept, s.damaged, s.Problem, s.foreign = []state.Kept{}, nil, "", false
	text := s.room.session.host.Stored(s.storage())
	if text == "" {
		return
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != shelfFormat && strings.HasPrefix(lines[0], shelfMagic) {
		s.foreign = true
		s.Problem = "The runs that this browser keeps were written by a newer Spillway. They are left alone; reload to get the newest version. What you keep now lasts until this tab is closed."
		return
	}
	if lines[0] == shelfFormat {
		lines = lines[1:]
	}
	var first error
	for _, line := range lines {
		k, err := link.ReadSaved(s.room.Info, line)
		if err != nil {
			if first == nil {
				first = err
			}
			s.damaged = append(s.damaged, line)
			continue
		}
		if !slices.Contains(s.kept, k) {
			s.kept = append(s.kept, k)
		}
	}
	if n := len(s.damaged); n > 0 {
		s.Problem = fmt.Sprintf("%d of the runs that this browser keeps cannot be read (%v). They stay there, and the others are shown.", n, first)
	}
}

// Damaged is what the browser keeps that cannot be read, for those who want to
// save it; empty if nothing.
func (s *Shelf) Damaged() string { return strings.Join(s.damaged, "\n") }

// store writes the kept runs into the browser's storage.
func (s *Shelf) store() {
	if s.foreign {
		return
	}
	var b strings.Builder
	b.WriteString(shelfFormat + "\n")
	for i := range s.kept {
		b.WriteString(link.SavedText(&s.kept[i]) + "\n")
	}
	for _, line := range s.damaged {
		b.WriteString(line + "\n")
	}
	if s.lasting = s.room.session.host.Store(s.storage(), b.String()); !s.lasting {
		s.Problem = "This browser stores nothing for this page, so what you keep lasts until the tab is closed. A link to this view carries the runs that are shown."
	}
}

// sync brings the browser's storage in line with the state, which undo changes
// too, and takes in what another tab has kept meanwhile.
func (s *Shelf) sync() {
	now := s.room.State.Kept
	if now == nil { // a state that says nothing of them
		s.room.State.Kept = s.kept
		return
	}
	if slices.Equal(now, s.kept) {
		return
	}
	before := s.kept
	if s.reload() && !slices.Equal(s.kept, before) {
		now = merge(s.kept, before, now)
	}
	s.kept = now
	s.room.State.Kept = now
	s.store()
}

// reload reads the browser's storage again, and reports whether it decides what is
// kept: not where nothing is stored, or nothing that can be read.
func (s *Shelf) reload() bool {
	if !s.lasting || s.foreign {
		return false
	}
	before := s.kept
	s.load()
	if s.foreign {
		s.kept = before
		return false
	}
	s.room.outside(before, s.kept)
	return true
}

// outside makes a change of the kept runs, which nobody did here, in every step of
// the ways back and forth: none of them undoes it.
func (r *Room) outside(before, now []state.Kept) {
	if slices.Equal(before, now) {
		return
	}
	for _, steps := range [][]snapshot{r.undo, r.redo} {
		for i := range steps {
			if s := &steps[i].state; s.Kept != nil {
				s.Kept = merge(s.Kept, before, now)
			}
		}
	}
}

// current takes in what other tabs have kept, before something is changed.
func (s *Shelf) current() []state.Kept {
	if s.reload() {
		s.room.State.Kept = s.kept
	}
	return slices.Clone(s.room.State.Kept)
}

// merge makes the change from before to now in a list that has changed as well.
func merge(list, before, now []state.Kept) []state.Kept {
	out := slices.DeleteFunc(slices.Clone(list), func(k state.Kept) bool {
		return slices.Contains(before, k) && !slices.Contains(now, k)
	})
	for _, k := range now {
		if !slices.Contains(before, k) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// Keep gives the runs of some systems with the settings that are shown a name. In
// the view Compare they are shown while there is room.
func (s *Shelf) Keep(name string, systems []string) {
	r := s.room
	if len(systems) == 0 {
		return
	}
	list, shown := s.current(), slices.Clone(r.State.Shown)
	r.Change("", func() {
		setup := r.State.Setup.String()
		for _, system := range systems {
			k := state.Kept{Name: strings.TrimSpace(name), System: system, Setup: setup}
			if len(systems) > 1 {
				k.Name = strings.TrimSpace(s.title(system) + ": " + k.Name)
			}
			if k.Name == "" {
				k.Name = s.title(system)
			}
			if at := slices.IndexFunc(list, func(o state.Kept) bool { return o.System == system && o.Setup == setup }); at >= 0 {
				drop := list[at]
				list = slices.Delete(list, at, at+1)
				shown = slices.DeleteFunc(shown, func(o state.Kept) bool { return o == drop })
			}
			k.Name = unique(k.Name, list, shown)
			list = append(list, k)
			if len(shown) < state.MostShown {
				shown = append(shown, k)
			}
		}
		r.State.Kept, r.State.Shown = list, shown
	})
}

// unique returns a name that no run of the lists has.
func unique(name string, lists ...[]state.Kept) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(lists, func(list []state.Kept) bool {
			return slices.ContainsFunc(list, func(k state.Kept) bool { return k.Name == name })
		})
	}
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s (%d)", name, n)
	}
	return free
}

// title is what a system is called.
func (s *Shelf) title(system string) string {
	if x, err := s.room.Info.System(system); err == nil {
		return x.Title
	}
	return system
}

// Rename gives a run another name, here and in the browser.
func (s *Shelf) Rename(k state.Kept, name string) {
	name = strings.TrimSpace(name)
	if name == "" || name == k.Name {
		return
	}
	r, list := s.room, s.current()
	r.Change("", func() {
		to := k
		to.Name = unique(name, list, r.State.Shown)
		r.State.Kept, r.State.Shown = replaced(list, k, to), replaced(r.State.Shown, k, to)
	})
}

func replaced(list []state.Kept, from, to state.Kept) []state.Kept {
	list = slices.Clone(list)
	if at := slices.Index(list, from); at >= 0 {
		list[at] = to
	}
	return list
}

// Delete forgets a run, here and in the browser; Undo brings it back.
func (s *Shelf) Delete(k state.Kept) {
	r, list := s.room, s.current()
	r.Change("", func() {
		r.State.Kept, r.State.Shown = without(list, k), without(r.State.Shown, k)
	})
}

// without is a copy of a list without k; it is not nil.
func without(list []state.Kept, k state.Kept) []state.Kept {
	out := make([]state.Kept, 0, len(list))
	for _, o := range list {
		if o != k {
			out = append(out, o)
		}
	}
	return out
}

// Show puts a run beside the others or takes it away.
func (s *Shelf) Show(k state.Kept) {
	r := s.room
	if s.IsShown(k) {
		r.Change("", func() { r.State.Shown = without(r.State.Shown, k) })
	} else if len(r.State.Shown) < state.MostShown {
		r.Change("", func() { r.State.Shown = append(slices.Clone(r.State.Shown), k) })
	}
}

// IsShown reports whether the view Compare shows a run.
func (s *Shelf) IsShown(k state.Kept) bool { return slices.Contains(s.room.State.Shown, k) }

// IsKept reports whether the browser keeps a run; one that a link brought is not
// before somebody keeps it.
func (s *Shelf) IsKept(k state.Kept) bool { return slices.Contains(s.room.State.Kept, k) }

// Adopt keeps a run that a link brought.
func (s *Shelf) Adopt(k state.Kept) {
	r, list := s.room, s.current()
	r.Change("", func() { r.State.Kept = append(list, k) })
}

// Refer makes a run that is shown the first, which the others are compared with.
func (s *Shelf) Refer(k state.Kept) {
	r := s.room
	r.Change("", func() { r.State.Shown = append([]state.Kept{k}, without(r.State.Shown, k)...) })
}

// Visit goes to a run's settings in the view Explore.
func (s *Shelf) Visit(k state.Kept) {
	r := s.room
	r.Change("", func() {
		r.State.Setup, r.State.View = s.Setup(k).Clone(), state.Explore
		if !slices.Contains(r.State.On, k.System) {
			r.State.Toggle(r.Info, k.System)
		}
		_ = r.State.Look.Set(state.FocusKey, k.System) // it is one of the systems
		clear(r.drafts)
	})
}

// All lists the runs: those that are shown, in their order, then the others that
// the browser keeps, the newest first.
func (s *Shelf) All() []state.Kept {
	list := slices.Clone(s.room.State.Shown)
	for _, k := range slices.Backward(s.room.State.Kept) {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// Setup is a run's settings; they are shared and must not be changed.
func (s *Shelf) Setup(k state.Kept) *knob.Setup {
	if u := s.setups[k.Setup]; u != nil {
		return u
	}
	u, _ := s.room.Info.Read(k.Setup) // it was read already, or printed
	s.setups[k.Setup] = u
	return u
}

// A ShownRun is a run of the view Compare and how it stands.
type ShownRun struct {
	state.Kept
	Title string // of its system
	Setup *knob.Setup
	Run   Run    // with what is known of it
	Needs string // the entry of a file that is not at hand, empty if none
}

// Shown returns the runs of the view Compare; the first is the reference.
func (s *Shelf) Shown() []ShownRun {
	list := make([]ShownRun, len(s.room.State.Shown))
	for i, k := range s.room.State.Shown {
		x := &list[i]
		*x = ShownRun{Kept: k, Title: s.title(k.System), Setup: s.Setup(k)}
		x.Run.System, _ = s.room.Info.System(k.System) // it was read, or is one
		x.Run.On = true
		x.Needs = s.lacks(x.Setup)
		if o := s.runs[runKey(k.Setup, k.System, s.room.filesOf(x.Setup))]; o != nil {
			x.Run.call, x.Run.Report, x.Run.Error, x.Run.Cancelled = o.call, o.report, o.err, o.cancelled
		}
	}
	return list
}

// lacks is the entry of opened files that a setup needs and that is not at hand.
func (s *Shelf) lacks(u *knob.Setup) string {
	if e := s.room.Info.Entry; e != "" && u.Text(e) != "" && !s.room.Files.Has(u.Text(e)) {
		return u.Text(e)
	}
	return ""
}

// Lacking lists the entries of files that shown runs need.
func (s *Shelf) Lacking() (names []string) {
	for _, k := range s.room.State.Shown {
		if e := s.lacks(s.Setup(k)); e != "" && !slices.Contains(names, e) {
			names = append(names, e)
		}
	}
	return names
}

// Busy reports whether shown runs are under way.
func (s *Shelf) Busy() bool {
	return underWay(s.runs)
}

// Cancel stops the shown runs that are under way.
func (s *Shelf) Cancel() {
	var stop []*calls.Call
	for _, x := range s.runs {
		if x.call.Active() {
			stop = append(stop, x.call)
			x.cancelled = true
		}
	}
	calls.Stop(stop...)
	s.room.Rev++
}

// CanRunAgain reports whether a shown run was cancelled or failed.
func (s *Shelf) CanRunAgain() bool {
	for _, x := range s.runs {
		if x.again() {
			return true
		}
	}
	return false
}

// RunAgain starts the shown runs that were cancelled or failed.
func (s *Shelf) RunAgain() {
	for key, x := range s.runs {
		if x.again() {
			delete(s.runs, key)
		}
	}
	s.room.Refresh()
}

// refreshShown starts the runs of the view Compare that are neither known nor
// under way, and stops those that nobody looks at.
func (s *Shelf) refreshShown() {
	r := s.room
	wanted := map[string]bool{}
	if r.State.View == state.Compare {
		for _, k := range r.State.Shown {
			u := s.Setup(k)
			key := runKey(k.Setup, k.System, r.filesOf(u))
			wanted[key] = true
			if s.lacks(u) == "" {
				s.want(s.runs, key, k.Setup, k.System, r.filesOf(u))
			}
		}
	}
	for key, x := range s.runs {
		if !wanted[key] {
			calls.Stop(x.call)
			delete(s.runs, key)
		}
	}
}
