package runs

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A Baseline is settings that everything is compared with.
type Baseline struct {
	room *workspace.Workspace
	runs *Runs
	rows *Rows // by system
}

func newBaseline(r *Runs) *Baseline {
	return &Baseline{room: r.room, runs: r, rows: NewRows(r.room, r.store)}
}

// Pin makes the settings that are shown the baseline.
func (b *Baseline) Pin() {
	b.room.Change("", func() { b.room.State.Base = b.room.State.Setup.Clone() })
}

// Unpin forgets the baseline.
func (b *Baseline) Unpin() { b.room.Change("", func() { b.room.State.Base = nil }) }

// Return goes back to the settings of the baseline.
func (b *Baseline) Return() {
	if base := b.room.State.Base; base != nil {
		b.room.Change("", func() {
			b.room.State.Setup = base.Clone()
			clear(b.room.Drafts)
		})
	}
}

// Pinned reports whether there is a baseline.
func (b *Baseline) Pinned() bool { return b.room.State.Base != nil }

// Base is the baseline where it can be compared with what is shown: it is of the
// same workload and of other settings. Else it is nil.
func (b *Baseline) Base() *knob.Setup {
	base := b.room.State.Base
	if base == nil || base.Equal(b.room.State.Setup) || b.room.Other(base) {
		return nil
	}
	return base
}

// Before is what a system reported of the baseline, nil if that is not known or
// cannot be compared.
func (b *Baseline) Before(system string) *report.Report {
	if x := b.rows.At(system); x != nil {
		return x.Report
	}
	return nil
}

// Pending reports whether reports of the baseline are still to come.
func (b *Baseline) Pending() bool { return b.rows.Active() }

// Note says in a line what is wrong with the baseline, empty if nothing.
func (b *Baseline) Note() string {
	base := b.room.State.Base
	if base == nil {
		return ""
	}
	if b.room.Other(base) {
		return fmt.Sprintf("The baseline is of another workload, %s; it is compared again when you go back to that.", b.room.Of(base))
	}
	var unfit, failed []string
	problem := ""
	for i := range b.runs.List {
		r := &b.runs.List[i]
		x := b.rows.At(r.System.Name)
		switch {
		case x == nil || !r.On:
		case x.Error != "":
			failed, problem = append(failed, r.System.Title), x.Error
		case x.Report != nil && !x.Report.Fits:
			unfit = append(unfit, r.System.Title)
		}
	}
	var said []string
	if len(unfit) > 0 {
		said = append(said, "The baseline does not run with "+strings.Join(unfit, ", ")+".")
	}
	if len(failed) > 0 {
		said = append(said, fmt.Sprintf("The baseline of %s cannot be computed: %s.", strings.Join(failed, ", "), strings.TrimSuffix(problem, ".")))
	}
	return strings.Join(said, " ")
}

// Toggle makes the settings that are shown the baseline, or forgets it.
func (b *Baseline) Toggle() {
	if b.Pinned() {
		b.Unpin()
	} else {
		b.Pin()
	}
}

// mostSteps is how many changes are listed one by one.
const mostSteps = 4

// Says tells what has changed since the baseline, or why nothing is compared.
func (b *Baseline) Says() string {
	note := b.Note()
	base := b.Base()
	switch {
	case !b.Pinned():
		return ""
	case base == nil && note == "":
		return "This is the baseline. Change a setting to see what it does."
	case base == nil:
		return note
	}
	steps := chart.Steps(knob.Differ(base, b.room.State.Setup))
	if n := len(steps) - mostSteps; n > 1 {
		steps = append(steps[:mostSteps], fmt.Sprintf("and %d more", n))
	}
	text := "Since the baseline: " + strings.Join(steps, "; ") + "."
	if b.Pending() {
		text += " Its runs are being computed…"
	}
	return strings.TrimSpace(text + " " + note)
}

// Away reports whether there is a baseline to go back to.
func (b *Baseline) Away() bool {
	return b.Pinned() && !b.room.State.Base.Equal(b.room.State.Setup)
}

// Follow does what the baseline needs.
func (b *Baseline) Follow() {
	if b.rows.Empty() && b.room.State.Base == nil {
		return // nothing is pinned, and nothing is left of what was
	}
	base := b.Base()
	switch {
	case base == nil:
		b.rows.Set(nil)
		return
	case b.room.State.View != state.Explore:
		b.rows.Pause()
		return
	case b.runs.Blocked() != "":
		b.rows.Keep(b.compared)
		return
	}
	setup, files := b.runs.files.Meanwhile(base).String(), b.runs.files.NumberOf(base)
	var places []Place
	for i := range b.runs.List {
		if x := &b.runs.List[i]; x.On {
			places = append(places, Place{x.System.Name, results.Run{Setup: setup, System: x.System.Name, Files: files}})
		}
	}
	b.rows.Set(places)
}

// Rest stops what is under way in a laboratory that is left.
func (b *Baseline) Rest() { b.rows.Pause() }

// compared reports whether a system is.
func (b *Baseline) compared(system string) bool { return slices.Contains(b.room.State.On, system) }

// again reports whether a compared system's run was cancelled or failed.
func (b *Baseline) again() bool { return b.rows.Again(b.compared) }

// forget forgets the runs that were cancelled or failed.
func (b *Baseline) forget() { b.rows.Forget(b.compared) }
