// Package runs is the compared systems, how each stands, and the baseline that they are
// compared with.
package runs

import (
	"fmt"

	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/model/results"
)

// A Run is one system's part of a comparison.
type Run struct {
	System *lab.System
	On     bool // compared

	// What is known. Stale is true when the settings have changed since.
	Report    *report.Report
	Error     string
	remedies  []string // against Error, as setup texts
	Cancelled bool
	Stale     bool
	// Want is what computes it, nil if nothing does.
	Want *results.Want

	of results.Run // what Report, Error or Want is about
}

// Active reports whether the run waits or computes.
func (r *Run) Active() bool { return r.Want.Active() }

// Shown reports whether the run has numbers to draw.
func (r *Run) Shown() bool { return r.On && r.Report != nil && r.Report.Fits }

// Status is what stands in place of a bar, empty if there is one.
func (r *Run) Status() string {
	switch {
	case r.Cancelled && r.Stale:
		return "cancelled"
	case r.Report != nil && !r.Report.Fits:
		return unfit(r.Report)
	case r.Report != nil:
		return ""
	case r.Error != "":
		return "failed"
	case r.Cancelled:
		return "cancelled"
	case r.Active():
		return "running…"
	}
	return "not run"
}

// RunState says in a word or two how a run stands.
func (r *Run) RunState() string {
	switch {
	case r.Want.Known():
		return fmt.Sprintf("%d %%", r.Percent())
	case r.Active():
		return "waiting"
	case r.Error != "":
		return "failed"
	case r.Cancelled:
		return "cancelled"
	case r.Stale:
		return "outdated"
	case r.Report == nil:
		return ""
	case !r.Report.Fits:
		return unfit(r.Report)
	}
	return "done"
}

// unfit says in a few words why a report has no numbers.
func unfit(r *report.Report) string {
	if r.Nothing {
		return "nothing to run"
	}
	return "does not fit"
}

// Percent is the progress from 0 to 100.
func (r *Run) Percent() int { return int(100 * r.Want.Part()) }
