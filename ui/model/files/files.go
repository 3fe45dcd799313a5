// Package files is the files that were opened in a laboratory: sets, entries, what stands
// for them until all of their bytes are known, and the surveys that find that out.
package files

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/workspace"
)

// A Set is files that were opened together.
type Set struct {
	Number  int      // 0 means none
	Names   []string // of the files
	Entries []lab.Entry
	Notes   []string
	Error   string // why nothing could be opened, with what to do
	Filter  string // what the visitor searches for
	Opening bool
	Said    bool // the visitor knows what was opened

	// joined are names of files that were open before and are open with the others, which
	// were opened beside them.
	joined []string
	packed bool // they are what a bundle holds

	call   *calls.Call // what opens them
	before *Set        // what was open before, while these are being opened
	// surveys are those of its entries that were begun and are not done, by name.
	surveys map[string]*Survey
}

// A Count numbers sets of files, in all laboratories: 0 is none.
type Count int

// Next is a number that no set has.
func (c *Count) Next() int {
	*c++
	return int(*c)
}

// Files are those that are open in a laboratory.
type Files struct {
	Set
	words
	// Opened counts sets that were opened to the end.
	Opened int
	// Remembered are the names of files that were open before a reload.
	Remembered []string

	room    *workspace.Workspace
	desk    *calls.Desk
	count   *Count
	bundled func(name string, number int, info *exec.BundleInfo)
	// Elsewhere is told if others take what was dropped here.
	Elsewhere func(*Offered)

	offered *Offered // what others take of what was dropped last, nil if nothing

	earlier map[int]Set // that steps of undo lead back to, by number
	became  map[int]int // numbers of sets that have another since all of an entry was read
}

// New returns a laboratory's files, none. bundled is told if what was opened is a bundle.
func New(w *workspace.Workspace, d *calls.Desk, c *Count, bundled func(name string, number int, info *exec.BundleInfo)) *Files {
	f := &Files{room: w, desk: d, count: c, bundled: bundled}
	f.words = words{f}
	f.earlier, f.became = map[int]Set{}, map[int]int{}
	w.Restored = f.restore
	return f
}

// Has reports whether an entry is there.
func (f *Set) Has(name string) bool {
	if f.Opening {
		return false
	}
	for i := range f.Entries {
		if f.Entries[i].Name == name && f.Entries[i].Error == "" {
			return true
		}
	}
	return false
}

// What names the files in a few words.
func (f *Set) What() string { return Describe(f.Names) }

// Shown returns the entries that match the search, at most max, and how many
// match in all.
func (f *Set) Shown(max int) (shown []lab.Entry, matching int) {
	words := strings.Fields(strings.ToLower(f.Filter))
next:
	for _, e := range f.Entries {
		text := strings.ToLower(e.Name + " " + e.Info)
		for _, w := range words {
			if !strings.Contains(text, w) {
				continue next
			}
		}
		if matching++; matching <= max {
			shown = append(shown, e)
		}
	}
	return shown, matching
}

// A Hand gives files to the host under the number that they have from now on, behind those
// of the set with another number, but for files of the same names; 0 is none.
type Hand func(number, behind int)

// Open begins to read files. They join those that are open where these are of the same
// laboratory, and are a new set else.
func (f *Files) Open(names []string, hand Hand) {
	before := f.stopOpening()
	f.room.SideEffects, f.offered = "", nil
	f.room.Say("") // what is said now is about these
	number := f.count.Next()
	f.Set = Set{Number: number, Names: names, Opening: true, before: before}
	j := exec.Job{Kind: exec.Open, Files: number, Joins: len(before.beside(names))}
	if j.Joins > 0 {
		hand(number, before.Number)
	} else {
		hand(number, 0)
	}
	f.call = f.desk.Start(&j, calls.Shown, f.recognized)
	f.room.Refresh()
}

// beside are the names of the files of a set that others, by their names, may join: all that
// they do not replace.
func (f *Set) beside(names []string) []string {
	if f == nil || f.Number == 0 || f.packed || len(f.Entries) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Names), func(name string) bool { return slices.Contains(names, name) })
}

// recognized takes the answer to Open: the laboratory that takes the files lists what it
// can run, this one or another. What others take as well is offered.
func (f *Files) recognized(a *exec.Answer) {
	if a.Joined {
		f.joined = f.before.beside(f.Names)
	}
	all := &Offered{Names: f.Names, Number: f.Number, Anything: a.Error != ""}
	for i := range a.Takers {
		all.By = append(all.By, Taker{a.Takers[i].Lab, a.Takers[i].Title})
	}
	switch {
	case a.Bundle != nil || len(a.Takers) == 0:
		f.opened(a)
	case all.Anything:
		f.opened(a)
		f.offered = all
	case all.By[0].Lab == f.room.Info.Name || f.Elsewhere == nil:
		f.offered = all.but(f.room.Info.Name)
		f.list()
	default:
		f.revert()
		f.Elsewhere(all)
	}
}

// list asks for what can be run of the files, or of those inside the bundle that they are.
func (f *Files) list() {
	f.call = f.desk.Start(&exec.Job{Kind: exec.List, Files: f.Number}, calls.Shown, f.opened)
}

// Fresh is a number for a set of files that somebody makes.
func (f *Files) Fresh() int { return f.count.Next() }

// revert opens again what was open before, and returns what is not to be opened here.
func (f *Set) revert() Set {
	it := *f
	*f = Set{}
	if it.before != nil {
		*f = *it.before
	}
	return it
}

// Bring opens files that were dropped in another laboratory.
func (f *Files) Bring(o *Offered) {
	before := f.stopOpening()
	f.Set, f.offered = Set{Number: o.Number, Names: o.Names, Opening: true, before: before}, o.but(f.room.Info.Name)
	f.list()
}

// Take opens what is inside a bundle that is open under a number, before what it shows is.
func (f *Files) Take(name string, number int) {
	f.stopOpening()
	f.Set = Set{Number: number, Names: []string{name}, Opening: true, packed: true}
	f.list()
}

// stopOpening ends what opens files, and returns those that are open.
func (f *Files) stopOpening() *Set {
	if f.Opening {
		calls.Stop(f.call)
		return f.before
	}
	f.Pause()
	before := f.Set
	return &before
}

// CancelOpening ends what opens files: those that were open before are open again.
func (f *Files) CancelOpening() {
	if !f.Opening {
		return
	}
	what := f.What()
	before := f.stopOpening()
	f.Set = Set{}
	if before != nil {
		f.Set = *before
	}
	f.room.SideEffects = fmt.Sprintf("Cancelled: %s was not opened.", what)
	f.room.Refresh()
}

// Read is how many bytes of how many have been read while Opening; total is 0 before
// anything is known.
func (f *Set) Read() (done, total int) {
	if f.call == nil {
		return 0, 0
	}
	return f.call.Done, f.call.Total
}

// Percent is how much of the files has been read, 0 if that is not known.
func (f *Set) Percent() int { return int(100 * f.call.Part()) }

// opened takes the answer to Open. A set with one usable entry is shown at once, and so are
// the entry that a link asked for, and the first of files that join or replace those that were
// shown, which is a step that Undo takes back.
func (f *Files) opened(a *exec.Answer) {
	if a.Bundle != nil {
		it := f.revert()
		f.bundled(it.What(), it.Number, a.Bundle)
		f.room.Refresh()
		return
	}
	if a.Error != "" && f.before != nil && len(f.before.Entries) > 0 {
		f.Set = *f.before // what cannot be opened takes nothing away
		f.Error, f.Said = a.Error, false
		f.room.Refresh()
		return
	}
	was := f.before
	if was == nil {
		was = &Set{}
	}
	f.earlier[was.Number] = *was
	f.Opening, f.call, f.before = false, nil, nil
	f.Entries, f.Notes, f.Error = a.Entries, a.Notes, a.Error
	f.Opened++
	came := f.Names
	f.Names = append(slices.Clone(f.joined), came...)
	f.room.Refresh()
	var usable, fresh []string // names of entries
	for _, e := range f.Entries {
		if e.Error != "" || !lab.Choosable(f.Entries, &e) {
			continue
		}
		usable = append(usable, e.Name)
		if !was.Has(e.Name) || slices.Contains(came, e.Name) {
			fresh = append(fresh, e.Name)
		}
	}
	shown := f.room.Entry()
	if f.Error == "" && len(usable) == 0 && (shown == "" || !f.Has(shown)) {
		f.Error = fmt.Sprintf("Nothing to run was found in %s.", Describe(f.Names))
	}
	wasShown := shown != "" && was.Has(shown)
	switch {
	case shown != "" && f.Has(shown) && !wasShown: // a link asked for it
		f.room.Files = f.Number
		suit(f.room, f.Entry())
		f.room.Refresh()
	case len(f.joined) > 0 && len(fresh) > 0 && (wasShown || len(fresh) == 1):
		f.Pick(fresh[0])
	case wasShown && f.Has(shown): // it has other content, or is read with what joined it
		f.Pick(shown)
	case len(usable) > 0 && (wasShown || len(usable) == 1):
		f.Pick(usable[0])
	default:
		f.room.Files = f.Number
	}
	if len(f.joined) > 0 && f.Error == "" {
		f.room.SideEffects = joinedSays(f.joined, came, len(usable), len(fresh))
	}
}

// joinedSays says what files did that joined others: how many workloads there are now, and
// how many of them are new.
func joinedSays(joined, came []string, usable, fresh int) string {
	if fresh == 0 {
		return fmt.Sprintf("%s and %s are read together. Undo leads back.", Describe(joined), Describe(came))
	}
	return fmt.Sprintf("%s: added to %s, with %s to choose from now. Undo leads back.", Describe(came), Describe(joined), prose.Count(usable, "workload"))
}

// restore opens files again, by the number of their set, that a step of undo or redo leads
// back to.
func (f *Files) restore(number int) {
	for f.became[number] != 0 {
		number = f.became[number]
	}
	s, ok := f.earlier[number]
	if !ok || f.Opening || number == f.Number {
		return
	}
	f.Pause()
	f.earlier[f.Number] = f.Set
	f.Set = s
}

// Describe names files in a few words.
func Describe(names []string) string {
	switch len(names) {
	case 0:
		return "the files"
	case 1:
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// Entry returns the entry of opened files that is shown, nil if none is.
func (f *Files) Entry() *lab.Entry {
	name := f.room.Entry()
	if name == "" || f.Opening {
		return nil
	}
	if at := slices.IndexFunc(f.Entries, func(e lab.Entry) bool { return e.Name == name }); at >= 0 {
		return &f.Entries[at]
	}
	return nil
}

// Own returns the knob of Info.Own with this key as the entry that is shown has it,
// nil if it has none.
func (f *Files) Own(key string) *lab.EntryKnob {
	e := f.Entry()
	if e == nil {
		return nil
	}
	list := e.Knobs
	if at := slices.IndexFunc(list, func(k lab.EntryKnob) bool { return k.Key == key }); at >= 0 {
		return &list[at]
	}
	return nil
}

// Pick shows an entry of the opened files, with the settings that come with it.
func (f *Files) Pick(name string) {
	for _, e := range f.Entries {
		if e.Name != name || e.Error != "" {
			continue
		}
		f.Error = "" // something was chosen in spite of it
		f.room.Change("", func() {
			f.room.Files = f.Number
			if f.room.Entry() != e.Name {
				f.room.ResetOwn(e.Systems...)
			}
			suit(f.room, &e)
			pairs, err := knob.Pairs(e.Set)
			if err == nil {
				err = f.room.State.Setup.Apply(append(pairs, knob.Pair{Key: f.room.Info.Entry, Text: e.Shown()}))
			}
			if err != nil {
				f.room.Warn(err)
			}
			clear(f.room.Drafts)
		})
		return
	}
}

// suit compares the systems that an entry is for, where none of these is compared.
func suit(w *workspace.Workspace, e *lab.Entry) {
	if s := &w.State; len(e.Systems) > 0 && !slices.ContainsFunc(e.Systems, func(name string) bool { return slices.Contains(s.On, name) }) {
		s.Compare(w.Info, e.Systems)
	}
}

// Lost reports whether what is shown is of a file that is not here.
func (f *Files) Lost() bool { return f.room.Entry() != "" && !f.Has(f.room.Entry()) }

// Lacks is the entry of opened files that a setup needs and that is not at hand, empty if
// there is none.
func (f *Files) Lacks(u *knob.Setup) string {
	if e := f.room.Info.Entry; e != "" && u.Text(e) != "" && !f.Has(u.Text(e)) {
		return u.Text(e)
	}
	return ""
}

// NumberOf is the set of files that jobs about a setup need.
func (f *Files) NumberOf(u *knob.Setup) int {
	if f.room.Info.Entry == "" || u.Text(f.room.Info.Entry) == "" {
		return 0
	}
	return f.Number
}

// NumberNow is the set of files that jobs about the shown workload need.
func (f *Files) NumberNow() int { return f.NumberOf(f.room.State.Setup) }
