package work

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
	Parts    []string // what is checked one by one: titles of systems, a paper's runs
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

// Handed returns what a bundle of a setup has of the files that are opened: of a
// recording only what was made of it, of others all of their bytes.
func Handed(u *knob.Setup, workload []lab.File, opened lab.Files) ([]lab.File, error) {
	if c, ok := opened.(lab.Carrier); ok {
		carried, err := c.Carry(u)
		if err != nil || len(carried) > 0 {
			return carried, err
		}
	}
	return whole(workload)
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
	workload, err = Handed(u, workload, files)
	switch {
	case err != nil:
		return err
	case j.Files == 0:
		workload = nil
	case len(workload) == 0:
		return fmt.Errorf("the opened files have more than %d MiB, too much for a bundle; open only those that are needed", mostKept>>20)
	}
	a.Data, err = b.Binder.Bind(&b.Lab, j.Setup, j.Order, workload, files, progress)
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
