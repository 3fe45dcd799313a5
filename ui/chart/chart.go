// Package chart makes what people see of reports: figures, headlines, tables of
// numbers, files. It is written once for all laboratories and knows none.
//
// A [View] has everything about one chart. What is drawn of it is a [Figure],
// which public/charts.js turns into options of the chart library; nothing else
// knows that library.
package chart

import (
	"slices"
	"strconv"
	"strings"

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
	// NothingToRun is that of every system where the workload cannot run at all.
	NothingToRun = "nothing to run"
	NotRun       = "not run"
)

// A Run is one system of a comparison and what came out so far.
type Run struct {
	System *lab.System
	On     bool           // compared
	Report *report.Report // nil if there is none
	Stale  bool           // Report is of other settings
	Status string         // one of the texts above, empty when Report is what was asked for
	Error  string         // why it failed
	// Setup is its settings where they are not those that all are of, else nil.
	Setup *knob.Setup
	// Before is the baseline's report, nil if there is nothing to compare with.
	Before *report.Report
	// Doubted are values of what the headline is about with other random numbers, or with what
	// the results rest on at both ends of its band; NaN where the system then cannot run, nil if
	// none are known.
	Doubted []float64
	// Seeds are its reports with other random numbers, none before all are known.
	Seeds []*report.Report
}

// shown reports whether the run has values.
func (r *Run) shown() bool { return r.On && r.Report != nil && r.Report.Fits }

// value returns the i-th value of the run's report, if it has one that can be shown.
func (r *Run) value(i int) (v float64, ok bool) {
	if !r.shown() {
		return 0, false
	}
	v, ok = r.Report.Value(i)
	return v, ok && finite(v)
}

// before returns the i-th value of the baseline's report, if it has one that can
// be shown.
func (r *Run) before(i int) (v float64, ok bool) {
	if r.Before == nil {
		return 0, false
	}
	v, ok = r.Before.Value(i)
	return v, ok && finite(v)
}

// waits reports whether the run's report is still to come; after cancelling, none is.
func (r *Run) waits() bool { return r.Stale && r.Status != Cancelled || r.Status == Running }

// unfit reports whether the system was found not able to run it.
func (r *Run) unfit() bool { return r.Report != nil && !r.Report.Fits }

// status is what stands in place of the run's values, empty if it has some.
func (r *Run) status() string {
	switch {
	case r.unfit() && r.Stale && r.Status == Cancelled:
		return Cancelled // whether it fits now nobody knows
	case r.unfit():
		if r.Report.Nothing {
			return NothingToRun
		}
		return Unfit
	case r.Report != nil:
		return ""
	case r.Status != "":
		return r.Status
	}
	return NotRun
}

// A Context is what all charts of a page share.
type Context struct {
	Info  *lab.Info
	Setup *knob.Setup
	// Note says what all numbers are about, Mode how far they can be trusted.
	Note, Mode string
	Variant    map[string]string // what the horizontal axis counts, by chart
	Focus      string            // stable name of the system whose Bands are drawn
	Base       *knob.Setup       // of the runs' Before; nil without a baseline
	Other      *Run              // what the run in focus is compared with; nil for what is usual
	Waiting    string            // what is said of runs that are not there yet; empty for "Computing…"
	// Floor is what the laboratory's floor says of Setup, whether it is compared or not; nil if
	// that is not known.
	Floor *report.Report
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
	Width  int // the least with which it can be read, in pixels; 0 if any

	Table   report.Table
	Results int     // how many systems have values in it
	Figure  *Figure // nil if it is a table only
	// Absent is true of a rare chart of which no compared system has anything; it is
	// not drawn.
	Absent bool

	By      []report.Variant // what the horizontal axis may count; fewer than two: no choice
	Variant string           // key of what it counts now
	Picks   bool             // it has marks that can be picked
	// File is its CSV where that is not made of what is drawn.
	File string

	setup  *knob.Setup // what all of it is of; nil while something is of other settings
	rows   [][]string  // of the file, without points
	points []points    // below them
	sheet  *study.Sheet
}

// points are a curve's, as its file has them.
type points struct {
	system, curve string
	xs, ys        []float64
}

// Views returns all charts of a laboratory.
func Views(c *Context, runs []Run) []View {
	vs := make([]View, len(c.Info.Charts))
	for i := range vs {
		vs[i] = Draw(c, &c.Info.Charts[i], runs)
		if f := vs[i].Figure; f != nil {
			f.Opens = c.Info.Charts[i].Opens
			for _, by := range vs[i].By {
				if by.Key == vs[i].Variant {
					f.Opens = by.Opens
				}
			}
		}
	}
	return vs
}

// Draw returns one chart.
func Draw(c *Context, ch *report.Chart, runs []Run) View {
	d := drawing{Context: c, chart: ch, runs: visible(runs)}
	d.view = View{ID: ch.ID, Title: ch.Title, Note: c.Note, Mode: c.Mode, Help: ch.Help}
	if !slices.ContainsFunc(d.runs, func(r *Run) bool { return r.Stale }) {
		d.view.setup = d.Setup
	}
	d.view.Results = count(d.runs, (*Run).shown)
	switch ch.Kind {
	case report.Bars:
		d.bars()
	case report.Stacks:
		d.stacks()
	case report.Lines, report.Steps:
		d.curves()
	case report.Bands:
		d.bands()
	case report.Values:
		d.values()
	}
	if d.view.Absent = ch.Rare && !d.some(); d.view.Absent {
		d.view.Figure = nil
	}
	if d.view.Results == 0 {
		d.view.Empty = d.empty()
	} else if d.view.Text == "" { // no chart is without a sentence
		d.view.Text = d.plain()
	}
	if d.view.Text != "" && d.view.Results > 0 {
		d.view.Text = d.when() + d.view.Text
	}
	return d.view
}

// when is what a finding begins with after cancelling, as what it is made from is of
// the settings before; empty if all is of those that stand.
func (d *drawing) when() string {
	old := count(d.runs, func(r *Run) bool { return r.shown() && r.Stale && r.Status == Cancelled })
	switch {
	case old == 0:
		return ""
	case old < count(d.runs, (*Run).shown):
		return "In part of the settings before: "
	}
	return "Before: "
}

// some reports whether a compared system has a curve or a value of the chart.
func (d *drawing) some() bool {
	_, at := d.quantities()
	curves := d.chart.Kind == report.Lines || d.chart.Kind == report.Steps || d.chart.Kind == report.Bands
	return slices.ContainsFunc(d.runs, func(r *Run) bool {
		return len(d.of(r)) > 0 || !curves && slices.ContainsFunc(at, func(i int) bool { _, ok := r.value(i); return ok })
	})
}

// plain is the sentence of a chart that has none of its own.
func (d *drawing) plain() string {
	if slices.ContainsFunc(d.runs, func(r *Run) bool { return len(d.of(r)) > 0 }) {
		return numbersBelow
	}
	qs, at := d.quantities()
	for k, q := range qs {
		value := func(r *Run) (float64, bool) { return r.value(at[k]) }
		if !slices.ContainsFunc(d.runs, func(r *Run) bool { _, ok := value(r); return ok }) {
			continue
		}
		var best *Run
		most := 0.0
		for _, r := range d.runs {
			if x, ok := value(r); ok && x > most {
				best, most = r, x
			}
		}
		if best == nil {
			return numbersBelow
		}
		return sentence(q.Label + ": most with " + best.System.Title + d.level(best, q, at[k], value) + ", " + With(Cell(q, most), q.Unit))
	}
	return orElse(sentence(d.chart.None), "No system that is compared has a value here.")
}

// numbersBelow is said of a chart in which nothing stands out.
const numbersBelow = "Its numbers stand in its table."

// A drawing is a view while it is made.
type drawing struct {
	*Context
	chart *report.Chart
	runs  []*Run // those compared
	view  View
}

// visible returns the compared runs.
func visible(runs []Run) []*Run {
	var rs []*Run
	for i := range runs {
		if runs[i].On {
			rs = append(rs, &runs[i])
		}
	}
	return rs
}

func count(rs []*Run, is func(*Run) bool) (n int) {
	for _, r := range rs {
		if is(r) {
			n++
		}
	}
	return n
}

// empty says why no compared system has values.
func (d *drawing) empty() string {
	switch {
	case len(d.runs) == 0:
		return "No system is selected. Choose at least one under Systems."
	case slices.ContainsFunc(d.runs, (*Run).waits):
		return orElse(d.Waiting, "Computing…")
	case d.chart.None != "" && slices.ContainsFunc(d.runs, (*Run).shown):
		return sentence(d.chart.None)
	case slices.ContainsFunc(d.runs, (*Run).shown):
		return "No system that is compared has a value here. Choose others under Systems."
	}
	return "Nothing to show: no system has a result. The list above says why."
}

// SystemLook is how a system is drawn everywhere.
func SystemLook(s *lab.System) Look {
	return Look{"--system-" + strconv.Itoa(s.Look%colors), s.Look / colors % (patterns + 1), s.Look % marks}
}

// How many looks there are.
const (
	colors   = 10 // --system-0 to --system-9
	patterns = 3  // that parts and repeated curves go through; systems have one more
	marks    = 4
	parts    = 8 // --part-0 to --part-7
)

// partLook is the look of the i-th part of a sum. Parts that lie on one another
// differ in their patterns too.
func (d *drawing) partLook(i int) Look {
	if i < len(d.chart.Colors) {
		return Look{Color: "--" + d.chart.Colors[i], Pattern: i % patterns}
	}
	return Look{Color: "--part-" + strconv.Itoa(i%parts), Pattern: i % patterns}
}

// quantities returns the quantities that the chart is of.
func (d *drawing) quantities() (qs []*report.Quantity, at []int) {
	for _, key := range d.chart.Of {
		if i := d.Info.Quantity(key); i >= 0 {
			qs, at = append(qs, &d.Info.Quantities[i]), append(at, i)
		}
	}
	return qs, at
}

// say joins what is said of every system: its status where there is nothing else.
func (d *drawing) say(of func(*Run) string) string {
	var said []string
	for _, r := range d.runs {
		text := r.status()
		if text == "" {
			if text = of(r); text != "" && r.Stale {
				text += ", of other settings"
			}
		}
		if text != "" {
			said = append(said, r.System.Title+": "+text)
		}
	}
	return sentence(strings.Join(said, "; "))
}

// most returns the system, bounds apart, of which f is largest; nil when f is
// nowhere above zero.
func (d *drawing) most(f func(*Run) float64) (best *Run, value float64) {
	for _, r := range d.runs {
		if !r.shown() || r.System.Bound {
			continue
		}
		if x := f(r); x > value {
			best, value = r, x
		}
	}
	return best, value
}

// head begins the chart's file.
func (v *View) head(names ...string) { v.rows = [][]string{append([]string{"system"}, names...)} }

// CSV returns what the chart shows with full precision, and in every row what it
// is of.
func (v *View) CSV() string {
	if v.File != "" {
		return v.File
	}
	rows := v.all()
	if v.sheet == nil {
		of := v.Setup()
		for i := range rows {
			last := of
			if i == 0 {
				last = "setup"
			}
			rows[i] = append(slices.Clip(rows[i]), last)
		}
	}
	return csvText(rows)
}

// Data is CSV without what the chart is of, which Setup says once for all rows.
func (v *View) Data() string {
	if v.File != "" {
		return v.File
	}
	return csvText(v.all())
}

// Setup is the text of the setup that all of the chart is of, empty where parts of
// it are of others.
func (v *View) Setup() string {
	if v.setup == nil {
		return ""
	}
	return v.setup.String()
}

// all are the rows of the file.
func (v *View) all() [][]string {
	rows := slices.Clone(v.rows)
	if v.sheet != nil {
		rows = lines(v.sheet)
	}
	for i := range v.points {
		p := &v.points[i]
		for k := range p.xs {
			rows = append(rows, []string{p.system, p.curve, exact(p.xs[k]), exact(p.ys[k])})
		}
	}
	return rows
}
