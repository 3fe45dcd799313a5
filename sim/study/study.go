// Package study holds what papers published, as data, and compares it with what
// the simulator says. It knows no laboratory: a paper brings its points, figures
// and claims, and says how its quantities are taken from a run.
//
// A laboratory's program has the [Paper], with its functions. The page has only
// data: the [Outline] of a paper and, of what is known, a [Sheet] a figure.
package study

import (
	"cmp"
	"slices"
	"strings"

	"spillway/sim/report"
)

// A Point is one published number.
type Point struct {
	Figure   string // of its paper: "11"
	Quantity string // what it is, as the paper's Measure knows it
	System   string // stable name in the laboratory
	Set      string // the run that yields it, as a setup text
	Workload string // the part of Set that says what runs; see Run
	// Of and At say for people what it is about and what of the run the figure
	// varies: "BERT-256", "host 32 GiB". At may be empty.
	Of, At string
	Fits   bool // false: published as not able to run
	Value  float64
	Unit   string
	// RelativeTo is set when the number is published relative to another system: the
	// value is that of System divided by that of Over, on the same Set or on OverSet.
	RelativeTo string
	// RelativeToSet is the setup of what it is relative to, where that is not Set.
	RelativeToSet string
	Source        string // the published file or table cell, empty if there is none
	// Limit is the relative difference up to which it is Within, 0 for the
	// paper's Tolerance. Below is the one for values that are too small, 0 for Limit.
	Limit, Below float64
	// Note says why the published number is doubted, from [Doubtful] on, or cannot be
	// met; may be empty.
	Note string
	// NotComputed says why the laboratory does not compute the number: it is listed, and no
	// run yields it. Such a point needs no system and no setup.
	NotComputed string
	// Duplicate is set of a number that another point has too, read in another way or computed
	// under other settings: it is judged, and not counted among all.
	Duplicate bool
	// Unpublished is set of a paper's Probes: there is no published value.
	Unpublished bool
	// Derived is set of a number that is published over several runs, as a mean. Such a point
	// has no run of its own, and its System is only whom it is about; it may be empty.
	Derived *Derivation
}

// A Derivation computes a number from the values of other points and probes.
type Derivation struct {
	Value func(look Look) (value float64, known bool)
}

// Doubtful begins, in a point's Note, why its published number is doubted: what
// contradicts it. What may stand before is about our value.
const Doubtful = "doubtful: "

// Doubt is why a published number with this note is doubted, "" if it is not.
func Doubt(note string) string {
	_, why, _ := strings.Cut(note, Doubtful)
	return why
}

// Run names the simulation that yields p: points of equal Run share it.
func (p *Point) Run() string {
	return p.System + " " + cmp.Or(p.Source, p.Set)
}

// isRun reports whether a run has this name, as Run makes it.
func isRun(name, system, of string) bool {
	rest, ok := strings.CutPrefix(name, system)
	return ok && len(rest) == 1+len(of) && rest[0] == ' ' && rest[1:] == of
}

// base returns what p is relative to.
func (p *Point) base() Point {
	b := *p
	b.System, b.Set, b.RelativeTo, b.RelativeToSet, b.Fits = p.RelativeTo, cmp.Or(p.RelativeToSet, p.Set), "", "", true
	return b
}

// A Look finds the value of a point, published or ours. known is false when
// nobody has measured it yet.
type Look func(p *Point) (value float64, fits, known bool)

// Published looks a point up in its paper.
func Published(p *Point) (value float64, fits, known bool) {
	if p.Unpublished {
		return 0, false, false
	}
	return p.Value, p.Fits, true
}

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
	// Doubted is set of published ones that something contradicts, or that are made of
	// such; the drawing sets it, not the figure.
	Doubted bool
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

// Axes are those of a figure.
type Axes struct {
	X, Y       string // names, with units
	LogX, LogY bool
	// Least and Most bound the vertical axis, Left and Right the horizontal one.
	// An end that is 0 is free, but a linear vertical axis begins at 0.
	Least, Most, Left, Right float64
	// FromZero begins the horizontal axis at 0 and not where the values do.
	FromZero bool
}

// A Figure is one figure or table of a paper.
type Figure struct {
	ID      string // "11"; "T1" for a table
	Title   string
	Section string // of the paper
	Says    string // what the paper concludes from it, in our words
	Remark  string // how our drawing or the published data differ from the paper's
	Kind    Kind
	Axes
	// Whole says of Stacks that their parts make up a whole, so that where the
	// last one ends says nothing.
	Whole bool
	// Read says how to read the drawing, as far as its kind does not: "One line a
	// batch size."
	Read string
	// Panels orders the small charts; those that it lacks follow as they appear.
	Panels []string
	// Colors are those of Stacks' parts and of series that are no systems, by
	// name: "compute" is the CSS variable --compute. Others get one by order.
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
	// Workload is the part of Set that says what runs, in the laboratory's words, to find
	// the original among opened files: "model=bert-base batch=256".
	Workload string
	// Figures are the IDs of those that show it; Runs fills it.
	Figures []string
}

// An Outcome is what one run says about the points that share it. It is small,
// whatever the size of the run.
type Outcome struct {
	Run    string
	Fits   bool
	Reason string // why not
	// Values are by point of the run (see Of), NaN where the run has none; empty
	// if it does not fit. Of an analysis they are what its paper says.
	Values []float64
	// Curves are what figures draw besides points: Chart is the figure's ID, By
	// the panel, Name the series.
	Curves []report.Curve
	// Rebuilt is true when a bundled workload stood in for the paper's own.
	Rebuilt bool
}

// Value returns the i-th value of an analysis that may not be known yet.
func (o *Outcome) Value(i int) (value float64, known bool) {
	if o == nil || i >= len(o.Values) {
		return 0, false
	}
	return o.Values[i], true
}

// distinct returns list without repetitions, in order of appearance.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
