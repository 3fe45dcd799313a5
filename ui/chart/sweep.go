package chart

import (
	"math"
	"slices"
	"strings"

	"spillway/sim/portable"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// A Dim is a knob that was varied, with its points.
type Dim struct {
	Label, Unit string
	Labels      []string
	Xs          []float64 // nil if the points are no numbers
	Now         string    // the label of what is set
	NowX        float64   // the same as a number, if the points are
}

// A Trial is one system at one point.
type Trial struct {
	Known bool
	Value float64 // not a number if there is none
	Why   string  // why there is none
	Unfit bool    // the system cannot run it
	// Low and High are the lowest and the highest with other random numbers, this one among them.
	Low, High float64
}

// A Sweep is a quantity of systems at the points of one knob or two.
type Sweep struct {
	Of      *report.Quantity
	Systems []*lab.System
	// Floor is the name of the one that proves how much is possible, if it bounds Of.
	Floor  string
	Dims   []Dim // one or two
	At     func(system, i, k int) Trial
	Show   string // of two: "wins", "each", "focus"
	Focus  string // the system of "focus"
	Look   int    // the point that is looked at, if Looks
	Looks  bool
	Note   string
	Mode   string
	Active bool // more is under way
}

// An Answer is a view with its numbers as tables, and what it says.
type Answer struct {
	View
	Tables []report.Table
	Says   string   // the finding, a sentence or two
	Gaps   []string // why there are points without a value
}

// Answer draws the sweep.
func (s *Sweep) Answer() Answer {
	a := Answer{View: View{
		ID: "whatif", Title: s.title(), Note: s.Note, Mode: s.Mode, Height: sweepHeight + 20*(max(len(s.Systems)-1, 0)/6),
	}}
	for i := range s.Systems {
		for x := range s.Dims[0].Labels {
			for y := range s.height() {
				if t := s.At(i, x, y); t.Known && finite(t.Value) {
					a.Results++
				}
			}
		}
	}
	if len(s.Dims) == 2 {
		s.maps(&a)
	} else {
		s.lines(&a)
	}
	s.gaps(&a)
	switch {
	case a.Results > 0:
	case s.Active:
		a.Empty = "Computing…"
	case len(a.Gaps) > 0:
		a.Empty = "No point has a value. The reasons stand below."
	default:
		a.Empty = "Not run yet."
	}
	return a
}

// sweepHeight is the height of a drawing in pixels.
const sweepHeight = 360

// height is how many points the second axis has, 1 if there is none.
func (s *Sweep) height() int {
	if len(s.Dims) < 2 {
		return 1
	}
	return len(s.Dims[1].Labels)
}

func (s *Sweep) title() string {
	names := make([]string, len(s.Dims))
	for i := range s.Dims {
		names[i] = inner(s.Dims[i].Label)
	}
	return s.Of.Label + ", by " + prose.List(names)
}

// shown is a value of the quantity in the unit that people see; not a number
// stays none.
func (s *Sweep) shown(v float64) float64 { return s.Of.Shown(v) }

// say prints a value of the quantity with its unit.
func (s *Sweep) say(v float64) string { return With(Cell(s.Of, v), s.Of.Unit) }

// geometric reports whether points lie by factors rather than evenly, so that
// they are drawn at equal distances.
func (d *Dim) geometric() bool {
	n := len(d.Xs)
	return n > 2 && d.Xs[0] > 0 && d.Xs[n-1]/d.Xs[0] >= 4 && d.Xs[n-1]-d.Xs[n-2] >= 2*(d.Xs[1]-d.Xs[0])
}

// places are where the points stand on a drawn axis, and the axis.
func (d *Dim) places() ([]float64, Axis) {
	x := Axis{Name: join(d.Label, d.Unit)}
	if d.Xs != nil && !d.geometric() {
		xs := d.Xs
		if len(xs) > 0 {
			x.Min, x.Max = new(slices.Min(xs)), new(slices.Max(xs))
			if *x.Min == *x.Max {
				x.Max = new(*x.Min + 1)
			}
		}
		return xs, x
	}
	xs := make([]float64, len(d.Labels))
	for i := range xs {
		xs[i] = float64(i)
	}
	x.Labels, x.Min, x.Max = d.Labels, new(float64(0)), new(max(float64(len(xs)-1), 1))
	return xs, x
}

// here is where what is set now stands on the drawn axis.
func (d *Dim) here() (at float64, ok bool) {
	if d.Xs == nil || !d.geometric() {
		if i := slices.Index(d.Labels, d.Now); d.Xs == nil {
			return float64(i), i >= 0
		}
		return d.NowX, len(d.Xs) > 0 && d.NowX >= slices.Min(d.Xs) && d.NowX <= slices.Max(d.Xs)
	}
	for i := 1; i < len(d.Xs); i++ {
		if a, b := d.Xs[i-1], d.Xs[i]; d.NowX >= a && d.NowX <= b && b > a {
			return float64(i-1) + portable.Log(d.NowX/a)/portable.Log(b/a), true
		}
	}
	return 0, false
}

// lines draws a line a system.
func (s *Sweep) lines(a *Answer) {
	d := &s.Dims[0]
	xs, axis := d.places()
	f := &Figure{Panels: &Panels{Names: []string{""}, X: axis, Y: Axis{Name: join(s.Of.Label, s.Of.Unit), Unit: s.Of.Unit}}}
	p := f.Panels
	low, high := math.Inf(1), 0.0
	table := report.Table{Title: a.Title, Head: []string{d.Label + bracketed(d.Unit)}}
	table.Rows = make([]report.Row, len(d.Labels))
	for i := range table.Rows {
		table.Rows[i].Head = d.Labels[i]
		if d.Labels[i] == d.Now {
			table.Rows[i].Sub = "now"
		}
	}
	for n, sys := range s.Systems {
		var at, ys, band []float64 // what is still to come is left out; a gap is a point without a value
		random := false
		for i := range xs {
			t := s.At(n, i, 0)
			y := s.shown(t.Value)
			if t.Known {
				at, ys = append(at, xs[i]), append(ys, y)
			}
			table.Rows[i].Cells = append(table.Rows[i].Cells, report.Cell{Text: s.cell(t), Best: s.leads(n, i)})
			if finite(y) {
				from, to := s.shown(t.Low), s.shown(t.High)
				low, high, random = min(low, from), max(high, to), random || t.Low < t.High
				band = append(band, xs[i], from, to)
			}
		}
		look := SystemLook(sys)
		if sys.Bound && look.Pattern == 0 {
			look.Pattern = 1
		}
		p.Series = append(p.Series, Series{Name: sys.Title, Shape: Line, Look: look, Points: f.points(at, ys), Picks: f.add()})
		if random {
			p.Series[len(p.Series)-1].Band = f.add(band...)
		}
		p.Legend = append(p.Legend, sys.Title)
		table.Head = append(table.Head, sys.Title)
	}
	f.Panels.Room = s.headroom(f, xs, &table)
	if low >= 0 && low < 0.5*high {
		p.Y.Min = new(float64(0))
	}
	if s.Looks {
		p.Here = &Limit{xs[s.Look], With(d.Labels[s.Look], d.Unit)}
	} else if at, ok := d.here(); ok {
		p.Here = &Limit{at, "now: " + With(d.Now, d.Unit)}
	}
	a.Figure, a.Tables = f, []report.Table{table}
	a.Says = s.sayLines()
	a.Alt = a.Says + " " + s.sayEnds()
}

// headroom adds to every point how near the best system is to what is possible, and returns
// the band between them, empty where nothing is proved.
func (s *Sweep) headroom(f *Figure, xs []float64, t *report.Table) Column {
	if s.floor() < 0 {
		return Column{}
	}
	t.Head = append(t.Head, "The best is")
	var band []float64
	any := false
	for i := range t.Rows {
		text, least, known := Dash, math.NaN(), math.NaN()
		if possible, v, ok := s.roomAt(i); ok {
			text, least, known = within(ratioOf(s.Of, v, possible)), s.shown(possible), s.shown(v)
			any = true
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, report.Cell{Text: text})
		band = append(band, xs[i], min(least, known), max(least, known))
	}
	if !any {
		return Column{}
	}
	return f.add(band...)
}

// floor is the place of the system that proves how much is possible, -1 if there is none.
func (s *Sweep) floor() int {
	return slices.IndexFunc(s.Systems, func(x *lab.System) bool { return x.Name == s.Floor })
}

// roomAt is what is possible at a point of one knob, and the value of the best system there.
// There is none where that is one for which the proof does not hold.
func (s *Sweep) roomAt(i int) (possible, best float64, ok bool) {
	floor, at := s.floor(), s.best(i, 0)
	if floor < 0 || at < 0 {
		return 0, 0, false
	}
	possible, best = s.At(floor, i, 0).Value, s.At(at, i, 0).Value
	return possible, best, finite(possible) && possible > 0 && !faster(s.Of, best, possible)
}

func bracketed(unit string) string {
	if unit == "" {
		return ""
	}
	return " (" + unit + ")"
}

// cell is what a table says of one point.
func (s *Sweep) cell(t Trial) string {
	switch {
	case !t.Known:
		return "…"
	case finite(t.Value):
		return Cell(s.Of, t.Value)
	case t.Unfit:
		return Unfit
	}
	return Dash
}

// rival reports whether a system can be best: no bound can, and what shares are of only beside
// nothing else.
func (s *Sweep) rival(n int) bool {
	other := func(x *lab.System) bool { return !x.Bound && !x.Yardstick }
	return other(s.Systems[n]) || !s.Systems[n].Bound && !slices.ContainsFunc(s.Systems, other)
}

// best is the rival that is best at a point; -1 if none has a value, or if the quantity has
// no better and worse.
func (s *Sweep) best(i, k int) int {
	at, most := -1, 0.0
	for n := range s.Systems {
		v := s.At(n, i, k).Value
		if !s.rival(n) || !finite(v) || s.Of.Better == 0 {
			continue
		}
		if v *= float64(s.Of.Better); at < 0 || v > most+float64(1e-9*math.Abs(most)) {
			at, most = n, v
		}
	}
	return at
}

// leads reports whether nobody is better at a point.
func (s *Sweep) leads(n, i int) bool {
	best, v := s.best(i, 0), s.At(n, i, 0).Value
	if s.Of.Better > 0 && v == 0 { // nobody has any
		return false
	}
	return best >= 0 && s.rival(n) && finite(v) && (near(v, s.At(best, i, 0).Value) || s.over(n, i, best, i))
}

// A gap is a reason why points have no value.
type gap struct {
	who []string // the systems that cannot run it; none if nobody can
	why string
	at  []string
}

// gaps says why points have no value, each reason once with the points it is for.
func (s *Sweep) gaps(a *Answer) {
	var all []*gap
	find := func(who, why string) *gap {
		for _, g := range all {
			if g.why == why && (who == "" || g.who[0] == who) {
				return g
			}
		}
		g := &gap{why: why}
		if who != "" {
			g.who = []string{who}
		}
		all = append(all, g)
		return g
	}
	for x := range s.Dims[0].Labels {
		for y := range s.height() {
			for n, sys := range s.Systems {
				t := s.At(n, x, y)
				if !t.Known || t.Why == "" || finite(t.Value) {
					continue
				}
				g := (*gap)(nil)
				if t.Unfit {
					g = find(sys.Title, "")
				} else {
					g = find("", t.Why)
				}
				if at := s.point(x, y); len(g.at) == 0 || g.at[len(g.at)-1] != at {
					g.at = append(g.at, at)
				}
			}
		}
	}
	var kept []*gap // those of the same points are one
	for _, g := range all {
		at := slices.IndexFunc(kept, func(k *gap) bool { return g.why == "" && k.why == "" && slices.Equal(k.at, g.at) })
		if at >= 0 {
			kept[at].who = append(kept[at].who, g.who...)
			continue
		}
		kept = append(kept, g)
	}
	for i, g := range kept {
		if i == mostGaps {
			a.Gaps = append(a.Gaps, Count(int64(len(kept)-i))+" more reasons; the file has all of them.")
			break
		}
		at := strings.Join(g.at, ", ")
		if len(g.at) > 4 {
			at = g.at[0] + " to " + g.at[len(g.at)-1] + " (" + Count(int64(len(g.at))) + " points)"
		}
		if g.why == "" {
			a.Gaps = append(a.Gaps, sentence(prose.List(g.who)+" cannot run it at "+at))
		} else {
			a.Gaps = append(a.Gaps, "At "+at+": "+sentence(g.why))
		}
	}
}

// mostGaps is how many reasons stand below the drawing.
const mostGaps = 6

// point names a point.
func (s *Sweep) point(x, y int) string {
	text := With(s.Dims[0].Labels[x], s.Dims[0].Unit)
	if len(s.Dims) == 2 {
		text += " and " + With(s.Dims[1].Labels[y], s.Dims[1].Unit)
	}
	return text
}
