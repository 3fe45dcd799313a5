// Package traces opens what a user drops: files, folders, compressed archives,
// in any of the supported formats. Formats are recognized by content. A format
// is one package below this one and one line in the list of formats.
package traces

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"spillway/sim/workload"
	"spillway/traces/archive"
	"spillway/traces/g10"
	"spillway/traces/recording"
	"spillway/traces/spillway"
)

// A File is a name, with slashes where folders are known, and its content.
type File = archive.File

// Progress is told now and then how many bytes of all are read; it may be nil.
type Progress = archive.Progress

// An Entry is a workload that can be loaded.
type Entry struct {
	Name   string // for people: "BERT-base, batch 256"
	Detail string // which files it comes from
	Format string // "G10 artifact"
	Model  string // stable ID as in workload.Workload, empty if unknown
	Batch  int    // 0 if unknown before loading
	// Load reads the files. It may be called repeatedly and from any goroutine.
	Load func() (*workload.Workload, error)
	// Recording is what a training job's own files say, nil of all other entries. Load
	// folds it with the default choices.
	Recording *recording.Recording
	// Config is the G10 artifact's .config file that the entry stands for; its
	// pairs set up the hardware and the system. nil for all other entries.
	Config *g10.Config
	// Alike is the same of entries whose workloads are, but for their origin; empty where
	// nobody knows.
	Alike string
}

// A Source is what a set of files offers.
type Source struct {
	Format  string // "G10 artifact"
	Entries []Entry
	Notes   []string // what is missing or was left out, and what to do about it
}

// A format is a kind of trace. Sniff may see a file of any size and name, or the
// beginning of a large one. A format has either open, which is given whole files,
// or stream.
type format struct {
	name   string
	takes  string // which files, for messages
	sniff  func(name string, data []byte) bool
	open   func(files []File) (*Source, error)
	stream func(list []archive.Item) (*Source, error)
}

// formats lists all supported formats. The first that recognizes a file gets it.
var formats = []format{
	{name: "Spillway trace", takes: "Spillway traces (JSON)", sniff: content(spillway.Sniff), open: each(spillway.Decode)},
	{
		name: "PyTorch recording", takes: "recordings of PyTorch (a profiler trace, an execution trace, a memory snapshot, what capture.py writes; best all of one run together)",
		sniff: content(isTorch), stream: openTorch,
	},
	{name: "Chakra trace", takes: "execution traces of MLCommons Chakra (.et) that were converted from PyTorch", sniff: chakraFile, stream: eachRecorded(readChakra)},
	{name: "JAX profile", takes: "profiles of JAX on GPUs (.xplane.pb)", sniff: content(isXplane), stream: eachRecorded(readXplane)},
	{
		name: "G10 artifact", takes: "the files of the G10 artifact (network description, cudnnN.txt with its InputPF, PF and Workspace files, " +
			".config), singly, as a folder or as the repository's zip", sniff: g10.Sniff, open: openG10,
	},
}

// Takes says what Open takes, for messages.
func Takes() string {
	list := make([]string, len(formats))
	for i := range formats {
		list[i] = formats[i].takes
	}
	return "Supported are " + strings.Join(list, ", and ") + "; each may be compressed or in an archive"
}

// Open recognizes files by content and lists the workloads they describe.
// Zip archives and gzip are unpacked. The error says what the files are and
// what would be needed. tell may be nil.
func Open(files []File, tell Progress) (*Source, error) {
	list, err := archive.Open(files, tell)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("no files. " + Takes())
	}
	return Read(list)
}

// Sniff reports whether a file is of a format that is read here, by its name and its
// beginning.
func Sniff(name string, head []byte) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.sniff(name, head) })
}

// Read is Open of files that are unpacked.
func Read(list []archive.Item) (*Source, error) {
	groups := make([][]archive.Item, len(formats))
	var unknown []archive.Item
	for _, f := range list {
		at := slices.IndexFunc(formats, func(f1 format) bool { return f1.sniff(f.Name, f.Data) })
		if at < 0 {
			unknown = append(unknown, f)
		} else {
			groups[at] = append(groups[at], f)
		}
	}
	all := &Source{}
	var names []string
	var errs []error
	for i, group := range groups {
		if len(group) == 0 {
			continue
		}
		names = append(names, formats[i].name)
		s, err := formats[i].read(group)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range s.Entries {
			if e.Format = formats[i].name; e.Recording != nil {
				e.Format = e.Recording.Format
			}
			all.Entries = append(all.Entries, e)
		}
		all.Notes = append(all.Notes, s.Notes...)
	}
	all.Format = strings.Join(names, " and ")
	if len(names) == 0 {
		return nil, fmt.Errorf("%s\n%s", strings.Join(Describe(unknown), "\n"), Takes())
	}
	if len(all.Entries) == 0 {
		for _, n := range all.Notes {
			errs = append(errs, errors.New(n))
		}
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		all.Notes = append(all.Notes, err.Error())
	}
	all.Notes = append(all.Notes, LeftOut(unknown)...)
	return all, nil
}

// read opens the files of one format.
func (f *format) read(list []archive.Item) (*Source, error) {
	if f.stream != nil {
		return f.stream(list)
	}
	files := make([]File, len(list))
	for i := range list {
		whole, err := list[i].Whole()
		if err != nil {
			return nil, err
		}
		files[i] = whole
	}
	return f.open(files)
}

// content is for formats whose files are recognized whatever they are called.
func content(sniff func(data []byte) bool) func(name string, data []byte) bool {
	return func(_ string, data []byte) bool { return sniff(data) }
}

// each opens a format whose files are one workload each.
func each(decode func(name string, data []byte) (*workload.Workload, error)) func(files []File) (*Source, error) {
	return func(files []File) (*Source, error) {
		s := &Source{}
		var errs []error
		for _, f := range files {
			w, err := decode(f.Name, f.Data)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			s.Entries = append(s.Entries, Entry{
				Name: w.Name, Detail: path.Base(f.Name), Model: w.Model, Batch: w.Batch,
				Load: func() (*workload.Workload, error) { return w, nil },
			})
		}
		if len(s.Entries) == 0 {
			return nil, errors.Join(errs...)
		}
		for _, err := range errs {
			s.Notes = append(s.Notes, err.Error())
		}
		return s, nil
	}
}

// mostNamed is how many files a message names one by one.
const mostNamed = 5

// Describe says what files are that no format recognizes, a line each.
func Describe(files []archive.Item) []string {
	var lines []string
	for i, f := range files {
		if i == mostNamed {
			lines = append(lines, fmt.Sprintf("… and %d other files that are not traces.", len(files)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: %s.", f.Name, describe(f.Name, f.Data)))
	}
	return lines
}

// LeftOut notes the files next to traces that are none.
func LeftOut(files []archive.Item) []string {
	if len(files) <= mostNamed {
		return Describe(files)
	}
	return []string{fmt.Sprintf("%d other files, such as %s, are not traces and were left out.", len(files), files[0].Name)}
}
