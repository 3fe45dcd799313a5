package study

import (
	"math"
	"slices"
)

// A Basis says what agreement with a published number is worth.
type Basis uint8

// The bases.
const (
	HeldOut Basis = iota // nothing was fitted to it
	Fitted               // a constant was fitted to it, or it was counted where inputs come from
	Doubted              // something contradicts the published number
)

// Basis returns that of a point. What is doubted is so whether anything was fitted to it or not.
func (p *Paper) Basis(x *Point) Basis {
	switch {
	case Doubt(x.Note) != "":
		return Doubted
	case p.Fitted != nil && p.Fitted(x):
		return Fitted
	}
	return HeldOut
}

// FittedIn is a Paper's Fitted where all of some figures was fitted.
func FittedIn(figures ...string) func(*Point) bool {
	return func(x *Point) bool { return slices.Contains(figures, x.Figure) }
}

// Closeness are the relative differences of which a Score counts who is within.
var Closeness = []float64{0.05, 0.1, 0.2}

// A Score says how far ours are from published numbers, of those of which both are numbers.
type Score struct {
	Dots   []Dot // of a figure, in the order of its rows, without those that another figure has; nil of everything
	Of     int   // how many there are
	Close  []int // of these, within each of Closeness
	Median float64
	// Pairs are two systems of which the paper publishes different values of one quantity under
	// the same settings; Agree are those that are in the same order here.
	Pairs, Agree int
}

// A scoring is a score while it is made: with how far every number is off.
type scoring struct {
	Score
	offs []float64
}

// A Dot is one number of a figure, ours over published.
type Dot struct {
	Row             int // in the figure's sheet
	Point           *Point
	Published, Ours float64
	Ratio           float64
	Basis           Basis
}

// score scores the rows of a figure.
func (p *Paper) score(rows []Row) (s scoring) {
	for i := range rows {
		r := &rows[i]
		ratio, ok := r.ratio()
		if !ok {
			continue
		}
		if !r.Duplicate {
			s.Dots = append(s.Dots, Dot{i, r.Point, r.Value, r.Ours, ratio, p.Basis(r.Point)})
			s.offs = append(s.offs, math.Abs(ratio-1))
		}
		for k := range i {
			q := &rows[k]
			if _, ok := q.ratio(); !ok || q.Value == r.Value || q.System == r.System || q.Quantity != r.Quantity || q.Of != r.Of || q.At != r.At {
				continue
			}
			if s.Pairs++; (q.Ours < r.Ours) == (q.Value < r.Value) && q.Ours != r.Ours {
				s.Agree++
			}
		}
	}
	s.finish()
	return s
}

// ratio is ours over published, where that says something.
func (r *Row) ratio() (ratio float64, ok bool) {
	if r.Status == "" || !r.Fits || !r.OursFits || r.NotComputed != "" || r.Value == 0 && r.Ours != 0 {
		return 0, false
	}
	if r.Value == r.Ours {
		return 1, true
	}
	ratio = r.Ours / r.Value
	return ratio, !math.IsNaN(ratio) && !math.IsInf(ratio, 0)
}

// join adds a figure's to what is scored of everything.
func (s *scoring) join(other *scoring) {
	s.offs = append(s.offs, other.offs...)
	s.Pairs += other.Pairs
	s.Agree += other.Agree
}

// finish counts.
func (s *scoring) finish() {
	slices.Sort(s.offs)
	s.Of, s.Close = len(s.offs), make([]int, len(Closeness))
	for k, limit := range Closeness {
		for _, off := range s.offs {
			if off <= limit {
				s.Close[k]++
			}
		}
	}
	if n := len(s.offs); n > 0 {
		s.Median = (s.offs[(n-1)/2] + s.offs[n/2]) / 2
	}
}
