// Package door opens what people drop, whatever subject it is about: it takes archives
// apart, recognizes every file by content, reads those that belong together, and says
// which laboratory takes them. A laboratory is a word here. A format is one package beside
// this one, and its place in the list of a subject.
package door

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces"
	"spillway/traces/address"
	"spillway/traces/archive"
	"spillway/traces/handed"
)

// A File is a name, with slashes where folders are known, and its content.
type File = archive.File

// Sure is how sure a format is that a file is of it.
type Sure uint8

// How sure a format may be.
const (
	No    Sure = iota
	Bytes      // it takes any bytes at all
	Maybe      // by the name, or by too little to tell
	Yes        // by content
)

// Opened is what dropped files hold.
type Opened struct {
	// Takers are the laboratories that can run something of it, the one that shall be
	// shown first.
	Takers []Taker
	// Unknown says what the files are and what would be taken, where only those who take
	// any bytes at all take them.
	Unknown error
	// Notes say which files nobody takes, and which could not be read. They are also in
	// what is handed over.
	Notes []string
}

// A Taker is a laboratory that can run what was found.
type Taker struct {
	Lab   string // its stable name
	Title string // for people
	Sure  Sure
	Bytes int64 // of the files that it takes
	Found []Found
	// Workload is a pointer to the laboratory's type of package handed.
	Workload any
	// Second is true where files of this kind are mostly meant for another laboratory, which
	// comes first if it is as sure: what this one makes of them is its own.
	Second bool
	// Along is true where the laboratory also reads the dropped files, a page at a time.
	Along bool
}

// Found is something that can be run.
type Found struct{ Name, Detail string }

// A subject is what one laboratory takes.
type subject struct {
	lab   string
	title string
	takes func() string // which files, for messages
	sniff func(f *archive.Item) Sure
	read  func(list []archive.Item) (*Taker, error)
	// all reads dropped files as they are, in place of read: the laboratory reads these
	// too, a page at a time, however large they are.
	all func(files []File) (*Taker, error)
	// streams is true where read keeps a bounded amount of memory however long files are.
	streams bool
	// writes are the formats in which what was handed over can be written again, the one
	// that a bundle has first.
	writes []Writer
}

// subjects are all that files may be about. Where two are as sure of a file the first
// that is shown, or else the one with more bytes, comes first.
var subjects = []subject{
	{lab: "train", title: "Training memory", takes: takesTraining, sniff: sniffTraining, read: readTraining, writes: []Writer{writer(handed.SpillwayTrace, writeTraining)}},
	{lab: "store", title: "Object store", takes: takesOperations, sniff: sniffOperations, read: readOperations},
	{lab: "compress", title: "Compression", takes: takesContents, sniff: sniffContents, all: readContents, writes: []Writer{writer("", writeContents)}},
	{lab: "cxlssd", title: "CXL-SSD", takes: takesAccesses, sniff: sniffAccesses, read: readAccesses, streams: true, writes: []Writer{writer("", writeAccesses(address.Binary)), writer(handed.AddressTrace, writeAccesses(address.Text))}},
	{lab: "filesys", title: "File systems", takes: takesCalls, sniff: sniffCalls, read: readCalls, streams: true, writes: []Writer{writer(handed.CallTrace, writeCalls)}},
	{lab: "llm", title: "LLM training", takes: takesModels, sniff: sniffModels, read: readModels},
	{lab: "serve", title: "LLM serving", takes: takesServing, sniff: sniffServing, read: readServing},
}

// Open takes files apart, and reads them for every laboratory that takes some. Of several
// takers the one called shown comes first, if it is as sure as any. A laboratory gets at
// most so many bytes of files, 0 for any, unless it reads them itself or what is kept of them is
// bounded. Without a taker the
// error says of each file what it is, and what would be taken.
func Open(files []File, shown string, most int64) (*Opened, error) {
	o, err := opened(files, shown, most)
	if _, ok := errors.AsType[*Elsewhere](err); ok {
		return nil, err
	}
	if at := slices.IndexFunc(subjects, func(s subject) bool { return s.lab == shown && s.all != nil }); err != nil && at >= 0 && len(files) > 0 {
		return asThey(files, &subjects[at])
	}
	return o, err
}

// pointers takes pointers of Git LFS out of a list and says of each what it stands for.
func pointers(list []archive.Item) (files []archive.Item, says []string) {
	for i := range list {
		size, ok := archive.Pointer(list[i].Data)
		if !ok {
			files = append(files, list[i])
			continue
		}
		says = append(says, fmt.Sprintf("%s is not the file but Git LFS's pointer to it, which has %v: run git lfs pull, or download it from its page.", list[i].Name, unit.Bytes(size)))
	}
	return files, says
}

// Elsewhere says that only pointers were opened, whose files are somewhere else.
type Elsewhere struct{ Says []string }

// Error says it of each.
func (e *Elsewhere) Error() string { return strings.Join(e.Says, "\n") }

// asThey are files that nobody can read, for the laboratory that is shown and takes any
// bytes: what it takes of them as they are says better what is wrong with them.
func asThey(files []File, s *subject) (*Opened, error) {
	t, err := s.all(files)
	if err != nil {
		return nil, err
	}
	t.Lab, t.Title, t.Sure = s.lab, s.title, Bytes
	return &Opened{Takers: []Taker{*t}}, nil
}

// opened is Open, without what only the laboratory that is shown can say.
func opened(files []File, shown string, most int64) (*Opened, error) {
	list, err := archive.Open(files, nil)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("no files. " + takes(shown))
	}
	if err := empty(list); err != nil {
		return nil, err
	}
	list, elsewhere := pointers(list)
	if len(list) == 0 {
		return nil, &Elsewhere{elsewhere}
	}
	groups, sure := recognize(list)
	out := &Opened{}
	var errs []error
	var whose []string // of errs
	for i := range subjects {
		if len(groups[i]) == 0 {
			continue
		}
		limit := most
		if subjects[i].streams {
			limit = 0
		}
		bytes, err := weigh(groups[i], limit)
		var t *Taker
		if subjects[i].all != nil {
			t, err = subjects[i].all(slices.DeleteFunc(slices.Clone(files), func(f File) bool { _, is := archive.Pointer(f.Data); return is }))
		} else if err == nil {
			t, err = subjects[i].read(groups[i])
		}
		if err != nil {
			err = damaged(few(err))
			if slices.ContainsFunc(errs, func(e error) bool { return alike(e, err) }) {
				continue // said once, in the words of whom it is most for
			}
			errs, whose = append(errs, err), append(whose, subjects[i].title)
			continue
		}
		t.Lab, t.Title, t.Sure, t.Bytes = subjects[i].lab, subjects[i].title, sure[i], bytes
		out.Takers = append(out.Takers, *t)
	}
	if len(out.Takers) == 0 {
		if len(errs) == 0 {
			errs = append(errs, unknown(list))
		}
		return nil, errors.Join(errs...)
	}
	if slices.Max(sure) == Bytes {
		out.Unknown = unknown(list)
	}
	notes := append(elsewhere, leftOut(list)...)
	for i, err := range errs {
		notes = append(notes, "Not for "+whose[i]+": "+err.Error())
	}
	for _, t := range out.Takers {
		if n, ok := t.Workload.(interface{ Note(...string) }); ok && !t.Along { // which has notes of all files
			n.Note(notes...)
		}
	}
	out.Notes = notes
	slices.SortStableFunc(out.Takers, func(a, b Taker) int {
		if a.Sure == b.Sure && (a.Lab == shown) != (b.Lab == shown) {
			return order(a.Lab == shown)
		}
		if a.Sure == b.Sure && a.Second != b.Second {
			return order(b.Second)
		}
		return cmp.Or(-cmp.Compare(a.Sure, b.Sure), -cmp.Compare(a.Bytes, b.Bytes))
	})
	return out, nil
}

// Again is what to do about a file of which an error names a place and says nothing else.
const Again = "; the file is damaged, or its program wrote it so: copy or record it again"

// known begins the list of what could stand in place of what an error is about.
const known = "known are "

// damaged adds what to do to an error that names a place in a file and does not say it.
func damaged(err error) error {
	says := err.Error()
	place := strings.Contains(says, "byte ") || strings.Contains(says, "line ")
	if !place || slices.ContainsFunc([]string{"record", "Record", "download", "save ", "open ", "use ", "unpack", known}, func(w string) bool { return strings.Contains(says, w) }) {
		return err
	}
	return fmt.Errorf("%w%s", err, Again)
}

// alike reports whether two subjects say the same of a file, whatever each has in its place.
func alike(a, b error) bool {
	one, _, _ := strings.Cut(a.Error(), known)
	other, _, _ := strings.Cut(b.Error(), known)
	return one == other
}

// empty says that there is nothing in any of the files: no format would help.
func empty(list []archive.Item) error {
	for i := range list {
		if len(list[i].Data) > 0 { // of a large file it is the beginning
			return nil
		}
		if f, err := list[i].Whole(); err != nil || len(f.Data) > 0 {
			return nil // whoever reads it says what is wrong
		}
	}
	if len(list) > 1 {
		return fmt.Errorf("all %d files are empty. Were they written to the end?", len(list))
	}
	return fmt.Errorf("%s: an empty file. Was it written to the end?", list[0].Name)
}

// weigh returns how many bytes files take together, or that these are more than allowed.
func weigh(list []archive.Item, most int64) (bytes int64, err error) {
	for i := range list {
		bytes += list[i].Packed()
	}
	if most == 0 || bytes <= most {
		return bytes, nil
	}
	these := fmt.Sprintf("These %d files are %.1f GiB together", len(list), float64(bytes)/(1<<30))
	if len(list) == 1 {
		these = fmt.Sprintf("%s is %.1f GiB", list[0].Name, float64(bytes)/(1<<30))
	}
	return bytes, fmt.Errorf("%s; a tab can take %d GiB. Open less", these, most>>30)
}

// whatOpens is where the formats are listed.
const whatOpens = "What opens, and how it is recorded: Files under Help, docs/formats.html."

// unknown says what files are that nobody knows, a sentence each.
func unknown(list []archive.Item) error {
	return fmt.Errorf("%s\n%s", strings.Join(traces.Describe(list), "\n"), whatOpens)
}

// order is that of one that comes first or not.
func order(first bool) int {
	if first {
		return -1
	}
	return 1
}

// recognize gives each subject the files that it takes. What takes any bytes at all gets
// some only where nothing else takes any.
func recognize(list []archive.Item) (groups [][]archive.Item, sure []Sure) {
	groups, sure = make([][]archive.Item, len(subjects)), make([]Sure, len(subjects))
	all := make([][]Sure, len(list))
	most := No
	for i := range list {
		all[i] = make([]Sure, len(subjects))
		for k := range subjects {
			all[i][k] = subjects[k].sniff(&list[i])
			most = max(most, all[i][k])
		}
	}
	for i := range list {
		best := slices.Max(all[i])
		for k := range subjects {
			if s := all[i][k]; s == best && s != No && (s != Bytes || most == Bytes) {
				groups[k] = append(groups[k], list[i])
				sure[k] = max(sure[k], s)
			}
		}
	}
	return groups, sure
}

// leftOut notes files that nobody takes beside those that somebody does.
func leftOut(list []archive.Item) []string {
	var rest []archive.Item
	for i := range list {
		f := &list[i]
		if !slices.ContainsFunc(subjects, func(s subject) bool { return s.sniff(f) > Bytes }) {
			rest = append(rest, *f)
		}
	}
	return traces.LeftOut(rest)
}

// takes says what is taken, of what is shown if that takes files.
func takes(shown string) string {
	var list []string
	for i := range subjects {
		s := &subjects[i]
		if s.lab == shown {
			return prose.Capital(s.takes()) + ". Files of the other laboratories open there"
		}
		list = append(list, s.title+": "+s.takes())
	}
	return strings.Join(list, "\n")
}
