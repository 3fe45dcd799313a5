// Package report is what a laboratory says about a run, as data: named
// quantities, curves and tables. Charts, tables, files, comparisons and studies
// see nothing else, so each of them is written once for all laboratories.
package report

import (
	"math"
	"strconv"
	"strings"
)

// A Quantity is a number that every report of a laboratory may have.
type Quantity struct {
	Key   string // stable; a column's name in files, the unit of the values included: "peak_gpu_bytes"
	Label string // for people
	Unit  string // in which people see it: "GiB"
	Help  string // what it is, one sentence
	// Scale is how many units of the values are one Unit; 0 means 1.
	Scale float64
	// Places is the number of decimals people see.
	Places int
	// Band is the key of the quantity that says, in percent, how far off it may be; empty where
	// it is certain.
	Band string
	// Better says which values are: 1 higher, -1 lower, 0 neither.
	Better int
}

// Shown returns v, a value of the quantity, in its Unit.
func (q *Quantity) Shown(v float64) float64 {
	if q.Scale == 0 {
		return v
	}
	return v / q.Scale
}

// None is the value of a quantity that a report does not have.
func None() float64 { return math.NaN() }

// A Report is what came out of one run of one system.
type Report struct {
	// Fits is false when the system cannot run it; Reason says why and what would
	// help, and there are no values.
	Fits   bool
	Reason string
	// Mend is the smallest change with which it would run, as settings; empty where it runs or nothing is known.
	Mend string
	// Answer is what the run says to the question of its laboratory, as one sentence: "Yes: 1 650 tokens/s …", "No, 7 GiB
	// short; …". Empty where the comparison is the answer.
	Answer string
	// Nothing is true where no system could run it: there is nothing to run.
	Nothing bool
	Notes   []string // what the reader should know
	// Lead says the problem in a sentence, before any system: "GPT-2 XL needs 31
	// GiB, the GPU has 24." It is the same for every system.
	Lead string
	// Caveats say what decides whether the numbers can be trusted, or who wins: short
	// sentences, at most two.
	Caveats []string
	// Few says, in words of a sentence, that what ran is too short to compare systems by; empty where it is not.
	Few    string
	Values []float64 // by the laboratory's quantities, None where there is none
	Curves []Curve
	// About describes what ran (the workload), in a few words with numbers, and
	// Origin where it came from. They are the same for every system.
	About, Origin string
	// Called is what the system is called in this run, where that is not as ever, and Foresees is true where it
	// knows what nobody can who decides, so that it is a bound: both of a policy that somebody wrote.
	Called   string
	Foresees bool
	// Ignored are keys of settings that somebody set and that the system does not read, or that change nothing here. Idle says
	// why, by key, of those that only the run shows to change nothing: who makes a report says it, whoever set them or not.
	Ignored []string
	Idle    []Word
	// Words replace those of knobs that a workload from a file decides: "times" is
	// then "measured".
	Words []Word
}

// SayIdle says that settings, keys with blanks between, change nothing in this run, and why.
func (r *Report) SayIdle(keys, why string) {
	for key := range strings.FieldsSeq(keys) {
		r.Idle = append(r.Idle, Word{key, why})
	}
}

// A Word is what to say of the knob with a key; an empty text is nothing.
type Word struct{ Key, Text string }

// Value returns the i-th value and whether the report has it.
func (r *Report) Value(i int) (v float64, ok bool) {
	if !r.Fits || i < 0 || i >= len(r.Values) || math.IsNaN(r.Values[i]) {
		return 0, false
	}
	return r.Values[i], true
}

// A Curve is one line of a chart, at most a few hundred points.
type Curve struct {
	Chart string // ID of the chart
	By    string // key of the variant it is for, empty if the chart has none
	Name  string // what it is besides the system's: "user memory"; empty if nothing
	X, Y  []float64
	// Picks, if not nil, makes the points marks without a line: picking the i-th
	// gives the chart's Pick knob the value Picks[i].
	Picks []int32
	// Published says that the points are what somebody else published of the system:
	// rings without a line.
	Published bool
}

// Line reports whether the curve is one of ours with a line.
func (c *Curve) Line() bool { return c.Picks == nil && !c.Published }

// A Kind says how a chart is drawn.
type Kind uint8

// The kinds of chart.
const (
	Bars   Kind = iota // one quantity, a bar a system
	Stacks             // parts of a sum, a bar a system
	Lines              // curves
	Steps              // curves that hold their value until the next
	Bands              // curves of one system, stacked
	Values             // a table of quantities, a row a system
)

// A Chart is one figure of a laboratory.
type Chart struct {
	ID, Title string
	Help      string // how to read it, one sentence; may be empty
	Kind      Kind
	Of        []string // keys of the quantities of Bars, Stacks and Values
	Colors    []string // of the parts of Stacks and Bands, by Of or Names: "compute" is the CSS variable --compute
	// Sum is the key of the quantity that parts of Stacks add up to, in their unit; it may be empty.
	Sum   string
	Names []string // of the curves of Bands, the lowest first
	X, Y  string   // the axes of curves, with units
	Unit  string   // of the vertical axis alone
	Max   float64  // of the bars' axis, 0 if free
	LogY  bool
	By    []Variant // what the horizontal axis may count; the first is the usual
	// Limit is the key of a knob whose value is drawn across: a capacity.
	Limit, LimitLabel string
	// Bound draws the curves of bounds too, as what would be needed.
	Bound bool
	// Plain names bounds as other systems, where what is drawn of them is no demand for what the vertical axis has.
	Plain bool
	// Split gives every system a small chart of its own, with the bounds' curves in
	// each, where one chart would have them on top of each other.
	Split bool
	// Pick is the key of the view's knob that picking a mark sets.
	Pick string
	// Opens is what of a run over time a place of the chart leads to; a variant of the horizontal
	// axis may say something else.
	Opens Opens
	// Rare takes the chart away where no compared system has anything in it.
	Rare bool
	// None is said in place of the chart when nothing of it is above zero.
	None string
	// Say is what its sentence calls the largest: "waits longest", "loses most".
	Say string
}

// A Variant is one thing that a chart's horizontal axis may count.
type Variant struct {
	Key, Label, X string
	Opens         Opens
}

// Opens says where in a run over time a place of a chart is.
type Opens string

// The ways to find a place there.
const (
	OpensNothing Opens = ""
	OpensWait    Opens = "w"  // the longest wait of what a part of a bar is called
	OpensStep    Opens = "k"  // the step that the horizontal axis counts
	OpensSecond  Opens = "s"  // the moment, in seconds of the run
	OpensMilli   Opens = "ms" // the same in milliseconds
)

// A Table is numbers with headings, ready to be shown.
type Table struct {
	// Key names it in files, whatever it is about: "threads". It is unique in its section.
	Key   string
	Title string
	Head  []string
	Rows  []Row
}

// A Row is one row of a table.
type Row struct {
	Head, Sub string // what it is about; the second line may be empty
	Cells     []Cell
	Set       string // the setup text of what it is about, that can be opened; empty if that is no run
	At        string // where in the run over time it is, as links say it: then it leads there; empty if nowhere
}

// A Cell is one number of a table.
type Cell struct {
	Text  string
	Share float64 // from 0 to 1: how long its bar is
	Best  bool    // stands out
	// Stack are shares of a whole, the parts of a bar below the text; at most Levels.
	Stack []float64
	// Change is how it differs from a baseline's, "+8 % better"; empty without one.
	Change string
	// Data are its numbers in full, as files have them; none where the text is words, or says
	// that there is nothing.
	Data []Datum
}

// A Datum is a number of a cell.
type Datum struct {
	Part  string // which of several of the cell: "low", "high"; empty of one
	Value string // with all digits, a point and no other signs: "0.125"
	Unit  string // "s", "B", "B/s", "%", "$"; empty of counts and ratios
}

// A Map is a grid of cells, or several side by side: what lies where. Every cell is
// of one of a few classes that have an order.
type Map struct {
	ID, Title string   // ID is unique in its section
	Help      string   // how to read it, one sentence
	Grids     []string // names of the grids; one, empty, for a single one
	X, Y      string   // what columns and rows count
	Columns   int
	From      int      // what the first column is called; others count up, by Step
	Step      int      // 0 is 1
	Rows      []string // what rows are called, in every grid
	// Cells are numbers of classes, by grid, then row, then column; NoCell where there
	// is nothing.
	Cells   []byte
	Classes []string // what each is called, the least first
	Pick    Pick
}

// Missing begins a note of what a run lacks so much that its numbers mislead. It is shown as an
// error.
const Missing = "Data are missing: "

// NoCell is a cell where there is nothing.
const NoCell = 255

// Levels is how many classes a map has at most.
const Levels = 5

// A Pick is what picking a cell of a map does to knobs of the view: Key gets a
// number, which is that of the row's first cell in First and Step of the map more with
// every column, and the others what the setup text Set says. Section is opened for it.
// Without a Key cells cannot be picked.
type Pick struct {
	Section, Set, Key string
	First             []int64
}

// Offers are texts that a section offers for a knob of its own that takes any text.
type Offers struct {
	Key     string
	Choices []Offer
}

// An Offer is a text that a knob may have.
type Offer struct{ Text, Label string }

// A Fall is how one total becomes another, step by step: a waterfall.
type Fall struct {
	ID, Title string // ID is unique in its section
	Help      string // how to read it, one sentence
	Unit      string
	Steps     []Step // in the order in which they are drawn, totals among them
	Says      string // all of it in words
	CSV       string // and as a file
	Table     Table
}

// A Step of a fall adds its value to what stands before it, or is a total, which begins anew at
// zero.
type Step struct {
	Key, Name string
	Text      string // its value as people read it, with sign and unit
	Value     float64
	Total     bool
	Color     string // the CSS variable --Color
	Pattern   int    // as that of a system's Look
}

// Told returns a fall with its words, its table and its file, which are made of its steps.
func (f Fall) Told() Fall {
	var said []string
	f.Table = Table{Title: f.Title, Head: []string{"Step", "Adds"}}
	var csv strings.Builder
	csv.WriteString("step,name,total,value,unit\n")
	for _, s := range f.Steps {
		said = append(said, s.Name+" "+s.Text)
		f.Table.Rows = append(f.Table.Rows, Row{Head: s.Name, Cells: []Cell{{Text: s.Text}}})
		line := Cells([]string{s.Key, s.Name, strconv.FormatBool(s.Total), strconv.FormatFloat(s.Value, 'g', -1, 64), f.Unit})
		for i, text := range line {
			line[i] = strings.ReplaceAll(text, ",", ";")
		}
		csv.WriteString(strings.Join(line, ",") + "\n")
	}
	f.Says, f.CSV = strings.Join(said, ", ")+".", csv.String()
	return f
}

// A Section is what one of a laboratory's own parts of the page shows.
type Section struct {
	Title  string   // of what it is now about, where that is more than its own says
	Text   []string // paragraphs, the main finding first
	Falls  []Fall
	Maps   []Map
	Tables []Table
	CSV    string   // the numbers of the tables in full, as [Data] writes them
	Notes  []string // small print
	Offers []Offers
}
