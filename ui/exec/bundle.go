package exec

import "spillway/sim/study"

// A BundleRequest is what a bundle is made of besides its setup, or how it is checked.
type BundleRequest struct {
	Systems []string // stable names, of a bundle to be made
	// Link is the fragment that shows the same, Version that of the program, and
	// Environment what it runs in, for people.
	Link, Version, Environment string
	Figures                    []Drawn
	// Part is which part is checked. Outcomes are what the parts before the last of
	// a paper's bundle gave: its claims are computed from them.
	Part     int
	Outcomes []study.Outcome
	// Told is what the parts before the last of any other bundle gave: its texts are
	// written again from them.
	Told []Told
	// Redone is what the laboratory answered: for each system of a bundle to be made, for each
	// run of a paper's and then for its claims, or for the part that is checked. Failed says
	// why it could not.
	Redone []*Redone
	Failed string
}

// Told is what a run tells the texts of a bundle: what ran, where it comes from and what
// the reader should know.
type Told struct {
	About, Origin string
	Notes         []string
}

// A Drawn is a figure as SVG, under a name without an ending.
type Drawn struct{ Name, SVG string }

// A BundleInfo is what a bundle says about itself.
type BundleInfo struct {
	Lab     string // stable name of the laboratory
	Paper   string // key of the paper that it is about, empty if none
	Version string // of the program that wrote it
	Setup   string // setup text of its runs; empty of a paper's
	Systems []string
	// Workload says what ran, and Opened that the bundle holds the files of it.
	Workload string
	Opened   bool
	// Parts are checked one by one: systems or a paper's runs, the bundle's texts, a
	// paper's claims. The last needs what the others gave.
	Parts []string
	// Pictures is how many drawings it holds, of what Link shows: the command draws them
	// again.
	Pictures int
	Link     string
	Root     string   // the SHA-256 of its manifest's sums
	Damaged  []string // where its bytes are not what its manifest says
	// Asks is what each part takes from the laboratory; nil of one that is damaged. Wrong
	// says why the files in it cannot be opened.
	Asks  []*Ask
	Wrong string
}

// A Finding is how a part of a bundle compares with the same computed again.
type Finding uint8

// The findings, the worst last.
const (
	Replayed    Finding = iota // identical, to the last byte of the result
	Agrees                     // not identical, but every value within the tolerance
	Differs                    // a value is farther off
	Uncheckable                // it cannot be run here
	Damaged                    // its bytes are not what the manifest says
)

// String is the finding in a word.
func (f Finding) String() string {
	return [...]string{"replayed", "agrees", "differs", "cannot be checked", "damaged"}[f]
}

// Mark is the finding as a sign, for those who do not go by color.
func (f Finding) Mark() string { return [...]string{"✓", "≈", "≠", "?", "✗"}[f] }

// Class is the finding's color; String and Mark say the same.
func (f Finding) Class() string { return [...]string{"ok", "ok", "warn", "bad", "bad"}[f] }

// A Verdict is what was found about a part.
type Verdict struct {
	Part    string // as in BundleInfo
	Finding Finding
	Says    string // more, in a sentence; may be empty
	// Differences says where and by how much, the largest first.
	Differences []Difference
	Outcome     *study.Outcome // of a paper's run
	Told        *Told          // of another run
}

// Given returns what the parts of a bundle gave for its last.
func Given(verdicts []*Verdict) (outcomes []study.Outcome, told []Told) {
	for _, v := range verdicts {
		if v != nil && v.Outcome != nil {
			outcomes = append(outcomes, *v.Outcome)
		}
		if v != nil && v.Told != nil {
			told = append(told, *v.Told)
		}
	}
	return outcomes, told
}

// A Difference is one place in which what was recorded is not what comes out.
type Difference struct {
	Where         string // "Iteration time (iteration_s) of G10"
	Recorded, Got string
	Off           string // "+0.52 %"; empty where that says nothing
}
