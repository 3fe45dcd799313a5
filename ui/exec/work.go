// Package exec is what the page and the workers say to each other, and the bench
// that does the work with one laboratory. It knows no browser: a worker, the
// native tests and the command all run the same code.
package exec

import (
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/columns"
	"spillway/ui/lab"
)

// A Kind is what a job is about.
type Kind uint8

// The kinds of job.
const (
	Run      Kind = iota // run one system: a Report
	Raw                  // the same: the laboratory's own result as JSON text
	List                 // say what the opened files hold: Entries
	Section              // compute one of the laboratory's own sections: a Section
	Outline              // list a paper's figures and runs: an Outline
	Measure              // one run of a paper: an Outcome
	Sheet                // a figure of a paper from outcomes: a Sheet
	Tallies              // what came out of every figure: Tallies
	Several              // run several systems and setups, one after the other: Parts
	Export               // run one system and write what happened in a format: Data
	Survey               // go through a part of an entry's bytes: Data
	Join                 // put the parts of a survey together: Handed, Entries
	Again                // do what a bundle asks for: Redone
	Carry                // say what a bundle has of the opened files: Handed, empty if it has these
	Timeline             // run one system and say what happens in it over time: Timeline, Columns
	Proof                // read a policy as it is typed: Proofed

	// What the program that reads files does.

	Open   // say which laboratories take the opened files: Takers
	Pack   // write what Carry returned as files, which are a set of their own: Packed, Takers
	Write  // write what Export returned in a format: Data
	Bundle // make a bundle of systems' runs: Data
	Check  // compare a part of the opened bundle with the same computed again: a Verdict
)

// OfFiles reports whether a job of this kind is for the program that reads files.
func (k Kind) OfFiles() bool { return k >= Open }

// A Pick is one run of Several, or that a section wants.
type Pick = lab.Pick

// A Part is what came out of a Pick.
type Part struct {
	Error    string
	Problems []string
	Report   *report.Report // its values and whether it fits, nothing else
}

// A Job is one thing that a worker is asked to do.
type Job struct {
	ID   int    // never reused; answers carry it back
	Lab  string // stable name of the laboratory
	Kind Kind
	// Setup and System name what runs, of Run, Raw, Section, Measure, Export and Timeline.
	Setup, System string
	Files         int // number of the set of opened files it needs, 0 if none
	// Key is that of a Section or of an export; View are the texts of a section's knobs. Of Proof
	// View is the text, and Key is Joined where settings have it so.
	Key, View string
	// Base is the baseline's setup text, of a Section that asks why, empty without one; Known is
	// what came of the runs that it wanted.
	Base    string
	Known   []lab.Known
	Origin  lab.Origin // of Export
	Window  lab.Window // of Timeline: the part that somebody looks at
	Against string     // of Timeline: a system whose run stands beside, if any
	ByTime  bool       // of Timeline: linked by time even where both make the same progress
	// Paper, Name and Outcomes are of Outline, Measure (Name: of the run), Sheet
	// (Name: of the figure) and Tallies.
	Paper, Name string
	Outcomes    []study.Outcome
	Rebuilt     bool           // of Measure: a bundled workload stands in for the original
	Hash        bool           // also return the hash of the result
	Lean        bool           // of Run: the report without curves
	Picks       []Pick         // of Several
	Order       *BundleRequest // of Bundle and Check
	Ask         *Ask           // of Again
	// Entry is surveyed, of Survey and Join. Portion is which part of it, and Found what
	// was found in all parts; Set is the number of the set that Join makes.
	Entry   string
	Portion int
	Found   [][]byte
	Set     int // also of Pack
	// Handed is what a laboratory returned, of Pack and Write; Format is that of Write.
	Handed []byte
	Format string
	// Joins is how many of the files were open before, the first of them, of Open: the
	// others join them where they are of the same laboratory.
	Joins int
}

// Joined is the key of a Proof of a text as settings have it.
const Joined = "joined"

// Proofed is what is said of a policy while somebody writes it.
type Proofed struct {
	Text   string // as it was typed, or as people read what settings have
	Wrong  string // what is wrong, and where; empty where nothing is
	SHA256 string // of the text as settings have it
	// Start offers texts to start from, and Words what may stand in one, as HTML: what has
	// data-write puts that in, for the whole text if it has data-whole.
	Start, Words string
}

// A Taker is a laboratory that can run something of opened files.
type Taker struct {
	Lab   string   // its stable name
	Title string   // for people
	Found []string // what it can run, by name
	// Handed stands for the files there (lab.Handed). Along is true where it reads them
	// too: then they follow, unread.
	Handed []byte
	Along  bool
}

// A File is a file that a worker writes.
type File struct {
	Name string
	Data []byte
}

// An Answer is what a worker says about a job. A job has any number of progress
// answers and one last one.
type Answer struct {
	ID          int
	Last        bool
	Done, Total int // progress, when not Last

	Error string // what went wrong, with what to do
	// Problems is what contradicts in the setup, so that nothing was run.
	Problems []string
	// Remedies are setup texts, of a Run: with any of them it can be run (lab.Remedies).
	Remedies []string
	Report   *report.Report
	JSON     string
	Entries  []lab.Entry
	// Handed, of List and Join, is what stands for the set with the number Set for all
	// workers of the laboratory from now on; empty if what stood for it does. The files
	// themselves are those of the set Of. Of Carry see there.
	Handed  []byte
	Set, Of int
	Packed  []File   // of Pack: the set Set
	Notes   []string // about opened files
	Section *report.Section
	Picks   []Pick // the runs of which a section wants to know before it can say more
	Outline *study.Outline
	Outcome *study.Outcome
	Sheet   *study.Sheet
	Tallies []study.Tally
	Proofed *Proofed
	Board   string // beside Tallies: the scoreboard as HTML
	Hash    string
	Parts   []Part
	Data    []byte // of Export, Write, Bundle and Survey
	// References is what a paper's bundle rests on, as BibTeX, also while no run of it is done
	// and there is no bundle.
	References string
	// Timeline is what is told of a run, and Columns what happened (package columns). Between a
	// worker and the page these go beside the answer, so that nobody copies or reads them.
	Timeline *columns.About
	Columns  []byte
	Redone   *Redone
	Bundle   *BundleInfo // of Open, if that is what the files are
	Verdict  *Verdict
	Takers   []Taker // of Open, the one to be shown first; with an Error they take any bytes at all
	Joined   bool    // of Open: what the takers take are all files, not only those behind the first Joins
}
