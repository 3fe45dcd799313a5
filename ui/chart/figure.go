package chart

import (
	"slices"

	"spillway/sim/report"
	"spillway/ui/jsontext"
)

// A Figure is what charts.js draws. Exactly one of Bars, Columns, Panels and
// Heat is not nil. Colors are names of CSS variables, "--system-3", so that the page's
// theme decides them.
//
// Its numbers are not in it but in one array beside it, which the browser takes
// over as it is: a [Column] says where.
type Figure struct {
	Bars    *Bars    `json:"bars,omitempty"`
	Columns *Columns `json:"columns,omitempty"`
	Panels  *Panels  `json:"panels,omitempty"`
	Heat    *Heat    `json:"heat,omitempty"`
	// Opens is where in a run over time a place of it leads; empty if nowhere.
	Opens report.Opens `json:"opens,omitempty"`

	Data []float64 `json:"-"`
}

// A Column is where numbers stand in a figure's Data: the first place and how many.
type Column [2]int

// A Look is how a system, or a part of a sum, is drawn.
type Look struct {
	Color   string `json:"color"`
	Pattern int    `json:"pattern,omitempty"` // 0 solid, 1 hatched or dashed, 2 dotted, 3 ruled or dash-dotted
	Mark    int    `json:"mark,omitempty"`    // shape of the marks on its line
}

// Style is the color as the style of an element that the style sheet draws.
func (l Look) Style() string { return "--look:var(" + l.Color + ")" }

// Bars are horizontal bars, one a row, maybe of several parts.
type Bars struct {
	Unit  string  `json:"unit"`
	Max   float64 `json:"max,omitempty"` // where the axis ends, 0 if free
	Rows  []Row   `json:"rows"`
	Parts []Part  `json:"parts"` // more than one: stacked, with a legend
	// Ghost is the baseline's values, row and length of each; of sums the whole.
	Ghost Column `json:"ghost,omitzero"`
	// Band is row, the lowest and the highest, as random numbers have it; of sums of the whole.
	Band  Column `json:"band,omitzero"`
	Wide  bool   `json:"wide,omitempty"`  // the rows' names are long
	Limit *Limit `json:"limit,omitempty"` // a line upright
	Room  *Room  `json:"room,omitempty"`
	// From is where each row's bar begins, of a waterfall: its values are then what steps add, also
	// below zero, and a hairline leads from where one ends to the next.
	From Column `json:"from,omitzero"`
}

// A Room is what lies between what is proven to be possible at best, a thin line upright, and
// the best that is known, where the band from it ends.
type Room struct {
	Least float64 `json:"least"`
	Known float64 `json:"known"`
	Text  string  `json:"text"` // stands at the line
}

// A Row is the place of one bar.
type Row struct {
	Name  string `json:"name"`
	End   string `json:"end"`             // stands at the bar's end, or in its place
	Faded bool   `json:"faded,omitempty"` // its values are of other settings
	Look  *Look  `json:"look,omitempty"`  // of its bar; nil where the parts have looks
}

// A Part is what the bars of all rows consist of.
type Part struct {
	Name   string `json:"name"`
	Look   *Look  `json:"look,omitempty"`
	Values Column `json:"values"` // by row
}

// Columns are upright bars in groups, with what was published as ticks across.
type Columns struct {
	Y      Axis     `json:"y"`
	Labels []string `json:"labels"` // by place; empty between groups
	Groups []Group  `json:"groups"`
	Kinds  []Part   `json:"kinds"` // Values by place, not a number where there is no bar
	// Stacked puts the kinds on one another. Else a place has one kind only.
	Stacked bool     `json:"stacked,omitempty"`
	Ticks   Column   `json:"ticks"`     // place and value of each
	Names   []string `json:"tickNames"` // of the ticks
	Notes   []Note   `json:"notes"`
}

// A Group is some places in a row with a name.
type Group struct {
	Name string `json:"name"`
	At   int    `json:"at"`
	N    int    `json:"n"`
}

// Doubted is the Note on a doubted published value, at the height of its Over.
const Doubted = "?"

// A Note is a text on a place, over a bar if there is one.
type Note struct {
	At   int     `json:"at"`
	Over float64 `json:"over,omitempty"`
	Text string  `json:"text"`
}

// Panels are curves in one chart or several small ones side by side.
type Panels struct {
	Names  []string `json:"names"` // of the small charts; one, empty, for a single chart
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Legend []string `json:"legend"` // names of series; empty: no legend
	Limit  *Limit   `json:"limit,omitempty"`
	Here   *Limit   `json:"here,omitempty"` // a line upright at a place of X
	// Room is a band under everything, from what is proven to be possible at best to the best
	// system: x, its lower and its upper edge of each point; a gap is not a number.
	Room Column `json:"room,omitzero"`
	Zoom bool   `json:"zoom,omitempty"` // by wheel with Ctrl, by dragging with Shift
	// Together is true of small charts that share their axes: zooming and pointing
	// are about all of them.
	Together bool `json:"together,omitempty"`
}

// An Axis is one axis of a chart.
type Axis struct {
	Name string   `json:"name"`
	Unit string   `json:"unit,omitempty"` // behind values
	Log  bool     `json:"log,omitempty"`
	Min  *float64 `json:"min,omitempty"` // nil: as the values need it
	Max  *float64 `json:"max,omitempty"`
	// Labels, if there are some, are what its places are called: 0, 1 and so on.
	Labels []string `json:"labels,omitempty"`
}

// A Shape says how points become a series.
type Shape string

// The ways to draw a series.
const (
	Line  Shape = "line"
	Step  Shape = "step"  // a value holds until the next
	Area  Shape = "area"  // Y is the upper edge; the lower is that of the area before it
	Dots  Shape = "dots"  // a cloud
	Rings Shape = "rings" // published values
	Marks Shape = "marks" // can be picked
)

// A Series is one line, area or set of points.
type Series struct {
	Panel int    `json:"panel,omitempty"`
	Name  string `json:"name"`
	Shape Shape  `json:"shape"`
	Look  Look   `json:"look"`
	Faded bool   `json:"faded,omitempty"`
	Ghost bool   `json:"ghost,omitempty"` // of the baseline: a thin dashed line, shown and hidden with the others of its name
	// Doubted is true of published values that something contradicts.
	Doubted bool   `json:"doubted,omitempty"`
	Points  Column `json:"points"`          // x and y of each
	Band    Column `json:"band,omitzero"`   // x, the lowest and the highest of each, as random numbers have it
	Picks   Column `json:"picks,omitempty"` // of marks: what picking each says
}

// A Limit is a line across at Y.
type Limit struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
}

// Encode returns the figure for charts.js: JSON without its numbers, and the numbers.
func (f *Figure) Encode() (text string, data []float64) {
	f.fill()
	b, err := jsontext.Marshal(f)
	if err != nil {
		return "{}", nil // only a value that is not finite could do that
	}
	return string(b), f.Data
}

// fill makes lists of nothing empty ones, which JSON tells from null.
func (f *Figure) fill() {
	if b := f.Bars; b != nil {
		b.Rows, b.Parts = some(b.Rows), some(b.Parts)
	}
	if c := f.Columns; c != nil {
		c.Labels, c.Groups, c.Kinds, c.Names, c.Notes = some(c.Labels), some(c.Groups), some(c.Kinds), some(c.Names), some(c.Notes)
	}
	if h := f.Heat; h != nil {
		h.Names, h.Looks, h.Marks, h.Here = some(h.Names), some(h.Looks), some(h.Marks), some(h.Here)
	}
	if p := f.Panels; p != nil {
		p.Names, p.Series, p.Legend = some(p.Names), some(p.Series), some(p.Legend)
	}
}

func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// add appends numbers and says where they are.
func (f *Figure) add(values ...float64) Column {
	c := Column{len(f.Data), len(values)}
	f.Data = append(f.Data, values...)
	return c
}

// points appends points as x, y, x, y and says where they are.
func (f *Figure) points(xs, ys []float64) Column {
	n := min(len(xs), len(ys))
	c := Column{len(f.Data), 2 * n}
	f.Data = slices.Grow(f.Data, 2*n)
	for i := range n {
		f.Data = append(f.Data, xs[i], ys[i])
	}
	return c
}
