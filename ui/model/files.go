package model

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/state"
)

// Files is what a room knows about the files that were opened in it.
type Files struct {
	Number  int      // of the newest set; 0 means none
	Names   []string // of the files
	Entries []lab.Entry
	Notes   []string
	Error   string // why nothing could be opened, with what to do
	Filter  string // what the visitor searches for
	Opening bool
	Said    bool // the visitor knows what was opened

	call   *calls.Call // what opens them
	before *Files      // what was open before, while these are being opened
	// surveys are those of its entries that were begun and are not done, by name.
	surveys map[string]*Survey
}

// Has reports whether an entry is there.
func (f *Files) Has(name string) bool {
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

// Needs lists the entries of opened files that what is shown is about: a link
// names them and carries none.
func (r *Room) Needs() []string {
	var list []string
	add := func(u *knob.Setup) {
		if u != nil && r.Info.Entry != "" {
			if name := u.Text(r.Info.Entry); name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	add(r.State.Setup)
	add(r.State.Base)
	if r.State.View == state.Compare {
		for i := range r.State.Shown {
			add(state.SetupOf(r.Info, r.State.Shown[i].Setup))
		}
	}
	return list
}

// What names the files in a few words.
func (f *Files) What() string { return describe(f.Names) }

// Shown returns the entries that match the search, at most max, and how many
// match in all.
func (f *Files) Shown(max int) (shown []lab.Entry, matching int) {
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

// mostOpened is how many bytes files may have of which a tab holds all that matters.
const mostOpened = 1 << 30

// TooMuch says why files of so many bytes together are not opened, empty if they are.
func (n *Session) TooMuch(files int, bytes int64) string {
	if r := n.Room; r == nil || r.Info.Sliced || bytes <= mostOpened {
		return ""
	}
	these := fmt.Sprintf("These %d files are %.1f GiB together", files, float64(bytes)/(1<<30))
	if files == 1 {
		these = fmt.Sprintf("This file is %.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%s; a tab can take %d GiB. Open less.", these, mostOpened>>30)
}

// Open begins to read a new set of files. hand gives the files themselves to the
// host under the number that they have from now on.
func (n *Session) Open(names []string, hand func(number int)) {
	r := n.Room
	if r == nil {
		n.Notice = "The files came before the page was ready. Drop them again."
		return
	}
	if r.Info.Entry == "" {
		n.Notice = fmt.Sprintf("%s takes no files. Choose another laboratory at the top, then drop them again.", r.Info.Title)
		return
	}
	before := r.stopOpening()
	r.Told = ""
	n.number++
	r.Files = Files{Number: n.number, Names: names, Opening: true, before: before}
	hand(n.number)
	r.Files.call = r.call(&exec.Job{Kind: exec.List, Files: n.number}, calls.Shown, r.opened)
	r.Refresh()
}

// stopOpening ends what opens files, and returns those that are open.
func (r *Room) stopOpening() *Files {
	if r.Files.Opening {
		calls.Stop(r.Files.call)
		return r.Files.before
	}
	r.pauseAll()
	before := r.Files
	return &before
}

// CancelOpening ends what opens files: those that were open before are open again.
func (r *Room) CancelOpening() {
	if !r.Files.Opening {
		return
	}
	what := r.Files.What()
	before := r.stopOpening()
	r.Files = Files{}
	if before != nil {
		r.Files = *before
	}
	r.Told = fmt.Sprintf("Cancelled: %s was not opened.", what)
	r.Refresh()
}

// Read is how many bytes of how many have been read while Opening; total is 0 before
// anything is known.
func (f *Files) Read() (done, total int) {
	if f.call == nil {
		return 0, 0
	}
	return f.call.Done, f.call.Total
}

// Percent is how much of the files has been read, 0 if that is not known.
func (f *Files) Percent() int { return int(100 * f.call.Part()) }

// opened takes the answer to Open. A set with one usable entry is shown at once, and
// so are the entry that a link asked for, and the first of files that replace those
// that were shown.
func (r *Room) opened(a *exec.Answer) {
	if a.Bundle != nil {
		r.unbundled(a.Bundle)
		return
	}
	if a.Error != "" && r.Files.before != nil && len(r.Files.before.Entries) > 0 {
		r.Files = *r.Files.before // what cannot be opened takes nothing away
		r.Files.Error = a.Error
		r.Refresh()
		return
	}
	f := &r.Files
	was := f.before
	f.Opening, f.call, f.before = false, nil, nil
	f.Entries, f.Notes, f.Error = a.Entries, a.Notes, a.Error
	r.cache.forget()
	r.Paper.filesChanged()
	r.Refresh()
	if r.Entry() != "" && f.Has(r.Entry()) {
		return
	}
	var usable []lab.Entry
	for _, e := range f.Entries {
		if e.Error == "" {
			usable = append(usable, e)
		}
	}
	if f.Error == "" && len(usable) == 0 {
		f.Error = fmt.Sprintf("Nothing to run was found in %s.", describe(f.Names))
	}
	replaced := r.Entry() != "" && was != nil && was.Has(r.Entry()) // what was shown went with its files
	if len(usable) == 1 || replaced && len(usable) > 0 {
		r.Pick(usable[0].Name)
	}
}

// describe names files in a few words.
func describe(names []string) string {
	switch len(names) {
	case 0:
		return "the files"
	case 1:
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// entry returns the entry of opened files that is shown, nil if none is.
func (r *Room) entry() *lab.Entry {
	name := r.Entry()
	if name == "" || r.Files.Opening {
		return nil
	}
	if at := slices.IndexFunc(r.Files.Entries, func(e lab.Entry) bool { return e.Name == name }); at >= 0 {
		return &r.Files.Entries[at]
	}
	return nil
}

// own returns the knob of Info.Own with this key as the entry that is shown has it,
// nil if it has none.
func (r *Room) own(key string) *lab.EntryKnob {
	e := r.entry()
	if e == nil {
		return nil
	}
	list := e.Knobs
	if at := slices.IndexFunc(list, func(k lab.EntryKnob) bool { return k.Key == key }); at >= 0 {
		return &list[at]
	}
	return nil
}

// resetOwn gives the knobs that only entries have, and those that come with one, what
// they go back to.
func (r *Room) resetOwn() {
	for _, key := range r.Info.Own {
		delete(r.drafts, key)
		r.State.Setup.Reset(key)
	}
	for i := range r.Info.Knobs {
		if k := &r.Info.Knobs[i]; k.Panel == r.Info.Brings {
			r.State.Setup.Reset(k.Key)
		}
	}
}

// Pick shows an entry of the opened files, with the settings that come with it.
func (r *Room) Pick(name string) {
	for _, e := range r.Files.Entries {
		if e.Name != name || e.Error != "" {
			continue
		}
		r.Change("", func() {
			if r.Entry() != e.Name {
				r.resetOwn()
			}
			pairs, err := knob.Pairs(e.Set)
			if err == nil {
				err = r.State.Setup.Apply(append(pairs, knob.Pair{Key: r.Info.Entry, Text: e.Name}))
			}
			if err != nil {
				r.session.Notice = prose.Capital(err.Error()) + "."
			}
			clear(r.drafts)
		})
		return
	}
}
