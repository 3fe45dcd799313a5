// Package saved is the runs that the browser keeps, and those of them that are shown side
// by side.
package saved

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/model/files"
	"spillway/ui/model/link"
	"spillway/ui/model/results"
	"spillway/ui/model/runs"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A Storage is where the browser keeps texts.
type Storage interface {
	// Stored returns the text that is kept under a name, empty if none.
	Stored(name string) string
	// Store keeps a text, and reports whether it does.
	Store(name, text string) bool
}

// Saved is the runs that the visitor named.
type Saved struct {
	// Problem is what the visitor should know about the browser's storage, empty if
	// nothing.
	Problem string
	words

	room    *workspace.Workspace
	files   *files.Files
	storage Storage
	rows    *runs.Rows // that are shown side by side, by their runs' keys
	setups  map[string]*knob.Setup
	kept    []state.Kept // as the browser stores them
	damaged []string     // lines there that cannot be read
	foreign bool         // what is there is not ours to write
	lasting bool         // the browser stores what it is told
	looking bool         // the view Compare was shown when last looked at
}

// New returns what the browser keeps of a laboratory.
func New(w *workspace.Workspace, f *files.Files, r *results.Store, storage Storage) *Saved {
	s := &Saved{room: w, files: f, storage: storage, rows: runs.NewRows(w, r), lasting: true, setups: map[string]*knob.Setup{}}
	s.words = words{s}
	s.rows.Shown = func() bool { return s.looking }
	s.load()
	return s
}

// The first line of what the browser stores: kept runs, a line each.
const (
	shelfMagic  = "spillway runs "
	shelfFormat = shelfMagic + "1"
)

func (s *Saved) place() string { return "spillway-runs-" + s.room.Info.Name }

// load reads what the browser stores. Lines that cannot be read are kept as they
// are; what a newer Spillway wrote is not touched at all.
func (s *Saved) load() {
	s.kept, s.damaged, s.Problem, s.foreign = []state.Kept{}, nil, "", false
	text := s.storage.Stored(s.place())
	if text == "" {
		return
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != shelfFormat && strings.HasPrefix(lines[0], shelfMagic) {
		s.foreign = true
		s.Problem = "A newer Spillway wrote the runs kept in this browser. They are left alone; reload to get it. What you keep now is gone when this tab is closed."
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
func (s *Saved) Damaged() string { return strings.Join(s.damaged, "\n") }

// store writes the kept runs into the browser's storage.
func (s *Saved) store() {
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
	if s.lasting = s.storage.Store(s.place(), b.String()); !s.lasting {
		s.Problem = "This browser stores nothing for this page: what you keep is gone when the tab is closed. A link to this view carries the runs shown."
	}
}

// sync brings the browser's storage in line with the state, which undo changes
// too, and takes in what another tab has kept meanwhile.
func (s *Saved) sync() {
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
func (s *Saved) reload() bool {
	if !s.lasting || s.foreign {
		return false
	}
	before := s.kept
	s.load()
	if s.foreign {
		s.kept = before
		return false
	}
	if now := s.kept; !slices.Equal(before, now) {
		s.room.Rebase(func(step *state.State) {
			if step.Kept != nil {
				step.Kept = merge(step.Kept, before, now)
			}
		})
	}
	return true
}

// current takes in what other tabs have kept, before something is changed.
func (s *Saved) current() []state.Kept {
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
func (s *Saved) Keep(name string, systems []string) {
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
func (s *Saved) title(system string) string {
	if x, err := s.room.Info.System(system); err == nil {
		return x.Title
	}
	return system
}

// Rename gives a run another name, here and in the browser.
func (s *Saved) Rename(k state.Kept, name string) {
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
func (s *Saved) Delete(k state.Kept) {
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
func (s *Saved) Show(k state.Kept) {
	r := s.room
	if s.IsShown(k) {
		r.Change("", func() { r.State.Shown = without(r.State.Shown, k) })
	} else if len(r.State.Shown) < state.MostShown {
		r.Change("", func() { r.State.Shown = append(slices.Clone(r.State.Shown), k) })
	}
}

// IsShown reports whether the view Compare shows a run.
func (s *Saved) IsShown(k state.Kept) bool { return slices.Contains(s.room.State.Shown, k) }

// IsKept reports whether the browser keeps a run; one that a link brought is not
// before somebody keeps it.
func (s *Saved) IsKept(k state.Kept) bool { return slices.Contains(s.room.State.Kept, k) }

// Adopt keeps a run that a link brought.
func (s *Saved) Adopt(k state.Kept) {
	r, list := s.room, s.current()
	r.Change("", func() { r.State.Kept = append(list, k) })
}

// Refer makes a run that is shown the first, which the others are compared with.
func (s *Saved) Refer(k state.Kept) {
	r := s.room
	r.Change("", func() { r.State.Shown = append([]state.Kept{k}, without(r.State.Shown, k)...) })
}

// Visit goes to a run's settings in the view Explore.
func (s *Saved) Visit(k state.Kept) {
	r := s.room
	r.Change("", func() {
		r.State.Setup, r.State.View = s.Setup(k).Clone(), state.Explore
		if !slices.Contains(r.State.On, k.System) {
			r.State.Toggle(r.Info, k.System)
		}
		_ = r.State.Look.Set(state.FocusKey, k.System) // it is one of the systems
		clear(r.Drafts)
	})
}

// All lists the runs: those that are shown, in their order, then the others that
// the browser keeps, the newest first.
func (s *Saved) All() []state.Kept {
	list := slices.Clone(s.room.State.Shown)
	for _, k := range slices.Backward(s.room.State.Kept) {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// Setup is a run's settings; they are shared and must not be changed.
func (s *Saved) Setup(k state.Kept) *knob.Setup {
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
	Run   runs.Run // with what is known of it
	Needs string   // the entry of a file that is not at hand, empty if none
}

// of is a saved run as it is computed.
func (s *Saved) of(k *state.Kept) results.Run {
	return results.Run{Setup: k.Setup, System: k.System, Files: s.files.NumberOf(s.Setup(*k))}
}

// Shown returns the runs of the view Compare; the first is the reference.
func (s *Saved) Shown() []ShownRun {
	list := make([]ShownRun, len(s.room.State.Shown))
	for i, k := range s.room.State.Shown {
		x := &list[i]
		*x = ShownRun{Kept: k, Title: s.title(k.System), Setup: s.Setup(k)}
		x.Run.System, _ = s.room.Info.System(k.System) // it was read, or is one
		x.Run.On = true
		x.Needs = s.files.Lacks(x.Setup)
		if o := s.rows.At(s.of(&k).Key()); o != nil {
			x.Run.Want, x.Run.Report, x.Run.Error, x.Run.Cancelled = o.Want, o.Report, o.Error, o.Cancelled
		}
	}
	return list
}

// Lacking lists the entries of files that shown runs need.
func (s *Saved) Lacking() (names []string) {
	for _, k := range s.room.State.Shown {
		if e := s.files.Lacks(s.Setup(k)); e != "" && !slices.Contains(names, e) {
			names = append(names, e)
		}
	}
	return names
}

// Busy reports whether shown runs are under way.
func (s *Saved) Busy() bool { return s.rows.Active() }

// Cancel stops the shown runs that are under way.
func (s *Saved) Cancel() {
	s.rows.Cancel()
	s.room.Rev++
}

// anywhere is every place of a shown run.
func anywhere(string) bool { return true }

// CanRunAgain reports whether a shown run was cancelled or failed.
func (s *Saved) CanRunAgain() bool { return s.rows.Again(anywhere) }

// RunAgain starts the shown runs that were cancelled or failed.
func (s *Saved) RunAgain() {
	s.rows.Forget(anywhere)
	s.room.Refresh()
}

// Follow brings the browser's storage in line with the state, and starts the runs of the
// view Compare that are neither known nor under way, and stops those that nobody looks at.
func (s *Saved) Follow() {
	s.sync()
	if view := s.room.State.View == state.Compare; view != s.looking {
		s.looking = view
		if view {
			s.look()
		}
	}
	if !s.looking {
		s.rows.Set(nil)
		return
	}
	var places []runs.Place
	for i := range s.room.State.Shown {
		k := &s.room.State.Shown[i]
		if s.files.Lacks(s.Setup(*k)) == "" {
			of := s.of(k)
			places = append(places, runs.Place{Name: of.Key(), Run: of})
		}
	}
	s.rows.Set(places)
}

// Rest stops what is under way in a laboratory that is left.
func (s *Saved) Rest() { s.rows.Pause() }

// look takes in what other tabs have kept, when somebody looks, and shows some of
// them if nothing is chosen yet.
func (s *Saved) look() {
	r := s.room
	s.current()
	if r.State.Shown == nil {
		r.State.Shown = slices.Clone(s.kept[max(0, len(s.kept)-state.MostShown):])
	}
}
