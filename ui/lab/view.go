package lab

import (
	"errors"
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// A View is what a section shows or an export writes: what is run, and the system in focus.
type View[S, W, R any] struct {
	System   string // the one in focus, by its name
	Settings *S
	Workload W           // none in a section that is not about the run (Section.Run)
	Look     *knob.Setup // what is turned in the section (Section.Knobs); nil in an export
	Origin   Origin      // what an exported file says about where it comes from
	Window   Window      // the part of the run that a timeline is wanted of; more is no mistake
	Progress Progress    // may be nil

	run func() (R, error)
}

// Run returns the run of the system in focus. One that was just done is not done again.
func (v *View[S, W, R]) Run() (R, error) { return v.run() }

// A Shown is a section and what computes it.
type Shown[S, W, R any] struct {
	Section
	Show func(*View[S, W, R]) (*report.Section, error)
}

// A Written is a format of exports and what writes it.
type Written[S, W, R any] struct {
	Export
	Write func(*View[S, W, R]) ([]byte, error)
	// Totals are what the file holds of a report's quantities: tests add them up.
	Totals []Total
}

// A Total is what numbers of a file add up to: of a table's rows, or of a timeline's slices
// with their name, pid, tid and arguments as columns. Those of a State track have the kind "state".
type Total struct {
	Quantity string            // its key
	Column   string            // whose numbers are added up
	Where    map[string]string // the texts that other columns have in the rows that count
	Over     string            // a column: the quantity is the mean over its texts; empty for the sum
	Among    map[string]string // the rows whose texts of Over count; nil for those of Where
	Unit     float64           // of the quantity's value, in that of the column
}

// declared puts the data of sections and exports into i. The error says which has no
// function, or was put there by somebody else.
func (s *Spec[S, W, R]) declared(i *Info) error {
	if len(i.Sections) > 0 || len(i.Exports) > 0 {
		return errors.New("sections and exports are those of Spec, with their functions")
	}
	for k := range s.Sections {
		if x := &s.Sections[k]; x.Show == nil {
			return fmt.Errorf("section %q has no function", x.Key)
		}
		i.Sections = append(i.Sections, s.Sections[k].Section)
	}
	for k := range s.Exports {
		if x := &s.Exports[k]; x.Write == nil {
			return fmt.Errorf("export %q has no function", x.Key)
		}
		i.Exports = append(i.Exports, s.Exports[k].Export)
	}
	return nil
}
