// Package study holds what papers published, as data, and compares it with what
// the simulator says. It knows no laboratory: a paper brings its points, figures
// and claims, and says how its quantities are taken from a run.
package study

import (
	"spillway/sim/report"
)

// A Point is one published number.
type Point struct {
	Figure   string // of its paper: "11"
	Quantity string // what it is, as the paper's Measure knows it
	System   string // stable name in the laboratory
	Set      string // the run that yields it, as a setup text
	// Of and At say for people what it is about and what of the run the figure
	// varies: "BERT-256", "host 32 GiB". At may be empty.
	Of, At string
	Fits   bool // false: published as not able to run
	Value  float64
	Unit   string
	Source string // the published file or table cell, empty if there is none
	// Limit is the relative difference up to which it is Within, 0 for the
	// paper's Tolerance.
	Limit float64
	// Note says why the published number is doubted or cannot be met; may be empty.
	Note string
}

// Run names the simulation that yields p: points of equal Run share it.
func (p *Point) Run() string {
	if p.Source != "" {
		return p.System + " " + p.Source
	}
	return p.System + " " + p.Set
}

// A Look finds the value of a point, published or ours. known is false when
// nobody has measured it yet.
type Look func(p *Point) (value float64, fits, known bool)

// Published looks a point up in its paper.
func Published(p *Point) (value float64, fits, known bool) { return p.Value, p.Fits, true }

// A Mark is one place in a drawn figure.
type Mark struct {
	Panel  string  // the small chart it is in: "BERT-256"
	Series string  // the line or bar it belongs to
	System string  // stable name of the system it is about, empty if none: its color
	Part   string  // of a stacked bar
	X      float64 // on the horizontal axis of lines
	Y      float64
	Fits   bool
	Known  bool
}

// A Kind says how a figure is drawn.
type Kind uint8

// The kinds of figure.
const (
	Bars   Kind = iota // one bar a panel and series
	Stacks             // bars of parts
	Lines              // Y over X, one small chart a panel
	Curves             // our curves under the published marks, one small chart a panel
	Dots               // our curves as dots: nothing was published but the drawing
	Table              // published and ours side by side, not drawn
)

// A Figure is one figure or table of a paper.
type Figure struct {
	ID      string // "11"; "T1" for a table
	Title   string
	Section string // of the paper
	Says    string // what the paper concludes from it, in our words
	Remark  string // how our drawing or the published data differ from the paper's
	Kind    Kind
	X, Y    string // axes, with units
	LogX    bool
	LogY    bool
	// Least and Most bound the vertical axis; both 0 leave it free. Left and Right
	// bound the horizontal one.
	Least, Most, Left, Right float64
	// Colors of Stacks' parts, by part: CSS variables.
	Colors map[string]string
	// Marks returns what is drawn of the values that look finds, in the order of
	// drawing: the same places whatever look says. nil draws nothing of points.
	Marks func(look Look) []Mark
	// Analyses are runs without a system, of which the figure shows curves.
	Analyses []Run
}

// A Run is one simulation that a paper needs, or one analysis of a workload.
type Run struct {
	Name   string // as Point.Run, or of an analysis
	System string // empty for an analysis
	Set    string // setup text
	Is     string // setup text of its workload alone, to find the original among opened files
}

// An Outcome is what one run says about the points that share it. It is small,
// whatever the size of the run.
type Outcome struct {
	Run    string
	Fits   bool
	Reason string    // why not
	Values []float64 // by point of the run, in the paper's order; empty if it does not fit
	// Curves are what figures draw besides points: Chart is the figure's ID, By
	// the panel, Name the series.
	Curves []report.Curve
	// Rebuilt is true when a bundled workload stood in for the paper's own.
	Rebuilt bool
}
