// Package lab is the door through which every laboratory comes in: to the page,
// the workers and the native command. A laboratory is one subject with its
// settings, systems, quantities, charts and papers. Its own types end here: New
// erases them, and all others see knobs, reports and studies.
//
// An [Info] is the part of a laboratory that is data. The page has only that; a
// laboratory's program, a worker, has the rest.
package lab

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
)

// A System is one published way to do what the laboratory is about.
type System struct {
	Name   string // stable: in links, golden files, on the command line
	Title  string // in charts
	Family string // what it belongs to, in lists of many
	Paper  string // where it comes from
	About  string // what it does, one or two sentences
	Bound  bool   // what others are compared with, and no contestant: a proof, or what knows or holds everything
	Off    bool   // not compared at first
	Main   bool   // in focus at first; without one the first that is no bound
	// Yardstick is true of one that the headline's shares are of ("of DRAM-only's speed"): it is
	// no contestant there while there are others.
	Yardstick bool
	Usual     bool // everybody knows it: the best is compared with it where nobody says another
	// Floor is the key of the quantity in which the laboratory's floor says what it proves of
	// this system, where that is not Info.Floor.Of.
	Floor string
	// Unbounded is true of one that the laboratory's floor does not hold for: it is measured
	// against nothing.
	Unbounded bool
	// Unread are keys of settings that it does not read, with blanks between: whoever sets one is
	// told with the result.
	Unread string
	// Variant is true of one that is another of the systems in other surroundings: where
	// all are ranked it is only asked for by its family.
	Variant bool
	// Follows is the key of the knob with the policy that this system follows, empty of others.
	Follows string
	// Look is its color and pattern, the same everywhere: color Look mod 10,
	// pattern Look div 10. No two systems of a laboratory have the same.
	Look int
	// Was are names that it had: links and commands with them mean it.
	Was []string
}

// As is the system as a report of it calls it: a policy that somebody wrote has a title, and is
// a bound where it knows the future.
func (s *System) As(r *report.Report) *System {
	if r == nil || r.Called == "" {
		return s
	}
	x := *s
	x.Title, x.Bound = r.Called, r.Foresees
	return &x
}

// Script is the knob that is a policy, nil where the laboratory runs none.
func (l *Info) Script() *knob.Info {
	for n := range l.Knobs {
		if l.Knobs[n].Kind == knob.Script {
			return &l.Knobs[n]
		}
	}
	return nil
}

// A Panel is a place for knobs in a form.
type Panel struct {
	Key, Title string
	Folded     bool // closed at first
}

// A Section is a part of the page that only this laboratory has. It is computed
// by Lab.Section, when it is open.
type Section struct {
	Key, Title, About string
	// Folded is true of one that is computed only when it is opened: of all but those with Entry,
	// which New sees to.
	Folded bool
	// Knobs are those of the view: what the visitor may turn in it.
	Knobs []knob.Info
	// Run reports whether the section is about the run that is shown: then it
	// follows the settings and the system in focus.
	Run bool
	// If names a knob: without a text in it the section is not there.
	If string
	// Systems are names: of a section that is only there while one of them is compared.
	Systems []string
	// Entry is true of one that is only there with an entry of opened files that names
	// it (Entry.Sections).
	Entry bool
	// Bytes is true of one that reads opened files themselves, where what was found in
	// them is not enough.
	Bytes bool
	// Old are knobs that links of earlier releases set. Nothing follows from them any more.
	Old []knob.Info
}

// A Way is what somebody comes for, and which view of the laboratory answers that.
type Way struct {
	Label string // "I study a paper"
	View  string // as links name it, empty for what the laboratory opens on
}

// Asked says in what other words people ask for something of a laboratory.
type Asked struct {
	Words string // "safe crash lose data", small
	ID    string // of the palette's command: "section crash"
}

// An Instead is what decides where what decides else is zero of all.
type Instead struct {
	Quantity   string // its key; empty without
	Says       string // a sentence in front: "No load keeps the limits."
	Most, Than string // as those of Say
}

// Say is how the headline speaks of results.
type Say struct {
	Quantity string // key of what decides
	Of       string // behind its value: "of ideal throughput"
	Percent  bool   // the value is a share
	Than     string // between two systems: "× as fast as"
	Over     string // why a value may be above 100, where that is no bound
	// Price is the key of a quantity in percent that says what the best costs, More
	// and Less what it is to have more or less of it: "more time", "less time".
	Price, More, Less string
	// Besides says more of the best, each where it has the quantity.
	Besides []Beside
	// Alone says more of the only system that was run, behind its value, as Besides: "99 %% of writes within %s".
	Alone   []Alone
	Most    string // of the best: "is fastest"
	Perfect string // of those that reach the bound: "as fast as a GPU that holds everything"
	Loss    string // ID of the chart of stacks that says what time is spent on
	// LossSays says what the best still loses where nobody is behind: [1] is a part's name, [2] the
	// same as what time is spent on ("on computing", "waiting for its link"), [3] its share:
	// "What it still loses is mostly %[1]s (%[3]s of its time beyond ideal)".
	LossSays string
	// LossOf is the key of the quantity of which what is lost is a part: what is below a
	// hundredth of it is not blamed. It may be empty.
	LossOf string
	// Rest names what Loss has not of LossOf ("computing"). It may be empty.
	Rest string
	// Spends says on what the one that is behind spends more than the best: its name, the part's
	// amount, the whole, the part as what time is spent on ("on computing"), the best's name and
	// amount, in this order: "%s spends %s of its %s %s, %s %s". It may be empty.
	Spends string
	// Seed is the key of the knob with which random numbers begin, if these decide who is
	// first among those that are near: then the headline has two digits, and a system that
	// another seed puts first is level. It may be empty.
	Seed string
	// Band is the key of a quantity that says, in percent, how far off may be what results rest
	// on, which Doubt names ("kernel times"), and Scaled that of the knob that scales it, in
	// percent, 100 as it is: where the two that are first change places at an end of the band,
	// the headline cannot tell them apart. They may be empty.
	Band, Scaled, Doubt string
	Cannot              string // "cannot run it"
	// None is said instead of all that where the best value is no better than NoneAt,
	// with which nothing is gained: "No design makes memory larger".
	None   string
	NoneAt float64
	// Instead decides where all of those compared have a value of zero.
	Instead Instead
	// Change lists keys of quantities that compare one system before and after a
	// change of settings, where the first that a report has decides; without any,
	// Quantity does. Faster and Slower are what a system then is: "faster".
	Change         []string
	Faster, Slower string
}

// A Beside is a quantity of the best system, and the sentence about it, with %s for the value:
// "Its drives live %s". Where another system has Other times as much the one with most is named
// too; 0 never does, and a negative one says the sentence only then.
type Beside struct {
	Quantity, Says string
	Other          float64
	// Per, where it is not 0, is what the quantity is turned over for: tokens for a dollar are
	// said as the dollars, which is Unit, for so many tokens.
	Per  float64
	Unit string
}

// An Alone is a quantity of the only system, and a clause about it with %s for the value.
type Alone struct{ Quantity, Says string }

// A Cost names the quantities that say what a setup costs: its price, and what it
// does for the price, of which more is better.
type Cost struct{ Price, PerPrice string }

// A Preset is a setup with a name, in the setup text Set. The first of a
// laboratory is what it opens on when no link says otherwise; knobs' defaults are
// what a link leaves out.
type Preset struct {
	Key, Title, About, Set string
	// Was are the texts that Set had before: links to them mean what they meant.
	Was []string
	// Sums have links of what Set means now, from when the default of a setting was another.
	Sums []string
	// Systems are compared with it, the last of them in focus; without any those that
	// are compared at first.
	Systems []string
	// Ask is a question, as a setup text of the question's keys: the preset opens on it.
	Ask string
}

// A Challenge is a fixed set of workloads with one score of what somebody wrote over them: the mean
// of a quantity, of which less is better, over that of the fastest that is known.
type Challenge struct {
	Setup     string   // what is set besides; policies, their dials and the workload are free
	Vary      string   // the key of the setting that names workloads
	Workloads []string // what it is
	Quantity  string
}

// An Upgrade is what links of an older format meant in this laboratory, so that
// they are read as links of the next one.
type Upgrade struct {
	Format int
	// Meant is a setup text: what a link that says nothing of these settings means.
	Meant string
	// Were are settings that brought other numbers along: what a link that has one of them
	// means where it says nothing of these.
	Were []Was
	// Renamed are keys and what they are called now.
	Renamed []knob.Pair
	// Systems are those that were compared, and Figure what was shown, when links of
	// format 1 named only what differs.
	Systems []string
	Figure  string
	// Focus is the system that was in focus when a link of this format said none.
	Focus string
}

// A Was is a setting of an older link and, as a setup text, what it meant.
type Was struct {
	Setting knob.Pair
	Meant   string
}

// Info is a laboratory as data.
type Info struct {
	Name       string // stable: "train"
	Title      string // of its tab
	About      string // one sentence
	Lead       string // what the page says under its name
	Systems    []System
	Quantities []report.Quantity
	Charts     []report.Chart
	Panels     []Panel
	Knobs      []knob.Info
	Sections   []Section
	Presets    []Preset
	Challenge  *Challenge // what policies are compared by, nil if nothing is
	Older      []Upgrade  // by format, of which there may be links
	Unsaid     []Unsaid   // what settings are where nobody says them
	Picture    *Picture   // nil if there is nothing to draw
	Papers     []PaperInfo
	Say        Say
	Cost       Cost // empty if it knows no prices
	Brief      []Brief
	Drop       string // what files it takes, one sentence; empty if none
	Sliced     bool   // it reads files of any size, a slice at a time
	Recorder   Recorder
	Entry      string // key of the knob that names an entry of opened files, empty if it takes none
	// EntryKnobs are keys of knobs of the entry's panel that only some entries have
	// (Entry.Knobs): they are shown with those, and go back when another is shown.
	EntryKnobs []string
	// EntryShares are keys of knobs of that panel that some entries have as bundled workloads do
	// (Entry.Knobs): who chooses something of them leaves no entry.
	EntryShares []string
	// EntryPanel is another panel, all of whose knobs come with an entry: they go back when
	// another is shown, or none.
	EntryPanel string
	// Yields are keys of knobs that give way where another one is chosen that they contradict, in this
	// order: how a machine is cut, say, to how many GPUs there are.
	Yields []string
	// Hardware are keys of numbers of which more is more hardware, or with [Less] before them less: memory and rates,
	// and times.
	Hardware []string
	Help     []Help
	Glossary []Term // its own words; Terms has everybody's
	// Ways lead people who are here for the first time to what they came for.
	Ways []Way
	// Asked leads from other words that people ask with to what the palette finds.
	Asked   []Asked
	Tour    []Stop
	Cards   []Card   // questions that What if has ready
	Exports []Export // in what formats it writes what happened in a run
	Timed   bool     // something happens over time: there is a timeline
	// Rank are keys of the quantities that a ranking of systems shows; what the headline
	// is about if there are none.
	Rank []string
	// Floor is what no system can be below.
	Floor Floor
	// Vary is the key of the knob that "What if" varies at first; the first number where
	// contradictions are said if it is empty.
	Vary string
	// Contradictions is the panel that says what contradicts in the settings, and
	// ContradictionHelp what to do then.
	Contradictions, ContradictionHelp string
}

// A Recorder is a file of the site with which people make files for a laboratory:
// its name, and what a link to it says. Both are empty if there is none.
type Recorder struct{ File, Says string }

// A Help is one entry of the laboratory's help.
type Help struct{ Title, Text string }

// PaperInfo is a paper as the page lists it.
type PaperInfo struct{ Key, Title, About string }

// LeavesEntry reports whether who chooses something of this knob leaves an opened entry
// for another workload.
func (l *Info) LeavesEntry(key string) bool {
	if l.Entry == "" || slices.Contains(l.EntryKnobs, key) || slices.Contains(l.EntryShares, key) {
		return false
	}
	u := l.Setup()
	k, e := u.Knob(key), u.Knob(l.Entry)
	return k != nil && k.Panel == e.Panel && (k.Kind == knob.One || k == e)
}

// System returns the system with this stable name, or that had it. The error says which there are.
func (l *Info) System(name string) (*System, error) {
	if at := slices.IndexFunc(l.Systems, func(s System) bool { return s.Name == name || slices.Contains(s.Was, name) }); at >= 0 {
		return &l.Systems[at], nil
	}
	names := make([]string, len(l.Systems))
	for k := range l.Systems {
		names[k] = l.Systems[k].Name
	}
	return nil, fmt.Errorf("unknown system %q; there are %s", name, strings.Join(names, ", "))
}

// Ideal returns the bound that others are compared with: the first of those that
// are compared, by their names, else the laboratory's first; nil if it has none.
func (l *Info) Ideal(compared []string) *System {
	var first *System
	for i := range l.Systems {
		s := &l.Systems[i]
		if s.Bound && slices.Contains(compared, s.Name) {
			return s
		}
		if s.Bound && first == nil {
			first = s
		}
	}
	return first
}

// Quantity returns the place of the quantity with this key, or -1.
func (l *Info) Quantity(key string) int {
	return slices.IndexFunc(l.Quantities, func(q report.Quantity) bool { return q.Key == key })
}

// Section returns the section with this key, nil if there is none.
func (l *Info) Section(key string) *Section {
	if at := slices.IndexFunc(l.Sections, func(s Section) bool { return s.Key == key }); at >= 0 {
		return &l.Sections[at]
	}
	return nil
}

// Files are opened files in which a laboratory found something.
type Files interface {
	// Entries lists what was found.
	Entries() []Entry
	// Notes says what is missing or was left out.
	Notes() []string
}

// An Entry is something that can be run, found in opened files.
type Entry struct {
	Name string // unique among the files
	Info string // what it is, short
	Set  string // setup text that comes with it, empty if none
	Is   string // setup text of the bundled workload that it is the original of, empty if unknown
	// Stands is true where Set says all of it: who chooses it has these settings and no entry,
	// and links carry it without files.
	Stands bool
	Error  string // why it cannot be used, empty if it can
	// Part is true of one that others of the files, which are none, have as a setting: beside such a
	// one it is only chosen by name.
	Part bool
	// Knobs are those of Info.EntryKnobs and Info.EntryShares that it has, Sections the keys of those that are only
	// there with some entries.
	Knobs    []EntryKnob
	Sections []string
	// Systems are compared with it, as with a Preset; without any those that are compared at
	// first. What it is takes no others where it names some.
	Systems []string
	// Survey is what some setups of it need before they can run, nil if none do.
	Survey *Survey
}

// Shown is the text of the laboratory's setting Entry while the entry is chosen.
func (e *Entry) Shown() string {
	if e.Stands {
		return ""
	}
	return e.Name
}

// Choosable reports whether an entry counts among those that one is chosen from where nobody names one.
func Choosable(all []Entry, e *Entry) bool {
	return !e.Part || !slices.ContainsFunc(all, func(x Entry) bool { return !x.Part && x.Error == "" })
}

// An EntryKnob is a knob that an entry has. Choices are those that it offers for a
// Word, the empty key for the usual one; none where any text will do.
type EntryKnob struct {
	Key     string
	Choices []knob.Choice
}

// A Survey goes once through all bytes of an entry, in parts, which many workers can
// share. Setups that need it run when it is done.
type Survey struct {
	// Set is the setup text that all setups which need it have, and Until what is set
	// of them while it is not done.
	Set, Until string
	Parts      int
	Bytes      int64 // of all parts together
}

// Needs reports whether a setup of the entry needs the survey.
func (s *Survey) Needs(u *knob.Setup) bool {
	pairs, err := knob.Pairs(s.Set)
	return err == nil && !slices.ContainsFunc(pairs, func(p knob.Pair) bool { return u.Text(p.Key) != p.Text })
}

// A Surveyor is Files with entries that can be surveyed. Parts may be done at the same
// time, in any order, also where the same files were opened again.
type Surveyor interface {
	// Survey goes through one part of an entry and returns what it found. p is told of
	// bytes.
	Survey(entry string, part int, p Progress) ([]byte, error)
	// Join returns what stands for the files from now on, as Accept reads it: in it the
	// entry needs no survey. found is what Survey returned of all parts, in their order.
	Join(entry string, found [][]byte) ([]byte, error)
}

// A Compactor is Files of which more is found out when they are listed, once for everybody.
type Compactor interface {
	// Condensed returns what stands for the files from now on, as Accept reads it; nil if
	// what stands for them says all. p is told how far it is, in bytes.
	Condensed(p Progress) ([]byte, error)
}

// A Sharer is Files of which not everything is handed on to others.
type Sharer interface {
	// Carry returns what a bundle of a setup has of the files, as Accept reads it: the
	// program that reads files writes it. It has an entry of the same name, which runs the
	// same. It is nil if a bundle has the opened files.
	Carry(u *knob.Setup) ([]byte, error)
}

// A File is a name, with slashes where folders are known, and its content.
type File struct {
	Name string
	Data []byte
	// Size is how many bytes it has, 0 if Data is all of it. Stream reads all of a
	// file too large to hold; Data is then its beginning. nil if Data is all.
	Size   int64
	Stream func() (io.ReadCloser, error)
}

// Bytes is how large the file is.
func (f *File) Bytes() int64 { return max(f.Size, int64(len(f.Data))) }

// All reads the whole file, for those who cannot do with less; at most so many
// bytes.
func (f *File) All(most int64) ([]byte, error) {
	if f.Stream == nil {
		return f.Data, nil
	}
	if f.Size > most {
		return nil, fmt.Errorf("%s has %d MiB; files of its kind are read up to %d MiB", f.Name, f.Size>>20, most>>20)
	}
	r, err := f.Stream()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, f.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", f.Name, err)
	}
	return data, nil
}

// A BatchReader reads many pieces of a file in one go, where each reading costs more than
// its bytes.
type BatchReader interface {
	// Gather fills p with pieces of the same size that begin at these places.
	Gather(p []byte, at []int64) error
}

// Gather fills p with pieces of a file, all of the same size, that begin at these
// places.
func Gather(r io.ReaderAt, p []byte, at []int64) error {
	if g, ok := r.(BatchReader); ok {
		return g.Gather(p, at)
	}
	size := len(p) / max(1, len(at))
	for i, off := range at {
		if n, err := r.ReadAt(p[i*size:(i+1)*size], off); n < size {
			return err
		}
	}
	return nil
}

// Progress is told now and then how much is done; it may be nil.
type Progress = report.Progress

// Less stands before the key of a number of which less is better hardware.
const Less = "-"

// A Lab is a laboratory.
type Lab struct {
	Info
	Why Why // what makes its systems slow
	// Accept returns what was found in files by the program that reads them: a message of
	// the laboratory's type of package handed. along are the files themselves, unread, where
	// they are at hand and the laboratory reads parts of them. It is nil in a laboratory
	// without files.
	Accept func(found []byte, along []File) (Files, error)
	// Check reports what contradicts in a setup whose every text is allowed.
	Check func(*knob.Setup) error
	// Unread are keys of settings that a system does not read with a setup, besides its own; nil: none.
	Unread func(u *knob.Setup, system string) string
	// Ready reports what is in the way of a run of a system, with what Check reports.
	Ready func(u *knob.Setup, system string, f Files) error
	// Run runs one system. raw is the laboratory's own result. The error is about
	// the setup; that a system cannot run it is a report.
	Run func(u *knob.Setup, system string, f Files, p Progress) (r *report.Report, raw any, err error)
	// Within reports whether a quantity, by its place, may have a value.
	Within func(quantity int, v float64) bool
	// Law is what values of a quantity, by its place, keep whatever runs.
	Law func(quantity int) report.Law
	// Steps says about how much work a run of a system is (see MostSteps).
	Steps func(u *knob.Setup, system string) (int, error)
	// Unbound lets this laboratory run what is more work than MostSteps, too. Otherwise
	// Run, Export and Section refuse it with an error that is a Much; Pass adds to these
	// a sentence that says how to run it all the same, where one can.
	Unbound func()
	Pass    func(sentence string)
	// Result is a value of the type that JSON writes; its schema is published. Inline is
	// true where that is short and explained enough to stand in what run --json prints.
	Result any
	Inline bool
	// Asks is what policies that people write can be asked, nil if it runs none: package own reads it.
	// The page has this package without the language, so no type of that stands here.
	Asks any
	// JSON encodes a raw result; Hash is equal for equal results on every platform.
	JSON func(raw any) ([]byte, error)
	Hash func(raw any) string
	// Explain answers why with what is known of a question's runs, and says which runs it wants
	// before more can be said. It is a field so that programs without laboratories do not hold it.
	Explain func(q *Question, known []Known) (s *report.Section, wants []Pick, err error)
	// Section computes one of the laboratory's own sections. view has its knobs,
	// u and system are what is shown.
	Section func(key string, view *knob.Setup, u *knob.Setup, system string, f Files, p Progress) (*report.Section, error)
	// Measure runs one of a paper's runs. set is its setup text, or that with the
	// entry of opened files that is the original of its workload.
	Measure func(paper *study.Paper, run, set string, f Files, p Progress) (o *study.Outcome, raw any, err error)
	// Export runs one system and writes what happened in a format of Exports.
	Export func(key string, u *knob.Setup, system string, f Files, o Origin, p Progress) ([]byte, error)
	// Timeline runs one system and returns what happened; of a window at least that. It is
	// nil in a laboratory in which nothing happens over time.
	Timeline func(u *knob.Setup, system string, f Files, w Window, p Progress) (*Happening, error)
	// Totals are the quantities that an export, by its key, adds up to.
	Totals func(export string) []Total
	// Complete returns Info with what takes time to find out, for those who show it.
	Complete func() Info

	studies papers
}

// Setup returns the laboratory's defaults.
func (l *Info) Setup() *knob.Setup { return knob.NewSetup(l.Knobs) }

// Read returns the setup that a text names: what it does not say is as by default.
// The setup is usable even when the error is not nil.
func (l *Info) Read(text string) (*knob.Setup, error) {
	u := l.Setup()
	return u, u.Read(text)
}

// A Spec is a laboratory with its types: S the settings of a run, W what runs, R
// a result. New erases them.
type Spec[S, W, R any] struct {
	Info
	Why     Why // what makes its systems slow; empty where nobody can say
	Default S
	// Knobs are the settings by panel, in the order of forms.
	Knobs map[string][]knob.Knob[S]
	// Check reports what contradicts in settings whose every value is allowed.
	Check func(*S) error
	// Unread are keys of settings that a system does not read with the others as they are, with blanks between,
	// besides those that it never reads (System.Unread); nil: none.
	Unread func(s *S, system string) string
	// Accept returns what can be run of what was found in files (Lab.Accept); nil if the
	// laboratory takes none.
	Accept func(found []byte, along []File) (Files, error)
	// Source names what Load depends on: settings of equal Source run the same W. nil is
	// everything that is set.
	Source func(*S) string
	// Load returns what the settings run: bundled, generated or from files.
	Load func(*S, Files) (W, error)
	// Run runs one system. What it returns as an error is about the settings.
	Run func(w W, s *S, system string, p Progress) (R, error)
	// Bound proves how good the value of Floor.Of can be at best, which is what the system
	// Floor.System then is, and nothing that runs; nil in a laboratory without one, or whose
	// Run has it. The error is about the settings.
	Bound func(w W, s *S, p Progress) (*Proof, error)
	// Measures are the numbers of a run: Info's quantities, and a report's values where
	// the system can run it. Report says the rest.
	Measures []report.Measure[*Run[S, W, R]]
	Report   func(w W, s *S, r R) *report.Report
	// Steps is about how much work a run of a system is, in what costs: pages, bytes, calls,
	// kernels (see MostSteps); nil is 0. Less says in a sentence what would make it less.
	Steps  func(w W, s *S, system string) int
	Less   string
	JSON   func(R) ([]byte, error)
	Result any // a value of the type that JSON writes, if that is not R
	Inline bool
	// Asks is what policies that people write can be asked: own.Place reads it.
	Asks    any
	Hash    func(R) string
	Studies []Study[S, W, R]
	// Sections are the parts of the page that only this laboratory has, and Exports the
	// formats in which it writes what happened in a run; Info's have their data.
	Sections []Shown[S, W, R]
	Exports  []Written[S, W, R]
	// Timeline runs the system in focus with a recorder; nil where nothing happens over time.
	// The error says why it cannot run.
	Timeline func(*View[S, W, R]) (*Happening, error)
	// Complete adds to Info what takes time to find out; may be nil.
	Complete func(*Info)
}

// A Run is what a system came to, and all that went into it.
type Run[S, W, R any] struct {
	System   string
	Settings *S
	Workload W
	Result   R
}

// New erases the types of a laboratory. It panics on a declaration that has data without its
// functions; Info.Valid reports all else that contradicts.
func New[S, W, R any](spec Spec[S, W, R]) Lab {
	l := Lab{Info: spec.Info, Why: spec.Why, studies: papers{built: make([]*study.Paper, len(spec.Studies))}}
	var all []knob.Knob[S]
	for _, p := range spec.Panels {
		all = append(all, spec.Knobs[p.Key]...)
		l.Info.Knobs = append(l.Info.Knobs, knob.Infos(p.Key, spec.Knobs[p.Key], &spec.Default)...)
	}
	for _, p := range spec.Studies {
		l.Papers = append(l.Papers, p.PaperInfo)
		l.studies.build = append(l.studies.build, p.Build)
	}
	l.studies.list = l.Papers
	if len(l.Quantities) > 0 {
		panic(fmt.Sprintf("laboratory %s: quantities are those of its measures", l.Name))
	}
	l.Quantities = report.Quantities(spec.Measures)
	if err := spec.declared(&l.Info); err != nil {
		panic(fmt.Sprintf("laboratory %s: %v", l.Name, err))
	}
	if l.Causes() {
		l.Sections = append([]Section{l.whySection()}, l.Sections...)
	}
	for i := range l.Sections {
		l.Sections[i].Folded = l.Sections[i].Folded || !l.Sections[i].Entry
	}
	settings := func(u *knob.Setup) (*S, error) {
		s := spec.Default
		err := knob.Fill(all, &s, u)
		if err == nil && spec.Check != nil {
			err = spec.Check(&s)
		}
		return &s, err
	}
	var loaded struct { // the workload at hand
		key   string
		files Files
		w     W
		ok    bool
	}
	load := func(u *knob.Setup, s *S, f Files) (W, error) {
		var key string
		if spec.Source != nil {
			key = spec.Source(s)
		} else {
			key = u.String()
		}
		if loaded.ok && loaded.key == key && loaded.files == f {
			return loaded.w, nil
		}
		w, err := spec.Load(s, f)
		if err == nil {
			loaded.key, loaded.files, loaded.w, loaded.ok = key, f, w, true
		}
		return w, err
	}
	bounded := true
	l.Unbound = func() { bounded = false }
	less := spec.Less
	l.Pass = func(sentence string) { less = strings.TrimSpace(less + " " + sentence) }
	within := func(w W, s *S, system string) error {
		if !bounded || spec.Steps == nil {
			return nil
		}
		if n := spec.Steps(w, s, system); n > MostSteps {
			x, err := l.System(system)
			if err != nil {
				return err
			}
			return &Much{System: x.Title, Steps: n, Less: less}
		}
		return nil
	}
	l.Complete = func() Info {
		i := l.Info
		i.Knobs = slices.Clone(i.Knobs) // the laboratory's own stay as they are
		if spec.Complete != nil {
			spec.Complete(&i)
		}
		return i
	}
	l.Accept = spec.Accept
	l.Check = func(u *knob.Setup) error {
		_, err := settings(u)
		return err
	}
	if spec.Unread != nil {
		l.Unread = func(u *knob.Setup, system string) string {
			s, _ := settings(u) // what contradicts is said elsewhere
			return spec.Unread(s, system)
		}
	}
	// ready is what runs, and what it is asked for with.
	ready := func(u *knob.Setup, system string, f Files) (*S, W, error) {
		var none W
		if _, err := l.System(system); err != nil {
			return nil, none, err
		}
		s, err := settings(u)
		if err != nil {
			return nil, none, err
		}
		w, err := load(u, s, f)
		if err == nil {
			err = within(w, s, system)
		}
		return s, w, err
	}
	var ran struct { // the last run
		setup, system string
		files         Files
		r             R
		ok            bool
	}
	run := func(u *knob.Setup, s *S, w W, system string, f Files, p Progress) (R, error) {
		r, err := spec.Run(w, s, system, p)
		if err == nil {
			ran.setup, ran.system, ran.files, ran.r, ran.ok = u.String(), system, f, r, true
		}
		return r, err
	}
	view := func(u *knob.Setup, s *S, w W, system string, f Files, p Progress) *View[S, W, R] {
		return &View[S, W, R]{System: system, Settings: s, Workload: w, Progress: p, run: func() (R, error) {
			if ran.ok && ran.system == system && ran.files == f && ran.setup == u.String() {
				return ran.r, nil
			}
			return run(u, s, w, system, f, p)
		}}
	}
	do := func(u *knob.Setup, system string, f Files, p Progress) (*report.Report, *Run[S, W, R], error) {
		s, w, err := ready(u, system, f)
		if err != nil {
			return nil, nil, err
		}
		r, err := run(u, s, w, system, f, p)
		if err != nil {
			return nil, nil, err
		}
		rep, of := spec.Report(w, s, r), &Run[S, W, R]{system, s, w, r}
		if rep.Values == nil && rep.Fits {
			rep.Values = report.Measured(spec.Measures, of)
		}
		rep.Curves = slices.DeleteFunc(rep.Curves, func(c report.Curve) bool { return len(c.X) == 0 })
		return rep, of, nil
	}
	l.Run = func(u *knob.Setup, system string, f Files, p Progress) (*report.Report, any, error) {
		if spec.proves(system) {
			s, w, err := ready(u, system, f)
			if err != nil {
				return nil, nil, err
			}
			b, err := spec.Bound(w, s, p)
			if err != nil {
				return nil, nil, err
			}
			r := l.proof(b)
			l.ignore(r, u, system)
			return r, b, nil
		}
		r, of, err := do(u, system, f, p)
		if err != nil {
			return nil, nil, err
		}
		l.ignore(r, u, system)
		return r, of.Result, nil
	}
	l.Ready = func(u *knob.Setup, system string, f Files) error {
		_, _, err := ready(u, system, f)
		return err
	}
	l.Law = func(quantity int) report.Law { return spec.Measures[quantity].Law }
	l.Within = func(quantity int, v float64) bool { return spec.Measures[quantity].Within(v) }
	l.Steps = func(u *knob.Setup, system string) (int, error) {
		s, err := settings(u)
		if err != nil || spec.Steps == nil {
			return 0, err
		}
		w, err := load(u, s, nil)
		if err != nil {
			return 0, err
		}
		return spec.Steps(w, s, system), nil
	}
	l.Measure = func(paper *study.Paper, run, set string, f Files, p Progress) (*study.Outcome, any, error) {
		u, err := l.Read(set)
		if err != nil {
			return nil, nil, err
		}
		var own Study[S, W, R] // how the paper's runs are read
		if at := slices.IndexFunc(spec.Studies, func(s Study[S, W, R]) bool { return s.Key == paper.Key }); at >= 0 {
			own = spec.Studies[at]
		}
		points := paper.Of(run)
		switch {
		case len(points) > 0:
			r, of, err := do(u, points[0].System, f, p)
			if err != nil {
				return nil, nil, err
			}
			o, err := own.read(paper, run, r, func(key string) (float64, bool) { return r.Value(l.Quantity(key)) }, of)
			return o, of.Result, err
		case own.analyze == nil:
			return nil, nil, fmt.Errorf("%s has no run %q", paper.Key, run)
		}
		s, err := settings(u)
		if err != nil {
			return nil, nil, err
		}
		w, err := load(u, s, f)
		if err != nil {
			return nil, nil, err
		}
		o, err := own.analyze(run, w)
		return o, nil, err
	}
	// watched is a run of which more is told than its result.
	watched := func(u *knob.Setup, system string, f Files, p Progress) (*View[S, W, R], error) {
		if spec.proves(system) {
			return nil, errNoRun
		}
		s, w, err := ready(u, system, f)
		if err != nil {
			return nil, err
		}
		return view(u, s, w, system, f, p), nil
	}
	l.Export = func(key string, u *knob.Setup, system string, f Files, o Origin, p Progress) ([]byte, error) {
		return l.export(key, func(at int) ([]byte, error) {
			v, err := watched(u, system, f, p)
			if err != nil {
				return nil, err
			}
			v.Origin = o
			return spec.Exports[at].Write(v)
		})
	}
	if l.Timed = spec.Timeline != nil; l.Timed {
		l.Timeline = func(u *knob.Setup, system string, f Files, part Window, p Progress) (*Happening, error) {
			v, err := watched(u, system, f, p)
			if err != nil {
				return nil, err
			}
			v.Window = part
			return spec.Timeline(v)
		}
	}
	l.Totals = func(export string) []Total {
		if at := slices.IndexFunc(l.Exports, func(x Export) bool { return x.Key == export }); at >= 0 {
			return spec.Exports[at].Totals
		}
		return nil
	}
	if l.Result = spec.Result; l.Result == nil {
		l.Result = *new(R)
	}
	l.Inline, l.Asks = spec.Inline, spec.Asks
	l.JSON = func(raw any) ([]byte, error) {
		if b, ok := raw.(*Proof); ok {
			return b.json(l.Floor.Of), nil
		}
		return spec.JSON(raw.(R))
	}
	l.Hash = func(raw any) string {
		if b, ok := raw.(*Proof); ok {
			return b.hash(l.Floor.Of)
		}
		return spec.Hash(raw.(R))
	}
	l.Explain = explained
	section := func(key string, look, u *knob.Setup, system string, f Files, p Progress) (*report.Section, error) {
		if key == WhyKey && l.Causes() {
			return l.explain(&Question{Lab: &l, Setup: u, System: system, Against: look.Text(WhyKey)}, f, p)
		}
		at := slices.IndexFunc(l.Sections, func(s Section) bool { return s.Key == key })
		if at < 0 {
			return nil, fmt.Errorf("laboratory %s has no section %q", l.Name, key)
		}
		var w W
		var s *S
		var err error
		if spec.proves(system) {
			if l.Sections[at].Run {
				return nil, errNoRun
			}
			system = l.Running()[0].Name
		}
		if l.Sections[at].Run {
			s, w, err = ready(u, system, f)
		} else {
			s, err = settings(u)
		}
		if err != nil {
			return nil, err
		}
		v := view(u, s, w, system, f, p)
		v.Look = look
		return spec.Sections[slices.IndexFunc(spec.Sections, func(s Shown[S, W, R]) bool { return s.Key == key })].Show(v)
	}
	l.Section = func(key string, look, u *knob.Setup, system string, f Files, p Progress) (*report.Section, error) {
		out, err := section(key, look, u, system, f, p)
		if out != nil {
			out.CSV = report.Data(out.Tables)
		}
		return out, err
	}
	return l
}

// names lists the name of each.
func names[T any](list []T, of func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

// A Brief is a piece of the line that says what all numbers are about.
type Brief struct {
	// Text has the keys of knobs in braces: "{model}, batch {batch}". Where one has
	// nothing to say the piece is left out, unless a "?" follows the key.
	Text string
	// Panel, if not empty, adds ", changed" when something in that panel is not
	// what it goes back to.
	Panel string
	// Parts are derived knobs of that panel: when something in it is changed, the
	// piece says these instead of Text.
	Parts []string
	// Trust marks a piece that says how far the numbers can be trusted; it stands
	// over every chart.
	Trust bool
}
