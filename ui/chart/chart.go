// Package chart makes what people see of reports: figures, headlines, tables of
// numbers, files. It is written once for all laboratories and knows none.
//
// A [View] has everything about one chart. What is drawn of it is a [Figure],
// which public/charts.js turns into options of the chart library; nothing else
// knows that library.
package chart

import (
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/lab"
)

// What may stand in place of a run's values.
const (
	Running   = "running…"
	Failed    = "failed"
	Cancelled = "cancelled"
	Unfit     = "does not fit"
	NotRun    = "not run"
)

// A Run is one system of a comparison and what came out so far.
type Run struct {
	System *lab.System
	On     bool           // compared
	Report *report.Report // nil if there is none
	Stale  bool           // Report is of other settings
	Status string         // one of the texts above, empty when Report is what was asked for
	Error  string         // why it failed
}

// shown reports whether the run has values.
func (r *Run) shown() bool { return r.On && r.Report != nil && r.Report.Fits }

// A Context is what all charts of a page share.
type Context struct {
	Info  *lab.Info
	Setup *knob.Setup
	// Note says what all numbers are about, Mode how far they can be trusted.
	Note, Mode string
	Variant    map[string]string // what the horizontal axis counts, by chart
	Focus      string            // stable name of the system whose Bands are drawn
}

// A View is one chart: what is drawn, and the same in words and numbers for
// those who cannot see it.
type View struct {
	ID    string // stable, in file names
	Title string
	Note  string // what it is about: workload, settings
	Mode  string // how far it can be trusted
	Help  string // how to read it; may be empty
	Alt   string // what it shows, for every system
	Text  string // the main finding, a sentence
	Empty string // why there is nothing to draw, empty if there is

	Rows   int // of bars, 0 if it has none
	Height int // of the drawing in pixels; it depends on the settings, never on results

	Table   report.Table
	Results int     // how many systems have values in it
	Figure  *Figure // nil if it is a table only

	By      []report.Variant // what the horizontal axis may count; fewer than two: no choice
	Variant string           // key of what it counts now
	Picks   bool             // it has marks that can be picked

	rows func() [][]string
}

// Views returns all charts of a laboratory.
func Views(c *Context, runs []Run) []View {
	vs := make([]View, len(c.Info.Charts))
	for i := range vs {
		vs[i] = Draw(c, &c.Info.Charts[i], runs)
	}
	return vs
}

// Draw returns one chart.
func Draw(c *Context, ch *report.Chart, runs []Run) View { return View{ID: ch.ID, Title: ch.Title} }

// CSV returns what the chart shows with full precision.
func (v *View) CSV() string { return "" }

// Headline says who wins and why, in one or two sentences made from the runs.
func Headline(info *lab.Info, runs []Run) string { return "" }

// A Number is one row of the table of all quantities.
type Number struct {
	Key, Label, Unit, Help string
	Cells                  []report.Cell // by compared system
}

// Numbers returns the heads and rows of the table of all quantities: one column
// a compared system. Quantities that no report has are left out.
func Numbers(info *lab.Info, runs []Run) (systems []string, rows []Number) { return nil, nil }

// CSV returns all quantities with full precision in the units of the values:
// one row a system, their keys in the head.
func CSV(c *Context, runs []Run) string { return "" }

var _ study.Paper
