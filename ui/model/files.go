package model

import (
	"fmt"
	"strings"

	"spillway/ui/job"
)

// Files is what the page knows about the files that were opened.
type Files struct {
	Number  int      // of the newest set, counted from 1; 0 means none
	Names   []string // of the files
	Entries []job.Entry
	Notes   []string
	Error   string // why nothing could be opened, with what to do
	Filter  string // what the visitor searches for
	Opening bool

	id int // of the job that opens them
}

// Has reports whether s is among the entries.
func (f *Files) Has(s job.Source) bool {
	if s.Files != f.Number || f.Opening {
		return false
	}
	for i := range f.Entries {
		if f.Entries[i].Name == s.Entry {
			return true
		}
	}
	return false
}

// Shown returns the entries that match the search, at most max, and how many
// match in all.
func (f *Files) Shown(max int) (shown []job.Entry, matching int) {
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

// Open begins to read a new set of files. The caller hands the files
// themselves to the runner under the number that Open returns before it
// starts the job.
func (n *Session) Open(names []string, hand func(number int)) {
	if n.Files.id != 0 && n.Files.Opening {
		n.runner.Stop([]int{n.Files.id})
	}
	n.nextID++
	n.Files = Files{Number: n.Files.Number + 1, Names: names, Opening: true, id: n.nextID}
	hand(n.Files.Number)
	n.runner.Start(job.Job{ID: n.nextID, Source: job.Source{Files: n.Files.Number}})
	n.Rev++
}

// opened takes the answer to Open. A set with one usable entry is shown at
// once, and so is the entry that a link asked for.
func (n *Session) opened(a job.Answer) {
	if !a.Last {
		return
	}
	f := &n.Files
	f.Opening, f.id = false, 0
	f.Entries, f.Notes, f.Error = a.Entries, a.Notes, a.Error
	n.Paper.filesChanged()
	n.Rev++
	want := n.State.Source.Entry
	var usable []job.Entry
	for _, e := range f.Entries {
		if e.Error == "" {
			usable = append(usable, e)
		}
		if e.Name == want && e.Error == "" {
			n.State.Source.Files = f.Number
			n.Refresh()
			return
		}
	}
	if f.Error == "" && len(usable) == 0 {
		f.Error = fmt.Sprintf("No workload found in %s. Spillway reads its own traces (JSON) and the G10 artifact's files: network description, kernel times, config files, a folder of them, or the repository's zip.", describe(f.Names))
	}
	if len(usable) == 1 {
		n.Pick(usable[0].Name)
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

// Pick shows an entry of the opened files. Hardware and options that come with
// it replace the ones at hand.
func (n *Session) Pick(name string) {
	for _, e := range n.Files.Entries {
		if e.Name == name && e.Error == "" {
			n.Change("", func() { n.pick(e) })
			return
		}
	}
}

func (n *Session) pick(e job.Entry) {
	n.State.Source = job.Source{Entry: e.Name, Files: n.Files.Number}
	if e.Setup == nil {
		return
	}
	n.State.Preset = Presets()[0].Key
	n.State.Machine, n.State.Options, n.State.SSD = e.Setup.Machine, e.Setup.Options, e.Setup.SSD
	clear(n.Machine.drafts)
	clear(n.Options.drafts)
}
