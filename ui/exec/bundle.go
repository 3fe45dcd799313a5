package exec

import (
	"errors"
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/ui/lab"
)

// A Binder makes reproducibility bundles and opens them; package bundle has it. A
// lean program has none.
type Binder interface {
	// Bind runs the systems that an order names and returns a bundle of them.
	// workload holds the opened files that the setup is about, and opened what is in
	// them; both are nil for a bundled workload.
	Bind(l *lab.Lab, setup string, o *Order, workload []lab.File, opened lab.Files, p lab.Progress) ([]byte, error)
	// Unbind opens files that are a bundle. Without an error it is nil for those
	// that are none.
	Unbind(files []lab.File) (Bound, error)
}

// A Bound is an opened bundle.
type Bound interface {
	// Info is what it says about itself.
	Info() *BundleInfo
	// Workload is the files that its runs are about, nil for a bundled workload.
	Workload() []lab.File
	// Check computes one of its parts again and compares.
	Check(l *lab.Lab, o *Order, opened lab.Files, p lab.Progress) *Verdict
}

// An Order is what a bundle is made of besides its setup, or how it is checked.
type Order struct {
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
	Damaged  []string // where its bytes are not what its manifest says
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

// mostKept is how many bytes of opened files are kept for a bundle.
const mostKept = 64 << 20

func size(files []lab.File) (n int64) {
	for i := range files {
		n += files[i].Bytes()
	}
	return n
}

// bound returns the bundle that the files with this number are, nil if they are
// none.
func (b *Bench) bound(number int) (Bound, error) {
	if _, err := b.open(number, nil); b.bundle == nil {
		return nil, err
	}
	return b.bundle, nil
}

// Handed returns what a bundle of a setup has of the files that are opened, and what is in
// that: of a recording only what was made of it, of others all of their bytes. What is said
// of a bundle is said of what it has, so that everybody can say it again.
func Handed(u *knob.Setup, workload []lab.File, opened lab.Files) ([]lab.File, lab.Files, error) {
	if c, ok := opened.(lab.Carrier); ok {
		carried, holds, err := c.Carry(u)
		if err != nil || len(carried) > 0 {
			return carried, holds, err
		}
	}
	list, err := whole(workload)
	return list, opened, err
}

// bind makes a bundle of the files at hand.
func (b *Bench) bind(j *Job, files lab.Files, progress lab.Progress, a *Answer) (err error) {
	if b.Binder == nil || j.Order == nil {
		return errors.New("this program writes no bundles")
	}
	workload := b.files
	if b.bundle != nil {
		workload = b.bundle.Workload()
	}
	u, err := b.Lab.Read(j.Setup)
	if err != nil {
		return err
	}
	var has lab.Files
	workload, has, err = Handed(u, workload, files)
	o := *j.Order
	if has != files {
		o.Figures = nil // they show the recording, which the bundle has not
	}
	switch {
	case err != nil:
		return err
	case j.Files == 0:
		workload = nil
	case len(workload) == 0:
		return fmt.Errorf("the opened files have more than %d MiB, too much for a bundle; open only those that are needed", mostKept>>20)
	}
	a.Data, err = b.Binder.Bind(&b.Lab, j.Setup, &o, workload, has, progress)
	return err
}

// check computes a part of the bundle at hand again.
func (b *Bench) check(j *Job, progress lab.Progress, a *Answer) error {
	x, err := b.bound(j.Files)
	switch {
	case err != nil && x == nil:
		return err
	case x == nil || j.Order == nil:
		return errors.New("the opened files are no bundle")
	case j.Order.Part < 0 || j.Order.Part >= len(x.Info().Parts):
		return fmt.Errorf("the bundle has no part %d", j.Order.Part)
	}
	files, err := b.open(j.Files, nil)
	if err != nil {
		a.Verdict = &Verdict{Part: x.Info().Parts[j.Order.Part], Finding: Uncheckable, Says: err.Error()}
		return nil
	}
	a.Verdict = x.Check(&b.Lab, j.Order, files, progress)
	return nil
}
